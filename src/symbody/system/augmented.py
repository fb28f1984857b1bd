"""Index-3 augmented Lagrangian with projections: all coordinates kept, loops held by multipliers; steps in C.

M q̈ + c − Q + Jᵀ(λ + αh) = 0 with the trapezoidal rule, Newton's method with the exact tangent (Jaiswal 2.1.3, 2.4).
Where the recipe has user states, they are solved for together with the positions.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from symbody.codegen.native import runtime_library
from symbody.codegen.program import Input, Output, Program
from symbody.equations.closed import Partition
from symbody.equations.constrained import mass_and_bias
from symbody.equations.constraints import constraints, jacobian_rows
from symbody.equations.functions import identifier, vector_output
from symbody.equations.kinematics import ways
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.errors import ModelError
from symbody.expr.derive import total_derivative
from symbody.expr.node import ONE, Expr, add, fresh_graph, mul, variable
from symbody.expr.substitute import substituted
from symbody.expr.vector import Mat, Vec, dot, minus
from symbody.model.model import Model
from symbody.system.integrate import DONE, recorded, velocity_places
from symbody.system.recipe import Recipe
from symbody.system.system import Array, System
from symbody.system.trace import Traced, trace

TOLERANCE = 1e-9  # of Newton's method: largest relative step
LIMIT = 30  # iterations
STIFFNESS = 1e4  # of the loops beside the inertia that a step feels: alpha dt²/4 by the largest mass
NOT_CONVERGED = 3
_FUNCTIONS = ("newton", "newton_h", "loops", "loops_h", "outputs", "outputs_h")
_SIZES = ("nx", "nq", "nv", "nu", "ns", "nh", "ny", "nballs")
_POINTERS = ("velocity", "balls", "u", "x", "a", "lambda", "f", "work")


class _Augmented(ctypes.Structure):
    """augmented_t of runtime/augmented.c."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _FUNCTIONS),
        *((name, ctypes.c_long) for name in _SIZES),
        *((name, ctypes.c_void_p) for name in _POINTERS),
        *((name, ctypes.c_double) for name in ("alpha", "tolerance", "dt")),
        *((name, ctypes.c_long) for name in ("row", "limit", "iterations", "most")),
    )


def newton_program(model: Model, partition: Partition, recipe: Recipe) -> Program:
    """(t, x, u, a, lambda, alpha) → g, its derivatives by a, q̇, q, states; rates of the states and theirs; h and J."""
    with fresh_graph():
        traced = trace(model, partition, recipe)
        free = partition.free
        equations = constraints(traced.tree)
        J = jacobian_rows(equations, model.nv)
        m = [variable(f"m[{k}]") for k in range(len(equations))]
        h = [e.h for e in equations]
        g = [_equation(traced, J, recipe)[i] for i in free]
        g = [add(x, dot([row[i] for row in J], m)) for x, i in zip(g, free, strict=True)]
        nq, nv = len(traced.layout.coordinates), len(free)
        velocities, states = traced.x[nq : nq + nv], traced.x[nq + nv :]
        along = ways(traced.tree)
        f = traced.state_rates
        by_position, by_velocity, by_state = (
            [total_derivative([*g, *f], seeds) for seeds in group]
            for group in ([along[i] for i in free], [{v: ONE} for v in velocities], [{y: ONE} for y in states])
        )
        matrices = {
            "M": [total_derivative(g, {a: ONE}) for a in traced.a],
            "C": [column[:nv] for column in by_velocity],
            "K": [column[:nv] for column in by_position],
            "G": [column[:nv] for column in by_state],
            "Fq": [column[nv:] for column in by_position],
            "Fv": [column[nv:] for column in by_velocity],
            "Fy": [column[nv:] for column in by_state],
        }
        stiff = variable("alpha[0]")
        known = {x: add(variable(f"lambda[{k}]"), mul(stiff, h[k])) for k, x in enumerate(m)}
        made = {name: _matrix(columns, len(f) if name[0] == "F" else nv, known) for name, columns in matrices.items()}
        outputs = {
            "g": vector_output(substituted(g, known)), "M": made["M"], "C": made["C"], "K": made["K"], "G": made["G"],
            "f": vector_output(f), "Fq": made["Fq"], "Fv": made["Fv"], "Fy": made["Fy"],
            "h": vector_output(h), "J": _rows([[row[i] for i in free] for row in J], nv),
        }  # fmt: skip
        sizes = {"t": 1, "x": len(traced.x), "u": len(traced.u), "a": nv, "lambda": len(m), "alpha": 1}
        return _program("newton", "equations of motion with multipliers, and their tangent", traced, sizes, outputs)


