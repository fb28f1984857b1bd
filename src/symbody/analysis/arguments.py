"""Inputs and systems as arguments of analyses: all accepted forms are converted to one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.files.safe_file import naming
from symbody.model.model import Model
from symbody.results.channels import channel_units
from symbody.results.files import read_table
from symbody.results.run import Run
from symbody.results.table import TIMES
from symbody.stepping.inputs import Signal, sampled
from symbody.suggestions import did_you_mean
from symbody.system.named_values import by_name, listed, require_known
from symbody.system.options import asked_for
from symbody.system.system import Array, System, system, system_of
from symbody.units import converted, si

# By name: a number, a function of time, (times, values), a Series, the path of a file, or one value per step. Or all
# inputs together: a DataFrame, a run, or the path of a .csv or .parquet file. See docs/inputs.md.
Inputs = Mapping[str, Any] | str | os.PathLike[str] | Any
EXAMPLE = '{"torque": 2.0}'
SYSTEM_OPTIONS = [name for name in signature(system).parameters if name not in ("model", "inputs", "outputs")]


def signals(given: Any, model: Model) -> dict[str, Signal]:
    """Inputs in any accepted form → by name, each a number, a function of time or (times, values).

    A column with a unit (from a file or a run) is converted to the unit of the input.
    """
    if _is_path(given):
        return dict(_from_file(given, model))
    if isinstance(given, Run):
        return dict(_columns(given.names, given.t, given.values, given.units, model))
    if hasattr(given, "columns") and hasattr(given, "index"):
        return dict(_from_frame(given))
    if hasattr(given, "index") and hasattr(given, "to_numpy"):
        return dict([_from_series(given, str(given.name or ""))])
    named = by_name(given, "inputs", EXAMPLE)
    return {str(name): _signal(str(name), one, model) for name, one in named.items()}


def _is_path(given: Any) -> bool:
    return isinstance(given, str | os.PathLike)


def _signal(name: str, given: Any, model: Model) -> Signal:
    """One input: a Series, or its column in a file, becomes (times, values); other forms stay unchanged."""
    if _is_path(given):
        found = dict(_from_file(given, model, only=name))
        return found[name]
    if hasattr(given, "index") and hasattr(given, "to_numpy"):
        return _from_series(given, name)[1]
    signal: Signal = given
    return signal


def _from_file(path: Any, model: Model, only: str = "") -> Iterator[tuple[str, Signal]]:
    """The columns of a .csv or .parquet file, or only the column `only`."""
    with naming(path):
        table = read_table(path)
        if only and only not in table.names:
            raise ModelError(
                "the file has no such column", element=only, cure=did_you_mean(only, table.names, "columns")
            )
        names = [only] if only else table.names
        places = [table.names.index(name) for name in names]
        yield from _columns(names, table.t, table.values[:, places], table.notes.units, model)


def _columns(
    names: Sequence[str], t: Array, values: Array, units: Mapping[str, str], model: Model
) -> Iterator[tuple[str, Signal]]:
    own = {name: given.unit for name, given in model.inputs.items()}
    for name, column in zip(names, values.T, strict=True):
        times, numbers = sampled(f"column {name}", (t, column))
        unit, wanted = units.get(name, ""), own.get(name) or channel_units(model, [name])[name]
        if unit and unit != wanted:
            numbers = converted(numbers, unit, wanted, f"column {name}") if wanted else si(numbers, unit)
        yield name, (times, numbers)


def _from_frame(frame: Any) -> Iterator[tuple[str, Signal]]:
    """Columns over the index, or over a column `t` or `time`."""
    named = next((c for c in frame.columns if str(c).lower() in TIMES), None)
    times = _times(frame.index, "the DataFrame") if named is None else frame[named].to_numpy()
    for column in frame.columns:
        if column != named:
            yield str(column), sampled(f"column {column}", (times, frame[column].to_numpy()))


def _from_series(series: Any, name: str) -> tuple[str, Signal]:
    if not name:
        raise ModelError(
            "the Series has no name", element="inputs", cure=f"set its name, or give a dictionary {EXAMPLE}"
        )
    return name, sampled(name, (_times(series.index, name), series.to_numpy()))


def _times(index: Any, where: str) -> Array:
    """Times (s) from a pandas index. Raises if the index counts rows or holds dates."""
    if hasattr(index, "total_seconds"):
        return np.asarray(index.total_seconds(), dtype=float)
    counts = hasattr(index, "start") and hasattr(index, "step")  # a RangeIndex is pandas' default, not a time
    if counts or index.dtype.kind not in "iuf":
        problem = "its index counts rows" if counts else f"its index has the type {index.dtype}"
        raise ModelError(
            f"{problem} and is not a time", element=where, cure="use the times (s) as the index, or name their column t"
        )
    return np.asarray(index, dtype=float)


# -- systems -----------------------------------------------------------------------------------------------------------


def given_system(
    what: System | Model, given: Inputs | None = None, outputs: Sequence[str] | str | None = None, **options: Any
) -> tuple[System, dict[str, Signal]]:
    """The system of an analysis and its inputs: a model is compiled with the options of `system`.

    outputs: recorded signals, patterns such as "*.q"; for a System they replace its own outputs.
    """
    wanted = listed(outputs)
    if isinstance(what, Model):
        require_known(options, SYSTEM_OPTIONS, "option")
        found = signals(given, what)
        return system(what, inputs=asked_for(what, found), outputs=wanted, **options), found
    if not isinstance(what, System):
        cure = "give a Model or a System; sb.load(…) reads a model file, machines.model(…) makes a built-in machine"
        raise ModelError(f"expected a model, got a {type(what).__name__}", cure=cure)
    if options:
        name = next(iter(options))
        cure = f"leave it out; give options when the system is made: sb.system(m, {name}=…)"
        raise ModelError(f"unknown option '{name}'", element=name, cure=cure)
    return recording(what, wanted), signals(given, what.model)


def recording(s: System, outputs: Sequence[str] | None) -> System:
    """The same system with other outputs; None keeps its own."""
    if outputs is None or tuple(outputs) == s.definition.wanted:
        return s
    other = system_of(replace(s.definition, wanted=tuple(outputs)), s.backend)
    other.parameters.update(dict(s.parameters))
    return other.starting(s.start)
