"""The action of a grand piano in its plane: key, whippen, jack, repetition lever, hammer and damper, with felts.

x points to the player, z up, and hinges turn about y: a pressed key turns forwards, and so does a rising hammer. All
dimensions are in `data.yaml`, at rest.
"""

from __future__ import annotations

import math
from typing import Any

from symbody.elements.attach import on_joint
from symbody.elements.element import Motion, Named
from symbody.elements.numbers import Scalar
from symbody.elements.planar_drawing import GRAM, MM, Drawing, add_planar_bodies, add_planar_contacts, planar_point
from symbody.elements.springs import Spring
from symbody.errors import ModelError
from symbody.expr.functions import clip, minimum
from symbody.files.package_data import package_data
from symbody.model.formula import Number
from symbody.model.model import Model

FRONT = 0.225  # m, from the balance rail to the finger
DIP = 9.5e-3  # m, of the front of a key that is pressed down
TRAVEL = (-2e-3, 12e-3)  # m, possible dips of the front, including the compression of its felts
LIGHT = {"whippen", "jack", "lever"}  # bodies whose masses are live
MISSING = {"double": set[str](), "single": {"lever"}}  # bodies that an escapement lacks


def model(escapement: str = "double", damper: bool = True) -> Model:
    """A grand-piano action with a driven key; `hammer_mass`, `let_off_height`, `drop_height` and all felts are live.

    `single` has no repetition lever, and its hammers rest on the rail. The force of the capstan is `capstan.load` (N),
    the effort of the key is `key.effort` (N m).
    """
    if escapement not in MISSING:
        raise ModelError("unknown escapement", element=str(escapement), cure=f"use {' or '.join(MISSING)}")
    missing = MISSING[escapement] | (set() if damper else {"damper"})
    drawn = drawing()
    bodies = {name: body for name, body in drawn["bodies"].items() if name not in missing}
    m = Model("piano")
    add_planar_bodies(m, bodies, "key", LIGHT)
    _add_head(m, drawn["head"], bodies)
    for name, spring in drawn["springs"].items():
        if name not in missing:
            wound = spring["torque"] / spring["stiffness"]
            on_joint(m, f"{name}_spring", name, Spring(spring["stiffness"], rest=-wound))
    heights: dict[str, Number] = {
        "let_off": m.parameter("let_off_height", 0.0, "m"),
        "drop_screw": m.parameter("drop_height", 0.0, "m"),
        "hammer_rest": m.parameter("rest_height", drawn["rest_height"][escapement] * MM, "m"),
    }
    contacts = drawn["contacts"].items()
    there = {name: one for name, one in contacts if not missing & {one["disc"][0], one["face"][0]}}
    add_planar_contacts(m, there, bodies, heights)
    _add_travel(m)
    m.trajectory("key")(struck)  # unless the input `key.q` moves it
    return m


def struck(t: Any, p: Any) -> Any:
    """Angle of the key (rad): pressed at 0.2 s within 50 ms, and released at 0.6 s within 80 ms.

    s² (3 − 2 s) of the share s of each time.
    """
    down, up = (clip((t - begin) / seconds, 0.0, 1.0) for begin, seconds in ((0.2, 0.05), (0.6, 0.08)))
    return math.asin(DIP / FRONT) * (down * down * (3.0 - 2.0 * down) - up * up * (3.0 - 2.0 * up))


def drawing() -> Drawing:
    """The data of `data.yaml` (mm, g, N, s)."""
    read: Drawing = package_data(__package__, "data.yaml")
    return read


def _add_head(m: Model, head: Drawing, bodies: Drawing) -> None:
    """The felt head, as a separate mass on the hammer."""
    mass = m.parameter("hammer_mass", head["mass"] * GRAM, "kg")
    m.body("head", planar_point(m, bodies, "hammer", "head", head["at"]), mass=mass)


def _add_travel(m: Model) -> None:
    """Add the dip of the front as a signal (m), and its bounds as a limit that ends a run."""
    front = m.bodies["key"].point("front", (FRONT, 0.0, 0.0))

    @m.signal("key.dip", unit="m")
    def dip(s: Motion, p: Named) -> Scalar:
        return -s.point(front.path).position[2]

    @m.limit("key.travel")
    def travel(s: Motion, p: Named) -> Scalar:
        return minimum(dip(s, p) - TRAVEL[0], TRAVEL[1] - dip(s, p))
