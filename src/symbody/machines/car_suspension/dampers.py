"""Hydraulic dampers of a car, separate or interconnected against roll, and a test rig.

Interconnected, each circuit joins the compression chambers of one side with the rebound chambers of the other, on both
axles, with an accumulator at each axle (the roll-resistant layout of Zhang, Smith and Jeyakumaran, Vehicle System
Dynamics 48, 2010). With the areas A_c and A_r and the compliance C = V/(n p) of one accumulator, the forces at slow
travels x of the struts are

    heave:  (A_c − A_r)² x/C, as with separate dampers;      roll:  (A_c + A_r)² x/C;      pitch, warp:  0,

because in pitch and warp the oil flows from one axle to the other. The inertia of the oil is neglected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symbody.expr.node import cos
from symbody.hydraulics.cylinder_drive import HOSE
from symbody.model.body import Joint
from symbody.model.circuit import Circuit
from symbody.model.law import Law
from symbody.model.model import Model
from symbody.vehicles.axles import FRONT, REAR
from symbody.vehicles.corner import HALVES, Half

AXLES = (FRONT, REAR)
SIDES = {"left": 1, "right": -1}
PHASES = ("compression", "rebound")
STROKE = 0.2  # m; the pistons start in the middle
DRAWN = 0.5  # m, of the rig's struts at the start
DEAD = 1e-5  # m³ of oil behind a piston at its end, and below the membrane of an accumulator
CROSS_END, ALONG = 8.5e-5, 3.05e-4  # m³: hoses of 12 mm, half of 1.5 m across the car and 2.7 m along it
MODES: dict[str, Callable[[Half], float]] = {  # sense of each strut's compression
    "heave": lambda half: 1.0,
    "roll": lambda half: float(half.side),
    "pitch": lambda half: 1.0 if half.axle is FRONT else -1.0,
    "warp": lambda half: half.side if half.axle is FRONT else -half.side,
}


def damper_parameters(m: Model) -> None:
    """Live parameters of the hydraulics, shared by all dampers."""
    # A tube of 36 mm and a rod of 16 mm are usual for monotube dampers of passenger cars. So are 20 bar at rest, which
    # prevent cavitation.
    m.parameter("bore", 0.036, "m")
    m.parameter("rod", 0.016, "m")
    m.parameter("charge", 2e6, "Pa")
    # Oil leaves a chamber through a bleed, and above some pressure also through a blow-off valve; it returns through
    # a check valve of 10 mm. At 0.1 m/s the mean of compression and rebound is 3.2 kN s/m, as of the plain dampers,
    # with the usual ratio of 1 : 2. At 1 m/s the forces are 1.1 and 2.3 kN, as in force diagrams of such dampers.
    for phase, bleed, opening, slope in (("compression", 6e-6, 3e5, 1.5e-9), ("rebound", 3.1e-6, 1e6, 4e-10)):
        m.parameter(f"bleed_{phase}", bleed, "m²")
        m.parameter(f"opening_{phase}", opening, "Pa")
        m.parameter(f"slope_{phase}", slope, "m³/(s Pa)")
    m.parameter("filling", 3e-6, "m³/(s √Pa)")
    # Hoses of 12 mm and 1.5 m lose about six velocity heads, equivalent to an orifice of 55 mm²; necks of 9 mm.
    m.parameter("hose_area", 5.5e-5, "m²")
    m.parameter("neck_area", 6e-5, "m²")
    # Membrane accumulators of a quarter of a litre, charged to half of the working pressure.
    m.parameter("gas", 2.5e-4, "m³")
    m.parameter("precharge", 1e6, "Pa")


def hydraulic_dampers(m: Model, interconnected: bool) -> Circuit:
    """Add cylinders in the struts CORNER.strut, between CORNER_tube and CORNER_piston, and the circuits between them.

    22 pressures are states: of 8 chambers, 8 ends of four hoses across the axles, 2 hoses along the car and 4
    accumulators. Separate dampers have 16: of 8 chambers, 4 passages between them and 4 accumulators.
    """
    damper_parameters(m)
    c = m.circuit("oil")
    for half in HALVES:
        _cylinder(m, c, half)
    if interconnected:
        for side in SIDES:
            _roll_circuit(c, side)
    else:
        for half in HALVES:
            _own_circuit(c, half)
    return c


def _cylinder(m: Model, c: Circuit, half: Half) -> None:
    """The cylinder of a strut: compression empties one chamber, rebound the chamber around the rod."""
    name = half.name
    ends = f"{name}_tube.origin", f"{name}_piston.origin"
    compression, rebound = (c.volume(f"{name}_{phase}", DEAD, start="charge") for phase in PHASES)
    length = next(-joint.q0[0] for joint in m.joints() if joint.name == f"{name}.strut")
    c.cylinder(f"{name}_damper", *ends, compression, rebound, "bore", "rod", closed=length - STROKE / 2, stroke=STROKE)


def _roll_circuit(c: Circuit, side: str) -> None:
    """Join the compression chambers of a side with the rebound chambers of the other."""
    along = c.volume(f"{side}_along", ALONG, HOSE, start="charge")
    for axle in AXLES:
        here, across = (Half(axle, sign * SIDES[side]).name for sign in (1, -1))
        near, far = (c.volume(f"{here}_{end}", CROSS_END, HOSE, start="charge") for end in ("near", "far"))
        _valve(c, f"{here}_compression", near)
        _valve(c, f"{across}_rebound", far)
        c.throttle(f"{here}_across", near, far, area="hose_area")
        c.throttle(f"{here}_along", near, along, area="hose_area")
        _accumulator(c, here, near)


def _own_circuit(c: Circuit, half: Half) -> None:
    """Join both chambers of a damper; the accumulator takes the oil that the rod displaces."""
    passage = c.volume(f"{half.name}_near", CROSS_END, HOSE, start="charge")
    for phase in PHASES:
        _valve(c, f"{half.name}_{phase}", passage)
    _accumulator(c, half.name, passage)


def _valve(c: Circuit, chamber: str, line: str) -> None:
    """From a chamber to its line through bleed and blow-off, back through bleed and check valve."""
    phase = chamber.rpartition("_")[2]
    c.throttle(f"{chamber}_bleed", chamber, line, area=f"bleed_{phase}")
    c.relief_valve(f"{chamber}_blow_off", chamber, line, opening=f"opening_{phase}", slope=f"slope_{phase}")
    c.check_valve(f"{chamber}_filling", line, chamber, cv="filling")


def _accumulator(c: Circuit, corner: str, line: str) -> None:
    """Add an accumulator at the end of a neck."""
    gas = c.volume(f"{corner}_gas", DEAD, start="charge")
    c.throttle(f"{corner}_neck", line, gas, area="neck_area")
    c.accumulator(f"{corner}_accumulator", gas, size="gas", precharge="precharge")


def damper_rig(interconnected: bool) -> Model:
    """Four dampers without a car, compressed by (1 − cos ωt)/2 times `heave`, `roll`, `pitch` and `warp` (m).

    Parameters
    ----------
    interconnected : bool
        Whether hoses connect the dampers, as in the car.

    Returns
    -------
    Model
        With these four as live parameters.

    Examples
    --------
    >>> from symbody.machines.car_suspension import damper_rig
    >>> rig = damper_rig(interconnected=True)
    >>> {"heave", "roll", "pitch", "warp"} <= set(rig.parameters)
    True
    """
    m = Model("damper-rig", gravity=(0.0, 0.0, 0.0))
    m.parameter("omega", 1.0, "rad/s")
    for mode in MODES:
        m.parameter(mode, 0.0, "m")
    for half in HALVES:
        tube = m.body(f"{half.name}_tube", m.ground.point(half.name, half.place(half.axle.strut_top)))
        m.body(f"{half.name}_piston", tube, [Joint(f"{half.name}.strut", "T3", "driven", q0=(-DRAWN,))], mass=1.0)
        m.trajectory(f"{half.name}.strut")(_travel(half))
    hydraulic_dampers(m, interconnected)
    return m


def _travel(half: Half) -> Law:
    def q(t: Any, p: Any) -> Any:
        """Position of the slide of a strut (m); −q is the length of the strut."""
        compressed = sum(sense(half) * p[mode] for mode, sense in MODES.items())
        return compressed * (1.0 - cos(p.omega * t)) / 2.0 - DRAWN

    return q
