"""Predictive cueing beside the real-time loop: a thread plans, and a stage of the loop plays the plan.

Each segment is planned for a time `LEAD` ahead, so that a programme that takes some milliseconds does not delay it. A
scene that knows its track gives it to the planner; then the lead costs nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.motion.cueing.method import SCENE
from symbody.motion.cueing.predictive import PredictivePlanner, Preview
from symbody.motion.data import AXES, Array, PlatformData
from symbody.realtime.background_thread import BackgroundThread
from symbody.realtime.inbox import LoopInbox
from symbody.realtime.stepper import NONE, LoopModel, LoopStepper, kept_numbers
from symbody.stepping.step_options import FixedStep

N = len(AXES)
UPDATE = 0.02  # s, between plans
LEAD = 0.04  # s, from the beginning of a computation to that of its segment
PATIENCE = 0.2  # s without a new segment before the axes are not a number
SEGMENT = ["plan_t", *(f"plan_{kind}_{axis}" for kind in ("x", "v", "a") for axis in AXES)]
WATCHED = ("plan_method", "plan_source", "plan_played", *(f"plan_scene_{k}" for k in SCENE))  # for the planner
KEPT = 4  # segments that the player keeps: one is played, the others wait
IDLE = 0.2  # s between looks while predictive cueing is not chosen


class PlayerMemoryOf(Mirror):
    """player_memory_t of plan_player.c."""

    c_type = "player_memory_t"
    _fields_ = (
        ("kept", ctypes.c_double * len(SEGMENT) * KEPT), ("count", ctypes.c_double), ("clock", ctypes.c_double),
    )  # fmt: skip


class PlanPlayerOf(Mirror):
    """plan_player_t of plan_player.c."""

    c_type = "plan_player_t"
    _fields_ = (("u", ctypes.c_void_p), ("m", ctypes.c_void_p), ("dt", ctypes.c_double), ("patience", ctypes.c_double))


class PlanPlayer:
    """A source of the loop that plays segments; inputs `SEGMENT`, outputs `plan.x` … relative to neutral (m, rad).

    The inputs `WATCHED` are for the planner, which reads them in `watched`: the chosen method, the source of the scene,
    the time that a track has played (s), and the six signals of the scene.
    """

    def __init__(self) -> None:
        self._u, self._memory = np.zeros(len(SEGMENT) + len(WATCHED)), PlayerMemoryOf()

    @property
    def clock(self) -> float:
        """Time of the loop (s)."""
        return float(self._memory.clock)

    @property
    def watched(self) -> Array:
        """The newest values of the inputs `WATCHED`."""
        return self._u[len(SEGMENT) :].copy()

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """The player as the loop steps it."""
        u, memory = self._u, self._memory
        structure: Any = PlanPlayerOf(u=u.ctypes.data, m=ctypes.addressof(memory), dt=dt, patience=PATIENCE)
        library = optimised_runtime("plan_player.c", PlanPlayerOf, PlayerMemoryOf, package=__package__)
        units = {f"plan.{axis}": PlatformData.unit(axis) for axis in AXES}
        where = ctypes.cast(library.integrate, ctypes.c_void_p).value or 0
        kept = (kept_numbers(memory),)
        stepper = LoopStepper(self, where, structure, kept, NONE.ctypes.data)
        return LoopModel("plan", [*SEGMENT, *WATCHED], u, list(units), np.zeros(len(units)), units, {}, stepper)


def segment_inbox() -> LoopInbox:
    """The inbox from which a `PlanPlayer` gets its segments."""
    kinds = {"x": "", "v": "/s", "a": "/s²"}
    units = {f"plan_{kind}_{axis}": PlatformData.unit(axis) + per for kind, per in kinds.items() for axis in AXES}
    return LoopInbox({"plan_t": "s"} | units)


class PlanningThread(BackgroundThread):
    """Plans while it is wanted: a companion of the loop.

    now: returns the loop's clock (s), and a planner or None. scene: a preview of the scene from a time (s) of the loop.
    """

    def __init__(
        self,
        inbox: LoopInbox,
        now: Callable[[], tuple[float, PredictivePlanner | None]],
        scene: Callable[[float], Preview],
    ) -> None:
        super().__init__("planner")
        self._inbox, self._now, self._scene = inbox, now, scene
        self._next = 0.0
        self._planner: PredictivePlanner | None = None
        self.complaint = ""

    def _run(self) -> None:
        wait = 0.0
        while not self._end.wait(wait):
            try:
                wait = self.plan()
            except Exception as error:  # the ride stops softly, because segments stop
                self.complaint, wait = repr(error), IDLE

    def plan(self) -> float:
        """Plan the next segment if it is due; returns the time to wait (s)."""
        now, planner = self._now()
        if planner is None:
            self._planner = None
            return IDLE
        if planner is not self._planner or not now - PATIENCE < self._next < now + 1.0:  # chosen anew, or restarted
            planner.reset()
            self._planner, self._next = planner, now + LEAD
        if self._next > now + LEAD:
            return self._next - now - LEAD
        if self._next < now:  # late: the plan goes on from where it is now
            self._next = now
        x, v = planner.x.copy(), planner.v.copy()
        a = planner.step(self._scene(self._next), UPDATE)
        self._inbox.post(np.concatenate([[self._next], x, v, a]))
        self._next += UPDATE
        return 0.0


def shifted(preview: NDArray[np.floating[Any]], step: float, begin: float) -> Preview:
    """A preview from samples (n, 6) at a step (s), of which the first is at the time 0, from a time `begin` (s) on."""
    t = step * np.arange(len(preview))
    return lambda later: np.stack([np.interp(begin + later, t, c, right=0.0) for c in preview.T], axis=-1)
