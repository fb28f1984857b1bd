"""Repetition: how fast the hammer follows a sine of rising frequency at the key's front, by several criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np

from symbody.machines.piano.model import DIP
from symbody.machines.piano.play import played, settled
from symbody.machines.piano.strokes import Staccato, through
from symbody.results.run import Run
from symbody.system.system import System

Array = np.ndarray
LET_OFF = 2.9e-3  # m, distance between hammer and string at let-off
PRINTED = {"single": 34.0, "double": 46.0}  # Hz, Docquier 2013, 5.3, without amplitude and criterion
DEPTHS = (0.5e-3, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6.5e-3, 8e-3, DIP)  # m, peak to peak
EVERY, SECOND, PASSES, LAST = "every stroke sounds", "every second stroke sounds", "passes let-off", "last blow"


def staccato_run(s: System, sweep: Staccato) -> Run:
    """The key pressed, released to the top of the sine, and moved along the sine."""
    top = sweep.deepest - sweep.depth
    pressed = through([(0.0, 0.0), (0.1, DIP), (0.3, DIP), (0.5, top)], 0.7)
    return played(s, sweep.stroke, settled(s) if top == 0.0 else played(s, pressed).last_state)


def nearest(run: Run, sweep: Staccato) -> tuple[Array, Array]:
    """Mean frequency (Hz) of each stroke, and how far (m) the hammer gets into the string; negative: its distance."""
    stroke = np.floor(sweep.cycles(run.t)).astype(int)
    begins = np.searchsorted(stroke, np.arange(stroke[-1] + 1))  # the last one is not complete
    deepest = np.maximum.reduceat(run["string.depth"], begins)[:-1]
    return sweep.frequency((run.t[begins[:-1]] + run.t[begins[1:]]) / 2.0), deepest


def unbroken(frequencies: Array, kept: Array, silent: int = 1) -> float:
    """The frequency (Hz) before the first `silent` strokes in a row that miss; 0 if these are the first ones."""
    at = 0
    for hit, group in groupby(kept):
        length = len(list(group))
        if not hit and length >= silent:
            return float(frequencies[at - 1]) if at else 0.0
        at += length
    return float(frequencies[-1])


def limits(run: Run, sweep: Staccato) -> dict[str, float]:
    """The frequency (Hz) up to which the action repeats, by criterion."""
    f, deepest = nearest(run, sweep)
    sounds = deepest > 0.0
    return {
        EVERY: unbroken(f, sounds),
        SECOND: unbroken(f, sounds, 2),
        PASSES: unbroken(f, deepest > -LET_OFF),
        LAST: float(f[sounds][-1]) if sounds.any() else 0.0,
    }


def repetition_map(
    systems: Mapping[str, System], sweep: Staccato, depths: Sequence[float] = DEPTHS
) -> dict[str, dict[float, dict[str, float]]]:
    """Limits by escapement and depth of the sine (m), which ends at the bottom of the dip."""
    sweeps = {depth: sweep.of_depth(depth) for depth in depths}
    return {
        name: {depth: limits(staccato_run(s, one), one) for depth, one in sweeps.items()} for name, s in systems.items()
    }
