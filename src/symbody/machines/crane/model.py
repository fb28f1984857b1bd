"""A loader crane of five tonne-metres on a fixed base, with slewing rack, lifting and folding cylinder, and a load."""

from __future__ import annotations

import math
from typing import Any

from symbody.elements.friction_static import BrownMcPhee
from symbody.hydraulics.beam import AXIS, beam
from symbody.hydraulics.cylinder_drive import BACK, HOSE, OIL, TANK, TUBE, VALVE
from symbody.model.body import Joint
from symbody.model.circuit import Circuit
from symbody.model.formula import Number
from symbody.model.model import Model

# Masses and lengths are those of box sections of high-strength steel that carry 5 t m (the classes of EN 12999), with
# lugs and cylinders: 60 kg/m for the inner boom, 45 kg/m for the jib, outreach 5 m.
COLUMN_MASS, COLUMN = 260.0, (0.45, 0.45, 1.6)  # kg, m
BOOM_LENGTH, BOOM_MASS = 2.3, 140.0  # m, kg
JIB_LENGTH, JIB_MASS = 2.5, 110.0  # m, kg
# Raised by 25°, folded down by 45°; the rope hangs plumb.
LIFT_START, FOLD_START = 25.0, -45.0  # degrees
LOAD_MASS, PALLET = 800.0, (1.2, 0.8, 0.9)  # kg; m: bricks on a pallet of 1.2 m x 0.8 m, 930 kg/m³ with their gaps
ROPE, HOOK_MASS = 1.2, 15.0  # m, kg
# Two racks on one pinion are the usual slewing gear of this class: 25 teeth of module 8 have the radius 0.1 m.
PINION = 0.1  # m
RACK_MASS, RACK = 25.0, (0.06, 0.9, 0.06)  # kg, m

# Loader cranes work at 20 MPa and more; bores and rods are standard ones (ISO 3320), closed lengths are strokes and the
# 0.2 m that piston, gland and eyes take. Slewing by 400° takes 0.7 m of rack.
SUPPLY = 20e6  # Pa
CYLINDERS = {  # pins, then bore, rod, closed length and stroke (m)
    "lift": ("column.lift_foot", "boom.lift_eye", 0.100, 0.056, 0.95, 0.75),
    "fold": ("boom.fold_foot", "jib.fold_eye", 0.090, 0.050, 0.88, 0.68),
    "slew": ("ground.slew_foot", "rack.eye", 0.080, 0.050, 0.95, 0.70),
}
HELD = {
    "lift": 12.17189e6,
    "fold": 11.09064e6,
    "slew": 2.132812e6,
}  # Pa on the piston sides, which hold it at the start
MAKE_UP = 1.0e-6  # m³/(s √Pa): 20 l/min at 1 bar
HOSES = 1.0e-4  # m³ on each side: 0.8 m of bore 12.5 mm
COMMANDS = {  # V over time (s), along straight lines: lifted, slewed, unfolded, lowered
    "lift": ((1.0, 1.5, 4.0, 4.5, 10.5, 11.0, 12.5, 13.0), (0.0, 6.0, 6.0, 0.0, 0.0, -3.0, -3.0, 0.0)),
    "slew": ((3.0, 5.5, 7.0, 9.5), (0.0, 2.2, 2.2, 0.0)),
    "fold": ((6.0, 6.5, 9.0, 9.5), (0.0, 4.0, 4.0, 0.0)),
}


def crane_mechanism() -> Model:
    """Column, boom, jib and load; the racks of the slewing gear as one body, geared to the column."""
    m = Model("crane")
    m.ground.point("slew_foot", (0.25, -1.3, 0.1))
    rail = m.ground.point("rail", (0.25, 0.0, 0.1))
    rack = m.body("rack", rail, [Joint("rack", "T2", "dependent")], RACK_MASS, inertia=box_inertia(RACK_MASS, RACK))
    rack.point("eye", (0.0, 0.0, 0.0))
    column = m.body(
        "column",
        joints=[Joint("slew", "R3")],
        mass=COLUMN_MASS,
        com=(0.0, 0.0, COLUMN[2] / 2),
        inertia=box_inertia(COLUMN_MASS, COLUMN),
    )
    column.point("lift_foot", (0.0, 0.2, 0.45))
    hinge = column.point("hinge", (0.0, 0.0, COLUMN[2]))
    boom = beam(m, "boom", hinge, LIFT_START, BOOM_LENGTH, BOOM_MASS, "independent")
    boom.point("lift_eye", (0.0, 0.6, -0.12))
    boom.point("fold_foot", (0.0, 1.1, -0.15))
    jib = beam(m, "jib", boom["tip"], FOLD_START, JIB_LENGTH, JIB_MASS, "independent")
    jib.point("fold_eye", (0.0, 0.35, -0.2))
    plumb = math.radians(-LIFT_START - FOLD_START)
    rope = [Joint("swing", f"R{AXIS}", q0=(plumb,)), Joint("sway", "R2")]
    hook = m.body("hook", jib["tip"], rope, HOOK_MASS, (0.0, 0.0, -ROPE), (0.1, 0.1, 0.1))
    eye = hook.point("eye", (0.0, 0.0, -ROPE))
    load = m.parameter("load_mass", LOAD_MASS, "kg", low=50.0, high=1000.0)
    m.body("load", eye, mass=load, com=(0.0, 0.0, -PALLET[2] / 2), inertia=box_inertia(load, PALLET))
    m.sensor("hook", eye, ("position",))

    @m.constraint("pinion")
    def pinion(s: Any, p: Any) -> Any:
        """The rack moves by the rolling length of the pinion."""
        return s.q["rack"] - PINION * s.q["slew"]

    return m


def model() -> Model:
    """The crane on its cylinders, each with a 4/3 valve: inputs `lift_command`, `fold_command`, `slew_command` (V)."""
    m = crane_mechanism()
    c = m.circuit("hydraulics", density=850.0, bulk=OIL)
    c.source("P", SUPPLY)
    c.tank("T", TANK)
    for name in CYLINDERS:
        _add_axis(c, name)
    return m


def box_inertia(mass: Number, sides: tuple[float, float, float]) -> tuple[Number, Number, Number]:
    """Moments of inertia m (b² + c²)/12 of a homogeneous box (kg, m) about its middle."""
    x, y, z = (side**2 for side in sides)
    return mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12


def _add_axis(c: Circuit, name: str) -> None:
    a, b, bore, rod_diameter, closed, stroke = CYLINDERS[name]
    piston = c.volume(f"{name}_piston", HOSES, HOSE, start=HELD[name])
    rod = c.volume(f"{name}_rod", HOSES, HOSE, start=BACK)
    c.valve(f"{name}_valve", "P", "T", piston, rod, cv=VALVE, command=f"{name}_command", lag=0.02)
    for node in (piston, rod):
        c.check_valve(f"{node}_make_up", "T", node, cv=MAKE_UP)
    c.cylinder(name, a, b, piston, rod, bore, rod_diameter, closed, stroke, TUBE, friction=BrownMcPhee())
