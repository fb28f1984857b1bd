"""Expressions of xacro, `${2*pi*r if hollow else 0}`: Python's grammar, evaluated by our own code, never by eval.

Supported: numbers, text, truth values, lists, dictionaries, arithmetic, comparisons, choices, items, and the functions
below. Every operation is bounded by the sizes of its operands, and all of them by the budget of the reading. Tasks
(generators that yield other tasks) replace recursion, so that long chains of properties need no deep stack.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from symbody.errors import ModelError
from symbody.files.read_budget import ReadBudget
from symbody.suggestions import nearest

MAX_TEXT = 10_000  # characters of an expression, and of a text; items of a list
MAX_BITS = 1024  # of a whole number, as many as a float reaches
MAX_DIGITS = 400  # of round
EXPRESSION = 60  # steps for an expression, besides those for its text and its parts
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
    "min": lambda *given: min(comparable(given)),
    "max": lambda *given: max(comparable(given)),
    "round": lambda x, digits=None: rounded(x, digits),
    "int": int,
    "float": float,
    "str": lambda x="": text_of(x),
    "bool": bool,
    "len": len,
}
Task = Generator[Any, Any, Any]  # yields tasks, receives their values, returns its own


class Names(Protocol):
    """Properties by name; values are found by tasks."""

    def __contains__(self, name: object) -> bool: ...

    def __iter__(self) -> Any: ...

    def finding(self, name: str) -> Task: ...


class PlainNames(dict[str, Any]):
    """Properties whose values are known."""

    def finding(self, name: str) -> Task:
        """A task that returns the value."""
        yield from ()
        return self[name]


def finished(task: Task) -> Any:
    """The value of a task, without recursion."""
    waiting, value, error = [task], None, None
    while waiting:
        try:
            waiting.append(waiting[-1].send(value) if error is None else waiting[-1].throw(error))
            value = error = None
        except StopIteration as end:
            waiting.pop()
            value, error = end.value, None
        except Exception as raised:  # for the tasks that wait for this one
            waiting.pop()
            error = raised
    if error is not None:
        raise error
    return value


def comparable(given: tuple[Any, ...]) -> Iterable[Any]:
    """Arguments of min and max. Lists inside lists raise ModelError, because their comparison could be endless."""
    listed = given[0] if len(given) == 1 and isinstance(given[0], list) else given
    if not all(isinstance(x, str | int | float) for x in listed):
        raise ModelError("lists cannot be compared", cure="give numbers, or one list of numbers")
    return listed


def rounded(x: Any, digits: Any) -> Any:
    """Python's round, for a number of digits that floats can have."""
    if digits is not None and not (isinstance(digits, int) and abs(digits) <= MAX_DIGITS):
        raise ModelError("round has too many digits", cure=f"use at most {MAX_DIGITS} digits")
    return round(x, digits)


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


def evaluate_expression(
    text: str,
    names: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]],
    budget: ReadBudget | None = None,
) -> Any:
    """Value of an expression over properties (by name) and additional functions (such as load_yaml)."""
    return finished(evaluating(text, PlainNames(names), functions, budget or ReadBudget()))


def evaluating(text: str, names: Names, functions: Mapping[str, Callable[..., Any]], budget: ReadBudget) -> Task:
    """The task of `evaluate_expression`."""
    budget.spend("steps", EXPRESSION + len(text))
    parsed = _parsed(text)
    try:
        return (yield _Walk(text, names, {**FUNCTIONS, **functions}, budget).value(parsed))
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise ModelError(f"'{text[:80]}': {str(error)[:120] or type(error).__name__}", cure=_CURE) from error


def _parsed(text: str) -> ast.expr:
    if len(text) > MAX_TEXT:
        raise ModelError(f"the expression has more than {MAX_TEXT} characters", cure="split it into properties")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ModelError(f"'{text[:80]}' is not an expression", cure=_CURE) from error


