"""The scripted work cycle of Publication V, section IV-A: dig, carry, dump, with its printed times.

The commands of the driver are in commands.yaml, also of the four tests of Publication IV.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from time import thread_time

import numpy as np

from symbody.errors import DivergenceError, ModelError
from symbody.files.package_data import package_data
from symbody.machines.tractor.model import ground, tractor
from symbody.realtime.chain import Chain
from symbody.realtime.unclocked import Unclocked
from symbody.results.run import Run
from symbody.system.system import System
from symbody.terrain.soil.terrain import Terrain

DT = 1.2e-3  # s, as printed
SUBSTEPS = 6  # of the tractor: through the slowest gear its wheels feel the clutch as a damper of 10⁴ 1/s
UNTIL = 44.0  # s
OFTEN = 10  # steps between records
Array = np.ndarray
Moves = Sequence[tuple[float, float, float]]  # from, to (s), value
Commands = Mapping[str, tuple[float, Moves]]
DUG, TRIMMED, DRIVEN = 10.5, 19.0, 34.0  # s: the bucket is in the heap; its tilt is trimmed; the tractor is back


_DATA = package_data(__package__, "commands.yaml")
COMMANDS: Commands = _DATA["script"]  # the value at rest, and when it is another
TESTS: Mapping[str, float] = {name: one["load"] for name, one in _DATA["tests"].items()}  # kg, Publication IV
WATCHED = (
    "*.q", "bucket.height", "bucket.tilt", "fuel.share", "gear.now", "engine.*", "tractor.speed", "*_p",
    "edge.position.*", "*_tyre.load", "lift_left.*", "lift_right.*", "tilt_left.*", "tilt_right.*",
    "seat.acceleration.*", "seat.omega.*",
)  # fmt: skip
OF_SOIL = ("bucket.soil.*", "soil.*")


def command(name: str, t: float, given: Commands = COMMANDS) -> float:
    """The value of an input of the driver at a time (s)."""
    rest, moves = given[name]
    return next((value for begin, end, value in moves if begin <= t < end), rest)


def hud_commands(name: str) -> Commands:
    """The commands of a test of Publication IV: other moves of the loader between dig and dump."""
    changed = dict(COMMANDS)
    for lever, moves in _DATA["tests"][name]["after"].items():
        rest, usual = COMMANDS[lever]
        changed[lever] = rest, [*(one for one in usual if not DUG <= one[0] < DRIVEN), *moves]
    return changed


def compiled(soil: Terrain) -> System:
    """The tractor on a terrain, traced and compiled."""
    return soil.system(tractor(soil), outputs=list(WATCHED))


def chain(soil: Terrain, s: System) -> Chain:
    """Terrain and tractor as a source of the real-time loop."""
    return soil.chain(s, [*WATCHED, *OF_SOIL], SUBSTEPS)


@dataclass(frozen=True, eq=False)
class Worked:
    """A work cycle: its record, the ground at its end, volumes (m³) before and after, processor times (s)."""

    run: Run
    soil: Terrain
    volumes: tuple[float, float]
    step_times: Array

    @property
    def volume_error(self) -> float:
        """Change of the volume by the volume that was cut."""
        moved = self.soil.cut_and_merged[0] * self.soil.particle_volume
        return abs(self.volumes[1] - self.volumes[0]) / max(moved, self.soil.particle_volume)


@cache
def _compiled_once() -> System:
    """The system of all cycles: only the ground differs."""
    return compiled(ground())


def cycle(until: float = UNTIL, seed: int = 0, moves: Commands | None = None) -> Worked:
    """The work cycle until a time (s), or other commands of a driver."""
    if not 0.0 < until <= UNTIL:
        raise ModelError(f"a cycle of {until:g} s", element="tractor", cure=f"use up to {UNTIL:g} s")
    soil, s = ground(seed), _compiled_once()
    tractor(soil)  # its wheels and its bucket
    steps = Unclocked(chain(soil, s), DT)
    model, before, given = steps.model, soil.volume, COMMANDS if moves is None else moves
    u, times, rows = np.tile(np.array(model.u0, dtype=float), (round(until / DT), 1)), [], []
    for name in given:
        values = np.array([command(name, k * DT, given) for k in range(len(u))])
        if not (finite := np.isfinite(values)).all():
            k = int(finite.argmin())
            raise ModelError(f"{values[k]} at t = {k * DT:g} s", element=name, cure="give a finite command")
        u[:, model.inputs.index(name)] = values
    for k in range(len(u)):
        steps.give(u[k])
        begun = thread_time()
        good = steps.step()
        times.append(thread_time() - begun)
        if not (good and np.isfinite(steps.row).all()):
            soil.raise_trouble(k * DT)
            raise DivergenceError(f"the tractor diverged at t = {k * DT:g} s", time=k * DT)
        if k % OFTEN == 0:
            rows.append(steps.row.copy())
    t = DT * OFTEN * np.arange(len(rows))
    run = Run(None, t, np.array(rows), names=model.outputs, units=model.units, meta={"dt": DT}, model=s.model)
    return Worked(run, soil, (before, soil.volume), np.array(times))
