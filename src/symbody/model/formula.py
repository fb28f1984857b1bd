"""Formulas as text: numbers such as `-L/2` over the parameters, and the formulas of laws.

A law's formula may also use powers, functions, comparisons (1 or 0), choices `where(a < b, x, y)` and tables
`table(x, [0, 1], [0, 5])`. Laws over the whole motion may use `q("joint")`, `length("link")`, `vx("body.point")` and
the like. A formula can be evaluated with any objects that have arithmetic.
"""

from __future__ import annotations

import ast
import keyword
import math
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from symbody.errors import ModelError
from symbody.suggestions import nearest

MAX_FORMULA = 20_000  # characters, a table of some hundred entries; a longer one is a mistake or an attack
KEPT_FORMULA = 200  # characters; the syntax trees of shorter formulas are cached
MAX_DEPTH = 50
MAX_DIGITS = 400  # the longest double in decimal is shorter
NAMED_CONSTANTS = {"pi": math.pi}
ONE_ARGUMENT = ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "tanh", "sqrt", "abs", "sign")
FUNCTIONS = {**dict.fromkeys(ONE_ARGUMENT, 1), "atan2": 2, "min": 2, "max": 2, "where": 3, "table": 3, "table2": 5}
PLACE = ("x", "y", "z", *(f"r{i}{j}" for i in "123" for j in "123"))  # of a point, in the ground frame
SPEED = ("vx", "vy", "vz", "wx", "wy", "wz")
MOTION = dict.fromkeys(("q", "qd"), "joint") | dict.fromkeys(("length", "rate"), "link")  # functions of a name of what
MOTION |= dict.fromkeys((*PLACE, *SPEED), "body.point")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LITERAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_NUMBER_CURE = "use + - * / ( ), numbers and parameter names"
_LAW_CURE = "use + - * / ** ( ), numbers, names, and functions such as sin(x) and where(a < b, x, y)"


