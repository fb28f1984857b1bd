"""Other engines on the same closed systems, timed: numerical closure with LAPACK, Pinocchio's C++, MuJoCo.

Pinocchio and MuJoCo use q and q̇ as given: they do not close positions, and the guess does not matter.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from symbody.model.model import Model
from symbody_bench.clock import BuildError, engine_adapter, time_compiled
from symbody_bench.loops import FUNCTIONS, GUESSES, ClosedState, ClosedSystem, closed_states, closed_system, inputs
from symbody_bench.loops_cpp import cpp_functions, cpp_inputs, cpp_library
from symbody_bench.loops_lapack import numeric_functions, one_thread
from symbody_bench.loops_mujoco import to_mujoco_loops
from symbody_bench.loops_pinocchio import FULL_RANK, to_pinocchio_loops
from symbody_bench.peers import STATES, Measured


def _noting(measure: Callable[[ClosedSystem], Iterator[Measured]]) -> Callable[[Model], list[Measured]]:
    """Turn a missing package or compiler, or a cut that cannot be translated, into a note."""

    def noted(model: Model) -> list[Measured]:
        try:
            return list(measure(closed_system(model)))
        except (ImportError, BuildError, OSError) as error:
            return [Measured(measure.__name__, model.name, function, note=str(error)) for function in FUNCTIONS]

    return noted


def _states(system: ClosedSystem) -> list[ClosedState]:
    """The same states for all engines."""
    return list(closed_states(system, np.random.default_rng(0), STATES))


def _for_all_guesses(peer: str, model: Model, function: str, time: float, **more: Any) -> Iterator[Measured]:
    """One figure of an engine without a guess, repeated for each of our guesses."""
    for suffix in GUESSES:
        yield Measured(peer, model.name, function + suffix, time, **more)


@_noting
def numeric_closure(system: ClosedSystem) -> Iterator[Measured]:
    """Generated M, c, h, J and J̇q̇; Newton's method, B, the reduction and its solution are numerical, all in C."""
    one_thread()
    states = _states(system)
    for peer, plain in (("numeric_lapack", False), ("numeric_plain", True)):
        note = f"generated M, c, h, J; {'its own elimination' if plain else 'LAPACK of SciPy'}"
        for function, compiled in numeric_functions(system, plain).items():
            for suffix, before in GUESSES.items():
                timed = [inputs(system, function, state, before) for state in states]
                time = time_compiled(compiled, timed, [system.model.nq] * 6)
                yield Measured(peer, system.model.name, function + suffix, time, note=note)


@_noting
def pinocchio_cpp(system: ClosedSystem) -> Iterator[Measured]:
    """Pinocchio's C++: constraintDynamics; for the inverse rnea, the constraints' Jacobian and Eigen's LU or QR."""
    loops = to_pinocchio_loops(system.model, freeflyer=True)
    if loops.independent == len(system.partition.rows):
        loops.proximal = FULL_RANK
    mu, accuracy, iterations = loops.proximal
    how = {
        "constrained": f"constraintDynamics, mu {mu:g}, accuracy {accuracy:g}, up to {iterations} iterations",
        "closed_inverse": "rnea, getConstraintsJacobian, Eigen",
    }
    states, built = _states(system), cpp_library()
    for function, compiled in cpp_functions(system, loops).items():
        timed = [cpp_inputs(system, loops, function, state) for state in states]
        time = time_compiled(compiled, timed, [loops.tree.model.nv, loops.rows])
        note = f"g++ -O3 -march=native; {how[function]}; q is closed{'; rods are bodies' if loops.rods.rods else ''}"
        more = {"compile_s": built.seconds, "note": note}
        yield from _for_all_guesses("pinocchio_cpp", system.model, function, time, **more)


@_noting
def mujoco_c(system: ClosedSystem) -> Iterator[Measured]:
    """MuJoCo's mj_forward with equality constraints; mj_inverse does not support actuators in loops and is omitted."""
    import mujoco

    tree = to_mujoco_loops(system.model)
    library = ctypes.CDLL(str(next(Path(mujoco.__file__).parent.glob("libmujoco.*"))))
    data = tree.data
    to = [data.qpos, data.qvel, data.qfrc_applied]
    adapted = engine_adapter(library.mj_forward, tree.model._address, data._address, to, data.qacc)
    timed = [[s.q[tree.q_order], s.v[tree.v_order], s.Q[tree.v_order]] for s in _states(system)]
    time = time_compiled(adapted, timed, [data.qacc.size])
    rods = any(cut.kind == "rod" for cut in system.model.cuts.values())
    note = f"{mujoco.__version__}: mj_forward, soft constraints; q is closed{'; J̇q̇ of rods left out' if rods else ''}"
    yield from _for_all_guesses("mujoco_c", system.model, "constrained", time, note=note)
