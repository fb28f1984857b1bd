"""The motion of a seat in another running loop of this computer: drive the car, feel it on the platform.

The loop must record `seat.acceleration.x` … (m/s², ground frame) and the angles `roll.q`, `pitch.q`, `yaw.q` (rad) of
the vehicle, as the driving simulator does.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.links.memory_path import memory_path
from symbody.model.plain_numbers import GRAVITY
from symbody.model.rotation import matrix
from symbody.motion.data import TURNS, Array
from symbody.motion.sources.scene_guard import SceneGuard, StreamLimits
from symbody.realtime.loop_memory import Shared

CHANNELS = (*(f"seat.acceleration.{axis}" for axis in "xyz"), *(f"{turn}.q" for turn in TURNS))


def running_loop(name: str) -> str:
    """The newest loop of this computer whose name is `name` or begins with it; ModelError if there is none."""
    exact = memory_path(name)
    found = sorted((path for path in exact.parent.glob(f"{exact.name}*") if path.exists()), key=_born)
    if not found:
        cure = "start it first, for example `symbody demo car`"
        raise ModelError("there is no running loop of this name", element=name, cure=cure)
    return found[-1].name.removeprefix(exact.name.removesuffix(name))


def _born(path: Path) -> float:
    """Time of the last change of a file; 0 if it has just been removed."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


class LoopScene:
    """A source of motion that reads the newest record of another loop; it writes nothing there.

    Parameters
    ----------
    name : str
        Of the loop, in this process or another.
    limits : StreamLimits, optional
        Of the samples.
    """

    def __init__(self, name: str, limits: StreamLimits | None = None) -> None:
        self.guard, self.name = SceneGuard(limits), running_loop(name)
        self._loop = Shared.attach(self.name)
        missing = [channel for channel in CHANNELS if channel not in self._loop.outputs]
        if missing:
            cure = "follow a vehicle with a seat, such as the loop `driven-car`"
            raise ModelError(f"this loop does not record {missing[0]}", element=self.name, cure=cure)
        self._places = [self._loop.outputs.index(channel) for channel in CHANNELS]
        self._last: tuple[float, Array] | None = None

    def read(self, now: float) -> Array:
        """The six signals at a time (s), with the newest record."""
        step, t, outputs = self._loop.latest()
        if step >= 0 and self._loop.state == "running" and (self._last is None or t != self._last[0]):
            self._take(t, outputs[self._places], now)
        return self.guard.read(now)

    def _take(self, t: float, values: Array, now: float) -> None:
        if not np.isfinite(values).all():
            return
        R, before = matrix(values[3:].tolist()), self._last
        self._last = t, R
        if before is None or t < before[0]:  # the first record, or a restart: no rates yet
            self.guard.restart()
            return
        up = np.array([0.0, 0.0, GRAVITY])
        turn = R.T @ (R - before[1]) / (t - before[0])  # Rᵀ Ṙ = ω×
        rate = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
        self.guard.offer(np.concatenate([R.T @ (values[:3] + up) - up, rate]), t, now)

    def close(self) -> None:
        """Nothing to release: the memory is unmapped with the object."""
