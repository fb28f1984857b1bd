"""The motion platform's closed forms, compared with the engine's loops and other engines on the same computer.

closed_inverse    pose, twist, acceleration of all 8 axes → forces of sliders and legs
direct_geometry   lengths of the legs → pose, from the closed pose and (`_1ms`) from that of 1 ms before
"""

from __future__ import annotations

from functools import partial

import numpy as np

from symbody.codegen import Function
from symbody.machines.platform.data import platform_data
from symbody.motion.compiled import direct_function, inverse_function
from symbody.motion.direct_geometry import direct_geometry
from symbody.motion.geometry import leg_lengths
from symbody.motion.platform_motion import PlatformMotion, random_motion
from symbody_bench.clock import time_call, time_compiled
from symbody_bench.loops import GUESSES
from symbody_bench.numeric import Array
from symbody_bench.ours import compiled
from symbody_bench.peers import STATES, Measured

NAME = "platform"


def closed_forms(name: str = NAME) -> list[Measured]:
    """Both closed forms in C, and direct geometry in NumPy and by SciPy's solver, called from Python."""
    data = platform_data()
    motion = random_motion(data, STATES, np.random.default_rng(0))
    inverse, direct = inverse_function(data), direct_function(data)
    inverse.wait_optimised()
    direct.wait_optimised()
    states = [list(state) for state in zip(motion.pose, motion.twist, motion.acceleration, strict=True)]
    found = [
        _timed("symbody_closed_form", "closed_inverse", inverse, states, "pose, twist, acceleration; with friction")
    ]
    for suffix, before in GUESSES.items():
        lengths, guesses = lengths_and_guesses(motion, before)
        states = [list(state) for state in zip(lengths, guesses, strict=True)]
        function, note = f"direct_geometry{suffix}", "Newton's method in generated C"
        found.append(_timed("symbody", function, direct, states, note))
        time = time_call(partial(direct_geometry, states[0][0], data, states[0][1]))
        found.append(Measured("numpy", name, function, time, note="Newton's method in NumPy"))
        found.append(_by_scipy(name, function, states[0]))
    return found


def lengths_and_guesses(motion: PlatformMotion, before: float) -> tuple[Array, Array]:
    """Lengths of the legs, and the poses `before` seconds earlier."""
    return leg_lengths(motion.pose, motion.data), motion.pose - before * motion.rates[:, 2:]


def _timed(peer: str, function: str, f: Function, states: list[list[Array]], note: str) -> Measured:
    sizes = [int(np.prod(shape, dtype=int)) for shape in f.signature.outputs.values()]
    return Measured(peer, NAME, function, time_compiled(compiled(f), states, sizes), f.operations.total, note=note)


def _by_scipy(name: str, function: str, state: list[Array]) -> Measured:
    """SciPy's solver (MINPACK's hybrid method) on the same equations."""
    from scipy.optimize import root

    data, (lengths, guess) = platform_data(), state
    time = time_call(lambda: root(lambda pose: leg_lengths(pose, data) - lengths, guess))
    return Measured("scipy_root", name, function, time, note="MINPACK hybr, lengths in NumPy")
