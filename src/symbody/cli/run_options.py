"""Options that several commands share: parameters (--set), input tables (--inputs), initial states (--x0) and
bounds (--between).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from symbody.errors import ModelError

if TYPE_CHECKING:
    from symbody.model.model import Model
    from symbody.stepping.inputs import Signal
    from symbody.system.system import System

GATE = 25.0  # default y²/S above which filters reject a measurement: 5 σ
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def set_option(parser: argparse.ArgumentParser) -> None:
    """Add --set."""
    text = 'a parameter or an input: k=2e4, or with a unit "k=20 N/mm" (may be repeated)'
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=text)


def given_options(parser: argparse.ArgumentParser, *, x0: bool = True) -> None:
    """Add --inputs, and --x0."""
    text = "inputs over time, a .csv or .parquet: times in `t`, a column for each input"
    parser.add_argument("--inputs", metavar="FILE", help=text)
    if x0:
        text = "an initial state (may be repeated; default: the model's own)"
        parser.add_argument("--x0", action="append", default=[], metavar="STATE=VALUE", help=text)


def bounds_option(parser: argparse.ArgumentParser) -> None:
    """Add --between."""
    text = "bounds of a parameter (may be repeated)"
    parser.add_argument("--between", action="append", default=[], metavar="NAME=LOW:HIGH", help=text)


def bounds_of(arguments: argparse.Namespace) -> dict[str, tuple[float, float]]:
    """The bounds of --between by parameter."""
    return dict(map(_between, arguments.between))


def _between(text: str) -> tuple[str, tuple[float, float]]:
    name, _, limits = text.partition("=")
    low, _, high = limits.partition(":")
    try:
        return name.strip(), (float(low), float(high))
    except ValueError as error:
        raise ModelError(
            f"'{text}' is not NAME=LOW:HIGH", element="--between", cure="write for example k=1e4:3e4"
        ) from error


def inputs_of_file(arguments: argparse.Namespace, model: Model) -> dict[str, Signal]:
    """The signals in the file of --inputs by name; empty without the option."""
    if not arguments.inputs:
        return {}
    from symbody.analysis.arguments import signals

    return signals(arguments.inputs, model)


def open_system(arguments: argparse.Namespace, model: Model, **options: Any) -> tuple[System, dict[str, Signal]]:
    """The system of a model with the values of --set, and the signals of --inputs as its inputs."""
    from symbody.system.named_values import parameters_and_inputs
    from symbody.system.options import asked_for
    from symbody.system.system import system

    read = inputs_of_file(arguments, model)
    s = system(model, inputs=asked_for(model, read), **options)
    values, constant = parameters_and_inputs(s, dict(map(assigned, arguments.set)))
    s.parameters.update(values)
    return s, {**read, **constant}


def start_of(arguments: argparse.Namespace) -> dict[str, float] | None:
    """The initial states of --x0; None without the option."""
    return dict(map(assigned_by("--x0", "crank.q=0.3"), arguments.x0)) or None


def assigned(text: str) -> tuple[str, float]:
    """Parse NAME=VALUE of --set."""
    return assigned_by("--set", "k=2e4")(text)


def assigned_by(option: str, example: str) -> Callable[[str], tuple[str, float]]:
    """A parser of NAME=VALUE or NAME=VALUE UNIT; a unit is converted to SI."""

    def parse(text: str) -> tuple[str, float]:
        name, _, value = text.partition("=")
        try:
            return name.strip(), float(value)
        except ValueError:
            match = _NUMBER.match(value.strip())
        if match is None:
            raise ModelError(f"'{text}' is not NAME=VALUE", element=option, cure=f"write {option} {example}")
        from symbody.units import si  # imported here: plain numbers do not need NumPy

        try:
            return name.strip(), float(si(float(match[0]), value.strip()[match.end() :].strip()))
        except ModelError as error:
            error.element = f"{option} {text}"
            raise

    return parse
