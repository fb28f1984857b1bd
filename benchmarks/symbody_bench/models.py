"""The models of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi

from symbody import machines
from symbody.model.body import Body, Point
from symbody.model.model import Model

# KUKA LBR iiwa 14: lengths, masses, inertias as published in iiwa_description/urdf/iiwa14.xacro of
# github.com/IFL-CAMP/iiwa_stack (the same numbers as kuka_iiwa/model.urdf of github.com/bulletphysics/bullet3).
# The frames are ours: parallel to the base at q = 0, but turned by π about the vertical for links 4 and 5, whose
# axes point backwards; centres of mass and inertias are rotated accordingly.
_IIWA = (
    # axis  height  turned  mass   centre of mass             inertia about it
    ("R3", 0.1575, 0.0, 4.0, (0.0, -0.03, 0.12), (0.1, 0.09, 0.02)),
    ("R2", 0.2025, 0.0, 4.0, (-0.0003, 0.042, 0.059), (0.05, 0.044, 0.018)),
    ("R3", 0.2045, 0.0, 3.0, (0.0, 0.03, 0.13), (0.08, 0.075, 0.01)),
    ("R2", 0.2155, pi, 2.7, (0.0, 0.034, 0.067), (0.03, 0.029, 0.01)),
    ("R3", 0.1845, 0.0, 1.7, (0.0001, 0.021, 0.076), (0.02, 0.018, 0.005)),
    ("R2", 0.2155, pi, 1.8, (0.0, 0.0004, 0.0006), (0.005, 0.0047, 0.0036)),
    ("R3", 0.081, 0.0, 0.3, (0.0, 0.0, 0.02), (0.001, 0.001, 0.001)),
)
_FLANGE = 0.045  # above the last joint


def arm7() -> Model:
    """The seven-joint arm KUKA LBR iiwa 14."""
    model = Model("arm7")
    carrier = model.ground
    for number, (joint, height, turned, mass, com, inertia) in enumerate(_IIWA, start=1):
        seat = carrier.point("seat", (0.0, 0.0, height), (0.0, 0.0, turned))
        carrier = model.body(f"link{number}", seat, joint, mass, com, inertia)
    carrier.point("flange", (0.0, 0.0, _FLANGE))
    return model


def chain(n: int) -> Model:
    """A chain of n rods of 0.2 m and 1 kg along x, hinged in turn about y and z."""
    length, mass, radius = 0.2, 1.0, 0.01
    model = Model(f"chain{n}")
    seat: Point = model.ground["origin"]
    across = mass * (3 * radius**2 + length**2) / 12
    inertia = (mass * radius**2 / 2, across, across)
    for i in range(n):
        rod = model.body(f"rod{i + 1}", seat, "R2" if i % 2 == 0 else "R3", mass, (length / 2, 0.0, 0.0), inertia)
        seat = rod.point("tip", (length, 0.0, 0.0))
    return model


def humanoid30() -> Model:
    """A human-size robot: a free pelvis, and 24 hinges with a massive link each (legs 6, arms 5, torso 2)."""
    return _humanoid("humanoid30", "free")


def humanoid30_euler() -> Model:
    """The same with a pelvis on three slides and three hinges instead of a quaternion."""
    return _humanoid("humanoid30_euler", "T1 T2 T3 R3 R2 R1")


def mbs(path: str) -> Model:
    """The model of a file."""
    from symbody.files import load

    return load(path)


# x forward, y left, z up. Each row: name, joint, where it sits on the link before, mass, length below (or above) it.
# Lengths and masses are those of a person of 1.75 m and 75 kg, rounded; hip and shoulder have one drive per axis.
_LEG = (
    ("hip_yaw", "R3", (0.0, 0.09, -0.08), 1.2, -0.04),
    ("hip_roll", "R1", (0.0, 0.0, -0.04), 1.2, -0.04),
    ("thigh", "R2", (0.0, 0.0, -0.04), 7.0, -0.40),
    ("shin", "R2", (0.0, 0.0, -0.40), 3.3, -0.40),
    ("ankle", "R2", (0.0, 0.0, -0.40), 0.4, -0.03),
    ("foot", "R1", (0.0, 0.0, -0.03), 1.0, -0.06),
)
_ARM = (
    ("shoulder_pitch", "R2", (0.0, 0.18, 0.36), 0.9, -0.03),
    ("shoulder_roll", "R1", (0.0, 0.03, 0.0), 0.8, -0.05),
    ("upper_arm", "R3", (0.0, 0.0, -0.05), 1.8, -0.25),
    ("forearm", "R2", (0.0, 0.0, -0.25), 1.2, -0.24),
    ("hand", "R3", (0.0, 0.0, -0.24), 0.5, -0.16),
)
_TORSO = (
    ("waist", "R3", (0.0, 0.0, 0.10), 2.0, 0.08),
    ("trunk", "R2", (0.0, 0.0, 0.08), 26.0, 0.45),
)
_SLENDERNESS = 0.2  # radius over length of a link


def _humanoid(name: str, base: str) -> Model:
    model = Model(name)
    pelvis = model.body("pelvis", model.ground, base, 9.0, (-0.01, 0.0, 0.02), (0.07, 0.05, 0.06))
    for side, mirror in (("left", 1.0), ("right", -1.0)):
        _limb(model, pelvis, side, mirror, _LEG)
    trunk = _limb(model, pelvis, "", 1.0, _TORSO)
    for side, mirror in (("left", 1.0), ("right", -1.0)):
        _limb(model, trunk, side, mirror, _ARM)
    return model


def _limb(
    model: Model,
    carrier: Body,
    side: str,
    mirror: float,
    rows: Sequence[tuple[str, str, tuple[float, float, float], float, float]],
) -> Body:
    """Attach a row of links to a body; the right side is the left one mirrored."""
    for name, joint, (x, y, z), mass, length in rows:
        full = f"{side}_{name}" if side else name
        seat = carrier.point(f"to_{full}", (x, mirror * y, z))
        carrier = model.body(full, seat, joint, mass, _com(name, mirror, length), _cylinder(mass, length))
    return carrier


def _com(name: str, mirror: float, length: float) -> tuple[float, float, float]:
    """Half-way down the link; feet point forward, and the drives are slightly aside."""
    forward = 0.04 if name == "foot" else 0.0
    aside = 0.02 * mirror if name in ("hip_roll", "shoulder_pitch") else 0.0
    return forward, aside, length / 2


def _cylinder(mass: float, length: float) -> tuple[float, float, float]:
    radius = max(_SLENDERNESS * abs(length), 0.03)
    across = mass * (3 * radius**2 + length**2) / 12
    return across, across, mass * radius**2 / 2


NAMED: dict[str, Callable[[], Model]] = {
    "arm7": arm7,
    "humanoid30": humanoid30,
    "chain10": lambda: chain(10),
    "chain50": lambda: chain(50),
    "chain100": lambda: chain(100),
    "chain400": lambda: chain(400),
}
# Models with loops, for which other functions are measured; their laws are left out.
CLOSED: dict[str, Callable[[], Model]] = {
    "stewart": lambda: machines.open("stewart"),
    "quarter-car": lambda: machines.open("quarter-car"),
    "platform": lambda: machines.open("platform"),
}


def by_name(name: str) -> Model:
    """A model of the benchmark, or one from a file."""
    if name in NAMED or name in CLOSED:
        return (NAMED | CLOSED)[name]()
    if name.startswith("chain") and name[5:].isdigit():
        return chain(int(name[5:]))
    return mbs(name)