class _Walk:
    """One expression, evaluated node by node."""

    def __init__(self, text: str, names: Names, functions: Mapping[str, Callable[..., Any]], budget: ReadBudget):
        self.text, self.names, self.functions, self.budget = text, names, functions, budget

    def value(self, node: ast.expr) -> Task:
        """The task that evaluates a node."""
        self.budget.spend("steps")
        match node:
            case ast.Constant(value=value) if isinstance(value, str | int | float):
                return self._kept(value)
            case ast.Name(id=name):
                return (yield self._named(name))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                a = yield self.value(left)
                b = yield self.value(right)
                check_operands(type(op), a, b)
                return self._kept(_BINARY[type(op)](a, b))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _UNARY[type(op)]((yield self.value(operand)))
            case ast.BoolOp(op=op, values=values):
                return (yield self._either(isinstance(op, ast.Or), values))
            case ast.IfExp(test=test, body=body, orelse=other):
                chosen = yield self.value(test)
                return (yield self.value(body if chosen else other))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return (yield self._compared(left, ops, others))
            case ast.List(elts=members) | ast.Tuple(elts=members):
                return self._kept((yield self._all(members)))
            case ast.Dict(keys=keys, values=values) if None not in keys:
                names = yield self._all([key for key in keys if key is not None])
                return self._kept(dict(zip(names, (yield self._all(values)), strict=True)))
            case ast.Subscript(value=of, slice=at) if not isinstance(at, ast.Slice):
                held = yield self.value(of)
                return held[(yield self.value(at))]
            case ast.Attribute(value=of, attr=name):
                return (yield self._attribute(of, name))
            case ast.Call(func=function, args=arguments, keywords=[]):
                return self._kept((yield self._call(function, (yield self._all(arguments)))))
        raise ModelError(f"'{self.text[:80]}' is not supported", cure=_CURE)

    def _all(self, nodes: list[ast.expr]) -> Task:
        found = []
        for node in nodes:
            found.append((yield self.value(node)))
        return found

    def _kept(self, value: Any) -> Any:
        """A result that is small enough, counted in the budget."""
        check_size(value)
        if isinstance(value, str | list | dict):
            self.budget.spend("bytes", (4 if isinstance(value, str) else 16) * len(value))
        return value

    def _named(self, name: str) -> Task:
        if name in self.names:
            return (yield self.names.finding(name))
        if name in CONSTANTS:
            return CONSTANTS[name]
        near = " or ".join(nearest(name, [*self.names, *CONSTANTS, *self.functions], 3))
        cure = f"did you mean {near}?" if near else "define it with <xacro:property>"
        raise ModelError(f"unknown property '{name[:80]}' in '{self.text[:80]}'", cure=cure)

    def _either(self, stop: bool, values: list[ast.expr]) -> Task:
        """Python's `or` and `and`: the first value that decides, or the last one."""
        found: Any = None
        for node in values:
            found = yield self.value(node)
            if bool(found) is stop:
                break
        return found

    def _compared(self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]) -> Task:
        a = yield self.value(left)
        for op, node in zip(ops, others, strict=True):
            b = yield self.value(node)
            if isinstance(a, list | dict) or (isinstance(b, list | dict) and not isinstance(op, ast.In | ast.NotIn)):
                raise ModelError(f"'{self.text[:80]}' compares lists", cure="compare their items")
            if type(op) not in _COMPARED:
                raise ModelError(f"'{self.text[:80]}' is not supported", cure=_CURE)
            self.budget.spend("steps", _work(b))
            if not _COMPARED[type(op)](a, b):
                return False
            a = b
        return True

    def _attribute(self, of: ast.expr, name: str) -> Task:
        """`math.pi`, or an item of a dictionary by name."""
        if isinstance(of, ast.Name) and of.id == "math" and name in CONSTANTS:
            return CONSTANTS[name]
        held = yield self.value(of)
        if isinstance(held, dict) and name in held:
            return held[name]
        raise ModelError(f"no '{name[:80]}' in '{self.text[:80]}'", cure=_CURE)

    def _call(self, function: ast.expr, given: list[Any]) -> Task:
        self.budget.spend("steps", sum(map(_work, given)))
        match function:
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math" | "xacro" | "python"), attr=name):
                if name in self.functions:
                    return self.functions[name](*given)
            case ast.Attribute(value=of, attr=name) if name in _TEXT_METHODS:
                held = yield self.value(of)
                if isinstance(held, str):
                    if name == "replace":
                        check_replacement(held, given)
                    return getattr(held, name)(*given)
        raise ModelError(f"'{self.text[:80]}' calls an unknown function", cure=_CURE)


def _work(x: Any) -> int:
    """Steps to compare or search a value once."""
    return len(x) if isinstance(x, list) else len(x) // 100 if isinstance(x, str) else 0


def check_operands(op: type, a: Any, b: Any) -> None:
    """Raise ModelError if the result of an operation would be too large, judged by its operands."""
    if op is ast.Pow and isinstance(a, int) and isinstance(b, int) and b * (a.bit_length() - 1) > MAX_BITS:
        raise ModelError("a power has too many digits", cure="use numbers with a decimal point")
    if op is ast.Mult and isinstance(a, str | list) | isinstance(b, str | list):
        times, held = (a, b) if isinstance(a, int) else (b, a)
        if not isinstance(times, int) or times * len(held) > MAX_TEXT:
            raise ModelError("a text or a list is repeated too often", cure="write it out")
    if op is ast.Mod and isinstance(a, str):
        raise ModelError("text formatting with % is not supported", cure="put expressions side by side: a${x}b")


def check_replacement(held: str, given: list[Any]) -> None:
    """Raise ModelError if a text would be too long after `held.replace(old, new)`."""
    match given:
        case [str(old), str(new), *_] if len(held) + held.count(old) * (len(new) - len(old)) > MAX_TEXT:
            raise ModelError(f"a text is longer than {MAX_TEXT}", cure="make it shorter")


def check_size(value: Any) -> None:
    """Raise ModelError if a value is too large, not a real number, or not valid Unicode."""
    if isinstance(value, str | list | dict) and len(value) > MAX_TEXT:
        raise ModelError(f"a text or a list is longer than {MAX_TEXT}", cure="make it shorter")
    if isinstance(value, str) and not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise ModelError("a text is not valid Unicode", cure="remove escapes such as \\ud800")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ModelError("a whole number has too many digits", cure="use numbers with a decimal point")
    if isinstance(value, complex):
        raise ModelError("the result is a complex number", cure="check the sign under the root")
