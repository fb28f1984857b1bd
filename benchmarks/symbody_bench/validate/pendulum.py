"""A01, the simple pendulum: compared with its closed form and with the library's table."""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipk

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
from symbody_bench.validate.published import published

NAME = "A01 pendulum"
DT = 2e-3  # s
SAMPLE = 0.01  # s
# The library's reference solution (A01_solution_data.txt; six digits): time, x, y.
PUBLISHED = np.array(
    [
        (2.0, -0.793566, -0.608484), (4.0, 0.577564, -0.816346), (6.0, 0.999498, -0.0316965),
        (8.0, 0.919858, -0.392252), (10.0, -0.275087, -0.961419),
    ]
)  # fmt: skip


def closed_form(t: Array) -> Array:
    """x, y (m) of the mass, from rest at the horizontal: sin(φ/2) = k cd(ωt), k = sin 45°, φ from the lowest point."""
    k = np.sin(np.pi / 4)
    sn, _, dn, _ = ellipj(ellipk(k**2) - np.sqrt(GRAVITY) * t, k**2)  # cd(u) = sn(K − u)
    sine, cosine = k * sn, dn  # of φ/2
    return np.stack([-2 * sine * cosine, 2 * sine**2 - 1], axis=1)


def solve(until: float = 10.0) -> SolvedProblem:
    """The pendulum in fixed steps."""
    model = machines.model("pendulum")
    run, seconds = timed(system(model), until, DT, SAMPLE)
    ours, exact, energy = place(run, "P", "xy"), closed_form(run.t), energy_error(run)
    peer = by_mujoco(model, Peering("bob.mass", DT), *initial_state(model), run.t, exact)
    closed = Figure(NAME, "x, y (m)", "closed form (elliptic functions)", largest(ours - exact), PLACE, seconds, peer)
    figures = [conserved(NAME, energy, seconds), closed, *published(NAME, PUBLISHED, run.t, ours, seconds)]
    return SolvedProblem(NAME, run.t, ("x (m)", "y (m)"), ours, exact, energy, figures)
