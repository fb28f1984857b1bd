"""Six hinges on the edges of a cube (Bricard): by its count of equations it is rigid, yet it moves."""

from __future__ import annotations

from symbody.model.body import Joint
from symbody.model.model import Model

STUDIO = {
    "start": "Turn one hinge with its slider: all six move together. By their count of equations none could move.",
    "strokes": {"rod1": 0.8},
    "labels": {"target_rod1": "First hinge"},
}

# Problem A04 of the IFToMM library of benchmarks: rods of 1 m with a square section of 0.1 m, 1 kg each. Each row: the
# rod's way along the cube and the hinge at its beginning; the sixth hinge, about axis 1, closes the loop.
_RODS = (((1, 0, 0), "R2"), ((0, -1, 0), "R3"), ((0, 0, 1), "R1"), ((-1, 0, 0), "R2"), ((0, 1, 0), "R3"))
_MASS = 1.0  # kg
_LENGTH = 1.0  # m
_SECTION = 0.1  # m


def model() -> Model:
    """Five rods and six hinges along the edges of a cube; one equation of its loop is redundant (benchmark A04)."""
    m = Model("bricard", gravity=(0.0, -9.81, 0.0))
    on = m.ground["origin"]
    across, along = _MASS * (_LENGTH**2 + _SECTION**2) / 12, _MASS * _SECTION**2 / 6
    for i, (way, hinge) in enumerate(_RODS, start=1):
        inertia = [along if x else across for x in way]
        nature = "independent" if i == 1 else "dependent"
        rod = m.body(f"rod{i}", on, [Joint(f"rod{i}", hinge, nature)], _MASS, [_LENGTH / 2 * x for x in way], inertia)
        on = rod.point("end", [_LENGTH * x for x in way])
    m.cut("hinge6", "revolute", on, m.ground.point("P6", (0.0, 0.0, _LENGTH)), axis=1)
    m.sensor("P3", "rod2.end", ("position",))
    return m
