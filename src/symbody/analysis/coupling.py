"""Weak coupling (co-simulation): mechanics and states are integrated separately and exchange values at fixed times.

`simulate` couples strongly: one System for everything. Weak coupling is for comparison. Between exchanges each
block holds the other's values constant or extrapolates them linearly. The error grows with the exchange step. Above a
certain step the pair is unstable although each block alone is stable.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.analysis.arguments import Inputs, signals
from symbody.errors import DivergenceError, ModelError
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.stepping.fixed_step import DONE, StepSettings
from symbody.stepping.inputs import Signal, inputs_at
from symbody.stepping.newton import Newton
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.stepping.trapezoidal import TRAPEZOIDAL
from symbody.system.blocks import blocks
from symbody.system.system import Array, System, system

HOLDS = ("constant", "linear")


@dataclass(frozen=True, eq=False)
class BlockSystems:
    """The systems of both blocks of a model; `motion` maps inputs of the states to channels of the mechanics."""

    model: Model
    mechanics: System
    states: System
    motion: Mapping[str, str]


def block_systems(model: Model, **options: Any) -> BlockSystems:
    """Compile both blocks of a model once, for many runs of `simulate_weakly`.

    Parameters
    ----------
    model : Model
        A model with states (a hydraulic circuit, a motor, …).
    **options
        Options of `system`, for the mechanics.

    Returns
    -------
    BlockSystems
        The systems of the mechanics and of the states.

    Raises
    ------
    ModelError
        If the model has no states, or a law of a state cannot be traced.

    Examples
    --------
    >>> import symbody as sb
    >>> both = sb.block_systems(sb.machines.model("four-bar-hydraulic"))
    >>> runs = [sb.simulate_weakly(both, 0.01, 1e-3, exchange) for exchange in (1, 2)]
    """
    apart = blocks(model)
    channels = ["*.q", "*.qd", *apart.motion.values()]
    mechanics = system(apart.mechanics, outputs=list(dict.fromkeys(channels)), **options)
    return BlockSystems(model, mechanics, system(apart.states, outputs=list(apart.states.states)), apart.motion)


def simulate_weakly(
    model: Model | BlockSystems,
    until: float,
    dt: float,
    exchange: int = 1,
    *,
    method: str = TRAPEZOIDAL.name,
    hold: str = "constant",
    inputs: Inputs | None = None,
    newton: Newton | None = None,
    **options: Any,
) -> Run:
    """Simulate with mechanics and states integrated separately, exchanging values every `exchange` steps.

    Parameters
    ----------
    model : Model or BlockSystems
        A model with states (a hydraulic circuit, a motor, …). For several runs of one model, compile it once with
        `block_systems`.
    until, dt : float
        End of the run and fixed step (s).
    exchange : int
        Steps between two exchanges (default 1).
    method : str
        A fixed-step method (default: the trapezoidal rule).
    hold : str
        Values of the other block between exchanges: "constant" (default) or extrapolated ("linear").
    inputs, newton
        As in `simulate`.
    **options
        Options of `system`, for the mechanics; for `BlockSystems`, give them to `block_systems`.

    Returns
    -------
    Run
        The recorded outputs of both blocks.

    Raises
    ------
    DivergenceError
        If a block diverges; its `state` is the run up to that time.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("four-bar-hydraulic")
    >>> run = sb.simulate_weakly(m, 0.01, 1e-3)
    """
    if exchange < 1 or not (dt > 0 and until >= dt * exchange) or hold not in HOLDS:
        cure = f"give exchange >= 1, 0 < dt <= until/exchange, and hold {' or '.join(HOLDS)}"
        raise ModelError(f"exchange = {exchange}, dt = {dt} s and hold = '{hold}' are not a valid choice", cure=cure)
    if options and isinstance(model, BlockSystems):
        raise ModelError(f"compiled blocks cannot take {', '.join(options)}", cure="give options to block_systems")
    apart = model if isinstance(model, BlockSystems) else block_systems(model, **options)
    steps = round(until / dt) // exchange * exchange
    given, began = signals(inputs, apart.model), time.perf_counter()
    sides = [
        _Side(s, {k: v for k, v in given.items() if k in s.inputs}, steps, dt, method, newton)
        for s in (apart.mechanics, apart.states)
    ]
    mechanics, states = sides
    feeds = (
        _Feed(states, mechanics, {name: name for name in apart.states.states}, hold, exchange),
        _Feed(mechanics, states, {channel: name for name, channel in apart.motion.items()}, hold, exchange),
    )
    for done in range(0, steps, exchange):
        for feed in feeds:
            feed.give(done)
        for side in sides:
            if not side.advance(exchange):
                t = side.steps.done * dt
                problem = f"weakly coupled every {exchange} steps, {side.system.model.name} diverged after t = {t:g} s"
                raise DivergenceError(problem, time=t, state=_together(sides, dt))
    run = _together(sides, dt)
    run.meta |= {"dt": dt, "method": method, "exchange": exchange, "hold": hold, "seconds": time.perf_counter() - began}
    return run


class _Side:
    """One block during the run. Its inputs are one row per step, filled in as they become known."""

    def __init__(
        self, s: System, given: Mapping[str, Signal], steps: int, dt: float, method: str, newton: Newton | None
    ):
        rows = inputs_at(s, given, np.arange(steps + 1) * dt)
        self.u = np.array(np.broadcast_to(rows, (steps + 1, len(s.inputs))), order="C")  # the stepper reads this memory
        self.system, self.dt = s, dt
        self.rows = [s.outputs_function(np.zeros(1), s.x0, self.u[0], s.start_guess)]
        self.steps = suited_fixed(s, method).steps(start_state(s), StepSettings(dt, self.u, newton=newton))

    def advance(self, steps: int) -> bool:
        """Make steps; return whether they succeeded with finite outputs."""
        self.rows.extend(self.steps.run(steps)[1:])
        s, t = self.system, self.steps.done * self.dt
        last = s.outputs_function(np.array([t]), self.steps.x, self.u[self.steps.done], self.steps.guess)
        self.rows.append(last)
        return self.steps.status == DONE and bool(np.all(np.isfinite(last)))


@dataclass
class _Feed:
    """Values that one block passes to the other, and the values of the last exchange."""

    source: _Side
    target: _Side
    names: dict[str, str]  # output of the source → input of the target
    hold: str
    exchange: int
    before: Array | None = None

    def give(self, done: int) -> None:
        """Write the source's values into the target's inputs up to the next exchange."""
        now = self.source.rows[-1][[self.source.system.outputs.index(name) for name in self.names]]
        slope = np.zeros(len(now)) if self.hold == "constant" or self.before is None else now - self.before
        self.before = now
        share = np.arange(self.exchange + 1)[:, None] / self.exchange
        columns = [self.target.system.inputs.index(name) for name in self.names.values()]
        self.target.u[done : done + self.exchange + 1, columns] = now + share * slope


def _together(sides: list[_Side], dt: float) -> Run:
    """The records of both blocks as one run."""
    count = min(len(side.rows) for side in sides)
    values = np.hstack([np.array(side.rows[:count]) for side in sides])
    names = [name for side in sides for name in side.system.outputs]
    return Run(None, np.arange(count) * dt, values, names=names, model=sides[0].system.model)
