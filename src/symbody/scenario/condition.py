"""Conditions over sensors: formulas of the model files, checked before they run, and evaluated with numbers."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.equations.law_values import FORMULA_FUNCTIONS
from symbody.errors import ModelError
from symbody.expr.node import variable
from symbody.expr.node_table import fresh_graph
from symbody.model.formula import FUNCTIONS, evaluate_law

NUMBERS = {
    **{name: getattr(math, name) for name in FUNCTIONS if hasattr(math, name)},
    "abs": abs,
    "sign": lambda x: float(np.sign(x)),
    "min": min,
    "max": max,
    "where": lambda condition, x, y: x if condition else y,
    "table": lambda x, places, values: float(np.interp(x, places, values)),
}
OPPOSITE = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


def check_formula(text: str, names: Iterable[str], place: str) -> None:
    """Raise ModelError if a formula cannot be read or uses unknown names."""
    if not isinstance(text, str):
        raise ModelError("expected a formula", element=place, cure="write a comparison such as speed > 60")
    functions = {name: function for name, function in FORMULA_FUNCTIONS.items() if name in NUMBERS}
    try:
        with fresh_graph():
            evaluate_law(text, {name: variable(name) for name in names}, functions)
    except ModelError as error:
        raise ModelError(error.problem, element=place, cure=error.cure) from None


def value_of(text: str, values: Mapping[str, float]) -> float:
    """The value of a formula; NaN where it has none, such as 1/0."""
    try:
        return float(evaluate_law(text, values, NUMBERS))
    except ModelError:
        return math.nan


@dataclass(frozen=True)
class Condition:
    """Formulas that must all be true, that is neither 0 nor NaN."""

    formulas: Sequence[str]

    def holds(self, values: Mapping[str, float]) -> bool:
        """Whether all are true with these values of the sensors."""
        found = [value_of(text, values) for text in self.formulas]
        return all(x == x and x != 0.0 for x in found)

    def check_range(self, place: str) -> None:
        """Raise ModelError if comparisons of one sensor with numbers contradict each other."""
        ranges: dict[str, list[tuple[float, float, bool, str]]] = {}
        for text in self.formulas:
            if (found := _bound(text)) is not None:
                ranges.setdefault(found[0], []).append((*found[1:], text))
        for bounds in ranges.values():
            for (low, high, open_, a), (low2, high2, open2, b) in _pairs(bounds):
                least, most = max(low, low2), min(high, high2)
                if least > most or (least == most and (open_ or open2)):
                    raise ModelError(f"'{a}' and '{b}' never hold together", element=place, cure="change one of them")


def _pairs(entries: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    return ((a, b) for k, a in enumerate(entries) for b in entries[k + 1 :])


def _bound(text: str) -> tuple[str, float, float, bool] | None:
    """Sensor, least and largest value, and whether these are excluded, of `sensor < number` or the reverse."""
    match ast.parse(text.strip(), mode="eval").body:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            pass
        case _:
            return None
    if isinstance(right, ast.Name):
        left, right, op = right, left, OPPOSITE[type(op)]()
    if not isinstance(left, ast.Name):
        return None
    try:
        number = float(evaluate_law(ast.unparse(right), {}, NUMBERS))
    except ModelError:
        return None
    below, excluded = isinstance(op, (ast.Lt, ast.LtE)), isinstance(op, (ast.Lt, ast.Gt))
    return (left.id, -math.inf, number, excluded) if below else (left.id, number, math.inf, excluded)
