"""States of looped machines far from their start, in random order, and one where no position closes the loops."""

import numpy as np

import symbody as sb
from symbody import machines

CRANKS, RATES = np.linspace(-3.1, 3.0, 62), (0.0, 0.3, -4.0)


def crank_states(seed=4):
    """All crank angles of the four-bar linkage at several rates, shuffled."""
    x = np.array([[angle, rate] for angle in CRANKS for rate in RATES])
    return np.random.default_rng(seed).permutation(x)


def unreachable(s: sb.System):
    """A state of the double wishbone at which an arm would have to be longer."""
    return s.x0 + np.where(np.arange(len(s.x0)) < len(s.layout.positions), 1.4, 0.0)


def wishbone() -> sb.System:
    return sb.system(machines.model("double-wishbone"), outputs=["*.q"])
