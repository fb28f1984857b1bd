"""A 14 t excavator: undercarriage, two crawlers, upper carriage, boom, dipper, rocker, link and bucket.

Nine bodies, ten joints (eight of the tree, two that close loops) and eleven degrees of freedom: six of the
undercarriage, the rocking of the crawlers, slewing, boom, dipper and bucket. An equaliser bar makes the crawlers rock
in opposite directions (one equation), and rocker and link move the bucket (two equations). Six cylinders work in pairs
on boom, dipper and bucket. The counts are those of Jaiswal et al. (Pub. VI), whose measures are not printed: lengths
and masses are those of usual machines of this class.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import acos, atan2, cos, hypot, radians, sin
from typing import Any

from symbody.elements.element import Motion, Named
from symbody.elements.friction_static import BrownMcPhee
from symbody.elements.vectors import dot, length, minus, scaled
from symbody.expr.functions import absolute, maximum, tanh, where
from symbody.hydraulics.cylinder_drive import HOSE, OIL, TUBE
from symbody.machines.excavator.options import USUAL, parameters
from symbody.model.body import Body, Joint, Point
from symbody.model.formula import Formula, Number
from symbody.model.model import Model

AXIS = 2  # of all hinges of the arm; positive angles turn an arm down
HEIGHT = 0.45  # m, of the axles of the crawlers over the ground
SUNK = -0.078  # m: where the soil carries its weight
GAUGE = 1.0  # m, half the distance of the crawlers
CROWN = 0.55  # m, of the slewing ring over the axles
BOOM, DIPPER = 4.6, 2.5  # m
HINGE = (0.4, 0.0, 0.6)  # m, of the boom on the upper carriage
ROCKER, LINK, ROCKER_PIVOT = 0.50, 0.48, (-0.50, 0.03)  # m; x, z from the pin of the bucket
EYE = (-0.218, 0.311)  # m, x, z on the bucket: the link
START = {"boom": radians(-48.0), "dipper": radians(112.0), "bucket": radians(60.0)}
# pins, bore, rod, closed length and stroke (m) of the two cylinders of each function
CYLINDER_SHAPES: dict[str, tuple[Any, ...]] = {
    "boom": (0.110, 0.075, 1.20, 0.90),
    "bucket": (0.095, 0.065, 1.22, 0.86),
}
DIPPER_ROD, DIPPER_STROKE = 0.090, 1.02
PINS = {
    "boom": (("upper", (0.90, 0.35, 0.15)), ("boom", (1.70, 0.35, 0.35))),
    "dipper": (("boom", (2.60, 0.15, 0.70)), ("dipper", (-0.60, 0.15, 0.15))),
    "bucket": (("dipper", (0.45, 0.12, 0.40)), ("rocker", (ROCKER, 0.12, 0.0))),
}
# Pa, which the pump and, for the dipper, a reducing valve hold: digging with the dipper must not lift the machine
SUPPLIES = {"boom": 18e6, "dipper": 12e6, "bucket": 18e6}
SUPPLY = max(SUPPLIES.values())
VALVES = {"boom": 1.1e-7, "dipper": 2.6e-7, "bucket": 1.2e-7}  # m³/(s V √Pa)
LAG = 0.05  # s, of the spools
BACK_PRESSURE, MAKE_UP = 1.5e6, 1.8e-5  # Pa of the return line, which fills chambers that are pulled; m³/(s √Pa)
LAMINAR, TENSION = (
    8e5,
    -2e7,
)  # Pa: explicit steps of 1 ms are stable; peaks of the soil's force pull the oil
PORT_RELIEF, RELIEF_SLOPE = 28e6, 2e-9  # Pa, m³/(s Pa)
HOSES = 3.0e-3  # m³ on each side of a pair: 12 m of bore 18 mm
CUSHION, BUMPER, BUMPER_DAMPING = 0.04, 4e7, 4e5  # m, N/m, N s/m at the ends of a stroke
SLEW_SPEED, SLEW_TORQUE, SLEW_SOFT = 1.1, 6.5e4, 0.12  # rad/s at full command, N m, rad/s
FUNCTIONS = ("boom", "dipper", "bucket")
HELD = {  # Pa at the start, near the pressures that hold the arm
    "boom": {"piston": 9e6, "rod": 4e6},
    "dipper": {"piston": 4e6, "rod": 6.5e6},
    "bucket": {"piston": 4e6, "rod": 6e6},
}
CRAWLER_MASS, DIPPER_MASS = 1100.0, 520.0  # kg
FREE = {"x": "T1", "y": "T2", "z": "T3", "yaw": "R3", "pitch": "R2", "roll": "R1"}
UNITS = {"bucket_mass": "kg", "dipper_extra": "kg", "bucket_scale": ""} | {
    f"bucket_inertia_{axis}": "kg m²" for axis in "xyz"
}


def box(mass: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Moments of inertia of a homogeneous box (kg, m)."""
    return mass * (y * y + z * z) / 12.0, mass * (x * x + z * z) / 12.0, mass * (x * x + y * y) / 12.0


