"""Closed systems in Pinocchio's C++, built from its headers (pinocchio_loops.cpp)."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import numpy as np

from symbody_bench.clock import BuildError, Built, Compiled
from symbody_bench.loops import FUNCTIONS, ClosedState, ClosedSystem
from symbody_bench.loops_pinocchio import PinocchioLoops
from symbody_bench.numeric import Array, slots
from symbody_bench.peers import build_cpp, keep, numbers_text, write_flat


@cache
def cpp_library() -> Built:
    """The shared library of pinocchio_loops.cpp."""
    return build_cpp("pinocchio_loops")


def cpp_functions(system: ClosedSystem, loops: PinocchioLoops) -> dict[str, Compiled]:
    """Pinocchio's C++ for the clock; states in Pinocchio's order, actuators in that of the system."""
    peer = _CppLoops(write_flat(loops.tree), _write_loops(system, loops))
    addresses = {f: ctypes.cast(getattr(peer.library, f"loops_{f}"), ctypes.c_void_p).value for f in FUNCTIONS}
    return {f: Compiled(address or 0, peer.handle, [peer]) for f, address in addresses.items()}


class _CppLoops:
    """A Pinocchio model with constraints in C++; it lives as long as this object."""

    def __init__(self, flat: Path, loops: Path) -> None:
        self.library = ctypes.CDLL(str(cpp_library().file))
        self.library.loops_read.restype = ctypes.c_void_p
        self.handle = self.library.loops_read(str(flat).encode(), str(loops).encode())
        if not self.handle:
            raise BuildError("Pinocchio's C++ could not read the model")

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.library.loops_free(ctypes.c_void_p(self.handle))


def _write_loops(system: ClosedSystem, loops: PinocchioLoops) -> Path:
    """The constraints as the text that pinocchio_loops.cpp reads."""
    mu, accuracy, iterations = loops.proximal
    actuated = [loops.tree.v_order.index(dof) for dof in system.actuated]
    lines = [
        f"proximal {mu!r} {accuracy!r} {iterations}",
        f"actuated {len(actuated)} {' '.join(map(str, actuated))}",
        f"loops {len(loops.models)}",
    ]
    for made in loops.models:
        ends = [(made.joint1_id, made.joint1_placement), (made.joint2_id, made.joint2_placement)]
        words = [f"{joint} {numbers_text([*at.rotation.flatten(), *at.translation])}" for joint, at in ends]
        lines.append(f"{made.residualSize()} {' '.join(words)}")
    return keep("\n".join(lines) + "\n", "loops.txt")


def cpp_inputs(system: ClosedSystem, loops: PinocchioLoops, function: str, state: ClosedState) -> list[Array]:
    """A state for Pinocchio, whose free joint has its linear velocity and acceleration in the body frame."""
    from scipy.spatial.transform import Rotation

    v, a = state.v.copy(), state.a.copy()
    where = slots(system.model)
    for body in system.model.bodies.values() if loops.tree.freeflyer else ():
        for joint, slot in zip(body.joints, where[body.name], strict=True):
            if joint.type == "free":
                w, x, y, z = state.q[list(slot.q)[3:]]
                turn = Rotation.from_quat([x, y, z, w]).inv()
                linear, angular = list(slot.v)[:3], list(slot.v)[3:]
                v[linear] = turn.apply(state.v[linear])
                a[linear] = turn.apply(state.a[linear]) - np.cross(state.v[angular], v[linear])
    tree, third = loops.tree, state.Q if function == "constrained" else a
    q, v = loops.rods.state(tree, state.q, v)
    return [tree.q(q), tree.v(v), tree.v(loops.rods.padded(third))]  # accelerations of light rods do not matter
