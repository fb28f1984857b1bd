"""A04, Bricard's overconstrained mechanism: compared with the equation of its one degree of freedom."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from symbody import machines
from symbody.system.assembly import initial_state
from symbody.system.system import system
from symbody_bench.validate.figures import (
    GRAVITY,
    PLACE,
    Array,
    Figure,
    SolvedProblem,
    conserved,
    energy_error,
    largest,
    place,
    timed,
)
from symbody_bench.validate.mujoco_peer import Peering, by_mujoco
from symbody_bench.validate.multipliers import skew

NAME = "A04 bricard"
DT = 2e-3  # s
SAMPLE = 0.01  # s
_WAYS = np.array([(1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0)], dtype=float)
_AXES = (1, 2, 0, 1, 2)
_ACROSS, _ALONG = (1.0 + 0.01) / 12, 0.01 / 6  # kg m²
_TINY = 1e-20  # complex step: derivatives to all digits


def _turn(axis: int, angle: complex) -> Array:
    R = np.eye(3, dtype=complex)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def shape(phi: complex) -> tuple[complex, complex]:
    """Hinges 1, 3, 5 turn by φ and 2, 4 by ψ, sin φ + sin ψ + sin φ sin ψ = 0: ψ and dψ/dφ."""
    s = np.sin(phi)
    psi = -np.arcsin(s / (1.0 + s))
    return psi, -np.cos(phi) / (1.0 + s) ** 2 / np.cos(psi)


def energies(phi: complex) -> tuple[complex, complex]:
    """Inertia of the one degree of freedom (kg m²) and potential energy (J): 1 kg rods of 1 m, 0.1 m square."""
    psi, slope = shape(phi)
    R, end = np.eye(3, dtype=complex), np.zeros(3, dtype=complex)
    spin, speed = np.zeros(3, dtype=complex), np.zeros(3, dtype=complex)
    inertia: complex = 0.0
    height: complex = 0.0
    for k, (axis, way) in enumerate(zip(_AXES, _WAYS, strict=True)):
        spin = spin + R[:, axis] * (1.0 if k % 2 == 0 else slope)
        R = R @ _turn(axis, phi if k % 2 == 0 else psi)
        rod = R @ way
        turned = skew(spin) @ rod
        centre, along = speed + turned / 2, rod @ spin
        inertia += centre @ centre + _ACROSS * (spin @ spin - along**2) + _ALONG * along**2
        height += end[1] + rod[1] / 2
        end, speed = end + rod, speed + turned
    return inertia, GRAVITY * height


def reduced(t: Array) -> Array:
    """x, y, z (m) of P3, the end of the second rod, from rest on the cube."""

    def rates(_: float, y: Array) -> tuple[float, float]:
        inertia, height = energies(complex(y[0], _TINY))
        return y[1], -(0.5 * inertia.imag / _TINY * y[1] ** 2 + height.imag / _TINY) / inertia.real

    found = solve_ivp(rates, (0.0, t[-1]), (0.0, 0.0), "DOP853", t_eval=t, rtol=1e-11, atol=1e-12)
    return np.array([_end_of_second(phi) for phi in found.y[0]])


def _end_of_second(phi: float) -> Array:
    first = _turn(1, phi)
    return np.asarray((first @ _WAYS[0] + first @ _turn(2, shape(phi)[0]) @ _WAYS[1]).real)


def solve(until: float = 10.0) -> SolvedProblem:
    """The mechanism in fixed steps, loops closed by partitioning without the redundant equation."""
    model = machines.model("bricard")
    run, seconds = timed(system(model), until, DT, SAMPLE)
    ours, exact, energy = place(run, "P3", "xyz"), reduced(run.t), energy_error(run)
    peer = by_mujoco(model, Peering("rod2.end", DT), *initial_state(model), run.t, exact)
    figures = [
        conserved(NAME, energy, seconds),
        Figure(NAME, "P3 (m)", "reduced equation, DOP853", largest(ours - exact), PLACE, seconds, peer),
    ]
    return SolvedProblem(NAME, run.t, ("x (m)", "y (m)", "z (m)"), ours, exact, energy, figures)
