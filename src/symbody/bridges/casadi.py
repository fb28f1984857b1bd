"""Functions and systems as CasADi functions: the expression graph is translated, so CasADi has all derivatives.

A rootfinder of CasADi closes the loops, over the steps of our Newton's method, and is differentiated. It starts at the
closed position to which a callback has followed the loops, so it stays in the assembly mode of the system's start.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from symbody.bridges.differentiable import differentiable
from symbody.codegen.function import Function
from symbody.codegen.program import Program
from symbody.errors import AssemblyError, ModelError
from symbody.expr.graph import needed
from symbody.expr.node import VARIABLE, Expr
from symbody.lazy_imports import required
from symbody.system.compiled_path import CompiledPaths
from symbody.system.system import Array, System

CLOSED = 1e-12  # rad, m: the rootfinder stops when Newton's step is smaller
_FOLLOWERS: list[Any] = []  # never freed, because functions of CasADi do not own their callbacks


def to_casadi(
    what: Function | System, function: str = "rates", *, parameters: Sequence[str] = (), guess: bool = False
) -> Any:
    """A `casadi.Function` with the same inputs and outputs, by name, for Opti, integrators and its code generation.

        f = to_casadi(s)  # or to_casadi(s, "outputs"), to_casadi(sb.compile(m, "inverse"))
        xd = f(x=x, u=u)["xd"]

    parameters: names of live parameters that become the input `p`; the others keep the values that they have now.
    guess: whether the first guess of dependent coordinates is an input. Otherwise loops are closed as in
    `System.rates`: in the assembly mode of the start, whatever was called before; where they do not close, an error
    names the loop and its gap. Then a callback into this process finds them, which CasADi cannot write as C: generate
    code from a function with guess=True, and take the guess from `s.dependent`.
    Inputs that are not given are zero, as usual in CasADi.

    Parameters
    ----------
    what : Function or System
        A function of `sb.compile`, or a system.
    function : str
        Of a system: "rates" (default), "outputs" or "dependent".
    parameters : sequence of str
        Live parameters that become the input `p`. Default: none.
    guess : bool
        Whether the first guess of dependent coordinates is an input. Default False.

    Returns
    -------
    casadi.Function
        With the same inputs and outputs, by name.

    Raises
    ------
    ModelError
        If the package is not installed, the argument is a model, a name is unknown, or a law is Python.

    Examples
    --------
    >>> import symbody as sb
    >>> s = sb.system(sb.machines.model("cart-pole"))
    >>> from symbody.bridges import to_casadi
    >>> f = to_casadi(s)  # doctest: +SKIP
    >>> xd = f(x=s.x0, u=s.u0)["xd"]  # doctest: +SKIP
    """
    ca = required("casadi", "casadi")
    bridge = differentiable(what, function, parameters)
    program = bridge.function.program().expanded()
    if program.externals:
        name = program.externals[0].name
        raise ModelError("a law in C cannot be translated", element=name, cure="write the law so that it can be traced")
    fixed = {name: bridge.function.parameters[name] for name in program.parameters}
    inputs = {name: ca.SX.sym(name, x.size) for name, x in program.inputs.items()}
    if program.closure is None:
        results = translated(ca, program, program.results, inputs, fixed)
        return ca.Function(
            program.name, [*inputs.values()], _shaped(ca, program, results), [*inputs], [*program.outputs]
        )
    paths = None if guess else bridge.paths
    first = None if guess or paths else bridge.defaults[program.closure.start]
    return _closed(ca, program, inputs, fixed, first, paths)


def _closed(
    ca: Any,
    program: Program,
    inputs: dict[str, Any],
    fixed: Mapping[str, float],
    first: Array | None,
    paths: CompiledPaths | None,
) -> Any:
    """The function over inputs only: a rootfinder computes the unknowns of the closure.

    Its first guess is constant, followed along the paths of the loops, or an input.
    """
    assert program.closure is not None
    start = program.closure.start
    v = ca.SX.sym(program.closure.unknowns, program.closure.size)
    plain = {name: x for name, x in inputs.items() if name != start}
    known = {**plain, program.closure.unknowns: v}
    step = translated(ca, program, program.closure.step, known, fixed)
    results = translated(ca, program, program.results, known, fixed)
    open_ = ca.Function(f"{program.name}_open", [*plain.values(), v], _shaped(ca, program, results))
    roots = {"x": v, "p": ca.vertcat(*plain.values()), "g": ca.vertcat(*step)}
    close = ca.rootfinder(f"{program.name}_loops", "newton", roots, {"abstol": CLOSED})
    own = first is not None or paths is not None
    x = {name: ca.MX.sym(name, size.size1()) for name, size in inputs.items() if not own or name != start}
    given = [x[name] for name in plain]
    if paths is not None:
        first = _follower(ca, program.name, paths)(*(x[name] for name in paths.names))
    found = close(x0=x[start] if first is None else first, p=ca.vertcat(*given))["x"]
    outputs = open_.call([*given, found])
    return ca.Function(program.name, [*x.values()], outputs, [*x], [*program.outputs])


def _follower(ca: Any, name: str, paths: CompiledPaths) -> Any:
    """The closed position at a state as a function of CasADi, a callback; its slope is the rootfinder's business."""

    class Follower(ca.Callback):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.construct(f"{name}_path", {})

        def get_n_in(self) -> int:
            return len(paths.names)

        def get_n_out(self) -> int:
            return 1

        def get_sparsity_in(self, i: int) -> Any:
            return ca.Sparsity.dense(paths.sizes[i], 1)

        def get_sparsity_out(self, i: int) -> Any:
            return ca.Sparsity.dense(paths.nd, 1)

        def has_eval_buffer(self) -> bool:
            return True

        def eval_buffer(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> int:
            given = {name: np.frombuffer(x).reshape(1, -1) for name, x in zip(paths.names, inputs, strict=True)}
            v = paths.rows(given)
            if not np.all(np.isfinite(v)):
                raise AssemblyError(paths.why(given))
            np.frombuffer(outputs[0])[:] = v[0]
            return 0

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, name: str, inames: Any, onames: Any, opts: Any) -> Any:
            sizes = [*paths.sizes, paths.nd]
            inputs = [ca.MX.sym(name, size) for name, size in zip(inames, sizes, strict=True)]
            none = [ca.MX(paths.nd, size) for size in paths.sizes]
            return ca.Function(name, inputs, none, inames, onames, opts)

    _FOLLOWERS.append(Follower())
    return _FOLLOWERS[-1]