def rocker_angles(bucket: float) -> tuple[float, float]:
    """Angles (rad) of rocker and link for an angle of the bucket, by the triangle of the four-bar linkage."""
    x, z = EYE
    eye = x * cos(bucket) + z * sin(bucket), -x * sin(bucket) + z * cos(bucket)
    ax, az = ROCKER_PIVOT
    dx, dz = eye[0] - ax, eye[1] - az
    far = hypot(dx, dz)
    up = atan2(dz, dx) + acos((ROCKER**2 + far**2 - LINK**2) / (2.0 * ROCKER * far))  # of the rocker, z up
    cx, cz = ax + ROCKER * cos(up), az + ROCKER * sin(up)
    along = atan2(eye[1] - cz, eye[0] - cx)
    return -up, up - along


def model(option: str = USUAL) -> Model:
    """The excavator without ground: inputs of its valves (V) and of slewing (−1 to 1)."""
    m = Model("excavator")
    chosen = {name: m.parameter(name, value, UNITS.get(name, "m")) for name, value in parameters(option).items()}
    base = _undercarriage(m)
    upper = m.body("upper", base["ring"], [Joint("slew", "R3")], 6200.0, (-0.75, 0.0, 0.6), box(6200.0, 3.4, 2.4, 1.2))
    upper.point("centre", (0.0, 0.0, 0.5))
    boom = _arm(m, "boom", upper.point("hinge", HINGE), BOOM, 1050.0)
    dipper = _arm(m, "dipper", boom["tip"], DIPPER, DIPPER_MASS + chosen["dipper_extra"])
    _add_bucket(m, dipper, chosen)
    _add_hydraulics(m, chosen)
    _add_slewing(m)
    m.sensor("bucket", "bucket.centre", ("position", "velocity"))

    @m.signal("reach", unit="m")
    def reach(s: Motion, p: Named) -> Any:
        """Distance (m) of the middle of the bucket from that of the upper carriage (Pub. VI)."""
        a, b = s.point("upper.centre").position, s.point("bucket.centre").position
        return sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5

    return m


def _undercarriage(m: Model) -> Body:
    stand = m.ground.point("stand", (0.0, 0.0, HEIGHT))
    free = [Joint(name, kind, q0=(SUNK if name == "z" else 0.0,)) for name, kind in FREE.items()]
    base = m.body("undercarriage", stand, free, 2600.0, (0.0, 0.0, 0.3), box(2600.0, 2.0, 1.6, 0.6))
    base.point("ring", (0.0, 0.0, CROWN))
    for side, y, nature in (("left", GAUGE, "independent"), ("right", -GAUGE, "dependent")):
        rock = Joint(f"{side}_rock", "R2", nature)
        pivot = base.point(f"{side}_pivot", (0.0, y, 0.0))
        m.body(f"{side}_crawler", pivot, [rock], CRAWLER_MASS, inertia=box(CRAWLER_MASS, 3.4, 0.5, 0.7))
    m.constraint("equaliser")(lambda s, p: s.q["left_rock"] + s.q["right_rock"])
    return base


def _arm(m: Model, name: str, on: Point, length: float, mass: Number) -> Body:
    """A beam along axis 1 of its frame, from its hinge to its point `tip`."""
    across = mass * (length**2 + 0.4**2) / 12.0
    inertia = (mass * (2.0 * 0.4**2) / 12.0, across, across)
    body = m.body(name, on, [Joint(name, "R2", q0=(START[name],))], mass, (length / 2, 0.0, 0.1), inertia)
    body.point("tip", (length, 0.0, 0.0))
    body.point("middle", (length / 2, 0.0, 0.1))
    return body


