"""Laws: functions over named numbers that a user attaches to links, joints, sites, states … and the ways they run.

A plain function, or a formula as files hold it, is traced once into the equations. One that cannot be traced (it
branches on values, calls a library) is marked `numeric` and called back from the compiled code at every evaluation; or
it is given as C text, `c_law`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from symbody.errors import ModelError
from symbody.model.formula import PLACE, SPEED, evaluate_law

Law = Callable[..., Any]  # an ordinary function over numbers or expressions

ARGUMENTS: dict[str, tuple[str, ...]] = {  # of formulas, by what the law belongs to
    "links": ("length", "rate"),
    "joint_forces": ("q", "qd"),
    "trajectories": ("t",),
    "force_sites": (*PLACE, *SPEED),
    "states": (),
    "constraints": (),
    "nonholonomic_constraints": (),
    "signals": (),
    "couplings": (),
    "limits": (),
    "interactions": tuple(f"{end}_{x}" for end in "ab" for x in (*PLACE, *SPEED)),
}

CALLED_WITH: dict[str, str] = {  # arguments of a Python law, by what it belongs to
    **dict.fromkeys(ARGUMENTS, "s, p"),
    "links": "length, rate, p",
    "joint_forces": "q, qd, p",
    "trajectories": "t, p",
    "force_sites": "at, p",
    "interactions": "a, b, p",
}


def require_arguments(law: Any, where: str) -> None:
    """Refuse a law that cannot be called as its element calls it. where: FAMILY.NAME."""
    wanted = CALLED_WITH.get(where.partition(".")[0], "s, p")
    try:
        signature = inspect.signature(law)
    except (TypeError, ValueError):  # a function in C does not tell
        return
    try:
        signature.bind(*wanted.split(", "))
    except TypeError:
        name = getattr(law, "__name__", "law").replace("<lambda>", "law")
        cure = f"write def {name}({wanted}), or lambda {wanted}: …"
        raise ModelError(
            f"its law takes {signature}, and is called with ({wanted})", element=where, cure=cure
        ) from None


@dataclass(frozen=True)
class NumericLaw:
    """A law that takes and returns plain numbers: Python in the loop, the slow path."""

    function: Law

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


@dataclass(frozen=True)
class CLaw:
    """A law as C99 text that defines a function of doubles; `names` are the named numbers it takes last."""

    function: str
    source: str
    names: tuple[str, ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError(f"'{self.function}' is C text; it runs in compiled code only")


@dataclass(frozen=True)
class FormulaLaw:
    """A law as text: a formula for each of its values, over its `arguments`, the named numbers and the time `t`.

    `lets` are names for what formulas share, in order: each may use those before it.
    """

    texts: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    lets: tuple[tuple[str, str], ...] = ()

    def evaluate(self, names: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]) -> list[Any]:
        """The values, computed with the objects and functions given (see `formula.FUNCTIONS`)."""
        known = dict(names)
        for name, text in self.lets:
            known[name] = evaluate_law(text, known, functions)
        return [evaluate_law(text, known, functions) for text in self.texts]

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError("a formula is evaluated by names: use `evaluate`")


def numeric(law: Law) -> NumericLaw:
    """Decorator for a law that needs plain numbers.

    @m.link("strut", a, b)
    @numeric
    def strut(length, rate, p):
        return p.k * (length - p.l0) if length > p.l0 else 0.0
    """
    return NumericLaw(law)


def c_law(function: str, source: str, *names: str) -> CLaw:
    """A law in C: `double FUNCTION(…)` of the law's own arguments, then of the named numbers, all doubles.

    m.link("strut", a, b)(c_law("strut", "double strut(double length, double rate, double k) { … }", "k"))

    A law of several values is `void FUNCTION(…, double *y)`.
    """
    return CLaw(function, source, names)


def dropped(laws: str) -> bool:
    """What the option `laws` of a writer says: whether laws that the file cannot hold are left out."""
    if laws not in ("refuse", "drop"):
        raise ModelError(f"laws='{laws}'", element="options", cure='use "refuse" or "drop"')
    return laws == "drop"
