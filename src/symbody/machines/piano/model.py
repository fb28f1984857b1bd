"""The action of a grand piano in its plane: key, whippen, jack, repetition lever, hammer and damper, with felts.

x points to the player, z up, and hinges turn about y: a pressed key turns forwards, and so does a rising hammer. All
dimensions are in `data.yaml`, at rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from symbody.elements.attach import on_joint
from symbody.elements.contact import sphere_on_segment
from symbody.elements.contact_laws import Contact, Felt, HuntCrossley
from symbody.elements.contact_shapes import Segment
from symbody.elements.element import Motion, Named
from symbody.elements.friction_static import Coulomb
from symbody.elements.numbers import Scalar
from symbody.elements.springs import Spring
from symbody.errors import ModelError
from symbody.expr.functions import clip, minimum
from symbody.model.body import GROUND, Body, Joint
from symbody.model.formula import Number
from symbody.model.model import Model

MM, GRAM, MS = 1e-3, 1e-3, 1e-3
FRONT = 0.225  # m, from the balance rail to the finger
DIP = 9.5e-3  # m, of the front of a key that is pressed down
TRAVEL = (-2e-3, 12e-3)  # m, possible dips of the front, including the compression of its felts
TURNING, SLIDING = 0.05, 5e-3  # rad/s, m/s: speed of full friction
LIGHT = {"whippen", "jack", "lever"}  # bodies whose masses are live
MISSING = {"double": set[str](), "single": {"lever"}}  # bodies that an escapement lacks

Data = Mapping[str, Any]
Place = Sequence[float]  # x, z (mm)


def model(escapement: str = "double", damper: bool = True) -> Model:
    """A grand-piano action with a driven key; `hammer_mass`, `let_off_height`, `drop_height` and all felts are live.

    `single` has no repetition lever, and its hammers rest on the rail. The force of the capstan is `capstan.load` (N),
    the effort of the key is `key.effort` (N m).
    """
    if escapement not in MISSING:
        raise ModelError("unknown escapement", element=str(escapement), cure=f"use {' or '.join(MISSING)}")
    missing = MISSING[escapement] | (set() if damper else {"damper"})
    drawn = drawing()
    hinges: dict[str, Place] = {GROUND: (0.0, 0.0)}
    m = Model("piano")
    for name, body in drawn["bodies"].items():
        if name not in missing:
            hinges[name] = body["hinge"]
            _add_body(m, name, body, hinges)
    _add_head(m, drawn["head"], hinges["hammer"])
    for name, spring in drawn["springs"].items():
        if name not in missing:
            wound = spring["torque"] / spring["stiffness"]
            on_joint(m, f"{name}_spring", name, Spring(spring["stiffness"], rest=-wound))
    heights: dict[str, Number] = {
        "let_off": m.parameter("let_off_height", 0.0, "m"),
        "drop_screw": m.parameter("drop_height", 0.0, "m"),
        "hammer_rest": m.parameter("rest_height", drawn["rest_height"][escapement] * MM, "m"),
    }
    for name, contact in drawn["contacts"].items():
        if not missing & {contact["disc"][0], contact["face"][0]}:
            _add_contact(m, name, contact, hinges, heights.get(name, 0.0))
    _add_travel(m)
    m.trajectory("key")(struck)  # unless the input `key.q` moves it
    return m


def struck(t: Any, p: Any) -> Any:
    """Angle of the key (rad): pressed at 0.2 s within 50 ms, and released at 0.6 s within 80 ms.

    s² (3 − 2 s) of the share s of each time.
    """
    down, up = (clip((t - begin) / seconds, 0.0, 1.0) for begin, seconds in ((0.2, 0.05), (0.6, 0.08)))
    return math.asin(DIP / FRONT) * (down * down * (3.0 - 2.0 * down) - up * up * (3.0 - 2.0 * up))


@cache
def drawing() -> Data:
    """The data of `data.yaml` (mm, g, N, s)."""
    read: Data = yaml.safe_load((files(__package__) / "data.yaml").read_text(encoding="utf-8"))
    return read


def _add_body(m: Model, name: str, body: Data, hinges: Mapping[str, Place]) -> None:
    """A body on its hinge, or with a slide (joint T3)."""
    carrier, kind = body["carrier"], body.get("joint", "R2")
    mass: Number = m.parameter(f"{name}_mass", body["mass"] * GRAM, "kg") if name in LIGHT else body["mass"] * GRAM
    limit = TURNING if kind == "R2" else SLIDING
    joint = Joint(name, kind, "driven" if name == "key" else "independent")
    centre = _from(hinges[name], body.get("centre", hinges[name]))
    about_y = mass * (body.get("gyration", 0.0) * MM) ** 2
    hinge = _owner(m, carrier).point(name, _from(hinges[carrier], hinges[name]))
    m.body(name, hinge, [joint], mass, centre, inertia=(0.0, about_y, about_y))
    if "friction" in body:
        on_joint(m, f"{name}_pin", name, Coulomb(Fc=body["friction"], v0=limit, sigma2=body.get("viscous", 0.0)))


def _add_head(m: Model, head: Data, hinge: Place) -> None:
    """The felt head, as a separate mass on the hammer."""
    mass = m.parameter("hammer_mass", head["mass"] * GRAM, "kg")
    m.body("head", m.bodies["hammer"].point("head", _from(hinge, head["at"])), mass=mass)


def _add_contact(m: Model, name: str, contact: Data, hinges: Mapping[str, Place], height: Number) -> None:
    """Contact of a disc with a straight face; the part on the ground is raised by a height (m)."""
    of_disc, middle, radius = contact["disc"]
    of_face, begin, end = contact["face"]
    x, y, z = _from(hinges[of_disc], middle)
    disc = _owner(m, of_disc).point(f"{name}_disc", (x, y, z + height if of_disc == GROUND else z))
    x, y, z = _from(hinges[of_face], begin)
    along = (end[0] - begin[0], end[1] - begin[1])
    turned = (0.0, -math.atan2(along[1], along[0]), 0.0)
    face = _owner(m, of_face).point(f"{name}_face", (x, y, z + height if of_face == GROUND else z), turned)
    rough = Coulomb(Fc=contact["rub"], v0=SLIDING, sigma2=0.0) if contact["rub"] else None
    bar = Segment(math.hypot(*along) * MM)
    sphere_on_segment(m, name, disc, radius * MM, face, bar, law=_law(contact), friction=rough)


def _law(contact: Data) -> Contact:
    """Felt with relaxation, or a pad with damping; both carry `load` at `depth` when pressed slowly."""
    exponent = contact["exponent"]
    stiffness = contact["load"] / (contact["depth"] * MM) ** exponent
    if "hysteresis" not in contact:
        return HuntCrossley(stiffness=stiffness, damping=contact["damping"], exponent=exponent)
    return Felt(
        stiffness=stiffness / (1.0 - contact["hysteresis"]),
        exponent=exponent,
        hysteresis=contact["hysteresis"],
        relaxation=contact["relaxation"] * MS,
    )


def _add_travel(m: Model) -> None:
    """Add the dip of the front as a signal (m), and its bounds as a limit that ends a run."""
    front = m.bodies["key"].point("front", (FRONT, 0.0, 0.0))

    @m.signal("key.dip", unit="m")
    def dip(s: Motion, p: Named) -> Scalar:
        return -s.point(front.path).position[2]

    @m.limit("key.travel")
    def travel(s: Motion, p: Named) -> Scalar:
        return minimum(dip(s, p) - TRAVEL[0], TRAVEL[1] - dip(s, p))


def _owner(m: Model, name: str) -> Body:
    return m.ground if name == GROUND else m.bodies[name]


def _from(hinge: Place, at: Place) -> tuple[float, float, float]:
    """A position of the drawing (mm) relative to a hinge (m)."""
    return (at[0] - hinge[0]) * MM, 0.0, (at[1] - hinge[1]) * MM
