"""The semi-implicit (symplectic) Euler method: first the velocities, then the coordinates with the new velocities."""

from __future__ import annotations

import numpy as np

from symbody.stepping.fixed_step import CompiledSteps, FrameOf, PythonStep, PythonSteps, StepSettings
from symbody.stepping.method import FixedStepMethod
from symbody.stepping.stable_step import semi_implicit_growth
from symbody.stepping.start_state import StartState
from symbody.system.state_indices import velocity_places
from symbody.system.system import Array


class CompiledSemiImplicit(CompiledSteps):
    """Steps in C."""

    TURNS = True

    def __init__(self, start: StartState, settings: StepSettings):
        super().__init__(start, settings, "semi_implicit.c", FrameOf)
        self.bind()


def semi_implicit_step(start: StartState) -> PythonStep:
    """v + h v̇, then q + h q̇ with the new v."""
    velocity = np.array(velocity_places(start.system), dtype=int)
    nq = len(velocity)

    def step(steps: PythonSteps, number: int, rate: Array) -> Array:
        h = steps.dt
        new = steps.x + h * np.r_[np.zeros(nq), rate[nq:]]
        speeds = steps.rates(number, 1.0, new).xd[:nq]  # only the rates of quaternions differ from the velocities
        new[:nq] += h * np.where(velocity >= 0, new[velocity], speeds)
        return np.asarray(new)

    return step


SEMI_IMPLICIT = FixedStepMethod(
    name="semi-implicit",
    order=1,
    implicit=False,
    summary="explicit, one evaluation a step, bounded energy: the cheapest, for short steps",
    source="symplectic Euler; Hairer, Lubich and Wanner 2006, I.1",
    file="semi_implicit.c",
    structure=FrameOf,
    compiled=CompiledSemiImplicit,
    python=semi_implicit_step,
    growth=semi_implicit_growth,
)
