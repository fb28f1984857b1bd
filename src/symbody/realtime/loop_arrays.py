"""Connections between a system and its loop: external inputs, limits, measured motion, parameters, state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbody.errors import ModelError
from symbody.realtime.loop_file import Array
from symbody.realtime.stepper import LoopModel, LoopStepper
from symbody.realtime.tracking import Tracker
from symbody.suggestions import did_you_mean
from symbody.system.options import MEASURED

EFFORT = ".effort"  # ending of outputs that are commands to a drive
Ranges = Mapping[str, tuple[float, float]]


def given_inputs(model: LoopModel, track: Mapping[str, Tracker]) -> list[str]:
    """The inputs from outside: all except the ones computed by trackers."""
    for joint in track:
        if f"{joint}.q" not in model.inputs:
            raise ModelError(
                "the motion of this joint is not an input",
                element=joint,
                cure=f'use sb.system(m, inputs=["{joint}.q"])',
            )
    made = {f"{joint}.{derivative}" for joint in track for derivative in MEASURED[1:]}
    return [name for name in model.inputs if name not in made]


def largest_efforts(outputs: Sequence[str], limits: Mapping[str, float]) -> Array:
    """The limit of each output that is an effort; NaN for the others."""
    _check_known(outputs, limits, "output")
    for name, limit in limits.items():
        if not limit >= 0.0:
            raise ModelError(f"an effort limit of {limit}", element=name, cure="give a limit that is not negative")
    return np.array([limits.get(name, inf if name.endswith(EFFORT) else nan) for name in outputs], dtype=float)


def low_and_high(names: Sequence[str], limits: Ranges, kind: str) -> tuple[Array, Array]:
    """Lower and upper limit of each name."""
    _check_known(names, limits, kind)
    for name, (low, high) in limits.items():
        if not low <= high:
            raise ModelError(f"limits from {low} to {high}", element=name, cure="give the lower one first")
    pairs = np.array([limits.get(name, (-inf, inf)) for name in names], dtype=float).reshape(-1, 2)
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _check_known(names: Sequence[str], limits: Mapping[str, Any], kind: str) -> None:
    for name in limits:
        if name not in names:
            raise ModelError(f"unknown {kind}", element=name, cure=did_you_mean(name, names, f"{kind}s"))


def input_arrays(model: LoopModel, given: Sequence[str], limits: Ranges) -> dict[str, NDArray[Any]]:
    """The last sample, the indices of its values among the inputs, and their limits."""
    places = np.array([model.inputs.index(name) for name in given], dtype=np.int64)
    low, high = low_and_high(given, limits, "input")
    momentary = np.array([name in model.momentary for name in given], dtype=np.int64)
    sample = np.where(momentary, nan, model.u0[places])
    return {"sample": sample, "target": places, "momentary": momentary, "low": low, "high": high}


def output_arrays(model: LoopModel, limits: Ranges) -> dict[str, NDArray[Any]]:
    """The outputs of a step, and their limits."""
    least, most = low_and_high(model.outputs, limits, "output")
    return {"y": np.zeros(len(model.outputs)), "least": least, "most": most}


def state_arrays(stepper: LoopStepper) -> dict[str, NDArray[Any]]:
    """Addresses of the state, and its initial values."""
    return {
        "kept": np.array([array.ctypes.data for array in stepper.kept], dtype=np.uint64),
        "sizes": np.array([len(array) for array in stepper.kept], dtype=np.int64),
        "start": np.concatenate(stepper.kept),
    }


def parameter_arrays(stepper: LoopStepper) -> dict[str, NDArray[Any]]:
    """Three buffers of values that depend on parameters, the pointers to them, and the buffer in use."""
    ends = np.cumsum([0, *(len(f.hoisted) for _, f in stepper.fields)])
    return {
        "hoisted": np.tile(stepper.hoisted(), 3),
        "fields": np.array([place for place, _ in stepper.fields], dtype=np.uint64),
        "places": np.array(ends[:-1], dtype=np.int64),
    }


def tracking_arrays(model: LoopModel, track: Mapping[str, Tracker], dt: float) -> dict[str, NDArray[Any]]:
    """Measured inputs, their filters, and the filters' initial states."""
    places = [model.inputs.index(f"{joint}.q") for joint in track]
    filters = [np.concatenate([x.ravel() for x in tracker.matrices(dt)]) for tracker in track.values()]
    return {
        "tracked": np.array(places, dtype=np.int64),
        "measured": np.array([model.u0[k] for k in places], dtype=float),
        "filters": np.concatenate([np.zeros(0), *filters]),
        "followed": np.concatenate([np.zeros(0), *(model.u0[k : k + len(MEASURED)] for k in places)]),
    }
