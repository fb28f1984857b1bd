"""Dynamics of the platform in closed form: Γ for a motion by two methods, mass matrix, bias, accelerations for Γ.

Newton and Euler for the platform and for each leg as a serial chain (Houda 2020, §3.4, signs mended):

    Γ_legs = Jᵀ (F_p + Σ_k [1; L̂_k] J_3k⁻ᵀ H_k),    Γ_x = Σ m_i a_i·x₀ over the bodies that X carries; Γ_y alike.

A motion is a pose (…, 6), a twist and an acceleration (…, 8): those of the sliders, then [v; ω] and [v̇; ω̇] of O_u seen
from O_l. Arrays may hold expressions, as in `geometry.py`: the same lines are NumPy and the source of the compiled C.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from symbody.machines.platform.data import Array, PlatformData
from symbody.machines.platform.geometry import Values, leg_vectors, rotation
from symbody.machines.platform.kinematics import (
    inverse_jacobian,
    leg_frames,
    leg_rates,
    leg_rows,
    solve_transposed,
    top_motion,
)
from symbody.machines.platform.leg_dynamics import LegLoads, leg_loads, moments


def platform_wrench(pose: Values, twist: Values, acceleration: Values, data: PlatformData) -> Values:
    """F_p = [M 1, −M̂S; M̂S, I] [v̇; ω̇] + [ω × (ω × MS); ω × Iω] at O_u, of (…, 6) motions; v̇ is less gravity."""
    body = moments(data.bodies["platform"])
    A = rotation(pose[..., 3:])
    MS, w, vd, wd = A @ body.MS, twist[..., 3:], acceleration[..., :3], acceleration[..., 3:]

    def momentum(turning: Values) -> Values:
        """A I Aᵀ ω."""
        return (A @ (body.inertia @ (np.swapaxes(A, -1, -2) @ turning[..., None])))[..., 0]

    force = body.mass * vd + np.cross(wd, MS) + np.cross(w, np.cross(w, MS))
    return np.concatenate([force, momentum(wd) + np.cross(w, momentum(w)) + np.cross(MS, vd)], axis=-1)


class HexapodForces(NamedTuple):
    """What moves the hexapod: Γ_k along a_k of the legs, their own loads, and Σ m (v̇ − g) of all that X carries."""

    gamma: Values
    a: Values
    legs: LegLoads
    carried: Values


def hexapod_forces(
    pose: Values, twist: Values, acceleration: Values, data: PlatformData, outside: Values = 0.0
) -> HexapodForces:
    """Γ of the legs on a moving base; `outside`: wrench (…, 6) that acts on the platform at O_u (N, N m)."""
    d, L = leg_vectors(pose, data)
    frames = leg_frames(d)
    base = acceleration[..., :2]
    base = np.concatenate([base, 0.0 * base[..., :1] + data.gravity], axis=-1)  # v̇₀ = (q̈_x, q̈_y, g)
    absolute = np.concatenate([acceleration[..., 2:5] + base, acceleration[..., 5:]], axis=-1)
    v, vd = top_motion(L, twist[..., 2:], acceleration[..., 2:])
    legs = leg_loads(frames, v, vd, np.broadcast_to(base[..., None, :], d.shape), data)
    wrench = platform_wrench(pose, twist[..., 2:], absolute, data) - outside
    at_centre = leg_rows(legs.at_top, L).sum(axis=-2)
    gamma = solve_transposed(leg_rows(frames.a, L), wrench + at_centre, data)
    return HexapodForces(gamma, frames.a, legs, wrench[..., :3] + legs.momentum_rate.sum(axis=-2))


def inverse_dynamics(
    pose: Values, twist: Values, acceleration: Values, data: PlatformData, friction: bool = True, outside: Values = 0.0
) -> Values:
    """Γ (…, 8) of the sliders X and Y and of the six legs (N) for a motion: method B, in closed form.

    Sliders by the exact identity Γ_x = Σ m_i a_i·x₀ over all that X carries and X itself, Γ_y alike.
    """
    pose, twist, acceleration = (np.asarray(x) for x in (pose, twist, acceleration))
    hexapod = hexapod_forces(pose, twist, acceleration, data, outside)
    sliders = hexapod.carried[..., :2] + slider_masses(data) * acceleration[..., :2]
    return _with_friction(np.concatenate([sliders, hexapod.gamma], axis=-1), pose, twist, data, friction)


def inverse_dynamics_recursive(
    pose: Values, twist: Values, acceleration: Values, data: PlatformData, friction: bool = True, outside: Values = 0.0
) -> Values:
    """Γ (…, 8) as `inverse_dynamics`: method A, sliders by the reactions that the legs hand down to their feet.

    A leg pushes the platform by f_k = Γ_k a_k − J_3k⁻ᵀH_k, and its foot is pushed by that and by its own momentum.
    """
    pose, twist, acceleration = (np.asarray(x) for x in (pose, twist, acceleration))
    hexapod = hexapod_forces(pose, twist, acceleration, data, outside)
    pushed = hexapod.gamma[..., None] * hexapod.a - hexapod.legs.at_top
    feet = (pushed + hexapod.legs.momentum_rate).sum(axis=-2)
    sliders = feet[..., :2] + slider_masses(data) * acceleration[..., :2]
    return _with_friction(np.concatenate([sliders, hexapod.gamma], axis=-1), pose, twist, data, friction)


def printed_slider_forces(pose: Values, twist: Values, acceleration: Values, data: PlatformData) -> Values:
    """M q̈ + Σ_k Γ_k a_k·(x₀, y₀), as printed (eq. 3.4.19): without what legs with mass hand down across themselves."""
    hexapod = hexapod_forces(pose, twist, acceleration, data)
    along = (hexapod.gamma[..., None] * hexapod.a).sum(axis=-2)
    return along[..., :2] + slider_masses(data) * acceleration[..., :2]


def slider_masses(data: PlatformData) -> Array:
    """Mass that moves along x with the X slider, and along y with both, less the hexapod (kg)."""
    x, y = data.bodies["table_x"].mass, data.bodies["table_y"].mass
    return np.array([x, x + y])


def friction_forces(pose: Values, twist: Values, data: PlatformData) -> Values:
    """Friction (…, 8) of sliders and legs (N), of the sign of their rates."""
    legs = (inverse_jacobian(pose, data) @ twist[..., 2:, None])[..., 0]
    sliders = [data.friction[name].force(twist[..., k : k + 1]) for k, name in enumerate(("table_x", "table_y"))]
    return np.concatenate([*sliders, data.friction["leg"].force(legs)], axis=-1)


def _with_friction(gamma: Values, pose: Values, twist: Values, data: PlatformData, friction: bool) -> Values:
    return gamma + friction_forces(pose, twist, data) if friction else gamma


# -- M, H and forward dynamics -----------------------------------------------------------------------------------------


def actuator_map(pose: Array, data: PlatformData) -> Array:
    """q̇ = diag(1, J⁻¹) [q̇_t; v; ω], the twist being seen from O_l: (…, 8, 8)."""
    J = np.zeros((*np.shape(pose)[:-1], 8, 8))
    J[..., :2, :2], J[..., 2:, 2:] = np.eye(2), inverse_jacobian(pose, data)
    return J


def probed(pose: Array, data: PlatformData) -> Array:
    """∂Γ/∂[q̈_t; v̇; ω̇]: a column for each unit acceleration at rest without gravity (…, 8, 8)."""
    still, weightless = np.zeros((*np.shape(pose)[:-1], 8)), replace(data, gravity=0.0)
    columns = [inverse_dynamics(pose, still, still + unit, weightless, friction=False) for unit in np.eye(8)]
    return np.stack(columns, axis=-1)


def mass_matrix(pose: Array, data: PlatformData) -> Array:
    """M of Γ = M q̈ + H over the actuators q = (x_t, y_t, q_31 … q_36): symmetric, (…, 8, 8) (kg)."""
    J = np.swapaxes(actuator_map(pose, data), -1, -2)
    return np.swapaxes(np.linalg.solve(J, np.swapaxes(probed(pose, data), -1, -2)), -1, -2)


def bias(pose: Array, twist: Array, data: PlatformData, friction: bool = True) -> Array:
    """H of Γ = M q̈ + H: Γ of the motion in which q̈ = 0, that is ẍ = −J J̇⁻¹ẋ (…, 8) (N)."""
    pose, twist = np.asarray(pose), np.asarray(twist)
    drift = leg_rates(pose, twist[..., 2:], 0.0 * twist[..., 2:], data).q3dd
    acceleration = np.concatenate(
        [0.0 * twist[..., :2], -np.linalg.solve(inverse_jacobian(pose, data), drift[..., None])[..., 0]], axis=-1
    )
    gamma: Array = inverse_dynamics(pose, twist, acceleration, data, friction)
    return gamma


def forward_dynamics(pose: Array, twist: Array, gamma: Array, data: PlatformData, friction: bool = True) -> Array:
    """[q̈_t; v̇; ω̇] (…, 8) that the forces Γ (…, 8) give the platform (m/s², rad/s²)."""
    rest = inverse_dynamics(pose, twist, 0.0 * np.asarray(twist), data, friction)
    solved: Array = np.linalg.solve(probed(pose, data), (np.asarray(gamma) - rest)[..., None])[..., 0]
    return solved
