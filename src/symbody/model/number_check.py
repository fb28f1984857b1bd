"""Checks of names and numbers in a model. Each problem has its element and a cure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symbody.errors import ModelError
from symbody.model.formula import Formula, Number, evaluate, is_name

MAX_NAME = 200

PLAIN = re.compile(r"\w(?:[\w \-]*[\w\-])?")  # bodies and points: no dot, it separates them in a path
DOTTED = re.compile(r"\w(?:[\w \-.]*[\w\-])?")
_NAME_CURE = "use letters, digits, _ - and spaces inside"
ARTICLE = {"parameter": "a", "input": "an", "state": "a"}


def name_problems(key: str, name: Any, where: str, allowed: re.Pattern[str]) -> Iterator[ModelError]:
    """Check that a name is valid and equal to its key. allowed: `PLAIN` or `DOTTED`."""
    if not isinstance(name, str) or len(name) > MAX_NAME or not allowed.fullmatch(name):
        cure = _NAME_CURE if allowed is PLAIN else f"{_NAME_CURE}, or dots"
        yield ModelError(f"'{str(name)[:MAX_NAME]}' cannot be a name", element=where, cure=cure)
    elif key != name:
        yield ModelError(f"stored under '{key}' but named '{name}'", element=where, cure="use one name")


def identifier_problems(key: str, name: str, where: str, kind: str) -> Iterator[ModelError]:
    """Check that formulas can use a name. kind: a key of `ARTICLE`."""
    if not is_name(key):
        cure = "use letters, digits and _, no Python keyword, not pi"
        yield ModelError(f"'{key}' cannot be {ARTICLE[kind]} {kind}'s name", element=where, cure=cure)
    yield from name_problems(key, name, where, DOTTED)


def _value(number: Any, values: Mapping[str, float]) -> float:
    """The number as a float; raises ModelError if that is impossible."""
    value = evaluate(number, values)
    if type(value) is not float:
        if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
            raise ModelError(f"{value!r} is not a number", cure="write a number, or a formula over the parameters")
        try:
            value = float(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"{value!r} is not a number", cure="write a finite number") from error
    if not math.isfinite(value):
        raise ModelError(f"{number} is not finite", cure="write a finite number")
    return value


def finite_problems(
    numbers: Iterable[Number], count: int, where: str, values: Mapping[str, float] | None
) -> Iterator[ModelError]:
    """Check that there are `count` numbers, each finite or a formula with a finite value.

    values: of the parameters; None: not all of them are known yet, so formulas are not evaluated.
    """
    numbers = tuple(numbers)
    if len(numbers) != count:
        yield ModelError(f"{len(numbers)} numbers instead of {count}", element=where, cure=f"use {count}")
    for number in numbers:
        if (type(number) is float and math.isfinite(number)) or (values is None and isinstance(number, Formula)):
            continue
        try:
            _value(number, values or {})
        except ModelError as error:
            error.element = where
            yield error


def numbers_of(numbers: Iterable[Number], values: Mapping[str, float] | None) -> list[float] | None:
    """Values of numbers; None if one of them has a problem, which is reported elsewhere, or is not known yet."""
    try:
        # most numbers are plain: the fast path keeps large models quick
        return [n if type(n) is float and math.isfinite(n) else _value(n, values or {}) for n in numbers]
    except ModelError:
        return None
