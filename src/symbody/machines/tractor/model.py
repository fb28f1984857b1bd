"""A tractor with a front loader: 13 bodies and four wheels, three closed loops, two pairs of cylinders, a drive line.

Joints: a free frame (6 coordinates); cabin, front axle and cross tube are welded; three spatial loops, each of a hinge,
a universal joint, a ball joint and a cut hinge (6 coordinates, 5 equations): steering, parallel lift, bucket. With four
wheel spins these are 28 coordinates and 9 + 4 degrees of freedom (S. Jaiswal et al., LUT 2021, Publication IV).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from symbody.elements.attach import on_link
from symbody.elements.element import Motion, Named, account
from symbody.elements.friction_static import BrownMcPhee
from symbody.elements.numbers import Scalar
from symbody.elements.springs import BumpStop
from symbody.elements.tyre_bristle import BristleTyre
from symbody.expr.functions import clip, maximum, minimum
from symbody.files.package_data import package_data
from symbody.model.body import Body, Joint
from symbody.model.model import Model
from symbody.terrain.soil.material import soil_named
from symbody.terrain.soil.terrain import Terrain
from symbody.terrain.soil.tool_shape import ToolBox
from symbody.vehicles.chassis import chassis_joints, corner_name
from symbody.vehicles.drive_line import Diesel, DriveLine, drive_line

Data = Mapping[str, Any]
AXLES = ("front", "rear")
SIDES = (1, -1)  # left, right
WHEELS = tuple(corner_name(axle, side) for axle in AXLES for side in SIDES)
HELD = {"lift": 2.0e6, "tilt": 1.2e6}  # Pa on the piston sides, which hold the empty bucket
BACK = 1.0e6  # Pa on the rod sides at the start
STOP, STOP_STIFFNESS = 0.03, 6e6  # m before the end of a stroke; N/m
UNLOADED = 1.0  # V: below it the pump is partly unloaded
UNLOADING = 0.03  # s


def numbers() -> Data:
    """The numbers of `data.yaml` with their sources."""
    read: Data = package_data(__package__, "data.yaml")
    return read


def model() -> Model:
    """The tractor on a plane, with all inputs of its driver."""
    return tractor(ground())


def ground(seed: int = 0) -> Terrain:
    """Undulating sand with a heap ahead of the tractor, settled."""
    of = numbers()["ground"]
    (x0, y0), radius, height = of["heap"]["at"], of["heap"]["radius"], of["heap"]["height"]

    def heights(x: Any, y: Any) -> Any:
        waves = of["undulation"] * (np.sin(0.9 * x) * np.cos(0.7 * y) + np.sin(0.5 * y + 1.0) - np.sin(1.0))
        away = np.hypot(x - x0, 0.4 * (y - y0))
        return waves + np.clip(height * (1.0 - away / radius), 0.0, None)

    made = partial(
        Terrain, heights, of["spacing"], area=tuple(of["area"]), particles=of["particles"], seed=seed,
        particle_radius=of["particle_radius"],
        soil=replace(soil_named("sand"), elastic=of["elastic"], penetration=of["penetration"]),
    )  # fmt: skip
    x, y = np.meshgrid(*(made().start.x, made().start.y))
    poured = np.hypot(x - x0, 0.4 * (y - y0)) < radius
    return made(stiffness=np.where(poured, of["loose"], 1.0))


def tractor(soil: Terrain) -> Model:
    """The tractor on deforming ground: inputs of the driver, and those of the soil."""
    m = Model("tractor")
    frame = _bodies(m)
    _loader(m)
    _wheels(m, soil)
    soil.tool(m, "bucket", m.bodies["bucket"], bucket_boxes())
    _hydraulics(m)
    _drive(m)
    _steering(m)
    _sensors(m, frame)
    return m


# -- bodies ------------------------------------------------------------------------------------------------------------


def _bodies(m: Model) -> Body:
    """Frame, cabin, front axle, and the steering: pivots and tie rod."""
    start = numbers()["start"]
    m.parameter("speed", 0.0, "m/s")
    frame = _body(m, "frame", None, chassis_joints(x=start["x"], z=start["z"]))
    _body(m, "cabin", "frame", [])
    _body(m, "front_axle", "frame", [])
    _body(m, "pivot_left", "front_axle", [Joint("steer", "R3")])
    _body(m, "tie_rod", "pivot_left", _universal("tie_rod", "R3", "R1"))
    _body(m, "pivot_right", "tie_rod", _spherical("pivot_right", "R3", "R1", "R2"))
    _close(m, "steering", "front_axle.king_pin", "pivot_right.king_pin", 3)
    return frame


def _loader(m: Model) -> None:
    """Arm with cross tube, plate and levelling rod (parallel lift), rocker, coupler and bucket (tilt)."""
    _body(m, "arm", "frame", [Joint("lift", "R2", q0=(-0.04,))])
    _body(m, "cross_tube", "arm", [])
    _body(m, "plate", "arm", _universal("plate", "R2", "R1"))
    _body(m, "levelling_rod", "plate", _spherical("levelling_rod", "R2", "R1", "R3"))
    _close(m, "parallel_lift", "frame.rod_pin", "levelling_rod.pin", 2)
    _body(m, "rocker", "arm", [Joint("tilt", "R2", q0=(-0.35,))])
    _body(m, "coupler", "rocker", _universal("coupler", "R2", "R1"))
    _body(m, "bucket", "coupler", _spherical("bucket", "R2", "R1", "R3"))
    _close(m, "bucket_hinge", "arm.bucket_pin", "bucket.pin", 2)


def _body(m: Model, name: str, on: str | None, joints: list[Joint]) -> Body:
    of = numbers()["bodies"][name]
    place = m.bodies[on].point(name, tuple(of["at"])) if on else None
    return m.body(name, place, joints, of["mass"], tuple(of["com"]), box_inertia(of["mass"], of["box"]))


def _universal(name: str, first: str, second: str) -> list[Joint]:
    return [Joint(f"{name}_turn", first, "dependent"), Joint(f"{name}_lean", second, "dependent")]


def _spherical(name: str, *kinds: str) -> list[Joint]:
    words = ("turn", "lean", "twist")
    return [Joint(f"{name}_{word}", kind, "dependent") for word, kind in zip(words, kinds, strict=True)]


def _close(m: Model, name: str, a: str, b: str, axis: int) -> None:
    for path in (a, b):
        body, point = path.split(".")
        m.bodies[body].point(point, tuple(numbers()["points"][path]))
    m.cut(name, "revolute", a, b, axis=axis)


def box_inertia(mass: float, sides: tuple[float, float, float]) -> tuple[float, float, float]:
    """Moments of inertia m (b² + c²)/12 of a homogeneous box (kg, m) about its middle."""
    x, y, z = (side**2 for side in sides)
    return mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12


# -- wheels and bucket on the ground -----------------------------------------------------------------------------------


def _wheels(m: Model, soil: Terrain) -> None:
    """Four wheels with tyres: in front on the pivots, behind on the frame."""
    of, tyres = numbers()["wheels"], numbers()["tyres"]
    for axle in AXLES:
        size = of[axle]
        law = BristleTyre(radius=size["radius"], **tyres[axle], **tyres["both"])
        for side in SIDES:
            name = corner_name(axle, side)
            hub = _hub(m, axle, side, size["track"] / 2.0)
            spin = 0.6 * size["mass"] * size["radius"] ** 2
            turn = 0.5 * spin + size["mass"] * size["width"] ** 2 / 12.0
            wheel = m.body(name, hub, [Joint(f"{name}.spin", "R2")], size["mass"], inertia=(turn, spin, turn))
            soil.tyre(m, f"{name}_tyre", wheel, law, size["width"])


def _hub(m: Model, axle: str, side: int, half: float) -> Any:
    """The point that carries a wheel."""
    name = corner_name(axle, side)
    if axle == "rear":
        return m.bodies["frame"].point(name, (0.0, side * half, 0.0))
    bodies, points = numbers()["bodies"], numbers()["points"]
    out = half - bodies["pivot_left"]["at"][1]
    pin = (0.0, 0.0, 0.0) if side > 0 else points["pivot_right.king_pin"]
    carrier = m.bodies["pivot_left" if side > 0 else "pivot_right"]
    return carrier.point(name, (pin[0], pin[1] + side * out, pin[2]))


def bucket_boxes() -> list[ToolBox]:
    """Floor with its edge, back and two sides, in the frame of the bucket."""
    of = numbers()["tool"]
    (length, below), thick, wide, tall = of["floor"], of["plate"], of["width"], of["back"]
    middle = below + tall / 2.0
    side = ToolBox((0.75 * length, thick, 0.8 * tall), (0.375 * length, 0.0, below + 0.4 * tall))
    return [
        ToolBox((length, wide, thick), (length / 2.0, 0.0, below)),
        ToolBox((thick, wide, tall), (0.0, 0.0, middle)),
        *(ToolBox(side.size, (side.centre[0], y * (wide - thick) / 2.0, side.centre[2])) for y in SIDES),
    ]


# -- hydraulics --------------------------------------------------------------------------------------------------------


def _hydraulics(m: Model) -> None:
    """A pump on the engine, two 4/3 valves, and cylinders in pairs: inputs `lift_command`, `tilt_command` (V)."""
    of = numbers()["hydraulics"]
    m.state("pump_shaft", 0.0, scale=100.0)(lambda s, p: (p.engine_speed * demand(p) - p.pump_shaft) / UNLOADING)
    c = m.circuit("hydraulics", density=of["density"], bulk=of["oil"])
    c.tank("T", of["tank"])
    c.volume("P", of["pump_volume"], of["hose"])
    c.pump("pump", "T", "P", of["displacement"], 0.0, "pump_shaft", of["leakage"])
    c.relief_valve("relief", "P", "T", of["relief"], of["relief_slope"])
    for name, size in numbers()["cylinders"].items():
        piston = c.volume(f"{name}_piston", of["hoses"], of["hose"], HELD[name])
        rod = c.volume(f"{name}_rod", of["hoses"], of["hose"], BACK)
        c.valve(f"{name}_valve", "P", "T", piston, rod, cv=of["valve"], command=f"{name}_command", lag=of["lag"])
        for node in (piston, rod):
            c.check_valve(f"{node}_make_up", "T", node, cv=of["make_up"])
            c.relief_valve(f"{node}_shock", node, "T", 1.2 * of["relief"], of["relief_slope"])
        for side in SIDES:
            one = corner_name(name, side)
            a, b = (_pin(m, size[end], f"{one}_{end}", side * size["aside"]) for end in ("foot", "eye"))
            c.cylinder(
                one, a, b, piston, rod, size["bore"], size["rod"], size["closed"], size["stroke"], of["tube"],
                friction=BrownMcPhee(),
            )  # fmt: skip
            _stops(m, f"{one}_stop", a, b, size)


def demand(p: Named) -> Scalar:
    """Share of the pump's flow that the valves ask for: the pump is unloaded while no spool is moved."""
    asked = maximum(p.lift_command * p.lift_command, p.tilt_command * p.tilt_command)
    return minimum(asked / UNLOADED**2, 1.0)


