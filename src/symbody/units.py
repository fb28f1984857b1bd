"""Units as people write them, such as "N m/rad", "m³/(s √Pa)" or "km/h": their meaning in the SI, and conversion."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.suggestions import nearest

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")  # the radian is a base unit, so that rad/s and Hz differ
_DERIVED: dict[str, dict[str, int]] = {
    **{unit: {unit: 1} for unit in BASE},
    "1": {},
    "-": {},
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "Nm": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "C": {"A": 1, "s": 1},
    "Ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "Ω": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "F": {"kg": -1, "m": -2, "s": 4, "A": 2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
    "Wb": {"kg": 1, "m": 2, "s": -2, "A": -1},
    "T": {"kg": 1, "s": -2, "A": -1},
}
_OTHERS: dict[str, tuple[float, str]] = {  # name: (factor, unit)
    "g": (1e-3, "kg"), "t": (1e3, "kg"), "lb": (0.45359237, "kg"),
    "in": (0.0254, "m"), "ft": (0.3048, "m"), "mi": (1609.344, "m"),
    "min": (60.0, "s"), "h": (3600.0, "s"), "d": (86400.0, "s"),
    "l": (1e-3, "m3"), "L": (1e-3, "m3"),
    "deg": (math.pi / 180, "rad"), "°": (math.pi / 180, "rad"), "rev": (2 * math.pi, "rad"),
    "rpm": (2 * math.pi / 60, "rad/s"), "mph": (0.44704, "m/s"),
    "kgf": (9.80665, "N"), "lbf": (4.4482216152605, "N"),
    "bar": (1e5, "Pa"), "atm": (101325.0, "Pa"), "psi": (6894.757293168361, "Pa"),
    "Wh": (3600.0, "J"), "%": (1e-2, "1"),
}  # fmt: skip
_PREFIXES = {"n": 1e-9, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "h": 1e2, "k": 1e3}
_PREFIXES |= {"M": 1e6, "G": 1e9}
_PREFIXED = (
    "m", "g", "s", "A", "K", "mol", "rad", "N", "Nm", "J", "W", "Wh", "Pa", "Hz", "V", "C", "Ohm", "Ω", "F", "H", "Wb",
    "T", "l", "L", "bar",
)  # fmt: skip
_MEANT = {  # common spellings, in the singular
    "sec": "s", "second": "s", "hour": "h", "hr": "h", "minute": "min", "metre": "m", "meter": "m", "kilogram": "kg",
    "kg": "kg", "newton": "N", "pascal": "Pa", "volt": "V", "watt": "W", "joule": "J", "hertz": "Hz", "ohm": "Ohm",
    "degree": "deg", "radian": "rad", "litre": "l", "liter": "l", "inch": "in", "kmh": "km/h",
    "kph": "km/h", "mp": "m/s",
}  # fmt: skip
_CELSIUS = {"°C": 273.15, "degC": 273.15}  # K at zero degrees; not allowed in products
_DEGREES = re.compile(r"°\s*[A-Za-z]+")  # else an angle times coulombs, farads …
_TOKEN = re.compile(r"\s*(?:(\*\*|[*·/()^√])|(-(?!\d)|[A-Za-zµμΩ]+|°|%)|([⁺⁻]?[⁰¹²³⁴-⁹]+)|([-+]?\d+(?:\.\d+)?))")
_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*")
MAX_EXPONENT = 100  # of a unit: the largest in use is 4
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")


@dataclass(frozen=True)
class Unit:
    """A unit: x of it are x · scale + offset in the SI, with these exponents of the base units."""

    scale: float
    exponents: dict[str, Fraction]
    offset: float = 0.0

    @property
    def coherent(self) -> bool:
        """Whether numbers in this unit are SI numbers."""
        return self.scale == 1.0 and self.offset == 0.0


@cache
def unit_of(text: str) -> Unit:
    """Read a unit. Raises ModelError if it is unknown, or ambiguous as in "a/b c": write "a/(b c)"."""
    if text.strip() in _CELSIUS:
        return Unit(1.0, {"K": Fraction(1)}, _CELSIUS[text.strip()])
    if degrees := _DEGREES.search(text):
        problem, cure = f"the unit '{text[:40]}' has {degrees[0]} in a product", "use K for temperatures"
        raise ModelError(problem, cure=cure)
    parser = _UnitParser(text)
    try:
        found = parser.product()
    except (ArithmeticError, RecursionError) as error:  # (km^100)^100
        raise ModelError(f"the unit '{text[:40]}' is too large or too small", cure="use a smaller exponent") from error
    if parser.left:
        raise parser.refusal()
    if not 0.0 < found.scale < math.inf:
        raise ModelError(f"the unit '{text[:40]}' is too large or too small", cure="use a smaller exponent")
    return found


class _UnitParser:
    """product = factor, then "*" or nothing between factors, or "/" and one factor; factor = root, brackets, power."""

    def __init__(self, text: str):
        self.text, self.left = text, list[tuple[str, str]]()
        place, kinds = 0, ("sign", "name", "raised", "number")
        while place < len(text.rstrip()):
            match = _TOKEN.match(text, place)
            if match is None or len(text) > 80:
                raise self.refusal()
            self.left += [(kind, match[i]) for i, kind in enumerate(kinds, 1) if match[i]]
            place = match.end()

    def refusal(self, word: str = "") -> ModelError:
        meant = _MEANT.get(word.lower().removesuffix("s"))
        near = meant or " or ".join(nearest(word, [*_DERIVED, *_OTHERS], 2) if word else ())
        cure = f"did you mean {near}?" if near else 'write it as "N m/rad", "kg/(m s)", "m/s²", "km/h"'
        return ModelError(f"unknown unit '{self.text[:40]}'", cure=cure)

    def product(self) -> Unit:
        found, below = self.factor(), False
        while self.left and self.left[0] != ("sign", ")"):
            if self.left[0] == ("sign", "/"):
                self.left.pop(0)
                found, below = _times(found, self.factor(), -1), True
                continue
            if below:
                raise ModelError(f"'{self.text[:40]}' is ambiguous", cure="write a/(b c), or c a/b")
            if self.left[0] in (("sign", "*"), ("sign", "·")):
                self.left.pop(0)
            found = _times(found, self.factor(), 1)
        return found

    def factor(self) -> Unit:
        kind, word = self.left.pop(0) if self.left else ("", "")
        if (kind, word) == ("sign", "√"):
            return _power(self.factor(), Fraction(1, 2))
        if (kind, word) == ("sign", "("):
            found = self.product()
            if self.left[:1] != [("sign", ")")]:
                raise self.refusal()
            self.left.pop(0)
        elif kind == "name" or (kind, word) == ("number", "1"):
            found = self.named(word)
        else:
            raise self.refusal()
        return _power(found, self.exponent())

    def exponent(self) -> Fraction:
        marked = self.left[:1] in ([("sign", "^")], [("sign", "**")])
        if marked:
            self.left.pop(0)
        kind, word = self.left[0] if self.left else ("", "")
        if kind not in ("raised", "number"):
            if marked:
                raise self.refusal()
            return Fraction(1)
        self.left.pop(0)
        exponent = Fraction(word.translate(_RAISED))
        if abs(exponent) > MAX_EXPONENT:
            cure = f"use exponents up to {MAX_EXPONENT}"
            raise ModelError(f"the unit '{self.text[:40]}' has an exponent of {word[:10]}", cure=cure)
        return exponent

    def named(self, word: str) -> Unit:
        if word in _DERIVED:
            return Unit(1.0, {base: Fraction(n) for base, n in _DERIVED[word].items()})
        if word in _OTHERS:
            scale, of = _OTHERS[word]
            return _times(Unit(scale, {}), unit_of(of), 1)
        if word[:1] in _PREFIXES and word[1:] in _PREFIXED:
            return _times(Unit(_PREFIXES[word[0]], {}), self.named(word[1:]), 1)
        raise self.refusal(word)


def _times(a: Unit, b: Unit, sign: int) -> Unit:
    total = dict(a.exponents)
    for base, n in b.exponents.items():
        total[base] = total.get(base, Fraction(0)) + sign * n
    scale = a.scale * b.scale if sign > 0 else a.scale / b.scale
    return Unit(scale, {base: n for base, n in total.items() if n})


def _power(a: Unit, n: Fraction) -> Unit:
    return a if n == 1 else Unit(a.scale ** float(n), {base: k * n for base, k in a.exponents.items() if n})


def is_unit(text: str) -> bool:
    """Whether `text` is a known unit."""
    try:
        unit_of(text)
    except ModelError:
        return False
    return True


def base_units(text: str) -> dict[str, int] | None:
    """Whole exponents of the base units; None if the unit is unknown, has a scale, or has a fractional exponent."""
    if not is_unit(text):
        return None
    unit = unit_of(text)
    whole = all(n.denominator == 1 for n in unit.exponents.values())
    return {base: int(n) for base, n in unit.exponents.items()} if whole and unit.coherent else None


def si(value: Any, unit: str) -> Any:
    """Convert a number, or an array of numbers, to SI units: `si(20, "N/mm")` is 20000.0, in N/m.

    Parameters
    ----------
    value : float or array
        Numbers in `unit`.
    unit : str
        For example "N/mm", "km/h" or "°C".

    Returns
    -------
    float or array
        The same quantity in SI units.

    Raises
    ------
    ModelError
        If the unit is unknown.

    Examples
    --------
    >>> import symbody as sb
    >>> sb.si(20, "N/mm")
    20000.0
    >>> round(sb.si(36, "km/h"), 12)
    10.0
    """
    known = unit_of(unit)
    return (np.asarray(value, dtype=float) if np.ndim(value) else float(value)) * known.scale + known.offset


def quantity(given: Any, unit: str, element: str) -> float:
    """One number in SI units, from a number or from text with a unit: `quantity("1 ms", "s", "dt")` is 0.001.

    unit: the SI unit that the text's unit must fit; "" accepts each. element: for the error.
    """
    cure = f'write a number in {unit}, or text such as "20 {unit}"' if unit else 'write a number, or "20 N/mm"'
    if isinstance(given, str):
        split = _QUANTITY.fullmatch(given)
        if split is None:
            raise ModelError(f"'{given[:40]}' is not a number with a unit", element=element, cure=cure)
        try:
            known = unit_of(split[2] or unit or "1")
        except ModelError as error:
            error.element = element
            raise
        if unit and known.exponents != unit_of(unit).exponents:
            raise ModelError(f"'{given[:40]}' is not in {unit}", element=element, cure=cure)
        return float(si(float(split[1]), split[2] or unit or "1"))
    try:
        return float(given)
    except (TypeError, ValueError) as error:
        raise ModelError(f"expected one number, got {given!r:.60}", element=element, cure=cure) from error


def converted(values: Any, old: str, new: str, element: str = "") -> Any:
    """Convert numbers to another unit of the same quantity, for example from "rad" to "deg"."""
    if old == new:
        return values
    if not old:
        cure = f'set it: run.units["{element}"] = "…"'
        raise ModelError(f"its unit is unknown, so it cannot be converted to '{new}'", element=element, cure=cure)
    before, after = unit_of(old), unit_of(new)
    if before.exponents != after.exponents:
        raise ModelError(
            f"cannot convert '{old}' to '{new}'", element=element, cure=f"use a unit of the same quantity as {old}"
        )
    return (si(values, old) - after.offset) / after.scale


def require_si(unit: str, value: float, element: str) -> None:
    """Raise ModelError if the unit is unknown or not a coherent SI unit. An empty unit passes."""
    if not unit:
        return
    try:
        known = unit_of(unit)
    except ModelError as error:
        error.element = element
        raise
    if not known.coherent:
        cure = f'write {si(value, unit):g}, or sb.si({value:g}, "{unit}")'
        raise ModelError(f"{value:g} {unit} is not in SI units", element=element, cure=cure)
