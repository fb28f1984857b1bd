"""Measured data for a fit: a run, a file, a pandas table, or arrays by name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.results.channels import not_recorded
from symbody.results.run import Run
from symbody.results.table import TIMES
from symbody.system.system import Array, System

Log = Run | str | os.PathLike[str] | Mapping[str, Any] | Any  # or a DataFrame


@dataclass(frozen=True)
class Measured:
    """Times (s) and columns by name; NaN without a measurement."""

    name: str
    t: Array
    columns: dict[str, Array]

    def channels(self, s: System, wanted: Sequence[str] | None) -> list[str]:
        """The columns to fit: the wanted ones, or all that are outputs of the system and not inputs."""
        possible = [name for name in self.columns if name in s.possible_outputs and name not in s.inputs]
        if wanted is None and not possible:
            listed = ", ".join([*self.columns][:5])
            cure = f"name its columns after outputs of the system, such as {', '.join(s.possible_outputs[:3])}"
            raise ModelError(f"no column is an output of the system: {listed}", element=self.name, cure=cure)
        for name in wanted or ():
            if name not in self.columns or name not in s.possible_outputs:
                raise not_recorded(name, [*self.columns] if name not in self.columns else s.possible_outputs)
        return list(possible if wanted is None else wanted)

    def inputs(self, s: System) -> dict[str, tuple[Array, Array]]:
        """Columns that are inputs of the system, as (times, values)."""
        found = {name: (self.t, self.columns[name]) for name in s.inputs if name in self.columns}
        for name, (_, values) in found.items():
            if not np.all(np.isfinite(values)):
                raise ModelError("the input has gaps", element=name, cure="fill the gaps, or give it with inputs=")
        return found


def measured(log: Log, number: int = 0) -> Measured:
    """A log with at least two increasing times."""
    name = f"log {number + 1}"
    if isinstance(log, (str, os.PathLike)):
        name, log = os.fspath(log), Run.load(log)
    if isinstance(log, Run):
        t, columns = log.t, {channel: log[channel] for channel in log.names}
    elif isinstance(log, Mapping):
        t, columns = _timed({str(key): np.asarray(x, dtype=float) for key, x in log.items()}, name)
    elif hasattr(log, "columns") and hasattr(log, "index"):
        columns = {str(key): np.asarray(log[key], dtype=float) for key in log.columns}
        own = any(key.lower() in TIMES for key in columns)
        t, columns = _timed(columns, name) if own else (np.asarray(log.index, dtype=float), columns)
    else:
        cure = "give a Run, the path of a file, a DataFrame, or arrays by name"
        raise ModelError(f"a log cannot be a {type(log).__name__}", element=name, cure=cure)
    if len(t) < 2 or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0.0):
        raise ModelError("the times do not increase", element=name, cure="sort the rows by time and remove duplicates")
    for key, values in columns.items():
        if values.shape != t.shape:
            raise ModelError(
                f"values of shape {values.shape} at {len(t)} times", element=key, cure="give one value per time"
            )
    return Measured(name, t, columns)


def _timed(columns: dict[str, Array], name: str) -> tuple[Array, dict[str, Array]]:
    """The column of times, and the other columns."""
    times = [key for key in columns if key.lower() in TIMES]
    if not times:
        raise ModelError("no column of times", element=name, cure="name the column of times 't' or 'time'")
    return columns[times[0]], {key: x for key, x in columns.items() if key != times[0]}
