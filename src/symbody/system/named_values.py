"""States, inputs and parameters of a system by name, as all analyses take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.suggestions import did_you_mean
from symbody.system.motion_names import coordinate_names, velocity_names
from symbody.system.options import listed as listed
from symbody.system.system import Array, System

State = Mapping[str, float] | Sequence[float] | Array  # by name (others keep their initial values), or all in order


def by_name(given: Any, what: str, example: str) -> dict[str, Any]:
    """Named values as a dictionary. Raises ModelError for a list, a number or a text."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        cure = f"use a dictionary: {what}={example}"
        raise ModelError(f"expected a dictionary, got a {type(given).__name__}", element=what, cure=cure)
    return dict(given)


def require_known(names: Iterable[str], known: Sequence[str], kind: str) -> None:
    """Raise ModelError for unknown names. kind: what they are, in the singular."""
    for name in names:
        if name not in known:
            raise ModelError(f"unknown {kind}", element=str(name), cure=did_you_mean(str(name), known, plural(kind)))


def plural(kind: str) -> str:
    """The plural of a kind: "parameters or inputs", "velocities"."""
    words = kind.split(" or ")
    return " or ".join(f"{word[:-1]}ies" if word.endswith("y") else f"{word}s" for word in words)


def state_vector(s: System, given: State | None) -> Array | None:
    """A state x from numbers in the order of `s.states`, or by name; others keep their initial values. None stays None.

    A quaternion is given by all four numbers or not at all; it is scaled to unit length.
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
                "only a part of an orientation is given", element=named[0], cure=f"set all of {', '.join(own)}, or none"
            )
        length = float(np.linalg.norm(x[place : place + 4]))
        if named and length > 0.0:
            x[place : place + 4] /= length
    return x


def _no_state(s: System, name: str) -> ModelError:
    states = ", ".join(s.states[:10])
    if name in (*coordinate_names(s.model), *velocity_names(s.model)):
        problem = "it is not a state: it is driven, locked, or determined by the loops"
        return ModelError(problem, element=name, cure=f"set {states}; or make its joint independent")
    return ModelError("unknown state", element=name, cure=did_you_mean(name, s.states, "states"))


def parameters_and_inputs(s: System, values: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Split named values into live parameters and inputs. Raises ModelError for other names."""
    require_known(values, [*s.parameters, *s.inputs], "parameter or input")
    own = {name: float(x) for name, x in values.items() if name in s.parameters}
    return own, {name: float(x) for name, x in values.items() if name not in own}