def _shaped(ca: Any, program: Program, results: Sequence[Any]) -> list[Any]:
    """The elements of each output in its shape; CasADi stores columns, our outputs are rows."""
    left, shaped = iter(results), []
    for output in program.outputs.values():
        rows = output.shape[0] if output.shape else 1
        flat = ca.vertcat(*(next(left) for _ in output.elements))
        shaped.append(ca.reshape(flat, len(output.elements) // max(rows, 1), rows).T)
    return shaped


def translated(
    ca: Any, program: Program, outputs: Sequence[Expr], inputs: Mapping[str, Any], fixed: Mapping[str, float]
) -> list[Any]:
    """Expressions as scalars of CasADi, over the arrays of inputs and the values of parameters."""
    build, made = _operations(ca), dict[Expr, Any]()
    for node in needed(outputs):
        args = [made[a] for a in node.args]
        if node.op == "const":
            made[node] = ca.SX(node.value)
        elif node.op == "sym" and node.level == VARIABLE:
            array, index = node.value[:-1].split("[")
            made[node] = inputs[array][int(index)]
        elif node.op == "sym":
            made[node] = ca.SX(fixed[node.value])
        else:
            made[node] = build[node.op](*args) if node.value is None else build[node.op](node.value, *args)
    return [made[y] for y in outputs]


def _operations(ca: Any) -> dict[str, Callable[..., Any]]:
    """The operations of our graph in CasADi; those of tables take their data first."""
    functions = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "sign")
    return {
        **{name: getattr(ca, name) for name in functions},
        "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
        "pow": operator.pow, "lt": operator.lt, "le": operator.le,
        "abs": ca.fabs, "min": ca.fmin, "max": ca.fmax, "where": ca.if_else,
        "table": lambda data, x: _along(ca, x, *data),
        "table_slope": lambda data, x: _steps(ca, x, data[0], _slopes(*data)),
        "table2": lambda data, x, y: _along(ca, x, data[0], [_along(ca, y, data[1], z) for z in _rows(data)]),
        "table2_slope_x": lambda data, x, y: _steps(
            ca, x, data[0], _slopes(data[0], [_along(ca, y, data[1], z) for z in _rows(data)])
        ),
        "table2_slope_y": lambda data, x, y: _along(
            ca, x, data[0], [_steps(ca, y, data[1], _slopes(data[1], z)) for z in _rows(data)]
        ),
        "table2_twist": lambda data, x, y: _steps(
            ca, x, data[0], _slopes(data[0], [_steps(ca, y, data[1], _slopes(data[1], z)) for z in _rows(data)])
        ),
    }  # fmt: skip


def _rows(data: Any) -> Any:
    """The values of a table with two axes at each place of the first axis."""
    return np.reshape(data[2], (len(data[0]), len(data[1]))).tolist()


def _slopes(places: Sequence[float], values: Sequence[Any]) -> list[Any]:
    """Between each place and the next."""
    pieces = zip(pairwise(places), pairwise(values), strict=True)
    return [(z1 - z0) / (x1 - x0) for (x0, x1), (z0, z1) in pieces]


def _along(ca: Any, x: Any, places: Sequence[float], values: Sequence[Any]) -> Any:
    """Piecewise linear, continued along its end pieces."""
    return ca.pw_lin(x, ca.SX(places), ca.vertcat(*values))


def _steps(ca: Any, x: Any, places: Sequence[float], pieces: Sequence[Any]) -> Any:
    """A value for each piece between places."""
    return ca.pw_const(x, ca.SX(places[1:-1]), ca.vertcat(*pieces)) if len(pieces) > 1 else pieces[0]
