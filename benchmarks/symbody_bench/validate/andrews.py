"""A03, Andrews' squeezer: compared with the test set's state and with the book's own equations."""

from __future__ import annotations

import numpy as np

from symbody import machines
from symbody.system.assembly import initial_state
from symbody.system.system import system
from symbody_bench.validate.andrews_book import ANGLES, MOTOR, REST, STIFFNESS, motion
from symbody_bench.validate.figures import PLACE, Figure, SolvedProblem, conserved, energy_error, largest, place, timed
from symbody_bench.validate.mujoco_peer import Peering, TendonSpring, by_mujoco

NAME = "A03 andrews"
DT = 5e-6  # s
SAMPLE = 1e-4  # s
CRANK = 0.007  # m
# Test set for IVP solvers, state at 0.03 s (PSIDE with tolerances of 1e-14), in the order of ANGLES. Nine or ten digits
# are reliable: the book's equations and ours agree on three more, and both differ from these.
END = 0.03  # s
TEST_SET = np.array(
    [
        15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
        0.5347301163226948, 1.048080741042263,
    ]
)  # fmt: skip
DIGITS = 1e-9  # relative


def solve(until: float = 0.05) -> SolvedProblem:
    """The squeezer in fixed steps, loops closed by partitioning."""
    model = machines.model("andrews")
    run, seconds = timed(system(model), until, DT, SAMPLE)
    book = motion(run.t)
    exact = CRANK * np.stack([np.cos(book[:, 0]), np.sin(book[:, 0])], axis=1)
    ours, angles = place(run, "F", "xy"), np.stack([run[f"{name}.q"] for name in ANGLES], axis=1)
    stored = 0.5 * STIFFNESS * (run["spring.length"] - REST) ** 2
    energy = energy_error(run, stored - MOTOR * run["beta.q"])
    how = Peering("K1.end", DT, 1e-9, 1e-3, {"spring": TendonSpring(STIFFNESS, 0.0, REST)}, {0: MOTOR})
    peer = by_mujoco(model, how, *initial_state(model), run.t, exact)
    figures = [
        conserved(NAME, energy, seconds),
        Figure(NAME, "F (m)", "the book's equations, DOP853", largest(ours - exact), PLACE, seconds, peer),
        Figure(NAME, "angles, relative", "the book's equations, DOP853", _relative(angles, book), DIGITS, seconds),
    ]
    if run.t[-1] >= END:
        at = angles[round(END / SAMPLE)]
        error = largest(at / TEST_SET - 1.0)
        figures.append(Figure(NAME, "angles at 0.03 s, relative", "IVP test set", error, DIGITS, seconds))
    return SolvedProblem(NAME, run.t, ("x of F (m)", "y of F (m)"), ours, exact, energy, figures)


def _relative(angles: np.ndarray, book: np.ndarray) -> float:
    """Largest error of each angle relative to its largest value."""
    return float(np.max(np.abs(angles - book).max(axis=0) / np.abs(book).max(axis=0)))