def _pin(m: Model, place: tuple[str, tuple[float, float, float]], name: str, aside: float) -> str:
    body, at = place
    return m.bodies[body].point(name, (at[0], aside, at[2])).path


def _stops(m: Model, name: str, a: str, b: str, size: Data) -> None:
    """Cushions before both ends of a stroke."""
    ends = {"in": size["closed"] + STOP, "out": size["closed"] + size["stroke"] - STOP}
    for end, length in ends.items():
        stop = BumpStop(length, STOP_STIFFNESS, soft=STOP / 3.0, damping=2e4, above=end == "out")
        on_link(m, f"{name}_{end}", a, b, stop)


# -- drive line, steering, sensors -------------------------------------------------------------------------------------


def _drive(m: Model) -> None:
    """Diesel, clutch and gears on all wheels; the engine also drives the pump."""
    of, wheels = numbers()["drive_line"], numbers()["wheels"]
    geared = wheels["front"]["radius"] / wheels["rear"]["radius"]
    share = {"front": of["front"] * geared / 2.0, "rear": (1.0 - of["front"]) / 2.0}
    braked = {"front": of["brake"] / 2.0, "rear": of["brake"]}
    spins = {f"{corner_name(axle, side)}.spin": axle for axle in AXLES for side in SIDES}
    line = DriveLine(
        gears=of["gears"], ratios=of["ratios"], clutch=of["clutch"], slip=of["slip"],
        wheels={spin: share[axle] for spin, axle in spins.items()},
        brakes={spin: braked[axle] for spin, axle in spins.items()}, brake_slow=of["brake_slow"],
    )  # fmt: skip
    displacement, tank = numbers()["hydraulics"]["displacement"], numbers()["hydraulics"]["tank"]
    drive_line(m, Diesel(**numbers()["engine"]), line, lambda s, p: displacement * demand(p) * (p.P_p - tank))


