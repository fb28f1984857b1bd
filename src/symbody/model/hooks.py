"""Functions on models that higher layers register here, so that models need not import them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from symbody.errors import ModelError, SymbodyError
from symbody.lazy_imports import import_registered

_SERVICES: dict[str, Callable[[Any], Any]] = {}


def register_service(kind: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Register a function of a model: "formulas" (its laws as text) or "freedoms" (its degrees of freedom)."""

    def register(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        _SERVICES[kind] = function
        return function

    return register


def _service(kind: str) -> Callable[[Any], Any]:
    import_registered("services")
    return _SERVICES[kind]


def degrees_of_freedom(model: Any) -> int | None:
    """The degrees of freedom after loops, rolling and driven joints; None if the model is incomplete."""
    try:
        found: int = _service("freedoms")(model)
    except (SymbodyError, KeyError):
        return None
    return found


def portable(model: Any) -> Any:
    """The model in a form that other processes can read: laws that cannot be imported become formulas."""
    laws = [law for _, law in _laws(model)]
    if all(map(_has_a_name, laws)):
        return model
    made = _service("formulas")(model)
    for where, law in _laws(made):
        if not _has_a_name(law):
            cure = "define it at the top level of a module, make it traceable, or use workers=1"
            raise ModelError("its law cannot be sent to other processes", element=where, cure=cure)
    return made


def _laws(model: Any) -> list[tuple[str, Any]]:
    own = [(name, law) for family in (model.joint_laws, model.trajectories) for name, law in family.items()]
    families = [family for family in vars(model).values() if isinstance(family, dict)]
    attached = [(name, x.law) for family in families for name, x in family.items() if hasattr(x, "law")]
    return [(name, law) for name, law in (*own, *attached) if law is not None]


def _has_a_name(law: Any) -> bool:
    try:
        pickle.dumps(law)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True
