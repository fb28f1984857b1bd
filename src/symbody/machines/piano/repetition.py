"""Repetition: how fast the hammer follows a sine of rising frequency at the key's front, by several criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from symbody.analysis.chirp import highest_frequency
from symbody.machines.piano.model import DIP
from symbody.machines.piano.play import played, settled
from symbody.machines.piano.strokes import DT, Staccato, through
from symbody.results.run import Run
from symbody.system.system import System
from symbody.visual.report import Record

Array = np.ndarray
LET_OFF = 2.9e-3  # m, distance between hammer and string at let-off
PRINTED = {"single": 34.0, "double": 46.0}  # Hz, Docquier 2013, 5.3, without amplitude and criterion
DEPTHS = (0.5e-3, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6.5e-3, 8e-3, DIP)  # m, peak to peak
SHALLOW, FINE = 2e-3, DT / 8  # m, s: shallow sines at the bottom exchange mJ between hard felts; at DT, 11 % are lost
SINES = ("from rest", "to the bottom")
CRITERIA = EVERY, SECOND, PASSES, LAST = (
    "every stroke sounds", "every second stroke sounds", "passes let-off", "last blow",
)  # fmt: skip


def staccato_run(s: System, sweep: Staccato) -> Run:
    """The key pressed, released to the top of the sine, and moved along the sine."""
    top = sweep.deepest - sweep.depth
    pressed = through([(0.0, 0.0), (0.1, DIP), (0.3, DIP), (0.5, top)], 0.7)
    return played(s, sweep.stroke, settled(s) if top == 0.0 else played(s, pressed).last_state)


def limits(run: Run, sweep: Staccato) -> dict[str, float]:
    """The frequency (Hz) up to which the action repeats, by criterion.

    Slow strokes over a small depth do not throw the hammer, so a band of strokes may begin above the slowest one.
    """
    f, deepest = sweep.peaks(run.t, run["string.depth"])
    sounds = deepest > 0.0
    return {
        EVERY: highest_frequency(f, sounds),
        SECOND: highest_frequency(f, sounds, 2),
        PASSES: highest_frequency(f, deepest > -LET_OFF),
        LAST: float(f[sounds][-1]) if sounds.any() else 0.0,
    }


def repetition_map(systems: Mapping[str, System], sweep: Staccato, depths: Sequence[float] = DEPTHS) -> list[Record]:
    """Limits (Hz) by depth of the sine, from rest down or ending at the bottom of the dip: a record for each.

    A column is a criterion and an escapement.
    """
    made: list[Record] = []
    for sine in SINES:
        for depth in depths:
            deepest, dt = (depth, sweep.dt) if sine == SINES[0] else (DIP, FINE if depth <= SHALLOW else sweep.dt)
            one = replace(sweep, depth=depth, deepest=deepest, dt=dt)
            found = {name: limits(staccato_run(s, one), one) for name, s in systems.items()}
            by = {f"{criterion}, {name}": found[name][criterion] for criterion in CRITERIA for name in systems}
            made.append({"sine": sine, "depth_mm": 1e3 * depth, **by})
    return made
