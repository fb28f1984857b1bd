"""The common part of all elements: numbers that become live parameters, and signals of energy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

from symbody.model.formula import Formula, evaluate
from symbody.model.model import Model

E = TypeVar("E")
Motion = Any  # the motion for laws of signals: s.q, s.qd, s.point, s.length, s.rate
Named = Any  # named numbers for laws: p.NAME, p["NAME"]
Energy = Callable[[Motion, Named], Any]


def declared(m: Model, name: str, element: E) -> Callable[[Named], E]:
    """Add the numbers of an element as parameters NAME_FIELD; returns a function p → element with the numbers of p.

    A field that is a `Formula` over the model's parameters stays a formula: several elements may share a number.
    """
    check = getattr(element, "check", None)
    if check is not None:
        check(name)
    numbers: dict[str, Formula] = {}
    for f in fields(element):  # type: ignore[arg-type]
        value = getattr(element, f.name)
        if isinstance(value, Formula):
            numbers[f.name] = value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            numbers[f.name] = m.parameter(f"{name}_{f.name}", float(value), f.metadata.get("unit", ""))
    return lambda p: replace(element, **{field: evaluate(x, p) for field, x in numbers.items()})  # type: ignore[type-var]


def account(
    m: Model,
    name: str,
    *,
    stored: Energy | None = None,
    dissipated: Energy | None = None,
    supplied: Energy | None = None,
) -> None:
    """Add signals NAME.stored (J), NAME.dissipated and NAME.supplied (W) for the energy balance of the whole system."""
    for kind, law in (("stored", stored), ("dissipated", dissipated), ("supplied", supplied)):
        if law is not None:
            m.signal(f"{name}.{kind}")(law)
