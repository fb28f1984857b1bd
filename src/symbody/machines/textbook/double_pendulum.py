"""Two rods, one hanging from the other, in the plane of axes 1 and 3; the tip of the lower one can be pushed."""

from __future__ import annotations

from symbody.model.body import Joint
from symbody.model.formula import Formula
from symbody.model.model import Model

STUDIO = {
    "start": "Pull a rod and let it go: tiny differences soon grow.",
    "labels": {"L1": "Upper rod", "L2": "Lower rod", "m1": "Mass of the upper rod", "m2": "Mass of the lower rod"},
    "plots": ["shoulder.q", "elbow.q", ("shoulder.q", "elbow.q")],
}

_LENGTHS, _MASSES = (0.5, 0.4), (1.2, 0.8)  # m, kg
_ALONG = (2e-4, 1e-4)  # kg m², about the rods themselves


def model() -> Model:
    """An upper and a lower rod on hinges, released bent."""
    m = Model("double-pendulum")
    for what, values, unit in (("L", _LENGTHS, "m"), ("m", _MASSES, "kg")):
        for i, value in enumerate(values, start=1):
            m.parameter(f"{what}{i}", value, unit)
    on = m.ground.point("rail", (0.0, 0.0, 1.0))
    rods = (("upper", "shoulder", 0.4), ("lower", "elbow", -0.2))
    for i, ((name, joint, start), along) in enumerate(zip(rods, _ALONG, strict=True), start=1):
        across = Formula(f"m{i}*L{i}*L{i}/12")
        com = (0.0, 0.0, Formula(f"-L{i}/2"))
        rod = m.body(name, on, [Joint(joint, "R2", q0=(start,))], Formula(f"m{i}"), com, (across, across, along))
        on = rod.point("tip", (0.0, 0.0, Formula(f"-L{i}")))
    m.sensor("tip", on, ("position", "velocity"))
    return m
