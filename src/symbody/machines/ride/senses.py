"""What the passenger of the scene and that of the platform feel, as a stage of the ride; also angles that are drawn."""

from __future__ import annotations

from typing import Any

from symbody.expr.functions import atan2
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing.method import SCENE
from symbody.motion.data import POSE
from symbody.motion.filter_chain import Law
from symbody.motion.vestibular import Canal, Otolith, add_sense

TURNED = 0.4  # s: the yaw of a drawn head is this time its felt rate
EDGE = 0.6  # share of the lean that the skis of the dual-ski turn on their edges
SIDES = ("left", "right")


def senses() -> Model:
    """Inputs: `scene_x` … of the seat, `head_x` … of the sensor on the platform, `lean`.

    Signals: `scene.felt.x` … and `felt.x` …; `restored.x` …, the acceleration on the platform without that at rest;
    coordinates of the drawn heads and skis.
    """
    m = Model("senses")
    for name, unit in SCENE.items():
        m.input(name, 0.0, unit)
        m.input(_head(name), GRAVITY if name == "scene_z" else 0.0, unit)
    m.input("lean", 0.0, "rad")
    for place, prefix, of in (("scene.felt", "scene", _plain), ("felt", "felt", _on_platform)):
        felt: dict[str, Law] = {}
        for (name, unit), axis in zip(SCENE.items(), POSE, strict=True):
            organ = Otolith() if axis in POSE[:3] else Canal(gain=1.0)
            felt[axis] = add_sense(m, f"{prefix}_sense_{axis}", organ, of(name))
            m.signal(f"{place}.{axis}", unit=unit)(felt[axis])
        _add_head(m, prefix, felt)
    for (name, unit), axis in zip(SCENE.items(), POSE, strict=True):
        m.signal(f"restored.{axis}", unit=unit)(_on_platform(name))
    for side in SIDES:
        m.signal(f"edge_{side}.q")(lambda s, p: EDGE * p.lean)
    return m


def _head(name: str) -> str:
    return name.replace("scene_", "head_")


def _plain(name: str) -> Law:
    return lambda s, p: p[name]


def _on_platform(name: str) -> Law:
    """The specific force less that of a head at rest, or the turn rate."""
    rest = GRAVITY if name == "scene_z" else 0.0
    return lambda s, p: p[_head(name)] - rest


def _add_head(m: Model, prefix: str, felt: dict[str, Law]) -> None:
    """Coordinates of a drawn head: its vertical is the felt one, and it turns with the felt yaw rate."""

    def up(s: Any, p: Any) -> Any:
        return GRAVITY + felt["z"](s, p)

    m.signal(f"{prefix}_yaw.q")(lambda s, p: TURNED * felt["yaw"](s, p))
    m.signal(f"{prefix}_pitch.q")(lambda s, p: -atan2(felt["x"](s, p), up(s, p)))
    m.signal(f"{prefix}_roll.q")(lambda s, p: atan2(felt["y"](s, p), up(s, p)))
