"""Forces and energies of the platform, linear in its parameters: Γ = Y x, and ∫Γᵀq̇ dt = [Δh, ∫ friction power dt] x.

x holds 90 base parameters, and friction for both directions of each actuator: F_v± v + F_s± tanh(v/v₀). Y and h are the
columns of the engine's regressors that belong to the leading inertial parameter of each base parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from symbody.analysis.base_parameters import BaseParameters, inertial_values
from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.model.model import Model
from symbody.motion.base_parameters import closed_base_parameters, joint_regressor, torque_regressor
from symbody.motion.data import ACTUATORS, TABLE, Array, PlatformData
from symbody.motion.mechanism import mechanism
from symbody.motion.platform_motion import PlatformMotion, in_model

KINDS, WAYS = ("viscous", "dry"), ("forward", "backward")
FRICTION_NAMES = [f"{axis}.{kind}.{way}" for kind in KINDS for way in WAYS for axis in ACTUATORS]
AT_ONCE = 1000  # states whose regressor with all 210 columns is in memory at a time


@dataclass(frozen=True, eq=False)
class ParameterSet:
    """The parameters to identify: 90 base parameters, then 32 of friction, with their values in the data."""

    data: PlatformData
    model: Model
    base: BaseParameters
    forces: Function  # regressor of the joint forces
    energy: Function  # regressor of the energy

    @property
    def names(self) -> list[str]:
        return [*self.base.expressions, *FRICTION_NAMES]

    @property
    def leads(self) -> list[str]:
        """Short names: the leading inertial parameter of each combination, then friction."""
        return [*(self.base.names[i] for i in self.base.independent), *FRICTION_NAMES]

    @property
    def values(self) -> Array:
        """Values from the data."""
        laws = [self.data.friction[axis.replace(".", "_") if axis in TABLE else "leg"] for axis in ACTUATORS]
        friction = [getattr(law, kind)[way] for kind in KINDS for way in range(len(WAYS)) for law in laws]
        return np.concatenate([self.base.combinations @ inertial_values(self.model), np.array(friction)])


@cache
def parameter_set(data: PlatformData) -> ParameterSet:
    """All parameters of a platform on its table."""
    model = mechanism(data)
    energy = compile(model, "energy_regressor", live="none")
    return ParameterSet(data, model, closed_base_parameters(data), joint_regressor(model), energy)


def friction_shapes(v: Array, data: PlatformData) -> Array:
    """Friction (n, 4, 8) for unit parameters at actuator rates v (n, 8): v and tanh(v/v₀), forwards and backwards."""
    shapes = v, np.tanh(v / data.friction["leg"].v0)
    return np.stack([shape * way for shape in shapes for way in (v > 0.0, v < 0.0)], axis=1)


def energy_regressor(ends: PlatformMotion, t: Array, v: Array, every: int) -> Array:
    """W (rows, 122): changes of energy over each interval, and the work of friction in it.

    ends: the motion at each `every` samples; t, v: times (n,) and actuator rates (n, 8) at all samples.
    """
    what = parameter_set(ends.data)
    q, qd, _ = in_model(ends, what.model)
    h = np.asarray(what.energy(q, qd))[:, what.base.independent]
    lost = (friction_shapes(v, ends.data) * v[:, None, :]).reshape(len(v), -1)
    return np.hstack([np.diff(h, axis=0), over_intervals(t, lost, every)])


def force_regressor(motion: PlatformMotion, shapes: Array | None = None) -> Array:
    """Y of Γ = Y x (n, 8, 122); shapes: filtered `friction_shapes`; default: those of the motion."""
    what, n = parameter_set(motion.data), len(ACTUATORS)
    shapes = friction_shapes(motion.actuator_rates, motion.data) if shapes is None else shapes
    lead = len(what.base.independent)
    Y, own = np.zeros((len(motion.t), n, lead + len(FRICTION_NAMES))), np.arange(n)
    for k, part in enumerate(motion.parts(AT_ONCE)):
        rows = slice(k * AT_ONCE, (k + 1) * AT_ONCE)
        Y[rows, :, :lead] = torque_regressor(part, what.model, what.forces, what.base.independent)
    for k in range(shapes.shape[1]):
        Y[:, own, lead + k * n + own] = shapes[:, k]
    return Y


def over_intervals(t: Array, rate: Array, every: int) -> Array:
    """∫ rate dt over each `every` steps, by the trapezoidal rule."""
    steps = np.diff(t).reshape(-1, *[1] * (rate.ndim - 1))
    running = np.cumsum(0.5 * (rate[1:] + rate[:-1]) * steps, axis=0)
    return np.diff(np.concatenate([np.zeros((1, *rate.shape[1:])), running])[::every], axis=0)
