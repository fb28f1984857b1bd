"""Code that the original program of `.mbs` files printed next to them, evaluated and compared with ours.

It is straight-line code: assignments over q, qd, qdd and the numbers of the model, in C, Python or MATLAB, with indices
from 1. It is parsed as formulas and never executed; anything else in the files is ignored.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import symbody as sb
from symbody.analysis.random_states import random_state
from symbody.model.body import Body
from symbody.model.model import Model
from symbody_bench.numeric import Array, floats
from symbody_bench.validate.corpus_pinocchio import NotCompared, relative

FOLDERS = ("", "symbolicR", "../symbolicR", "symbolicC", "../symbolicC", "symbolic", "../symbolic")
LANGUAGES = (".c", ".py", ".m")
FUNCTIONS = ("dirdyna", "invdyna", "cons_hJ")
STATES = 3

_ASSIGNED = re.compile(r"^\s*(?:double\s+)?(\w+(?:\[[\d,\s]+\])?)\s*=(?!=)\s*(.+?)\s*$", re.DOTALL)
_COMMENT = {".c": r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*", ".py": r"#[^\n]*", ".m": r"%[^\n]*"}
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
_CALLS: dict[str, Callable[..., float]] = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "pow": math.pow}


def printed_files(path: Path) -> dict[str, Path]:
    """Printed functions of a model, by name."""
    if path.suffix.lower() != ".mbs":
        return {}
    found: dict[str, Path] = {}
    for name in FUNCTIONS:
        for folder in FOLDERS:
            for suffix in LANGUAGES:
                file = path.parent / folder / f"mbs_{name}_{path.stem}{suffix}"
                if file.is_file():
                    found.setdefault(name, file)
    return found


def printed_error(model: Model, path: Path) -> float:
    """Largest error of all printed functions of a model, relative to the largest element, at random states."""
    rng, worst, numbers = np.random.default_rng(11), 0.0, model_numbers(model)
    for name, file in printed_files(path).items():
        lines = list(assignments(file.read_text(encoding="utf-8", errors="replace"), file.suffix))
        if not lines:
            raise NotCompared(f"{file.name} holds no equations: it was printed for another state of the model")
        for _ in range(STATES):
            q, v, a = random_state(model, rng)
            at = {"q": _from_one(q), "qd": _from_one(v), "qdd": _from_one(a)}
            try:
                theirs = evaluate_printed(lines, {**numbers, **at})
            except (KeyError, IndexError, ValueError) as error:
                raise NotCompared(f"{file.name} does not fit the model: {error}") from error
            if name == "cons_hJ":
                worst = max(worst, rows_apart(sb.compile(model, "constraints")(q).J, _matrix(theirs, "Jac", model.nv)))
            for ours, wanted in _ours(model, name, q, v, a):
                worst = max(worst, relative(ours, _gathered(theirs, wanted, ours.shape)))
    return worst


def _ours(model: Model, name: str, q: Array, v: Array, a: Array) -> Iterator[tuple[Array, tuple[str, ...]]]:
    """Our numbers, and their names in the original program."""
    if name == "invdyna":
        yield sb.compile(model, "inverse", loads=False)(q, v, a), ("Qq", "phi")
    elif name == "dirdyna":
        found = sb.compile(model, "dynamics", loads=False)(q, v)
        yield found.M, ("M",)
        yield found.c, ("c",)


def rows_apart(ours: Array, theirs: Array) -> float:
    """Largest difference between the directions of the rows of two Jacobians, without rows of zeros.

    Only directions are comparable: each program has its own order, signs and units (a rod's length, or its square).
    """
    unit = [J[np.any(J != 0.0, axis=1)] for J in (ours, theirs)]
    unit = [J / np.linalg.norm(J, axis=1)[:, None] for J in unit]
    if len(unit[0]) != len(unit[1]):
        raise NotCompared(f"{len(unit[1])} loop equations were printed, but the model has {len(unit[0])}")
    cosines = unit[1] @ unit[0].T
    nearest = np.argmax(np.abs(cosines), axis=1)
    signs = np.sign(cosines[np.arange(len(nearest)), nearest])
    return float(np.max(np.abs(unit[1] - signs[:, None] * unit[0][nearest]), initial=0.0))


def _matrix(values: dict[str, float], name: str, columns: int) -> Array:
    """A printed matrix, with as many rows as were printed."""
    rows = [int(key[len(name) + 1 : -1].split(",")[0]) for key in values if key.startswith(f"{name}[")]
    return _gathered(values, (name,), (max(rows, default=0), columns))


def _gathered(values: dict[str, float], names: tuple[str, ...], shape: tuple[int, ...]) -> Array:
    """An output element by element; elements that were not printed are zero."""
    found = np.zeros(shape)
    for place in np.ndindex(*shape):
        index = ",".join(str(i + 1) for i in place)
        found[place] = next((values[key] for name in names if (key := f"{name}[{index}]") in values), 0.0)
    return found


def model_numbers(model: Model) -> dict[str, Array]:
    """The numbers of a model under the original program's names, with indices from 1: dpt, l, m, In, g, frc, trq."""
    n = sum(1 for _ in model.joints())
    points = [p for body in (model.ground, *model.bodies.values()) for p in body.points.values() if p.name != "origin"]
    numbers = {"dpt": np.zeros((4, len(points) + 1)), "l": np.zeros((4, n + 1)), "m": np.zeros(n + 1)}
    numbers |= {"In": np.zeros((10, n + 1)), "g": np.zeros(4), "frc": np.zeros((4, n + 1)), "trq": np.zeros((4, n + 1))}
    numbers["g"][1:] = floats(model, model.gravity)
    for k, point in enumerate(points, start=1):
        numbers["dpt"][1:, k] = floats(model, point.position)
    last = 0
    for body in model.bodies.values():  # its numbers belong to its last joint
        last += len(body.joints)
        if body.joints:
            _put_inertia(numbers, model, body, last)
    return numbers


def _put_inertia(numbers: dict[str, Array], model: Model, body: Body, k: int) -> None:
    numbers["m"][k] = floats(model, [body.mass])[0]
    numbers["l"][1:, k] = floats(model, body.com)
    xx, yy, zz, xy, xz, yz = floats(model, body.inertia)
    numbers["In"][1:, k] = xx, xy, xz, xy, yy, yz, xz, yz, zz


def _from_one(values: Array) -> Array:
    return np.concatenate([[0.0], values])


# -- reading -----------------------------------------------------------------------------------------------------------


def assignments(text: str, suffix: str) -> Iterator[tuple[str, ast.expr]]:
    """Target and formula of each assignment; all languages are converted to Python: s.dpt[1,2]."""
    text = re.sub(_COMMENT[suffix], "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\\\n|\.\.\.[^\n]*\n", " ", text)
    text = text.replace("s->", "s.")
    if suffix == ".m":
        text = re.sub(r"\b(?!(?:sin|cos|sqrt|zeros|cell)\b)((?:s\.)?\w+)\((\d+(?:,\d+)?)\)", r"\1[\2]", text)
    text = re.sub(r"\](\s*)\[", ",", text)
    for statement in re.split(r"[;\n]" if suffix != ".c" else r"[;{}]", text):
        found = _ASSIGNED.match(statement)
        if found is None:
            continue
        try:
            formula = ast.parse(" ".join(found[2].split()), mode="eval").body
        except SyntaxError:
            continue
        if not _alias(formula):
            yield re.sub(r"\s", "", found[1]), formula


def _alias(formula: ast.expr) -> bool:
    """Whether it is no equation: q = s.q, M = zeros(…)."""
    known = isinstance(formula, ast.Call) and isinstance(formula.func, ast.Name) and formula.func.id in _CALLS
    return isinstance(formula, ast.Attribute) or (isinstance(formula, ast.Call) and not known)


def evaluate_printed(lines: list[tuple[str, ast.expr]], numbers: dict[str, Array]) -> dict[str, float]:
    """Values of all assignments, in order."""
    known: dict[str, float] = {}
    for target, formula in lines:
        renamed = isinstance(formula, ast.Name) and formula.id not in known and "[" not in target  # Qq = phi
        if not renamed:
            known[target] = _value(formula, known, numbers)
    return known


def _value(node: ast.expr, known: dict[str, float], numbers: dict[str, Array]) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id=name):
            return known[name]
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=index):
            written = ast.unparse(index).replace(" ", "").strip("()")
            if name in numbers:
                return float(numbers[name][tuple(int(i) for i in written.split(","))])
            return known[f"{name}[{written}]"]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, known, numbers)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _value(inner, known, numbers)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return float(_BINARY[type(op)](_value(left, known, numbers), _value(right, known, numbers)))
        case ast.Call(func=ast.Name(id=name), args=args) if name in _CALLS:
            return _CALLS[name](*(_value(x, known, numbers) for x in args))
    raise ValueError(f"unknown expression '{ast.unparse(node)[:60]}'")
