"""A recorded run, played, stepped and scrubbed; all browsers see the same time of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.results.run import Run
from symbody.studio.arrows import Arrow, arrows
from symbody.studio.dial import Dial
from symbody.studio.machine import Hum, Struck
from symbody.studio.messages import Message, Pause, Play, Pull, Release, Reset, Seek, Set, Speed, Step
from symbody.studio.model_tree import BodyCard, anatomy, body_numbers
from symbody.studio.poses import Array, Poses
from symbody.studio.source import StudioSource
from symbody.visual.file_looks import file_looks
from symbody.visual.motion import camera, interpolated
from symbody.visual.page import Surroundings, page_data, sides
from symbody.visual.scene import Scene
from symbody.visual.shapes import scene

GLANCES = 150  # times of the run that the camera is placed for


class Player(StudioSource):
    """A run and its clock: while it plays, `t` follows the clock times `speed`, and stops at the end.

    Parameters
    ----------
    run : Run
        The recorded run.
    clock : function, optional
        Function that returns seconds.
    """

    kind = "run"
    version = 0
    units: Mapping[str, str] = {}
    dials: Mapping[str, Dial] = {}
    pulled: Mapping[int, str] = {}
    sounds: Sequence[Struck | Hum] = ()
    arrows: Sequence[Arrow] = ()
    anatomy: Sequence[BodyCard] = ()
    sides: Sequence[int] = ()

    def __init__(self, run: Run, clock: Callable[[], float] = time.monotonic):
        run = run.with_derived()
        good = np.isfinite(run.q).all(axis=1)
        self._count = len(good) if good.all() else int(np.argmin(good))  # a run that diverged: up to there
        if self._count == 0:
            raise ModelError("there is no motion to show", element=run.name, cure="simulate for a longer time")
        self.run, self.title = run, run.name
        self.units = run.units
        self._t, self._q = run.t[: self._count], run.q[: self._count]
        self._looks = file_looks(run.model)
        self._scene = scene(run.model, run.parameters, self._looks)
        self._poses = Poses(run.model, self._scene.up, run.parameters)
        some = np.unique(np.linspace(0, self._count - 1, GLANCES).astype(int))
        self._camera = camera(self._scene, self._poses.motion(self._q[some]))
        self._first = self._poses.motion(self._q[:1])
        self.sides = sides(self._scene, self._first)
        self.arrows, self.anatomy = arrows(run.model, run.names), anatomy(run.model, run.names, self.dials)
        self._clock, self._lock = clock, threading.Lock()
        self._speed, self._playing = 1.0, False
        self._from, self._since = float(self._t[0]), clock()

    def start(self) -> Player:
        """Nothing to do: a recorded run needs no threads."""
        return self

    @property
    def t(self) -> float:
        """The time that is shown (s)."""
        t = self._from + (self._speed * (self._clock() - self._since) if self._playing else 0.0)
        return float(min(t, self._t[-1]))

    def shapes(self) -> Scene:
        return self._scene

    def scene(self, shapes: Scene) -> dict[str, Any]:
        counts = f"{len(self.run.model.bodies)} bodies · {self.run.model.nq} coordinates · {len(self.run)} records"
        hidden = ("mass",) if self._looks else ()  # centres of mass would be inside the looks
        return page_data(counts, shapes, self._first, self._camera, 1.0, Surroundings(hidden=hidden))

    def moved(self, past: float | None = None) -> list[float]:
        return []

    def welcome(self) -> None:
        pass

    def about(self) -> dict[str, Any]:
        return {}

    def poses(self) -> tuple[float, Array]:
        t = self.t
        return t, self._poses.rows(interpolated(self.run.model, np.array([t]), self._t, self._q)[0])

    def samples(self, since: int, channels: Sequence[str]) -> tuple[int, Array, Array]:
        """The whole run, once."""
        rows = slice(since, self._count)
        values = np.column_stack([np.empty((self._count, 0)), *(self.run[name][: self._count] for name in channels)])
        return self._count, self._t[rows], values[rows]

    def values(self, channels: Sequence[str], past: float | None = None) -> Array:
        """Interpolated between two records, as the poses are."""
        t = self.t
        after = int(np.clip(np.searchsorted(self._t, t), 1, max(self._count - 1, 1)))
        pair = [k for k in (after - 1, after) if k < self._count]
        rows = np.array([[self.run[name][k] for name in channels] for k in pair]).reshape(len(pair), -1)
        share = np.interp(t, self._t[pair], np.arange(len(pair), dtype=float))
        return np.asarray(rows[0] + share * (rows[-1] - rows[0]))

    def numbers(self, body: str) -> Array:
        return body_numbers(self.run.model, body, self.run.parameters)

    def status(self) -> dict[str, Any]:
        running = self._playing and self.t < self._t[-1]
        return {"state": "running" if running else "paused", "reason": "", "speed": self._speed, "late": 0, "dials": {}}

    def obey(self, message: Message) -> None:
        with self._lock:
            match message:
                case Play():
                    self._go(self.t if self.t < self._t[-1] else float(self._t[0]), playing=True)
                case Pause():
                    self._go(self.t, playing=False)
                case Step(n):
                    after = int(np.searchsorted(self._t, self.t, side="right")) - 1 + n
                    self._go(float(self._t[min(after, self._count - 1)]), playing=False)
                case Reset():
                    self._go(float(self._t[0]), playing=self._playing)
                case Speed(factor):
                    self._go(self.t, playing=self._playing)
                    self._speed = factor
                case Seek(t):
                    self._go(float(np.clip(t, self._t[0], self._t[-1])), playing=False)
                case Set() | Pull() | Release() | _:
                    raise Rejected("not for a recorded run")

    def _go(self, t: float, *, playing: bool) -> None:
        self._from, self._since, self._playing = t, self._clock(), playing

    def close(self) -> None:
        pass
