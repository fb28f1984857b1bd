"""Finds the first number that is not finite: a state, an input, a parameter, a trajectory or a law."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from symbody.system.definition import SystemDefinition
from symbody.system.functions import SystemFunctions
from symbody.system.motion_names import acceleration_names, coordinate_names, velocity_names
from symbody.system.programs import system_programs

Array = np.ndarray


@dataclass(frozen=True)
class NotFinite:
    """A number that is not finite: its kind, name and value."""

    kind: str  # "state", "input", "parameter", "trajectory", "law"
    name: str
    value: float

    def __str__(self) -> str:
        if self.kind in ("trajectory", "law"):
            return f"the {self.kind} of {self.name} gives {self.value}"
        return f"the {self.kind} {self.name} is {self.value}"


def first_not_finite(kind: str, names: Iterable[str], values: Iterable[float]) -> NotFinite | None:
    """The first value that is not finite."""
    pairs = zip(names, map(float, values), strict=True)
    return next((NotFinite(kind, name, value) for name, value in pairs if not np.isfinite(value)), None)


def culprit(functions: SystemFunctions, t: float, x: Array, u: Array, guess: Array) -> NotFinite | None:
    """The first cause that is not finite at a state; None if only consequences (loops, accelerations) are."""
    d, p = functions.definition, functions.parameters
    now = np.array([t]), x, u, guess
    given = (
        first_not_finite("state", d.states, x)
        or first_not_finite("input", d.inputs, u)
        or first_not_finite("parameter", p, p.values())
        or first_not_finite("trajectory", *_evaluated(functions, _trajectories(d), "trajectories", now))
    )
    found = functions.rates(*now)
    if given or not np.all(np.isfinite(found.v)):  # open loops spoil everything that depends on their coordinates
        return given
    laws = _evaluated(functions, [n for n in _laws(d) if n in functions.possible], "laws", now)
    states = [f"states.{name}" for name in d.model.states]
    return first_not_finite("law", *laws) or first_not_finite(
        "law", states, found.xd[d.layout.first_state :][: len(states)]
    )


def _evaluated(
    functions: SystemFunctions, names: Sequence[str], what: str, now: tuple[Array, Array, Array, Array]
) -> tuple[list[str], Array]:
    """The values of some channels, in the order of all channels."""
    if not names:
        return [], np.zeros(0)
    chosen = set(names)
    function = functions.function(what, lambda traced: system_programs(traced, names).outputs)
    return [n for n in functions.possible if n in chosen], function(*now)


def _trajectories(d: SystemDefinition) -> list[str]:
    """Position, velocity and acceleration of the driven joints."""
    m, driven = d.model, {d.model.velocities[i] for i in d.partition.driven}
    named = zip(m.velocities, velocity_names(m), acceleration_names(m), strict=True)
    places = zip(m.coordinates, coordinate_names(m), strict=True)
    rates = chain.from_iterable((v, a) for joint, v, a in named if joint in driven)
    return [*(q for joint, q in places if joint in driven), *rates]


def _laws(d: SystemDefinition) -> Iterator[str]:
    """The channels of laws of joints, links, sites, interactions and couplings."""
    m = d.model
    yield from (f"{name}.Q" for name in m.velocities)
    yield from (f"{name}.tension" for name in m.links)
    for name in (*m.force_sites, *m.interactions):
        yield from (f"{name}.{what}.{axis}" for what in ("force", "torque") for axis in "xyz")
    yield from (f"{c.name}.{joint}.Q" for c in m.couplings.values() for joint in c.joints)
