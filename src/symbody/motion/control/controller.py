"""The interface of tracking controllers: reference motion and measured actuators in, forces of the drives out.

A controller is a dataclass of gains. `forces` is written once over arrays: numbers give NumPy values, expressions the
compiled function of the sampled loop (`control_function`), in which the gains are inputs.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from symbody.codegen import Function, build
from symbody.codegen.program import Input, Output, Program
from symbody.expr.node_table import fresh_graph
from symbody.expr.vector import variables
from symbody.motion.data import ACTUATORS, Array, PlatformData
from symbody.motion.direct_geometry import newton_step
from symbody.motion.dynamics import friction_forces, inverse_dynamics
from symbody.motion.geometry import Values, inverse_geometry
from symbody.motion.kinematics import acceleration_of_rates, inverse_jacobian, leg_rates, solve, twist_of_rates
from symbody.motion.servo import ReferenceMotion

SIZE = len(ACTUATORS)
STATE = ("axes", "rates", "second", "q", "qd", "integral")  # inputs of the compiled function, (8,) each


class LoopState(NamedTuple):
    """What a controller knows at a sample.

    Parameters
    ----------
    reference : ReferenceMotion
        Axes and actuators with their derivatives.
    q, qd : array, shape (8,)
        Measured actuators and their rates (m, m/s).
    integral : array, shape (8,)
        ∫e dt (m s).
    """

    reference: ReferenceMotion
    q: Values
    qd: Values
    integral: Values


class Wanted(NamedTuple):
    """Wanted actuators q_d, q̇_d, q̈_d (8,), and the pose, twist and acceleration of the reference."""

    q: Values
    qd: Values
    qdd: Values
    pose: Values
    twist: Values
    acceleration: Values


class TrackingController(Protocol):
    """A tracking controller: gains, each a number or one for each actuator, and the law of the forces."""

    @property
    def name(self) -> str:
        """As tables show it."""
        ...

    def forces(self, now: LoopState, data: PlatformData) -> Values:
        """Γ (8,) of sliders and legs (N), before the limits of the drives."""
        ...


C = TypeVar("C", bound=TrackingController)


def wanted(reference: ReferenceMotion, data: PlatformData) -> Wanted:
    """The motion of the actuators that belongs to a reference of the axes."""
    pose, rates, second = reference.axes[2:], reference.rates[2:], reference.second[2:]
    twist = np.concatenate([reference.rates[:2], twist_of_rates(pose, rates)])
    acceleration = np.concatenate([reference.second[:2], acceleration_of_rates(pose, rates, second)])
    legs = leg_rates(pose, twist[2:], acceleration[2:], data)
    q = inverse_geometry(reference.axes, data)[0]
    qd, qdd = (np.concatenate([of[:2], leg]) for of, leg in ((twist, legs.q3d), (acceleration, legs.q3dd)))
    return Wanted(q, qd, qdd, pose, twist, acceleration)


def forces_of(qdd: Values, now: LoopState, target: Wanted, data: PlatformData) -> Values:
    """Γ = M(q) q̈ + H(q, q̇) (8,) for accelerations of the actuators, at the measured position.

    The measured pose is one Newton step of the direct geometry away from the reference: its error is the square of the
    tracking error. Friction is that of the reference, because dry friction of a noisy rate would switch.
    """
    pose = target.pose - newton_step(target.pose, now.q[2:], data)
    J = inverse_jacobian(pose, data)
    v = solve(J, now.qd[2:], data)
    drift = leg_rates(pose, v, 0.0 * v, data).q3dd
    twist = np.concatenate([now.qd[:2], v])
    acceleration = np.concatenate([qdd[:2], solve(J, qdd[2:] - drift, data)])
    gamma = inverse_dynamics(pose, twist, acceleration, data, friction=False)
    return gamma + friction_forces(target.pose, target.twist, data)


# -- gains -------------------------------------------------------------------------------------------------------------


def gain_names(controller: TrackingController) -> tuple[str, ...]:
    """The fields of a controller, which are its gains."""
    return tuple(one.name for one in fields(controller))  # type: ignore[arg-type]


def gains(controller: TrackingController) -> Array:
    """All gains (n, 8), a row for each field."""
    rows: list[Any] = [getattr(controller, name) for name in gain_names(controller)]
    return np.array([np.broadcast_to(np.asarray(row, dtype=float), SIZE) for row in rows])


def with_gains(controller: C, values: Values) -> C:
    """The controller with other gains (n, 8), in the order of its fields."""
    rows = np.asarray(values).reshape(-1, SIZE)
    found: dict[str, Any] = {
        name: tuple(row) if rows.dtype != object else row
        for name, row in zip(gain_names(controller), rows, strict=True)
    }
    return replace(controller, **found)  # type: ignore[type-var]


# -- compiled ----------------------------------------------------------------------------------------------------------


@cache
def control_function(controller: type[TrackingController], data: PlatformData) -> Function:
    """A controller in C: forces[8], error[8] = f(axes, rates, second, q, qd, integral, gains).

    Parameters
    ----------
    controller : type
        Its class.
    data : PlatformData
        The platform.

    Returns
    -------
    Function
        `error` is q_d − q.
    """
    with fresh_graph():
        given = [np.array(variables(name, SIZE), dtype=object) for name in STATE]
        one = controller()
        count = len(gain_names(one))
        live = with_gains(one, np.array(variables("gains", count * SIZE), dtype=object))
        now = LoopState(ReferenceMotion(*given[:3]), *given[3:])
        forces = live.forces(now, data)
        error = inverse_geometry(now.reference.axes, data)[0] - now.q
        inputs = {name: Input(SIZE) for name in STATE} | {"gains": Input(count * SIZE)}
        outputs = {"forces": Output((SIZE,), tuple(forces)), "error": Output((SIZE,), tuple(error))}
        return build(Program("control", "platform", f"forces (N) by {one.name}", inputs, outputs))
