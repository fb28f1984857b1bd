"""The loop of a machine, what is checked before it starts, and the motion that the camera must hold."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.errors import ModelError, SymbodyError
from symbody.estimation.from_log import SIGMA
from symbody.nearest import did_you_mean
from symbody.realtime.loop import Loop
from symbody.results.run import Run
from symbody.studio.machine import Machine
from symbody.studio.messages import MOST_CHANNELS
from symbody.studio.sounds import sound_channels
from symbody.system.system import System

FORESEEN, GLANCES = 1.5, 40  # s of motion that the camera looks at beforehand, and instants of it
PATIENCE = 0.2  # s that looking ahead may take: a person waits
LATE = 0.1  # s that are caught up; a loop that is later drops them and goes on
SETTLED = 0.02  # s in time again after which it does


def machine_loop(machine: Machine, **more: Any) -> Loop:
    """What a hand asks for is refused outside the ends of its control; what falls behind drops time and goes on."""
    options: dict[str, Any] = {
        "inputs": {control.name: (control.low, control.high) for control in machine.controls},
        "limits": machine.limits,
        "effort_limits": machine.effort_limits,
        "track": machine.track,
        "stale": machine.stale if machine.controls else None,
        "overrun": LATE,
        "calm": SETTLED,
        "substeps": machine.substeps,
        "newton": machine.newton,
        "priority": machine.priority,
    }
    return Loop(machine.twin or machine.system, machine.rate, machine.method, **options | more)


def check_channels(machine: Machine, known: Collection[str]) -> None:
    """Refuse plots and sounds of channels that there are not, and more plots than a browser shows."""
    curves = [plot.split(", ") if isinstance(plot, str) else plot for plot in machine.plots]
    plotted = dict.fromkeys(name for plot in curves for name in plot)
    plotted |= dict.fromkeys(name + SIGMA for plot in curves for name in plot if name + SIGMA in known)
    for name in [*plotted, *sound_channels(machine.sounds)]:
        if name not in known:
            cure = did_you_mean(name, known, "channels")
            raise ModelError("no such channel", element=f"{machine.title}, {name}", cure=cure)
    if len(plotted) > MOST_CHANNELS:
        cure = f"a page plots {MOST_CHANNELS}"
        raise ModelError(f"plots of {len(plotted)} channels", element=machine.title, cure=cure)


def standing(s: System) -> Run:
    """A system at its start, as a run of one instant."""
    return Run(s, np.zeros(1), s.observe(0.0, s.x0)[np.newaxis])


def foreseen(machine: Machine) -> tuple[Run, float]:
    """The first moments, so that the camera sees them, and what a second of them costs a processor (s).

    Where they cannot be computed, as far as they can; 0 where that was not found out.
    """
    s, dt = machine.system, 1.0 / (machine.rate * machine.substeps)
    every = dt * max(1, round(FORESEEN / dt / GLANCES))
    if machine.view is not None and machine.view.points:
        return standing(s), 0.0
    given: dict[str, Any] = {"method": machine.method, "inputs": dict(zip(s.inputs, s.u0, strict=True)), "every": every}
    try:
        simulate(s, every, dt, **given)  # what is compiled for it is no part of its cost
        begun = time.thread_time()
        first = simulate(s, every, dt, **given)
        took = time.thread_time() - begun
        glances = int(PATIENCE / took)  # a large machine is slow before it is compiled well
        run = simulate(s, every * min(glances, GLANCES), dt, **given) if glances > 1 else first
        return run, took / every
    except SymbodyError as error:
        state = getattr(error, "state", None)
        return state if isinstance(state, Run) and len(state) and np.isfinite(state.q).all() else standing(s), 0.0
