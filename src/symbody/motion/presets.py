"""Platforms that a user names: the built-in one, a YAML file, or a hexapod of the catalogue of envelopes.

The catalogue prints ranges, speeds and accelerations, but no geometry. The hexapod of a catalogue entry is the built-in
one without its table, larger by a factor s so that it reaches the printed range: lengths grow by s, masses and dry
friction by s³, inertias by s⁵, viscous friction by s². Its drives are chosen for the printed speeds and accelerations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from symbody.errors import ModelError
from symbody.motion.built_in_platform import platform_data
from symbody.motion.data import FIXED, POSE, TURNS, DirectionalFriction, Inertial, PlatformData, load_platform
from symbody.motion.drives import leg_speed
from symbody.motion.envelopes import Envelope, envelope, envelopes

FASTER = 1.6  # speed of the legs by the largest speed of the platform: legs also turn it
STRONGER = 1.5  # force of the drives: accelerations of up to half of gravity


def named_platform(text: str | None) -> PlatformData:
    """The built-in platform (None), that of a YAML file, or the hexapod of an entry of the catalogue."""
    if text is None:
        return platform_data()
    if text in envelopes():
        return catalogue_hexapod(envelope(text))
    return load_platform(Path(text))


def catalogue_hexapod(found: Envelope) -> PlatformData:
    """A hexapod on the ground with the ranges, speeds and accelerations of a catalogue entry; refuses one with gaps."""
    built, limits = platform_data(), found.limits
    printed = found.reach is not None and found.turn is not None and all(found.speed) and all(found.acceleration)
    if not printed or not (all(found.turn_speed) and all(found.turn_acceleration)):
        cure = "use Renault, or write a YAML file with your own numbers"
        raise ModelError("the catalogue does not print all of its limits", element=found.name, cure=cure)
    half = {axis: 0.5 * (built.limits[axis].high - built.limits[axis].low) for axis in POSE}
    for axis in TURNS:
        if limits[axis].high > half[axis]:
            problem = f"{axis} is larger than that of the built-in geometry"
            raise ModelError(problem, element=found.name, cure="write a YAML file with your own geometry")
    s = max(limits[axis].high / half[axis] for axis in ("x", "y", "z"))
    height = s * built.neutral_height
    z = limits["z"]
    motor, leg = built.drives["motor"], built.drives["leg"]
    quicker = FASTER * max(limits[axis].speed for axis in ("x", "y", "z")) / leg_speed(built)
    drives: dict[str, Mapping[str, float]] = {
        **built.drives,
        "motor": {**motor, "torque": STRONGER * s**3 * quicker * motor["torque"]},
        "leg": {**leg, "radius": quicker * leg["radius"]},
    }
    nothing = Inertial(0.0, (0.0, 0.0, 0.0), 6 * (0.0,))
    return replace(
        built,
        feet=s * built.feet,
        tops=s * built.tops,
        neutral_height=height,
        bodies={name: nothing if name.startswith("table") else _larger(body, s) for name, body in built.bodies.items()},
        friction={name: _rougher(law, 0.0 if name.startswith("table") else s) for name, law in built.friction.items()},
        limits={
            **dict.fromkeys(built.limits, FIXED),
            **{axis: limits[axis] for axis in POSE},
            "z": replace(z, low=height + z.low, high=height + z.high),
        },
        legs=replace(
            built.legs, shortest=s * built.legs.shortest, longest=s * built.legs.longest, radius=s * built.legs.radius
        ),
        payload=s**2 * built.payload,
        drives=drives,
    )


def _larger(body: Inertial, s: float) -> Inertial:
    """A body of the same density, larger by s."""
    x, y, z = body.com
    a, b, c, d, e, f = (s**5 * moment for moment in body.inertia)
    return Inertial(s**3 * body.mass, (s * x, s * y, s * z), (a, b, c, d, e, f))


def _rougher(law: DirectionalFriction, s: float) -> DirectionalFriction:
    """Friction of a drive that is larger by s."""
    dry, viscous = ([s**power * x for x in pair] for power, pair in ((3, law.dry), (2, law.viscous)))
    return DirectionalFriction(dry[0], dry[1], viscous[0], viscous[1], law.v0)
