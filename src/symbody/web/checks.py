"""Checks of single values in a message: type and range; each raises `Rejected` with a reason that is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbody.links.rejected import Rejected

Check = Callable[[Any], Any]
LARGEST = 1e300  # of a number without a range: sums of a few of them are finite
LONGEST_NAME = 200  # characters


def number(low: float, high: float) -> Callable[[Any], float]:
    """Check a number from low to high; NaN is in no range.

    Parameters
    ----------
    low, high : float
        The ends, which are allowed.

    Returns
    -------
    callable
        The check: it returns the number, or raises `Rejected`.

    Raises
    ------
    Rejected
        By the check: for another type, and for a number outside.
    """

    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Rejected("wrong type")
        if not low <= value <= high:
            raise Rejected("out of range")
        return float(value)

    return check


def integer(low: int, high: int) -> Callable[[Any], int]:
    """A whole number from low to high."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise Rejected("wrong type")
        return int(number(low, high)(value))

    return check


def switch(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Rejected("wrong type")
    return value


def text(least: int = 1, most: int = LONGEST_NAME) -> Callable[[Any], str]:
    """Check a text of least to most characters.

    Parameters
    ----------
    least, most : int
        Numbers of characters.

    Returns
    -------
    callable
        The check: it returns the text, or raises `Rejected`.

    Raises
    ------
    Rejected
        By the check: for another type, and for a text that is too short or too long.
    """

    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise Rejected("wrong type")
        if not least <= len(value) <= most:
            raise Rejected("out of range")
        return value

    return check


def list_of(item: Check, least: int, most: int) -> Callable[[Any], tuple[Any, ...]]:
    """A list of least to most items."""

    def check(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Rejected("wrong type")
        _check_count(len(value), least, most)
        return tuple(map(item, value))

    return check


def by_name(item: Check, least: int, most: int) -> Callable[[Any], dict[str, Any]]:
    """An object of least to most items, each under a name."""
    name = text()

    def check(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Rejected("wrong type")
        _check_count(len(value), least, most)
        return {name(key): item(x) for key, x in value.items()}

    return check


def or_none(item: Check) -> Check:
    """A value, or null."""
    return lambda value: None if value is None else item(value)


def _check_count(count: int, least: int, most: int) -> None:
    if not least <= count <= most:
        raise Rejected("out of range", f"{count} given, {least} to {most} allowed")
