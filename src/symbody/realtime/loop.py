"""A compiled system in step with the clock: a thread in C at a fixed rate, no Python and no allocation inside.

with Loop(system, rate=1000.0, effort_limits={"key.effort": 5.0}) as loop:
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
from symbody.realtime.block import HEAD, LoopOf, Mailbox, library
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
from symbody.realtime.memory import Channels, create_memory, memory_path
from symbody.realtime.parameters import LoopParameters
from symbody.realtime.shared import Shared
from symbody.realtime.stepper import LoopSource, LoopStepper, system_model
from symbody.realtime.tracking import Tracker
from symbody.safe_name import file_name
from symbody.stepping.method import Method
from symbody.stepping.newton import Newton
from symbody.system.system import System

POLICIES = ("hold", "restart", "latch")
POLL = 1e-3  # s between looks while Python waits for the loop
_numbers = itertools.count(1)


class Loop(Shared):
    """A system stepped at a fixed rate; or a filter: `LiveFilter`, or `LiveTwin` with the machine that it watches.

    method: as of `simulate`; implicit ones are cut short after five iterations unless `newton` says otherwise.
    inputs: {name: (low, high)}; a sample with a number outside, or one that is no number, is refused and counted.
    stale: seconds without a good sample after which the loop is safe; None: inputs never grow old.
    limits: {output: (low, high)}; outside, the loop is safe at once.
    effort_limits: {output: largest}; clamped, and zero unless the loop runs; outputs "….effort" are always efforts.
    track: {joint: LowPass(), Smooth() or AlphaBetaGamma()}; velocity and acceleration of a measured joint come from its
    position, at each sub-step.
    overrun: seconds of lateness that are caught up; more, and the loop is safe. None: everything is caught up.
    safe: what follows when inputs are good and deadlines met for `calm` seconds again: "hold" goes on from the last
    state (faults of the model itself wait for `resume()`), "restart" from the first, "latch" waits for `resume()`.
    watchdog: seconds after which readers take a silent loop for dead, and efforts for zero.
    substeps: steps of the integrator in a period. history: seconds of records that are kept.
    priority: 1 … 99 of SCHED_FIFO, 0 for an ordinary thread. core: processor to stay on. spin: seconds before a
    deadline from which the thread watches the clock instead of sleeping. name: by which others attach.
    """

    def __init__(
        self,
        system: System | LoopSource,
        rate: float = 1000.0,
        method: str | Method | None = None,
        *,
        inputs: Ranges | None = None,
        limits: Ranges | None = None,
        effort_limits: Mapping[str, float] | None = None,
        track: Mapping[str, Tracker] | None = None,
        stale: float | None = 0.05,
        overrun: float | None = 0.02,
        calm: float = 0.1,
        safe: str = "hold",
        watchdog: float = 0.1,
        substeps: int = 1,
        newton: Newton | None = None,
        history: float = 10.0,
        priority: int = 80,
        core: int | None = None,
        spin: float = 0.0,
        name: str | None = None,
    ):
        library()  # refuses where there is no such loop
        _check_numbers(rate, substeps, history, safe, core)
        self.system, self.rate, tracked, period = system, rate, dict(track or {}), 1.0 / rate
        dt = period / substeps
        if isinstance(system, System):
            model = system_model(system, dt, method, newton)
        else:
            model = system.loop_model(dt, substeps, method, newton)
        self._stepper = model.stepper
        given = given_inputs(model, tracked)
        self._arrays = {
            **input_arrays(model, given, inputs or {}),
            **output_arrays(model, limits or {}),
            **state_arrays(self._stepper),
            **parameter_arrays(self._stepper),
            **tracking_arrays(model, tracked, dt),
            "record": np.concatenate([np.zeros(len(HEAD)), model.u0, model.y0]),
        }
        efforts = largest_efforts(model.outputs, effort_limits or {})
        start = [float(model.u0[k]) for k in self._arrays["target"]]
        momentary = [name for name in given if name in model.momentary]
        channels = Channels(model.name, given, start, model.inputs, model.outputs, model.units, momentary)
        name = name or file_name(f"{model.name}-{os.getpid()}-{next(_numbers)}")
        super().__init__(
            name, *create_memory(name, channels, efforts, period, watchdog, max(2, round(history * rate))), write=True
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
            policy=POLICIES.index(safe),
            patience=max(1, round(calm * rate)),
            priority=priority,
            core=-1 if core is None else core,
            stale=inf if stale is None else stale,
            slack=inf if overrun is None else overrun,
            spin=spin,
            parameters=Mailbox.empty(),
        )
        publish = partial(_publish, self._loop, self._stepper)
        publish()  # from now on the loop has numbers of its own
        self.parameters = LoopParameters(model.parameters, publish)
        kept = (self._arrays, self._stepper, self._memory)
        self._end = weakref.finalize(self, _ended, os.getpid(), memory_path(name), self._loop, kept)

    def start(self) -> Loop:
        """Start the thread; a loop can be started once."""
        if self._loop.thread:
            raise ModelError("a loop is started once", element=self.name, cure="make another; or pause() and resume()")
        failed = self._library.loop_start(ctypes.byref(self._loop))
        if failed:
            self._loop.thread = 0
            cure = "check the limits of this process (ulimit -u)"
            raise ModelError(f"no thread for the loop ({os.strerror(failed)})", element=self.name, cure=cure)
        while self.state == "stopped":
            time.sleep(POLL)
        return self

    def stop(self) -> None:
        """Stop the thread; what was recorded and counted can still be read."""
        self._end()

    def step(self, n: int = 1, timeout: float = inf) -> bool:
        """Make n steps of a paused loop, at its rate; whether they were made within `timeout` s and without a fault."""
        if self._block.allowed:
            raise ModelError("single steps of a loop that is not paused", element=self.name, cure="pause() it first")
        done = self._block.steps + n
        self._tell(allowed=n)
        return self.wait(done, timeout)

    @property
    def tier(self) -> str:
        """How the functions of the model were compiled: "quick" as long as one of them is, then "optimised"."""
        return "quick" if any(function.tier == "quick" for _, function in self._stepper.fields) else "optimised"

    def wait(self, steps: int, timeout: float = inf) -> bool:
        """Wait until so many steps are made in all; False where the loop is safe or has stopped, or time ran out."""
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
    """Hand over what depends on parameters; the loop takes it before its next step."""
    hoisted = stepper.hoisted()
    library().loop_parameters(ctypes.byref(loop), hoisted.ctypes.data)


def _ended(pid: int, path: Path, loop: LoopOf, kept: object) -> None:
    """Stop the thread before what it works on goes; a forked child has no such thread."""
    if os.getpid() != pid:
        return
    if loop.thread:
        library().loop_stop(ctypes.byref(loop))
    path.unlink(missing_ok=True)


def _check_numbers(rate: float, substeps: int, history: float, safe: str, core: int | None) -> None:
    if not (0.0 < rate < inf and substeps >= 1 and 0.0 < history < inf):
        problem = f"a loop at {rate} Hz with {substeps} substeps and {history} s of history"
        raise ModelError(problem, cure="give positive numbers")
    if safe not in POLICIES:
        raise ModelError(f"no way out of the safe state '{safe}'", cure=f"it is one of {', '.join(POLICIES)}")
    if core is not None and hasattr(os, "sched_getaffinity") and core not in os.sched_getaffinity(0):
        raise ModelError(f"no processor {core} for this process", cure=f"it has {sorted(os.sched_getaffinity(0))}")