def _add_bucket(m: Model, dipper: Body, chosen: Mapping[str, Formula]) -> None:
    """Bucket, rocker and link; the bucket's centre is where its mass is."""
    middle = (0.55 * chosen["bucket_scale"], 0.0, 0.4 * chosen["bucket_scale"])
    inertia = tuple(chosen[f"bucket_inertia_{axis}"] for axis in "xyz")
    hinge = Joint("bucket", "R2", q0=(START["bucket"],))
    bucket = m.body("bucket", dipper["tip"], [hinge], chosen["bucket_mass"], middle, inertia)
    bucket.point("centre", middle)
    first, second = rocker_angles(START["bucket"])
    pivot = dipper.point("rocker_pivot", (DIPPER + ROCKER_PIVOT[0], 0.0, ROCKER_PIVOT[1]))
    half = (ROCKER / 2, 0.0, 0.0), (LINK / 2, 0.0, 0.0)
    joint = Joint("rocker", "R2", "dependent", (first,))
    rocker = m.body("rocker", pivot, [joint], 60.0, half[0], box(60.0, ROCKER, 0.3, 0.1))
    joint = Joint("link", "R2", "dependent", (second,))
    tip = rocker.point("tip", (ROCKER, 0.0, 0.0))
    link = m.body("link", tip, [joint], 50.0, half[1], box(50.0, LINK, 0.3, 0.1))
    end, eye = link.point("end", (LINK, 0.0, 0.0)), bucket.point("eye", (EYE[0], 0.0, EYE[1]))
    m.cut("bucket_loop", "planar-ball", end, eye, axis=AXIS)


def _add_hydraulics(m: Model, chosen: Mapping[str, Formula]) -> None:
    """A pump that holds its pressure, and for each function a 4/3 valve and two cylinders with cushions."""
    c = m.circuit("hydraulics", density=850.0, bulk=OIL, transition=LAMINAR, vapour=TENSION)
    for name, pressure in SUPPLIES.items():
        c.source(f"{name}_supply", pressure)
    c.tank("T", BACK_PRESSURE)
    shapes = CYLINDER_SHAPES | {"dipper": (chosen["dipper_bore"], DIPPER_ROD, chosen["dipper_closed"], DIPPER_STROKE)}
    for name in FUNCTIONS:
        piston, rod = (c.volume(f"{name}_{side}", HOSES, HOSE, start=start) for side, start in HELD[name].items())
        c.valve(f"{name}_valve", f"{name}_supply", "T", piston, rod, VALVES[name], f"{name}_command", LAG)
        bore, thick, closed, stroke = shapes[name]
        for side in (piston, rod):
            c.check_valve(f"{side}_make_up", "T", side, cv=MAKE_UP)
            c.relief_valve(f"{side}_relief", side, "T", PORT_RELIEF, RELIEF_SLOPE)
        for hand, sign in (("left", 1.0), ("right", -1.0)):
            foot, eye = (
                m.bodies[body].point(f"{name}_{hand}_{k}", (x, sign * y, z))
                for k, (body, (x, y, z)) in enumerate(PINS[name])
            )
            c.cylinder(f"{name}_{hand}", foot, eye, piston, rod, bore, thick, closed, stroke, TUBE, BrownMcPhee())
        _add_cushion(m, name, (foot, eye), closed, stroke)
    _add_power(m)


def _add_cushion(m: Model, name: str, ends: tuple[Point, Point], closed: Number, stroke: float) -> None:
    """Bumpers before both ends of the strokes, on the line of the last pair of pins."""

    @m.interaction(f"{name}_cushion", *ends)
    def push(a: Any, b: Any, p: Named) -> Any:
        way, v = minus(b.position, a.position), minus(b.velocity, a.velocity)
        far = length(way)
        shortest = (p[closed.text] if isinstance(closed, Formula) else closed) + CUSHION
        over, under = maximum(far - shortest - stroke + 2.0 * CUSHION, 0.0), maximum(shortest - far, 0.0)
        damping = BUMPER_DAMPING * tanh((over + under) / (0.1 * CUSHION)) * dot(v, way) / far
        return *scaled((BUMPER * (under - over) - damping) / far, way), 0.0, 0.0, 0.0


def _add_power(m: Model) -> None:
    """The signal `pump.power` (W): supply pressure × flow that the valves let in."""

    @m.signal("pump.power", unit="W")
    def power(s: Motion, p: Named) -> Any:
        flows: Any = 0.0
        for name in FUNCTIONS:
            spool = p[f"{name}_valve_spool"]
            into = where(spool > 0.0, p[f"{name}_piston_p"], p[f"{name}_rod_p"])
            flows = flows + VALVES[name] * absolute(spool) * maximum(SUPPLIES[name] - into, 0.0) ** 0.5
        slewing = absolute(slew_torque(s, p) * s.qd["slew"])
        return SUPPLY * flows + slewing


def slew_torque(s: Motion, p: Named) -> Any:
    """Torque (N m) of the slewing motor: it saturates, and its speed follows the command."""
    return SLEW_TORQUE * tanh((SLEW_SPEED * p["slew_command"] - s.qd["slew"]) / SLEW_SOFT)


def _add_slewing(m: Model) -> None:
    m.input("slew_command", 0.0, "")
    m.coupling("slewing", "slew")(lambda s, p: [slew_torque(s, p)])
