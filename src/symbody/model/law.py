"""Laws: functions that a user attaches to links, joints, sites, states and so on, and the ways to run them.

A plain function, or a formula from a file, is traced once into the equations. A function that cannot be traced (it
branches on values, or calls a library) is marked `numeric`: the compiled code calls it at every evaluation. A law can
also be C text, see `c_law`.
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
    """Raise ModelError if a law does not accept the arguments of its element. where: FAMILY.NAME."""
    wanted = CALLED_WITH.get(where.partition(".")[0], "s, p")
    try:
        signature = inspect.signature(law)
    except (TypeError, ValueError):  # functions in C have no signature
        return
    try:
        signature.bind(*wanted.split(", "))
    except TypeError:
        name = getattr(law, "__name__", "law").replace("<lambda>", "law")
        cure = f"write def {name}({wanted}), or lambda {wanted}: …"
        raise ModelError(
            f"its law takes {signature}, but is called with ({wanted})", element=where, cure=cure
        ) from None


@dataclass(frozen=True)
class NumericLaw:
    """A law over plain numbers: Python is called at each evaluation, which is slow."""

    function: Law

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


@dataclass(frozen=True)
class CLaw:
    """A law as C99 text that defines a function of doubles. `names`: the named numbers, its last arguments."""

    function: str
    source: str
    names: tuple[str, ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError(f"the law '{self.function}' is C text and runs in compiled code only")


@dataclass(frozen=True)
class FormulaLaw:
    """A law as text: one formula for each value, over its `arguments`, the named numbers and the time `t`.

    `lets` names shared parts of the formulas, in order. Each part may use the parts before it.
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
    """Decorator for a law that needs plain numbers, because it cannot be traced.

        @m.link("strut", a, b)
        @numeric
        def strut(length, rate, p):
            return p.k * (length - p.l0) if length > p.l0 else 0.0

    It is slow: Python runs at each step.

    Parameters
    ----------
    law : function
        Its arguments are those of the element, then p; its values are numbers.

    Returns
    -------
    NumericLaw
        The law to attach.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.Model("m")
    >>> arm = m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5))
    >>> @m.joint_force("arm")
    ... @sb.numeric
    ... def stop(q, qd, p):
    ...     return -100.0 * (q - 1.0) if q > 1.0 else 0.0
    """
    return NumericLaw(law)


def c_law(function: str, source: str, *names: str) -> CLaw:
    """A law in C.

    m.link("strut", a, b)(c_law("strut", "double strut(double length, double rate, double k) { … }", "k"))

    Parameters
    ----------
    function : str
        Name of the C function: `double FUNCTION(…)`, or `void FUNCTION(…, double *y)` for several values.
    source : str
        C99 text that defines it. It takes the law's own arguments, then the named numbers, all doubles.
    *names : str
        Parameters, inputs and states that it takes as its last arguments.

    Returns
    -------
    CLaw
        A law to attach to an element.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.Model("m")
    >>> arm = m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5))
    >>> law = sb.c_law("spring", "double spring(double q, double qd) { return -3.0*q; }")
    >>> m.joint_force("arm")(law).function
    'spring'
    """
    return CLaw(function, source, names)


def dropped(laws: str) -> bool:
    """Whether a writer leaves out laws that the file cannot hold; `laws` is its option, "refuse" or "drop"."""
    if laws not in ("refuse", "drop"):
        raise ModelError(f"laws='{laws}'", element="options", cure='use "refuse" or "drop"')
    return laws == "drop"
