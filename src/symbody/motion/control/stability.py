"""Whether a sampled controller is stable on a platform with a load: poles of the linear loop at the neutral position.

A sample of the loop, with the laws of `sampled_loop.py` (e = −δq, derivative filter with the blend b):

    r' = r + b ((e − e₋)/T − r),   δΓ = F_q δq + F_r (−r') + F_i ∫e,   M δq̈ = δΓ − C δq̇ between two samples,

with F_q, F_r and F_i by differences of the controller's law, and C the viscous friction. Dry friction is left out: it
damps small motions only. The loop is unstable if a pole is outside the unit circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np
from scipy.linalg import expm

from symbody.errors import ModelError
from symbody.motion.control.controller import SIZE, TrackingController, control_function, gains
from symbody.motion.control.sampled_loop import DERIVATIVE, DT
from symbody.motion.data import Array, PlatformData
from symbody.motion.dynamics import mass_matrix
from symbody.motion.geometry import inverse_geometry

SMALL = 1e-7  # m, m/s, m s: steps of the differences, within the boundary layer of sliding mode
CIRCLE = 1.0 - 1e-6  # poles of a stable loop are inside


def viscous_friction(data: PlatformData) -> Array:
    """Viscous friction (8,) of sliders and legs (N s/m), the smaller of both directions."""
    laws = [data.friction[name] for name in ("table_x", "table_y", *6 * ("leg",))]
    return np.array([min(law.viscous) for law in laws])


def law_slopes(controller: TrackingController, known: PlatformData) -> tuple[Array, Array, Array]:
    """∂Γ/∂q, ∂Γ/∂q̇ and ∂Γ/∂∫e (8, 8) of a controller at rest at the neutral position, by central differences."""
    forces, still, given = control_function(type(controller), known), np.zeros(SIZE), gains(controller).ravel()
    rest = [np.asarray(inverse_geometry(known.neutral_axes, known)[0], dtype=float), still, still]

    def at(k: int, step: Array) -> Array:
        measured = [one + step if i == k else one for i, one in enumerate(rest)]
        return np.asarray(forces(known.neutral_axes, still, still, *measured, given).forces)

    steps = SMALL * np.eye(SIZE)
    q, qd, integral = (
        np.stack([(at(k, step) - at(k, -step)) / (2.0 * SMALL) for step in steps], axis=-1) for k in range(3)
    )
    return q, qd, integral


def loop_poles(
    controller: TrackingController, data: PlatformData, known: PlatformData | None = None, dt: float = DT
) -> Array:
    """Poles of the sampled loop at the neutral position.

    data: the platform with its load; known: what the controller knows of it, by default everything. The states are δq,
    δq̇, r, e₋ and, if the controller uses it, ∫e of all actuators.
    """
    return poles_of(law_slopes(controller, known or data), data, dt)


def poles_of(slopes: tuple[Array, Array, Array], data: PlatformData, dt: float = DT) -> Array:
    """Poles of the loop of a law with the slopes F_q, F_r and F_i on a platform."""
    Fq, Fr, Fi = slopes
    M, n = mass_matrix(data.neutral, data), SIZE
    A = np.block(
        [[np.zeros((n, n)), np.eye(n)], [np.zeros((n, n)), -np.linalg.solve(M, np.diag(viscous_friction(data)))]]
    )
    whole = expm(dt * np.block([[A, np.vstack([np.zeros((n, n)), np.linalg.inv(M)])], [np.zeros((n, 3 * n))]]))
    move, push = whole[: 2 * n, : 2 * n], whole[: 2 * n, 2 * n :]
    one, zero, b = np.eye(n), np.zeros((n, n)), 1.0 - exp(-DERIVATIVE * dt)
    rate = [-b / dt * one, zero, (1.0 - b) * one, -b / dt * one, zero]  # r' of δq, δq̇, r, e₋, ∫e
    force = [Fq - Fr @ rate[0], zero, -Fr @ rate[2], -Fr @ rate[3], Fi]
    rows = [
        np.hstack([move, np.zeros((2 * n, 3 * n))]) + push @ np.hstack(force),
        np.hstack(rate),
        np.hstack([-one, zero, zero, zero, zero]),
        np.hstack([-dt * one, zero, zero, zero, one]),
    ]
    step = np.vstack(rows)
    used = 5 * n if Fi.any() else 4 * n
    return np.linalg.eigvals(step[:used, :used])


def require_stable(
    controller: TrackingController,
    loads: Sequence[PlatformData],
    known: PlatformData | None = None,
    dt: float = DT,
) -> None:
    """Raise ModelError for a controller whose loop is unstable with one of the loads: the platform as it may be."""
    slopes = law_slopes(controller, known or loads[0])
    for data in loads:
        largest = float(np.abs(poles_of(slopes, data, dt)).max())
        if not largest < CIRCLE:
            mass = data.bodies["platform"].mass
            pace = f"grow by {100.0 * (largest - 1.0):.3g} % a sample" if largest > 1.0 else "do not decay"
            problem = f"{controller.name}: with {mass:.3g} kg on the legs errors {pace}"
            raise ModelError(problem, element="gains", cure="give smaller gains, or a smaller reset of the integral")
