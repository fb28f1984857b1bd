"""What a model asks of the rooms below it; they register it here, so that models need not know them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from symbody.errors import ModelError, SymbodyError
from symbody.late_modules import import_late

_SERVICES: dict[str, Callable[[Any], Any]] = {}


def register_service(kind: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Register a function of a model: "formulas", its laws as text; "freedoms", its degrees of freedom."""

    def register(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        _SERVICES[kind] = function
        return function

    return register


def _service(kind: str) -> Callable[[Any], Any]:
    import_late("services")
    return _SERVICES[kind]


def degrees_of_freedom(model: Any) -> int | None:
    """What is left free by loops, rolling and driven joints; None where the model is not complete."""
    try:
        found: int = _service("freedoms")(model)
    except (SymbodyError, KeyError):
        return None
    return found


def portable(model: Any) -> Any:
    """The model as other processes can read it: laws that are no functions of a module become formulas."""
    laws = [law for _, law in _laws(model)]
    if all(map(_has_a_name, laws)):
        return model
    made = _service("formulas")(model)
    for where, law in _laws(made):
        if not _has_a_name(law):
            cure = "write it at the top level of a module, or so that it can be traced; workers=1 sends nothing"
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
