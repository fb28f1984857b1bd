"""Numbers that may be named: a float, or a formula over the model's parameters such as `-L/2`."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from symbody.errors import ModelError

MAX_FORMULA = 2000  # characters; a longer one is a mistake or an attack
MAX_DEPTH = 50
MAX_DIGITS = 400  # the longest double written out is shorter
NAMED_CONSTANTS = {"pi": math.pi}

_LITERAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


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


def literal(text: str) -> float | None:
    """Value of a written number such as -1.5e-3; nothing if the text is anything else."""
    return float(text) if len(text) <= MAX_DIGITS and _LITERAL.fullmatch(text) else None


def evaluate(number: Number, names: Mapping[str, Any]) -> Any:
    """Value of a number; `names` maps parameters to floats or to any objects with arithmetic."""
    if not isinstance(number, Formula):
        return number
    text = number.text if len(number.text) <= 80 else f"{number.text[:80]}…"  # for messages
    if len(number.text) > MAX_FORMULA:
        raise ModelError(f"formula of {len(number.text)} characters", cure=f"use at most {MAX_FORMULA}")
    try:
        tree = ast.parse(number.text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ModelError(f"'{text}' is not a formula", cure="use + - * / ( ), numbers and parameter names") from error
    return _walk(tree, names, text, 0)


def _walk(node: ast.expr, names: Mapping[str, Any], text: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ModelError(f"formula '{text}' is nested too deeply", cure=f"use at most {MAX_DEPTH} levels")
    match node:
        case ast.Constant(value=bool() | complex() | str() | bytes()):
            pass
        case ast.Constant(value=int() | float() as value):
            try:
                return float(value)
            except OverflowError as error:
                raise ModelError(f"'{text}' overflows", cure="use a number below 1e308") from error
        case ast.Name(id=name):
            if name in names:
                return names[name]
            if name in NAMED_CONSTANTS:
                return NAMED_CONSTANTS[name]
            raise ModelError(f"unknown parameter '{name}' in '{text}'", cure=f"add '{name}' to the parameters")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_walk(operand, names, text, depth + 1)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _walk(operand, names, text, depth + 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            a, b = _walk(left, names, text, depth + 1), _walk(right, names, text, depth + 1)
            try:
                return _BINARY[type(op)](a, b)
            except (ZeroDivisionError, OverflowError) as error:
                raise ModelError(f"'{text}' divides by zero or overflows", cure="change the parameter") from error
    raise ModelError(f"'{text}' is not a formula", cure="use + - * / ( ), numbers and parameter names")