def loops_program(model: Model, partition: Partition, recipe: Recipe) -> Program:
    """(t, x, u) → h, J over the free, Φ_t, and J̇q̇ with what held joints add."""
    with fresh_graph():
        traced = trace(model, partition, recipe)
        free, held = partition.free, partition.driven
        equations = constraints(traced.tree)
        J = jacobian_rows(equations, model.nv)
        v = list(traced.view.qd.values())
        outputs = {
            "h": vector_output([e.h for e in equations]),
            "J": _rows([[row[i] for i in free] for row in J], len(free)),
            "drift": vector_output([dot([row[i] for i in held], [v[i] for i in held]) for row in J]),
            "bias": vector_output(
                [
                    add(e.bias, dot([row[i] for i in held], [traced.qdd[i] for i in held]))
                    for e, row in zip(equations, J, strict=True)
                ]
            ),
        }
        sizes = {"t": 1, "x": len(traced.x), "u": len(traced.u)}
        return _program("loops", "constraints of the loops", traced, sizes, outputs)


def _equation(traced: Traced, J: Mat, recipe: Recipe) -> Vec:
    """M q̈ + c − Q over all degrees of freedom."""
    if recipe.formulation == "recursive":
        return minus(inverse_dynamics(lumped(traced.tree)), traced.Q)
    return minus(mass_and_bias(traced.tree, recipe.formulation)[1], traced.Q)


def _matrix(columns: list[Vec], rows: int, known: dict[Expr, Expr]) -> Output:
    elements = substituted([column[r] for r in range(rows) for column in columns], known)
    return Output((rows, len(columns)), tuple(elements))


def _rows(rows: Mat, columns: int) -> Output:
    return Output((len(rows), columns), tuple(x for row in rows for x in row))


def _program(name: str, summary: str, traced: Traced, sizes: dict[str, int], outputs: dict[str, Output]) -> Program:
    inputs = {key: Input(size) for key, size in sizes.items()}
    return Program(name, identifier(traced.tree.model.name), summary, inputs, outputs, dict(traced.tree.live))


class Augmented:
    """Steps of a system with the augmented closure; `iterations` and `most` tell what Newton's method needed."""

    def __init__(self, system: System, dt: float, x: Array, u: Array, first: int = 0):
        if system.rates_function.backend != "c":
            raise ModelError("the augmented closure steps in C", cure="install a C compiler, or use another closure")
        self._alpha = system.recipe.alpha if system.chosen_alpha else STIFFNESS * system.largest_mass * 4.0 / dt**2
        self._newton = system.function("newton", newton_program)
        self._loops = system.function("loops", loops_program)
        self._functions = (self._newton, self._loops, system.outputs_function)
        layout = system.layout
        nq, nv, ns, nx = len(layout.coordinates), len(layout.velocities), len(layout.states), len(x)
        nh, nu = self._loops.signature.outputs["h"][0], len(system.inputs)
        self.x, self.guess, self.done, self.status = np.array(x, dtype=float), np.zeros(0), first, DONE
        self._ny = len(system.outputs)
        u = np.atleast_2d(np.ascontiguousarray(u, dtype=float))
        start = system.rates_function(np.array([first * dt]), self.x, u[min(first, len(u) - 1)], self.guess).xd
        a = np.ascontiguousarray(start[nq : nq + nv])
        self._arrays: dict[str, Array] = {
            "velocity": np.array(velocity_places(system), dtype=np.int64),
            "balls": np.array(system.quaternions, dtype=np.int64).ravel(),
            "u": u,
            "x": self.x,
            "a": a,
            "lambda": self._multipliers(first * dt, u[min(first, len(u) - 1)], a, nh),
            "f": np.ascontiguousarray(start[nq + nv :]),
            "work": np.zeros(nx + 5 * (nv + ns + nh) + 4 * (nv + ns) ** 2 + nh * nv),
        }
        sizes = (nx, nq, nv, nu, ns, nh, self._ny, len(system.quaternions))
        entries = [e for f in self._functions for e in (f.address, f.hoisted.ctypes.data)]
        pointers = (self._arrays[name].ctypes.data for name in _POINTERS)
        row = nu if len(u) > 1 else 0
        self._system = _Augmented(*entries, *sizes, *pointers, self._alpha, TOLERANCE, dt, row, LIMIT, 0, 0)
        self._integrate: Any = runtime_library("augmented.c")["integrate_augmented"]
        self._integrate.restype = ctypes.c_long

    def _multipliers(self, t: float, u: Array, a: Array, nh: int) -> Array:
        """λ of the start, of least norm: Jᵀλ = −(M q̈ + c − Q); h is zero there."""
        found = self._newton(np.array([t]), self.x, u, a, np.zeros(nh), np.array([self._alpha]))
        return np.ascontiguousarray(np.linalg.lstsq(found.J.T, -found.g, rcond=None)[0])

    @property
    def iterations(self) -> int:
        """Of Newton's method, in all steps."""
        return int(self._system.iterations)

    @property
    def most(self) -> int:
        """Of Newton's method, in the worst step."""
        return int(self._system.most)

    @property
    def multipliers(self) -> Array:
        """λ at the end of the last step."""
        return -self._arrays["lambda"]

    def run(self, steps: int, every: int = 1) -> Array:
        first = (ctypes.byref(self._system),)
        path, made, self.status = recorded(self._integrate, first, self.done, steps, every, self._ny)
        for function in self._functions:
            function.raise_pending()
        self.done += made
        return path
