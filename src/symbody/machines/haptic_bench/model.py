"""The peg of the bench as a model like any other: springs at its corners against wall and floor, a hand that pushes.

The bench itself is a haptic scene (`symbody.haptics`): this is its penalty method in the engine's own equations,
against which the scene's is tested.
"""

from __future__ import annotations

from typing import Any

from symbody.expr.functions import maximum
from symbody.haptics.settings import ContactModel
from symbody.haptics.thesis_scenes.corner import GAP, INERTIA, MASS, PEG, PUSH
from symbody.model.body import Joint
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY

SIDES = (-1.0, 1.0)


def model() -> Model:
    """The peg at rest before a corner; inputs push_x, push_y (N) and push_turn (N m) at its middle."""
    usual = ContactModel()
    m = Model("haptic-bench", gravity=(0.0, -GRAVITY, 0.0))
    m.parameter("stiffness", usual.stiffness, "N/m")
    m.parameter("damping", usual.damping, "N s/m")
    for name, value, unit in zip(("push_x", "push_y", "push_turn"), PUSH, ("N", "N", "N m"), strict=True):
        m.input(name, value, unit)
    joints = [Joint(f"peg_{axis}", kind) for axis, kind in (("x", "T1"), ("y", "T2"), ("turn", "R3"))]
    peg = m.body("peg", None, joints, MASS, inertia=(INERTIA, INERTIA, INERTIA))
    weight = GRAVITY * MASS  # a table carries it: the bench lies flat
    m.force_site("hand", peg)(lambda at, p: (p.push_x, p.push_y + weight, 0.0, 0.0, 0.0, p.push_turn))
    for k, (i, j) in enumerate((i, j) for i in SIDES for j in SIDES):
        corner = peg.point(f"corner{k + 1}", (i * PEG[0] / 2, j * PEG[1] / 2, 0.0))
        m.force_site(f"corner{k + 1}", corner)(corner_law)
    return m


def corner_law(at: Any, p: Any) -> tuple[Any, Any, Any]:
    """f_n = −K s − B v_n where a corner is inside a wall, never pulling."""
    wall = PEG[0] / 2 + GAP[0] - at.position[0]
    floor = at.position[1] + PEG[1] / 2 + GAP[1]
    from_wall = maximum(-p.stiffness * wall + p.damping * at.velocity[0], 0.0) * (wall < 0.0)
    from_floor = maximum(-p.stiffness * floor - p.damping * at.velocity[1], 0.0) * (floor < 0.0)
    return -from_wall, from_floor, 0.0
