"""The loop of a machine, the check of its channels, and the first motion, for which the camera is placed."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.errors import ModelError, SymbodyError
from symbody.estimation.from_log import SIGMA
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety, Scheduling
from symbody.results.run import Run
from symbody.stepping.step_options import FixedStep
from symbody.studio.machine import Machine
from symbody.studio.messages import MOST_CHANNELS
from symbody.studio.sounds import check_places, sound_channels
from symbody.suggestions import did_you_mean
from symbody.system.system import System

FORESEEN, GLANCES = 1.5, 40  # s of motion for which the camera is placed, and times of it
PATIENCE = 0.2  # s that this simulation may take: a person waits
LATE = 0.1  # s that are caught up; a loop that is later skips them
SETTLED = 0.02  # s in time again, after which it leaves its safe state


def machine_loop(machine: Machine, priority: int | None = None, history: float = 10.0, **safety: Any) -> Loop:
    """The loop of a machine: inputs outside the range of their control are rejected; a late loop drops time.

    safety: fields of `Safety` that differ from those of the machine.
    """
    own = Safety(
        limits=machine.limits,
        effort_limits=machine.effort_limits,
        stale=machine.stale if machine.controls else None,
        overrun=LATE,
        calm=SETTLED,
    )
    return Loop(
        machine.source or machine.system,
        machine.rate,
        FixedStep(machine.method, machine.newton),
        substeps=machine.substeps,
        inputs={control.name: (control.low, control.high) for control in machine.controls},
        track=machine.track,
        safety=replace(own, **safety),
        scheduling=Scheduling(machine.priority if priority is None else priority),
        history=history,
    )


def check_channels(machine: Machine, known: Collection[str]) -> None:
    """An error for plots, floors and sounds of unknown channels, and for more plots than a browser shows."""
    curves = [plot.split(", ") if isinstance(plot, str) else plot for plot in machine.plots]
    plotted = dict.fromkeys(name for plot in curves for name in plot)
    plotted |= dict.fromkeys(name + SIGMA for plot in curves for name in plot if name + SIGMA in known)
    for name in [*plotted, *machine.floors, *sound_channels(machine.sounds)]:
        if name not in known:
            cure = did_you_mean(name, known, "channels")
            raise ModelError("no such channel", element=f"{machine.title}, {name}", cure=cure)
    check_places(machine.sounds, machine.system.model.bodies)
    if len(plotted) > MOST_CHANNELS:
        cure = f"a page plots {MOST_CHANNELS} at most"
        raise ModelError(f"plots of {len(plotted)} channels", element=machine.title, cure=cure)


def standing(s: System) -> Run:
    """A system at its start, as a run of one record."""
    return Run(s, np.zeros(1), s.observe(0.0, s.x0)[np.newaxis])


def foreseen(machine: Machine) -> tuple[Run, float]:
    """The first moments of the motion, and the processor time (s) of one second of it.

    If the simulation fails, the motion up to there; the time is 0 if it was not measured.
    """
    s, dt = machine.system, 1.0 / (machine.rate * machine.substeps)
    every = dt * max(1, round(FORESEEN / dt / GLANCES))
    if machine.view is not None and machine.view.points:
        return standing(s), 0.0
    given: dict[str, Any] = {"method": machine.method, "inputs": dict(zip(s.inputs, s.u0, strict=True)), "every": every}
    given["energy"] = "ignore"  # the running machine is watched
    try:
        simulate(s, every, dt, **given)  # the first call also compiles
        begun = time.thread_time()
        first = simulate(s, every, dt, **given)
        took = time.thread_time() - begun
        glances = int(PATIENCE / took)  # a large machine is slow before its optimised build
        run = simulate(s, every * min(glances, GLANCES), dt, **given) if glances > 1 else first
        return run, took / every
    except SymbodyError as error:
        state = getattr(error, "state", None)
        return state if isinstance(state, Run) and len(state) and np.isfinite(state.q).all() else standing(s), 0.0


def loop_time_line(loop: Loop) -> str:
    """Median and 99th percentile of the time of a step beside its period (ms), since the start."""
    counted = loop.statistics()
    half, rare = (1e3 * counted.duration.quantile(share) for share in (0.5, 0.99))
    return f"step {half:.2f} ms, 99 %: {rare:.2f} ms, period {1e3 * counted.period:.2f} ms"
