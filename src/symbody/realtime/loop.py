"""The real-time loop: a thread in C steps a compiled system at a fixed rate, without Python and without allocation.

with Loop(system, rate=1000.0, safety=Safety(effort_limits={"key.effort": 5.0})) as loop:
    loop.give({"key.q": 0.01})
    step, t, outputs = loop.latest()
    loop.parameters["k"] = 200.0
"""

from __future__ import annotations

import ctypes
import itertools
import os
import time
import weakref
from collections.abc import Mapping
from functools import partial
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.links.memory_path import memory_path
from symbody.realtime.loop_arrays import (
    Ranges,
    given_inputs,
    input_arrays,
    largest_efforts,
    output_arrays,
    parameter_arrays,
    state_arrays,
    tracking_arrays,
)
from symbody.realtime.loop_file import Channels, create_memory
from symbody.realtime.loop_layout import HEAD, LoopOf, Mailbox, library
from symbody.realtime.loop_memory import Shared
from symbody.realtime.loop_options import RECOVERIES, Safety, Scheduling
from symbody.realtime.parameters import LoopParameters
from symbody.realtime.stepper import LoopSource, LoopStepper, system_model
from symbody.realtime.tracking import Tracker
from symbody.safe_name import file_name
from symbody.stepping.method import Method
from symbody.stepping.step_options import FixedStep, fixed_step
from symbody.system.system import System

POLL = 1e-3  # s between looks while Python waits for the loop
_numbers = itertools.count()


