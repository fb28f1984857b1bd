"""The motion platform for its tests: random motions within its limits, and the engine's mechanism, compiled once."""

from functools import cache
from typing import NamedTuple

import numpy as np

from symbody.equations.closed import first_guess
from symbody.equations.compile import compile_closed_inverse
from symbody.machines.platform.data import platform_data
from symbody.motion.data import ACTUATORS, AXES, LEGS
from symbody.motion.mechanism import mechanism
from symbody.motion.platform_motion import PlatformMotion
from symbody.system.assembly import assemble
from symbody.system.partition import partition

DATA = platform_data()


def random_motion(count, seed=0):
    """Poses within the limits, rates and second derivatives of order one."""
    rng = np.random.default_rng(seed)
    low, high = DATA.ends("low"), DATA.ends("high")
    axes = low + (high - low) * rng.random((count, 8))
    rates, second = rng.standard_normal((2, count, 8))
    return PlatformMotion(np.arange(count, dtype=float), axes, rates, second, DATA)


def rows(motion):
    """Axes, rates and second derivatives, state by state."""
    return zip(motion.axes, motion.rates, motion.second, strict=True)


class Engine(NamedTuple):
    """The engine's inverse dynamics of the closed mechanism, and where its joints are in q."""

    function: object
    given: list
    places: dict
    guess: np.ndarray

    def __call__(self, axes, rates, second):
        """Γ, q, q̇ and q̈ of all joints, loops closed by Newton's method."""
        order = [AXES.index(name) for name in self.given]
        return self.function(axes[order], rates[order], second[order], self.guess)


@cache
def engine():
    """Compiled once; Γ without friction."""
    m = mechanism(DATA)
    start = assemble(m)
    parts = partition(m, start, AXES)
    names = m.velocities
    f = compile_closed_inverse(m, parts, [names.index(name) for name in ACTUATORS], loads=False)
    places = {name: k for k, name in enumerate(names)}
    return Engine(f, [names[i] for i in parts.given], places, first_guess(m, parts, start))


def by_legs(places, values):
    """Values of yoke, cylinder and rod of each leg (6, 3)."""
    return np.array([[values[places[f"{body}{leg}"]] for body in ("yoke", "cylinder", "rod")] for leg in LEGS])
