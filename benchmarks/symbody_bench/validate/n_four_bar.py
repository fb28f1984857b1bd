"""A02, the N-four-bar mechanism through singular positions: compared with the equation of its degree of freedom."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from symbody import machines
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

DT = 5e-4  # s
SAMPLE = 0.01  # s
# In the flat position the bars need unbounded forces, and the loop equations lose rank. The penalty closure is regular
# there. A large factor keeps the loops stiff where they lose rank (rounding forbids a larger one), and a quick recovery
# closes them again before the forces have done work on the gaps.
PENALTY: dict[str, Any] = {"closure": "penalty", "alpha": 5e9, "omega": 500.0}
# The augmented closure's factor relative to mass and step: larger than usual, for a smaller position error.
AUGMENTED: dict[str, Any] = {"closure": "augmented", "alpha": 1e6 * 4 / DT**2}
# The library's reference solution for N = 40 (A02_solution_data.txt; six digits): time, x, y of B0.
PUBLISHED = np.array(
    [
        (1.0, -0.115357, -0.993324), (2.0, 0.0344663, 0.999406), (3.0, -0.338518, -0.940960),
        (4.0, 0.0693421, 0.997593), (5.0, -0.540191, -0.841543), (10.0, 0.180513, 0.983573),
    ]
)  # fmt: skip


def reduced(n: int, t: Array) -> Array:
    """x, y (m) of B0: parallel cranks share an angle θ, ((n+1)/3 + n) θ̈ = −((n+1)/2 + n) g cos θ (1 m, 1 kg bars)."""
    pull = GRAVITY * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    found = solve_ivp(
        lambda _, y: (y[1], -pull * np.cos(y[0])), (0.0, t[-1]), (np.pi / 2, -1.0), "DOP853",
        t_eval=t, rtol=1e-13, atol=1e-13,
    )  # fmt: skip
    return np.stack([np.cos(found.y[0]), np.sin(found.y[0])], axis=1)


def solve(n: int = 2, until: float = 10.0, options: dict[str, Any] | None = None) -> SolvedProblem:
    """A row of n windows in fixed steps, by the penalty closure unless `options` of a system are given."""
    model, chosen = machines.model("n-four-bar", n), options or PENALTY
    name = f"A02 n-four-bar, N = {n}, {chosen['closure']}"
    s = system(model, outputs=["B0.*", "energy.*"], **chosen)
    run, seconds = timed(s, until, DT, SAMPLE)
    ours, exact, energy = place(run, "B0", "xy"), reduced(n, run.t), energy_error(run)
    peer = None
    if chosen is PENALTY:
        nq = len(s.layout.coordinates)
        peer = by_mujoco(model, Peering("crank0.tip", 1e-3), s.x0[:nq], s.x0[nq:], run.t, exact)
    figures = [
        conserved(name, energy, seconds),
        Figure(name, "B0 (m)", "reduced equation, DOP853", largest(ours - exact), PLACE, seconds, peer),
        *(published(name, PUBLISHED, run.t, ours, seconds) if n == 40 else []),
    ]
    return SolvedProblem(name, run.t, ("x (m)", "y (m)"), ours, exact, energy, figures)
