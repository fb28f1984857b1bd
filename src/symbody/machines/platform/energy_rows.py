"""The energy equation of the platform, linear in its parameters: ∫Γᵀq̇ dt = [Δh, ∫ v²±, ∫ v tanh(v/v₀)±] [β; F_v±; F_s±].

h is the engine's energy regressor in the columns that lead the base parameters; friction has numbers of its own for
either direction of each actuator.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from symbody.analysis.base_parameters import BaseParameters, inertial_values
from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.machines.platform.data import ACTUATORS, TABLE, Array, PlatformData
from symbody.machines.platform.groupings import closed_base_parameters, torque_regressor
from symbody.machines.platform.model import mechanism
from symbody.machines.platform.motion import PlatformMotion, in_model
from symbody.model.model import Model

FRICTION_NAMES = [
    f"{axis}.{kind}.{way}" for kind in ("viscous", "dry") for way in ("forward", "backward") for axis in ACTUATORS
]


@dataclass(frozen=True, eq=False)
class ParameterSet:
    """What is identified: 90 base parameters, then 32 of friction; and their values in the data."""

    data: PlatformData
    model: Model
    base: BaseParameters

    @property
    def names(self) -> list[str]:
        return [*self.base.expressions, *FRICTION_NAMES]

    @property
    def leads(self) -> list[str]:
        """Short names: the inertial parameter that leads each combination, then friction."""
        return [*(self.base.names[i] for i in self.base.independent), *FRICTION_NAMES]

    @property
    def values(self) -> Array:
        """As the data have them."""
        laws = [self.data.friction[axis.replace(".", "_") if axis in TABLE else "leg"] for axis in ACTUATORS]
        rubbing = [pair[way] for kind in ("viscous", "dry") for way in (0, 1) for pair in (getattr(x, kind) for x in laws)]
        return np.r_[self.base.combinations @ inertial_values(self.model), rubbing]

    @property
    def energy(self) -> Function:
        return compile(self.model, "energy_regressor", live="none")


@cache
def parameter_set(data: PlatformData) -> ParameterSet:
    """Of a platform on its table."""
    return ParameterSet(data, mechanism(data), closed_base_parameters(data))


def friction_basis(motion: PlatformMotion) -> Array:
    """Forces (n, 8, 32) of friction for unit numbers: v and tanh(v/v₀), forwards and backwards, of each actuator."""
    v = motion.actuator_rates
    v0 = motion.data.friction["leg"].v0
    shapes = [part * way for part in (v, np.tanh(v / v0)) for way in (v > 0.0, v < 0.0)]
    basis = np.zeros((len(v), len(ACTUATORS), 4 * len(ACTUATORS)))
    for k, shape in enumerate(shapes):
        for i in range(len(ACTUATORS)):
            basis[:, i, k * len(ACTUATORS) + i] = shape[:, i]
    return basis


def energy_regressor(motion: PlatformMotion, every: int = 1) -> Array:
    """W (rows, 122): a row for each `every` steps of the motion; energies that change, and work that friction takes."""
    what = parameter_set(motion.data)
    q, qd, _ = in_model(motion, what.model)
    ends = slice(0, None, every)
    h = np.asarray(what.energy(q[ends], qd[ends]))[:, what.base.independent]
    v = motion.actuator_rates
    lost = _running(motion.t, (friction_basis(motion) * v[:, :, None]).sum(axis=1))[ends]
    return np.hstack([np.diff(h, axis=0), np.diff(lost, axis=0)])


def work(motion: PlatformMotion, forces: Array, every: int = 1) -> Array:
    """∫Γᵀq̇ dt (J) over the same steps, of forces (n, 8)."""
    power = (forces * motion.actuator_rates).sum(axis=1)
    return np.diff(_running(motion.t, power)[::every])


def force_regressor(motion: PlatformMotion) -> Array:
    """Y of Γ = Y [β; F] (n, 8, 122): what the Lagrangian of the same parameters gives."""
    what = parameter_set(motion.data)
    Y = torque_regressor(motion, what.model)[:, :, what.base.independent]
    return np.concatenate([Y, friction_basis(motion)], axis=2)


def _running(t: Array, rate: Array) -> Array:
    """∫ rate dt from the first time on, by trapezia."""
    steps = np.diff(t).reshape(-1, *[1] * (rate.ndim - 1))
    middle = 0.5 * (rate[1:] + rate[:-1]) * steps
    return np.concatenate([np.zeros((1, *rate.shape[1:])), np.cumsum(middle, axis=0)])