@dataclass(frozen=True)
class Formula:
    """Arithmetic over parameter names, kept as text: the model is data, not a graph."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __neg__(self) -> Formula:
        return Formula(f"-({self.text})")

    def __add__(self, other: Number) -> Formula:
        return Formula(f"{self.text} + {_operand(other)}")

    def __radd__(self, other: Number) -> Formula:
        return Formula(f"{_operand(other)} + {self.text}")

    def __sub__(self, other: Number) -> Formula:
        return Formula(f"{self.text} - {_operand(other)}")

    def __rsub__(self, other: Number) -> Formula:
        return Formula(f"{_operand(other)} - ({self.text})")

    def __mul__(self, other: Number) -> Formula:
        return Formula(f"({self.text})*{_operand(other)}")

    def __rmul__(self, other: Number) -> Formula:
        return Formula(f"{_operand(other)}*({self.text})")

    def __truediv__(self, other: Number) -> Formula:
        return Formula(f"({self.text})/{_operand(other)}")

    def __rtruediv__(self, other: Number) -> Formula:
        return Formula(f"{_operand(other)}/({self.text})")


Number = float | Formula
Vector = tuple[Number, Number, Number]


def _operand(value: Number) -> str:
    return f"({value})"


def is_name(text: str) -> bool:
    """Whether formulas can use a word as a name."""
    return bool(_NAME.fullmatch(text)) and not keyword.iskeyword(text) and text not in NAMED_CONSTANTS


def literal(text: str) -> float | None:
    """Value of a number in text, such as -1.5e-3; None for any other text."""
    return float(text) if len(text) <= MAX_DIGITS and _LITERAL.fullmatch(text) else None


@dataclass(frozen=True)
class _Scope:
    """Names and functions that a formula may use (no functions in a number), and its text for messages."""

    names: Mapping[str, Any]
    functions: Mapping[str, Callable[..., Any]] | None
    text: str

    @property
    def wrong(self) -> ModelError:
        return ModelError(f"'{self.text}' is not a formula", cure=_NUMBER_CURE if self.functions is None else _LAW_CURE)


def evaluate(number: Number, names: Mapping[str, Any]) -> Any:
    """Value of a number; `names` maps parameters to floats or to any objects with arithmetic."""
    if not isinstance(number, Formula):
        return number
    return _evaluated(number.text, names, None)


def evaluate_law(text: str, names: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    """Value of one formula of a law. `functions`: those of `FUNCTIONS`, and those of `MOTION` that the law may use."""
    return _evaluated(text, names, functions)


def names_in(text: str) -> set[str]:
    """The names in a formula, without functions; empty if the formula cannot be read."""
    try:
        nodes = list(ast.walk(_parsed(text, _Scope({}, {}, ""))))
    except ModelError:
        return set()
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in called}


def may_use(text: str, *groups: Collection[str]) -> bool:
    """Whether a formula may use a name of some groups: False without reading it if no word of the text is one."""
    if not text.isascii():  # Python reads other letters as the same name
        return True
    words = set(_NAME.findall(text))
    return any(not words.isdisjoint(group) for group in groups)


def _evaluated(text: str, names: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]] | None) -> Any:
    scope = _Scope(names, functions, text if len(text) <= 80 else f"{text[:80]}…")
    return _walk(_parsed(text, scope), scope, 0)


def _parsed(text: str, scope: _Scope) -> ast.expr:
    if len(text) > MAX_FORMULA:
        raise ModelError(f"the formula has {len(text)} characters", cure=f"use at most {MAX_FORMULA}")
    try:
        return _tree(text) if len(text) <= KEPT_FORMULA else _tree.__wrapped__(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise scope.wrong from error


@lru_cache(maxsize=1024)
def _tree(text: str) -> ast.expr:
    """Syntax tree of a formula, cached: a model is checked several times, and each check reads its laws."""
    return ast.parse(text.strip(), mode="eval").body


def _walk(node: ast.expr, scope: _Scope, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ModelError(f"formula '{scope.text}' is nested too deeply", cure=f"use at most {MAX_DEPTH} levels")
    match node:
        case ast.Constant(value=bool() | complex() | str() | bytes()):
            pass
        case ast.Constant(value=int() | float() as value):
            return _computed(scope, float, value)
        case ast.Name(id=name):
            return _named(name, scope)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_walk(operand, scope, depth + 1)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _walk(operand, scope, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _computed(scope, _BINARY[type(op)], _walk(left, scope, depth + 1), _walk(right, scope, depth + 1))
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if scope.functions is not None:
            return _power(_walk(left, scope, depth + 1), _walk(right, scope, depth + 1), scope)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if scope.functions is not None:
            return _compared(op, _walk(left, scope, depth + 1), _walk(right, scope, depth + 1), scope)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if scope.functions is not None:
            return _call(name, arguments, scope, depth + 1)
    raise scope.wrong


def _named(name: str, scope: _Scope) -> Any:
    if name in scope.names:
        return scope.names[name]
    if name in NAMED_CONSTANTS:
        return NAMED_CONSTANTS[name]
    if scope.functions is None:
        raise ModelError(f"unknown parameter '{name}' in '{scope.text}'", cure=f"add '{name}' to the parameters")
    cure = _nearest(name, scope.names) or f"add '{name}' to the parameters, inputs or states"
    raise ModelError(f"unknown name '{name}' in '{scope.text}'", cure=cure)


def _computed(scope: _Scope, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        value = function(*arguments)
    except (ZeroDivisionError, OverflowError) as error:
        raise ModelError(f"'{scope.text}' divides by zero or overflows", cure="change its numbers") from error
    except ValueError as error:
        raise ModelError(f"'{scope.text}' has no value: {error}", cure="change its numbers") from error
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        raise ModelError(f"'{scope.text}' divides by zero or overflows", cure="change its numbers")
    return value


def _compared(op: ast.cmpop, a: Any, b: Any, scope: _Scope) -> Any:
    if type(op) not in _COMPARED:
        raise scope.wrong
    holds = _COMPARED[type(op)](a, b)
    return float(holds) if isinstance(holds, bool) else holds


def _power(base: Any, exponent: Any, scope: _Scope) -> Any:
    if isinstance(base, float) and not isinstance(exponent, float):  # objects with arithmetic support x**2, not 2**x
        logarithm = _computed(scope, math.log, base)
        return _computed(scope, (scope.functions or {})["exp"], exponent * logarithm)
    return _computed(scope, operator.pow, base, exponent)


def _call(name: str, arguments: list[ast.expr], scope: _Scope, depth: int) -> Any:
    functions = scope.functions or {}
    if name in MOTION:
        of = functions.get(name, scope.names.get(name))
        match arguments:
            case [ast.Constant(value=str() as element)] if callable(of):
                return of(element)
        place = (
            "" if callable(of) else ", in laws over the whole motion: states, constraints, signals, couplings, limits"
        )
        cure = f'write {name}("{MOTION[name]}"){place}'
        raise ModelError(f"wrong use of '{name}(…)' in '{scope.text}'", cure=cure)
    if name not in FUNCTIONS or name not in functions:
        cure = _nearest(name, FUNCTIONS) or f"the functions are {', '.join(FUNCTIONS)}"
        raise ModelError(f"unknown function '{name}' in '{scope.text}'", cure=cure)
    if len(arguments) != FUNCTIONS[name]:
        problem = f"{name}() takes {FUNCTIONS[name]} arguments, '{scope.text}' gives it {len(arguments)}"
        raise ModelError(problem, cure="change their number")
    if name in ("table", "table2"):
        axes = FUNCTIONS[name] // 2
        at = [_walk(x, scope, depth) for x in arguments[:axes]]
        return _computed(scope, functions[name], *at, *_table(arguments[axes:], scope))
    return _computed(scope, functions[name], *(_walk(x, scope, depth) for x in arguments))


def _table(lists: list[ast.expr], scope: _Scope) -> list[Any]:
    """A table's axis or two axes, increasing, and its values (rows for two axes): plain numbers."""
    plain = _Scope({}, None, scope.text)
    *places, values = lists
    two = len(places) == 2
    with suppress(ModelError):
        axes = [_numbers(x, plain) for x in places]
        rows = [_numbers(row, plain) for row in (getattr(values, "elts", ()) if two else [values])]
        rising = all(len(axis) >= 2 and all(a < b for a, b in pairwise(axis)) for axis in axes)
        if rising and len(rows) == (len(axes[0]) if two else 1) and all(len(row) == len(axes[-1]) for row in rows):
            return [*axes, rows if two else rows[0]]
    written = "table2(x, y, [places], [places], [[values], …])" if two else "table(x, [places], [values])"
    cure = f"write {written}: two or more plain numbers in each list, the axes increasing"
    raise ModelError(f"invalid table in '{scope.text}'", cure=cure)


def _numbers(node: ast.expr, plain: _Scope) -> list[float]:
    match node:
        case ast.List(elts=elements):
            return [float(_walk(x, plain, 0)) for x in elements]
    raise plain.wrong


def _nearest(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    return f"did you mean '{near[0]}'?" if near else ""