def _steering(m: Model) -> None:
    """Hydrostatic steering: the wheels follow the input `steering` (rad, left is positive) at bounded speed."""
    of = numbers()["steering"]
    m.input("steering", 0.0, "rad", low=-of["largest"], high=of["largest"])
    rate = of["quickest"]
    m.state("steered")(
        lambda s, p: clip(10.0 * (clip(p.steering, -of["largest"], of["largest"]) - p.steered), -rate, rate)
    )
    m.coupling("steering_gear", "steer")(
        lambda s, p: of["stiffness"] * (p.steered - s.q["steer"]) - of["damping"] * s.qd["steer"]
    )
    account(
        m, "steering_gear",
        stored=lambda s, p: 0.5 * of["stiffness"] * (p.steered - s.q["steer"]) ** 2,
        dissipated=lambda s, p: of["damping"] * s.qd["steer"] ** 2,
    )  # fmt: skip


def _sensors(m: Model, frame: Body) -> None:
    """Virtual sensors of the instruments (Publication IV, table of the display)."""
    size, tank = numbers()["wheels"]["rear"], numbers()["engine"]["tank"]
    spins = [f"{corner_name('rear', side)}.spin" for side in SIDES]
    m.signal("tractor.speed", unit="m/s")(lambda s, p: size["radius"] * sum(s.qd[spin] for spin in spins) / 2.0)
    m.signal("fuel.share")(lambda s, p: 100.0 * p.fuel / tank)
    m.signal("gear.now")(lambda s, p: p.gear)
    m.signal("engine.rpm")(lambda s, p: p.engine_speed * 30.0 / np.pi)
    edge = m.bodies["bucket"].point("edge", (numbers()["tool"]["floor"][0], 0.0, numbers()["tool"]["floor"][1]))
    m.sensor("edge", edge, ("position",))
    m.sensor("seat", m.bodies["cabin"].point("seat", (0.0, 0.0, 0.6)), ("acceleration", "omega", "rotation"))

    @m.signal("bucket.height", unit="m")
    def height(s: Motion, p: Named) -> Scalar:
        """m from the lowest line of the wheels to the edge, upwards in the frame."""
        at, of_frame = s.point("bucket.edge"), s.point("frame.origin")
        up = [row[2] for row in of_frame.rotation]
        return sum(u * (a - b) for u, a, b in zip(up, at.position, of_frame.position, strict=True)) + size["radius"]

    @m.signal("bucket.tilt", unit="rad")
    def tilt(s: Motion, p: Named) -> Scalar:
        """rad, of the floor against the frame; positive: the edge points upwards."""
        return -(s.q["lift"] + s.q["tilt"] + s.q["coupler_turn"] + s.q["bucket_turn"])
