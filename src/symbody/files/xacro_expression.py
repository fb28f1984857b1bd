"""Expressions of xacro, `${2*pi*r if hollow else 0}`: Python's grammar, evaluated by our own code, never by eval.

Supported: numbers, text, truth values, lists, dictionaries, arithmetic, comparisons, choices, items, and the functions
below. The size of results is limited, so that every expression ends soon.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from symbody.errors import ModelError
from symbody.suggestions import nearest

MAX_TEXT = 10_000  # characters of an expression, and of a text result
MAX_DEPTH = 40
MAX_POWER = 1e6  # bits of a whole number
_CURE = "use numbers, properties, + - * / % **, comparisons, `a if b else c`, items x['a'], and functions of math"

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_UNARY: dict[type, Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_COMPARED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_MATH = (
    *(
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "log10",
        "sqrt",
        "pow",
    ),
    *("hypot", "floor", "ceil", "fabs", "fmod", "radians", "degrees", "copysign", "isfinite"),
)
_TEXT_METHODS = ("lower", "upper", "strip", "startswith", "endswith", "split", "replace")
CONSTANTS: dict[str, Any] = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "True": True, "False": False}
FUNCTIONS: dict[str, Callable[..., Any]] = {name: getattr(math, name) for name in _MATH} | {
    "abs": abs,
    "min": min,
    "max": max,
    "round": round,
    "int": int,
    "float": float,
    "str": lambda x="": text_of(x),
    "bool": bool,
    "len": len,
}
Names = Mapping[str, Any]


def text_of(value: Any) -> str:
    """A number, a truth value or a text as text. Lists raise ModelError, because their text could be endless."""
    if not isinstance(value, str | int | float):
        raise ModelError(f"a {type(value).__name__} cannot be part of a text", cure="use one of its items")
    return str(value)


def literal_of(text: Any) -> Any:
    """The value of a property's text: a number, a truth value, or the text without its quotes."""
    if not isinstance(text, str):
        return text
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1]
    if len(text) > 400 or "_" in text:  # 1_000 is text here, but a number in Python
        return text
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return {"true": True, "True": True, "false": False, "False": False}.get(text, text)


def evaluate_expression(text: str, names: Names, functions: Mapping[str, Callable[..., Any]]) -> Any:
    """Value of an expression over properties (by name) and additional functions (such as load_yaml)."""
    if len(text) > MAX_TEXT:
        raise ModelError(f"the expression has more than {MAX_TEXT} characters", cure="split it into properties")
    try:
        parsed = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ModelError(f"'{text[:80]}' is not an expression", cure=_CURE) from error
    try:
        return _Walk(text, names, {**FUNCTIONS, **functions}).value(parsed.body, 0)
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise ModelError(f"'{text[:80]}': {str(error)[:120] or type(error).__name__}", cure=_CURE) from error


