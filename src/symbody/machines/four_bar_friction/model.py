"""A four-bar linkage tilted by a cylinder whose seals have friction: the example of Jaiswal's Publication II."""

from __future__ import annotations

from symbody.elements.friction import Friction
from symbody.hydraulics.tilted_four_bar import SEALS, tilted_four_bar
from symbody.model.model import Model


def model(seals: str | Friction = SEALS[0]) -> Model:
    """The linkage with a friction law of the seals; the input `U_ref` (V) moves the valve."""
    return tilted_four_bar(seals)
