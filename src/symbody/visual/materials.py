"""Materials of looks by name; the page draws each with patterns of its own (`frontend/src/view/finishes.ts`)."""

from __future__ import annotations

from typing import Literal, get_args

from symbody.errors import ModelError

Material = Literal[
    "paint", "steel", "rubber", "wood", "felt", "snow", "soil", "glass", "plastic", "grass", "asphalt", "concrete"
]  # fmt: skip
Ground = Literal["", "grass", "snow", "soil", "asphalt", "concrete", "wood"]  # what a machine stands on; "": nothing
MATERIALS: tuple[Material, ...] = get_args(Material)
GROUNDS: tuple[Ground, ...] = get_args(Ground)
STEEL_ROLES = ("joint", "cut", "link", "mass", "point")  # roles of parts that are steel unless a look says otherwise


def check_material(name: str) -> None:
    """Raise ModelError if a look has an unknown material."""
    if name and name not in MATERIALS:
        raise ModelError("unknown material of a look", element=name[:40], cure=f"use {', '.join(MATERIALS)}")


def check_ground(name: str) -> None:
    """Raise ModelError if the ground is unknown."""
    if name not in GROUNDS:
        raise ModelError("unknown ground", element=name[:40], cure=f"use {', '.join(GROUNDS[1:])}, or an empty text")


def material_of(given: Material | None, role: str) -> Material:
    """The material of a part; without a given one, by its role."""
    return given or ("steel" if role in STEEL_ROLES else "paint")