class _Walk:
    """One expression, evaluated node by node."""

    def __init__(self, text: str, names: Names, functions: Mapping[str, Callable[..., Any]]):
        self.text, self.names, self.functions = text, names, functions

    def value(self, node: ast.expr, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise ModelError(f"'{self.text[:80]}' is nested more than {MAX_DEPTH} deep", cure="use properties")
        deeper = depth + 1
        match node:
            case ast.Constant(value=value) if isinstance(value, str | int | float):
                return value
            case ast.Name(id=name):
                return self._named(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return _bounded(type(op), self.value(left, deeper), self.value(right, deeper))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _UNARY[type(op)](self.value(operand, deeper))
            case ast.BoolOp(op=op, values=values):
                return self._either(isinstance(op, ast.Or), values, deeper)
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.value(body if self.value(test, deeper) else other, deeper)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._compared(left, ops, others, deeper)
            case ast.List(elts=members) | ast.Tuple(elts=members):
                return [self.value(member, deeper) for member in members]
            case ast.Dict(keys=keys, values=values) if None not in keys:
                made = [self.value(key, deeper) for key in keys if key is not None]
                return dict(zip(made, (self.value(value, deeper) for value in values), strict=True))
            case ast.Subscript(value=of, slice=at) if not isinstance(at, ast.Slice):
                return self.value(of, deeper)[self.value(at, deeper)]
            case ast.Attribute(value=of, attr=name):
                return self._attribute(of, name, deeper)
            case ast.Call(func=function, args=arguments, keywords=[]):
                given = [self.value(argument, deeper) for argument in arguments]
                return self._call(function, given, deeper)
        raise ModelError(f"'{self.text[:80]}' is not supported", cure=_CURE)

    def _named(self, name: str) -> Any:
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        near = " or ".join(nearest(name, [*self.names, *CONSTANTS, *self.functions], 3))
        cure = f"did you mean {near}?" if near else "define it with <xacro:property>"
        raise ModelError(f"unknown property '{name[:80]}' in '{self.text[:80]}'", cure=cure)

    def _either(self, stop: bool, values: list[ast.expr], depth: int) -> Any:
        """Python's `or` and `and`: the first value that decides, or the last one."""
        found: Any = None
        for node in values:
            found = self.value(node, depth)
            if bool(found) is stop:
                break
        return found

    def _compared(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr], depth: int) -> bool:
        a = self.value(left, depth)
        for op, node in zip(ops, others, strict=True):
            b = self.value(node, depth)
            if isinstance(a, list | dict) or (isinstance(b, list | dict) and not isinstance(op, ast.In | ast.NotIn)):
                raise ModelError(f"'{self.text[:80]}' compares lists", cure="compare their items")
            if type(op) not in _COMPARED:
                raise ModelError(f"'{self.text[:80]}' is not supported", cure=_CURE)
            if not _COMPARED[type(op)](a, b):
                return False
            a = b
        return True

    def _attribute(self, of: ast.expr, name: str, depth: int) -> Any:
        """`math.pi`, or an item of a dictionary by name."""
        if isinstance(of, ast.Name) and of.id == "math" and name in CONSTANTS:
            return CONSTANTS[name]
        held = self.value(of, depth)
        if isinstance(held, dict) and name in held:
            return held[name]
        raise ModelError(f"no '{name[:80]}' in '{self.text[:80]}'", cure=_CURE)

    def _call(self, function: ast.expr, given: list[Any], depth: int) -> Any:
        match function:
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math" | "xacro" | "python"), attr=name):
                if name in self.functions:
                    return self.functions[name](*given)
            case ast.Attribute(value=of, attr=name) if name in _TEXT_METHODS:
                held = self.value(of, depth)
                if isinstance(held, str):
                    return _short(getattr(held, name)(*given))
        raise ModelError(f"'{self.text[:80]}' calls an unknown function", cure=_CURE)


def _bounded(op: type, a: Any, b: Any) -> Any:
    """An operation whose result is limited in size."""
    whole = isinstance(a, int) and isinstance(b, int)
    if op is ast.Pow and whole and b > 0 and max(a.bit_length(), 1) * b > MAX_POWER:
        raise ModelError("a power has too many digits", cure="use numbers with a decimal point")
    if op is ast.Mult and isinstance(a, str | list) | isinstance(b, str | list):
        times, held = (a, b) if isinstance(a, int) else (b, a)
        if not isinstance(times, int) or times * len(held) > MAX_TEXT:
            raise ModelError("a text or a list is repeated too often", cure="write it out")
    if op is ast.Mod and isinstance(a, str):
        raise ModelError("text formatting with % is not supported", cure="put expressions side by side: a${x}b")
    return _short(_BINARY[op](a, b))


def _short(value: Any) -> Any:
    if isinstance(value, str | list) and len(value) > MAX_TEXT:
        raise ModelError(f"a text or a list is longer than {MAX_TEXT}", cure="make it shorter")
    if isinstance(value, int) and value.bit_length() > MAX_POWER:
        raise ModelError("a whole number has too many digits", cure="use numbers with a decimal point")
    if isinstance(value, complex):
        raise ModelError("the result is a complex number", cure="check the sign under the root")
    return value
