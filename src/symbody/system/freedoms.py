"""The degrees of freedom of a model, after loops, rolling and driven joints."""

from __future__ import annotations

from symbody.elements.hydraulics import with_circuits
from symbody.model.check import check
from symbody.model.hooks import register_service
from symbody.model.model import Model
from symbody.system.assembly import assemble
from symbody.system.displacement import movable
from symbody.system.partition import partition


@register_service("freedoms")
def degrees_of_freedom(model: Model) -> int:
    """Counted at closed loops near the initial values. Redundant equations are not counted."""
    if not model.is_constrained:
        return len(movable(model))
    check(model)
    whole = with_circuits(model)
    return len(partition(whole, assemble(whole)).free)
