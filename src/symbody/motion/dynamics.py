"""Dynamics of a platform in closed form: inverse dynamics by two methods, mass matrix, bias, forward dynamics.

Newton–Euler equations of the platform and of each leg as a serial chain (Houda 2020, §3.4, corrected signs):

    Γ_legs = Jᵀ (F_p + Σ_k [1; L̂_k] J_3k⁻ᵀ H_k),    Γ_x = Σ m_i a_i·x₀ over the bodies that X carries; Γ_y alike.

A motion is a pose (…, 6), a twist and an acceleration (…, 8): the sliders first, then [v; ω] and [v̇; ω̇] of O_u
relative to O_l. Arrays may hold expressions, as in `geometry.py`: the same lines produce NumPy values and compiled C.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from symbody.motion.data import Array, PlatformData
from symbody.motion.geometry import Values, leg_vectors, rotation
from symbody.motion.kinematics import inverse_jacobian, leg_frames, leg_rates, leg_rows, solve_transposed, top_motion
from symbody.motion.leg_dynamics import LegLoads, leg_loads, moments


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
    """Leg forces Γ_k along a_k, loads of the legs themselves, and Σ m (v̇ − g) of all bodies on the X slider."""

    gamma: Values
    a: Values
    legs: LegLoads
    carried: Values


def hexapod_forces(
    pose: Values, twist: Values, acceleration: Values, data: PlatformData, outside: Values = 0.0
) -> HexapodForces:
    """Γ of the legs on a moving base; `outside`: external wrench (…, 6) on the platform at O_u (N, N m)."""
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
    """Actuator forces for a motion (method B).

    Sliders by the exact identity Γ_x = Σ m_i a_i·x₀ over the X slider and all bodies on it; Γ_y in the same way.

    Parameters
    ----------
    pose, twist, data, friction
        As in `bias`.
    acceleration : array, shape (…, 8)
        [q̈_t; v̇; ω̇] (m/s², rad/s²).
    outside : array, shape (…, 6)
        External wrench on the platform at O_u (N, N m). Default 0.

    Returns
    -------
    array, shape (…, 8)
        Γ of the sliders X and Y and of the six legs (N).
    """
    pose, twist, acceleration = (np.asarray(x) for x in (pose, twist, acceleration))
    hexapod = hexapod_forces(pose, twist, acceleration, data, outside)
    sliders = hexapod.carried[..., :2] + slider_masses(data) * acceleration[..., :2]
    return _with_friction(np.concatenate([sliders, hexapod.gamma], axis=-1), pose, twist, data, friction)


def inverse_dynamics_recursive(
    pose: Values, twist: Values, acceleration: Values, data: PlatformData, friction: bool = True, outside: Values = 0.0
) -> Values:
    """Γ (…, 8) as `inverse_dynamics`, with slider forces from the reactions at the feet (method A).

    A leg pushes the platform with f_k = Γ_k a_k − J_3k⁻ᵀH_k. Its foot carries this force and the leg's own momentum
    rate.
    """
    pose, twist, acceleration = (np.asarray(x) for x in (pose, twist, acceleration))
    hexapod = hexapod_forces(pose, twist, acceleration, data, outside)
    pushed = hexapod.gamma[..., None] * hexapod.a - hexapod.legs.at_top
    feet = (pushed + hexapod.legs.momentum_rate).sum(axis=-2)
    sliders = feet[..., :2] + slider_masses(data) * acceleration[..., :2]
    return _with_friction(np.concatenate([sliders, hexapod.gamma], axis=-1), pose, twist, data, friction)


def printed_slider_forces(pose: Values, twist: Values, acceleration: Values, data: PlatformData) -> Values:
    """M q̈ + Σ_k Γ_k a_k·(x₀, y₀), as printed (eq. 3.4.19): it lacks the transverse forces of legs with mass."""
    hexapod = hexapod_forces(pose, twist, acceleration, data)
    along = (hexapod.gamma[..., None] * hexapod.a).sum(axis=-2)
    return along[..., :2] + slider_masses(data) * acceleration[..., :2]


def slider_masses(data: PlatformData) -> Array:
    """Mass that moves along x with the X slider, and along y with both sliders, without the hexapod (kg)."""
    x, y = data.bodies["table_x"].mass, data.bodies["table_y"].mass
    return np.array([x, x + y])


def friction_forces(pose: Values, twist: Values, data: PlatformData) -> Values:
    """Friction (…, 8) of sliders and legs (N), with the sign of their rates."""
    legs = (inverse_jacobian(pose, data) @ twist[..., 2:, None])[..., 0]
    sliders = [data.friction[name].force(twist[..., k : k + 1]) for k, name in enumerate(("table_x", "table_y"))]
    return np.concatenate([*sliders, data.friction["leg"].force(legs)], axis=-1)


def _with_friction(gamma: Values, pose: Values, twist: Values, data: PlatformData, friction: bool) -> Values:
    return gamma + friction_forces(pose, twist, data) if friction else gamma


# -- M, H and forward dynamics -----------------------------------------------------------------------------------------


def actuator_map(pose: Array, data: PlatformData) -> Array:
    """Matrix (…, 8, 8) of q̇ = diag(1, J⁻¹) [q̇_t; v; ω], with the twist relative to O_l."""
    J = np.zeros((*np.shape(pose)[:-1], 8, 8))
    J[..., :2, :2], J[..., 2:, 2:] = np.eye(2), inverse_jacobian(pose, data)
    return J


def probed(pose: Array, data: PlatformData) -> Array:
    """∂Γ/∂[q̈_t; v̇; ω̇] (…, 8, 8): a column for each unit acceleration, at rest and without gravity."""
    still, weightless = np.zeros((*np.shape(pose)[:-1], 8)), replace(data, gravity=0.0)
    columns = [inverse_dynamics(pose, still, still + unit, weightless, friction=False) for unit in np.eye(8)]
    return np.stack(columns, axis=-1)


def mass_matrix(pose: Array, data: PlatformData) -> Array:
    """M of Γ = M q̈ + H over the actuators q = (x_t, y_t, q_31 … q_36).

    Parameters
    ----------
    pose : array, shape (…, 6)
        m, rad.
    data : PlatformData
        The platform.

    Returns
    -------
    array, shape (…, 8, 8)
        Symmetric (kg).
    """
    J = np.swapaxes(actuator_map(pose, data), -1, -2)
    return np.swapaxes(np.linalg.solve(J, np.swapaxes(probed(pose, data), -1, -2)), -1, -2)


def bias(pose: Array, twist: Array, data: PlatformData, friction: bool = True) -> Array:
    """H of Γ = M q̈ + H: Γ of the motion with q̈ = 0, that is ẍ = −J J̇⁻¹ẋ.

    Parameters
    ----------
    pose : array, shape (…, 6)
        m, rad.
    twist : array, shape (…, 8)
        [q̇_t; v; ω] (m/s, rad/s).
    data : PlatformData
        The platform.
    friction : bool
        Whether sliders and legs have friction. Default True.

    Returns
    -------
    array, shape (…, 8)
        N.
    """
    pose, twist = np.asarray(pose), np.asarray(twist)
    drift = leg_rates(pose, twist[..., 2:], 0.0 * twist[..., 2:], data).q3dd
    acceleration = np.concatenate(
        [0.0 * twist[..., :2], -np.linalg.solve(inverse_jacobian(pose, data), drift[..., None])[..., 0]], axis=-1
    )
    gamma: Array = inverse_dynamics(pose, twist, acceleration, data, friction)
    return gamma


def forward_dynamics(pose: Array, twist: Array, gamma: Array, data: PlatformData, friction: bool = True) -> Array:
    """Accelerations of the platform under actuator forces.

    Parameters
    ----------
    pose, twist, data, friction
        As in `bias`.
    gamma : array, shape (…, 8)
        Γ of sliders and legs (N).

    Returns
    -------
    array, shape (…, 8)
        [q̈_t; v̇; ω̇] (m/s², rad/s²).
    """
    rest = inverse_dynamics(pose, twist, 0.0 * np.asarray(twist), data, friction)
    solved: Array = np.linalg.solve(probed(pose, data), (np.asarray(gamma) - rest)[..., None])[..., 0]
    return solved
