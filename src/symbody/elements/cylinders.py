"""Double-acting cylinders: chambers that depend on the distance ℓ of the pins, the force along it, and seal friction.

The piston-side chamber has the length ℓ − closed, the rod-side chamber closed + stroke − ℓ (Jaiswal, 2.2.2, with signs
that match the flows). F = p_A A_A − p_B A_B − F_μ pushes the pins apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from symbody.elements.attach import Law, on_link
from symbody.elements.element import Motion, Named, declared
from symbody.elements.friction import FRICTION, Friction
from symbody.elements.network import Network, Space
from symbody.elements.numbers import Scalar
from symbody.errors import ModelError
from symbody.model.circuit_elements import Cylinder
from symbody.model.model import Model


def piston_area(cylinder: Cylinder) -> Scalar:
    """A_A = π/4 bore², m²."""
    return math.pi / 4.0 * cylinder.bore * cylinder.bore


def rod_area(cylinder: Cylinder) -> Scalar:
    """A_B = π/4 (bore² − rod²), m²."""
    return piston_area(cylinder) - math.pi / 4.0 * cylinder.rod_diameter * cylinder.rod_diameter


def push(cylinder: Cylinder, p_A: Scalar, p_B: Scalar) -> Scalar:
    """p_A A_A − p_B A_B, N."""
    return p_A * piston_area(cylinder) - p_B * rod_area(cylinder)


def piston_chamber(cylinder: Cylinder, length: Scalar) -> Scalar:
    """Length of the chamber on the piston side, m."""
    return length - cylinder.closed


def rod_chamber(cylinder: Cylinder, length: Scalar) -> Scalar:
    """Length of the chamber on the rod side, m."""
    return cylinder.closed + cylinder.stroke - length


SIDES = {"piston": (1.0, piston_area, piston_chamber), "rod": (-1.0, rod_area, rod_chamber)}


def add_cylinder(network: Network, cylinder: Cylinder) -> None:
    """Add the link with its force, both chambers, and the friction of the seals with its states and energies."""
    m, name = network.model, cylinder.name
    own = declared(m, name, cylinder)

    def load(length: Any, rate: Any, p: Named) -> Any:
        return push(own(p), network.pressure(cylinder.piston, p), network.pressure(cylinder.rod, p))

    rubbing = add_seals(m, cylinder, load)

    @m.links[name]
    def tension(length: Any, rate: Any, p: Named) -> Any:
        return rubbing(length, rate, p) - load(length, rate, p)

    @m.signal(f"{name}.force", unit="N")
    def force(s: Motion, p: Named) -> Any:
        return -tension(s.length(name), s.rate(name), p)

    for side in SIDES:
        add_chamber(network, cylinder, own, side)


def add_seals(m: Model, cylinder: Cylinder, load: Law) -> Law:
    """Add the link of a cylinder with the friction F_μ (N) of its seals; returns the friction as a law."""
    if cylinder.friction is None:
        m.link(cylinder.name, cylinder.a, cylinder.b)
        return lambda length, rate, p: 0.0
    on_link(m, cylinder.name, cylinder.a, cylinder.b, seal_friction(cylinder), load=load)
    law: Law = m.links[cylinder.name].law  # type: ignore[assignment]
    return law


def seal_friction(cylinder: Cylinder) -> Friction:
    """The friction law that a cylinder's data describe."""
    laws = {kind.__name__: kind for kind in FRICTION.values()}
    where = f"{cylinder.name}.friction"
    if cylinder.friction.law not in laws:
        cure = f"use {', '.join(laws)}"
        raise ModelError(f"unknown friction law '{cylinder.friction.law}'", element=where, cure=cure)
    try:
        return laws[cylinder.friction.law](**cylinder.friction.numbers)
    except TypeError as error:
        raise ModelError(f"{cylinder.friction.law}: {error}", element=where, cure="correct its numbers") from error


def add_chamber(network: Network, cylinder: Cylinder, own: Callable[[Named], Cylinder], side: str) -> None:
    """One chamber as a volume at its node. A run ends if the piston reaches the end."""
    name = cylinder.name
    sign, area, length = SIDES[side]

    def size(s: Motion, p: Named) -> Any:
        return area(own(p)) * length(own(p), s.length(name))

    def growth(s: Motion, p: Named) -> Any:
        return sign * area(own(p)) * s.rate(name)

    network.spaces.append(Space(cylinder.ports[side], size, growth, lambda p: own(p).wall))
    network.model.limit(f"{name}.{side}_chamber")(lambda s, p: length(own(p), s.length(name)))
