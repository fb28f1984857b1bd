"""States, inputs and parameters of a system by their names, as every analysis takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.nearest import did_you_mean
from symbody.system.motion_names import coordinate_names, velocity_names
from symbody.system.system import Array, System

State = Mapping[str, float] | Sequence[float] | Array  # by name (the rest as the system starts), or all in order


def by_name(given: Any, what: str, example: str) -> dict[str, Any]:
    """What is given by name, as a dictionary; a list, a number or a text in its place is refused."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        cure = f"give a dictionary, by name: {what}={example}"
        raise ModelError(f"a {type(given).__name__} in the place of a dictionary", element=what, cure=cure)
    return dict(given)


def listed(given: str | Iterable[str] | None) -> list[str] | None:
    """Names or patterns as a list; one alone is a list of one."""
    return None if given is None else [given] if isinstance(given, str) else list(given)


def require_known(names: Iterable[str], known: Sequence[str], kind: str) -> None:
    """Refuse names that are none. kind: what they are, in the singular."""
    for name in names:
        if name not in known:
            raise ModelError(f"no such {kind}", element=str(name), cure=did_you_mean(str(name), known, plural(kind)))


def plural(kind: str) -> str:
    """Of what names are: "parameters or inputs", "velocities"."""
    words = kind.split(" or ")
    return " or ".join(f"{word[:-1]}ies" if word.endswith("y") else f"{word}s" for word in words)


def state_vector(s: System, given: State | None) -> Array | None:
    """A state x: numbers in the order of `s.states`; or by name, the others as the system starts. None stays None.

    Of a quaternion all four numbers are given, or none; they are brought to unit length.
    """
    if not isinstance(given, Mapping):
        return None if given is None else np.asarray(given, dtype=float)
    x = np.array(s.x0, dtype=float)
    for name, value in given.items():
        if name not in s.states:
            raise _no_state(s, str(name))
        x[s.states.index(name)] = float(value)
    for place in s.quaternion_places:
        own = s.states[place : place + 4]
        named = [name for name in own if name in given]
        if named and len(named) < 4:
            raise ModelError(
                "a part of an orientation", element=named[0], cure=f"give all of {', '.join(own)}, or none"
            )
        length = float(np.linalg.norm(x[place : place + 4]))
        if named and length > 0.0:
            x[place : place + 4] /= length
    return x


def _no_state(s: System, name: str) -> ModelError:
    states = ", ".join(s.states[:10])
    if name in (*coordinate_names(s.model), *velocity_names(s.model)):
        problem = "it follows from the others: it is driven, locked, or determined by the loops"
        return ModelError(problem, element=name, cure=f"give {states}; or make its joint independent")
    return ModelError("no such state", element=name, cure=did_you_mean(name, s.states, "states"))


def parameters_and_inputs(s: System, values: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Values by name taken apart: those of live parameters, and those of inputs; other names are refused."""
    require_known(values, [*s.parameters, *s.inputs], "parameter or input")
    own = {name: float(x) for name, x in values.items() if name in s.parameters}
    return own, {name: float(x) for name, x in values.items() if name not in own}
