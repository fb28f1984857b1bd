"""Pulling a body: a spring of bounded force from a point of the body to the pointer, as a law of the model.

The spring is part of the equations and evaluated at the rate of the loop, so it is smooth with a slow browser, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from symbody.elements.vectors import cross, dot, length, minus, plus, scaled
from symbody.expr.functions import minimum, where
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.visual.geometry import Geometry, bar_radius

HELD = "pull_frame"  # an input: the pulled frame; 0: none
AT = ("pull_at_x", "pull_at_y", "pull_at_z")  # m, on the body
TO = ("pull_to_x", "pull_to_y", "pull_to_z")  # m, in the ground frame
INPUTS = (HELD, *AT, *TO)
PULL = "pull."  # prefix of its force sites
STIFFNESS, LIMIT = "pull_stiffness", "pull_limit"  # parameters: N/m, N
STRETCH = 5.0  # largest length of the spring, in radii of the bars


def pullable(model: Model) -> Model:
    """A copy with the spring: inputs `INPUTS`, parameters `STIFFNESS` and `LIMIT`, force sites on bodies with mass."""
    m, g = deepcopy(model), Geometry(model)
    masses = {name: g.mass(body) for name, body in m.bodies.items()}
    strongest = GRAVITY * (sum(masses.values()) or 1.0)  # weight of all bodies on Earth, whatever the gravity
    for name in INPUTS:
        m.input(name, 0.0, "" if name == HELD else "m")
    m.parameter(LIMIT, strongest, "N")
    m.parameter(STIFFNESS, strongest / (STRETCH * bar_radius(g)), "N/m")
    for frame, name in pullable_frames(model).items():
        m.force_site(f"{PULL}{name}", m.bodies[name])(_hand(frame, masses[name]))
    return m


def pullable_frames(model: Model) -> dict[int, str]:
    """Bodies that can be pulled, by frame."""
    g = Geometry(model)
    return {g.frames[name]: name for name, body in model.bodies.items() if g.mass(body) > 0.0}


def _hand(frame: int, mass: float) -> Any:
    """F = k (to − x) − √(k m) v, at most the limit; half of critical damping for a free body."""

    def law(at: Any, p: Any) -> tuple[Any, ...]:
        arm = [dot(row, [p[name] for name in AT]) for row in at.rotation]
        x, v = plus(at.position, arm), plus(at.velocity, cross(at.omega, arm))
        k = p[STIFFNESS]
        force = minus(scaled(k, minus([p[name] for name in TO], x)), scaled((k * mass) ** 0.5, v))
        held = (p[HELD] > frame - 0.5) * (p[HELD] < frame + 0.5)
        force = scaled(where(held, minimum(1.0, p[LIMIT] / length(force, 1e-9)), 0.0), force)
        return (*force, *cross(arm, force))

    return law


def grip(frame: int, at: Sequence[float], to: Sequence[float]) -> Mapping[str, float]:
    """The inputs that pull a point of a frame to a point of the ground frame."""
    return {HELD: float(frame), **dict(zip(AT, at, strict=True)), **dict(zip(TO, to, strict=True))}