class Loop(Shared):
    """A system stepped at a fixed rate, in step with the clock.

        with Loop(system, rate=1000.0) as loop:
            step, t, outputs = loop.latest()

    Parameters
    ----------
    source : System or LoopSource
        A `System`, or another `LoopSource`: `LiveFilter`, `LiveTwin`, `symbody.haptics.SceneSource`.
    rate : float
        Hz. Default 1000.
    method
        As in `simulate`, with fixed steps; a name or `FixedStep`. Implicit methods stop after five iterations unless
        `FixedStep(newton=…)` says otherwise.
    substeps : int
        Steps of the method in a period. Default 1.
    inputs : mapping of str to (float, float), optional
        Ranges by name. A sample that is outside or not finite is rejected and counted.
    track : mapping of str to Tracker, optional
        `LowPass()`, `Smooth()` or `AlphaBetaGamma()` by joint: filters that compute velocity and acceleration of a
        measured joint from its position, at each substep.
    safety : Safety, optional
        Limits, timeouts and recovery.
    scheduling : Scheduling, optional
        Priority and processor.
    history : float
        Time of records that are kept (s). Default 10.
    name : str, optional
        For other processes that attach.
    """

    def __init__(
        self,
        source: System | LoopSource,
        rate: float = 1000.0,
        method: str | Method | FixedStep | None = None,
        *,
        substeps: int = 1,
        inputs: Ranges | None = None,
        track: Mapping[str, Tracker] | None = None,
        safety: Safety | None = None,
        scheduling: Scheduling | None = None,
        history: float = 10.0,
        name: str | None = None,
    ):
        library()  # raises where the loop is not supported
        if not (0.0 < rate < inf and substeps >= 1 and 0.0 < history < inf):
            problem = f"a loop at {rate} Hz with {substeps} substeps and {history} s of history"
            raise ModelError(problem, cure="give positive numbers")
        safety, scheduling, tracked = safety or Safety(), scheduling or Scheduling(), dict(track or {})
        self.source, self.rate, period = source, rate, 1.0 / rate
        dt, steps = period / substeps, fixed_step(method)
        if isinstance(source, System):
            model = system_model(source, dt, steps)
        else:
            model = source.loop_model(dt, substeps, steps)
        self._stepper = model.stepper
        given = given_inputs(model, tracked)
        self._arrays = {
            **input_arrays(model, given, inputs or {}),
            **output_arrays(model, safety.limits),
            **state_arrays(self._stepper),
            **parameter_arrays(self._stepper),
            **tracking_arrays(model, tracked, dt),
            "record": np.concatenate([np.zeros(len(HEAD)), model.u0, model.y0]),
        }
        efforts = largest_efforts(model.outputs, safety.effort_limits)
        start = [float(model.u0[k]) for k in self._arrays["target"]]
        momentary = [name for name in given if name in model.momentary]
        channels = Channels(model.name, given, start, model.inputs, model.outputs, model.units, momentary)
        name = name or file_name(f"{model.name}-{os.getpid()}-{next(_numbers)}")
        super().__init__(
            name,
            *create_memory(name, channels, efforts, period, safety.watchdog, max(2, round(history * rate))),
            write=True,
        )
        pointers: dict[str, Any] = {field: array.ctypes.data for field, array in self._arrays.items()}
        self._loop = LoopOf(
            **pointers,
            block=self._address,
            stepper=self._stepper.function,
            of=ctypes.addressof(self._stepper.structure),
            u=self._stepper.structure.u,
            capped=self._stepper.capped,
            doubted=self._stepper.doubted,
            nkept=len(self._stepper.kept),
            nfields=len(self._stepper.fields),
            nhoisted=len(self._stepper.hoisted()),
            ntracked=len(tracked),
            substeps=substeps,
            policy=RECOVERIES.index(safety.recovery),
            patience=max(1, round(safety.calm * rate)),
            priority=scheduling.priority,
            core=-1 if scheduling.core is None else scheduling.core,
            stale=inf if safety.stale is None else safety.stale,
            slack=inf if safety.overrun is None else safety.overrun,
            spin=scheduling.spin,
            parameters=Mailbox.empty(),
        )
        publish = partial(_publish, self._loop, self._stepper)
        publish()  # the loop reads its own copy from now on
        self.parameters = LoopParameters(model.parameters, publish)
        kept = (self._arrays, self._stepper, self._memory)
        self._end = weakref.finalize(self, _ended, os.getpid(), memory_path(name), self._loop, kept)

    def start(self) -> Loop:
        """Start the thread; a loop can be started only once."""
        if self._loop.thread:
            raise ModelError(
                "a loop can be started only once", element=self.name, cure="make another; or pause() and resume()"
            )
        failed = self._library.loop_start(ctypes.byref(self._loop))
        if failed:
            self._loop.thread = 0
            cure = "check the limits of this process (ulimit -u)"
            raise ModelError(f"cannot start a thread ({os.strerror(failed)})", element=self.name, cure=cure)
        while self.state == "stopped":
            time.sleep(POLL)
        return self

    def stop(self) -> None:
        """Stop the thread; records and statistics can still be read."""
        self._end()

    def step(self, n: int = 1, timeout: float = inf) -> bool:
        """Make n steps of a paused loop, at its rate; True if they finish within `timeout` (s) and without a fault."""
        if self._block.allowed:
            raise ModelError("single steps need a paused loop", element=self.name, cure="call pause() first")
        done = self._block.steps + n
        self._tell(allowed=n)
        return self.wait(done, timeout)

    @property
    def tier(self) -> str:
        """How the functions of the model are compiled now: "quick" until all of them are "optimised"."""
        return "quick" if any(function.tier == "quick" for _, function in self._stepper.fields) else "optimised"

    def wait(self, steps: int, timeout: float = inf) -> bool:
        """Wait until the loop has made `steps` steps in all; False if it is safe or stopped, or after `timeout` (s)."""
        until = time.monotonic() + timeout
        while self._block.steps < steps and not self._block.fault and self._end.alive and time.monotonic() < until:
            time.sleep(POLL)
        return bool(self._block.steps >= steps)

    def __enter__(self) -> Loop:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        why = f" ({self.reason})" if self.reason else ""
        return f"<Loop {self.name}: {self.rate:g} Hz, {self.state}{why}, {self._block.steps} steps>"


def _publish(loop: LoopOf, stepper: LoopStepper) -> None:
    """Send the numbers that depend on parameters; the loop reads them before its next step."""
    hoisted = stepper.hoisted()
    library().loop_parameters(ctypes.byref(loop), hoisted.ctypes.data)


def _ended(pid: int, path: Path, loop: LoopOf, kept: object) -> None:
    """Stop the thread before its memory is freed; a forked child has no such thread."""
    if os.getpid() != pid:
        return
    if loop.thread:
        library().loop_stop(ctypes.byref(loop))
    path.unlink(missing_ok=True)
