"""Shared by the studio pages of planar haptic scenes: a hand in the plane, a line about contact, and sounds."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from symbody.haptics.structures import STATES
from symbody.studio.machine import Aim, Channels, Control, Grip, Hum, Struck

SOUNDS = (Struck("haptic.strike", 60.0, pitch=520.0), Hum("haptic.rub", 0.3, kind="hiss", quiet=0.002))
FLOORS = {"haptic.depth": 1e-7}  # m: a smaller penetration is rounding
LABELS = {"haptic.wrench_x": "felt →", "haptic.wrench_y": "felt ↑", "haptic.depth": "penetration"}
MOST_TURN = 40.0  # degrees, of the view: edge-on, the parts of a flat scene cannot be seen
# Axis of the scene, label, keys for both directions, and the direction in the view.
_WAYS = (
    ("x", "Hand →", ("ArrowLeft", "ArrowRight"), (0.0, 1.0, 0.0)),
    ("y", "Hand ↑", ("ArrowDown", "ArrowUp"), (0.0, 0.0, 1.0)),
)


def hand_controls(
    reach: tuple[float, float], bodies: Sequence[str], rest: tuple[float, float] = (0.0, 0.0)
) -> list[Control]:
    """Controls for the target of the hand, x and y (m) within its reach; bodies: parts that the mouse can grip.

    When released, the hand stays at its target.
    """
    return [
        Control(
            f"hand_{axis}", label, -far, far, rest=at, unit="m", seconds=0.3, returns=False,
            keys={keys[0]: Aim(-far, 1.0), keys[1]: Aim(far, 1.0)}, grips=[Grip(body, slope) for body in bodies],
        )
        for (axis, label, keys, slope), far, at in zip(_WAYS, reach, rest, strict=True)
    ]  # fmt: skip


def contact_line(channels: Channels) -> str:
    """State of contact, number of contacts, and rendered force (N)."""
    state, count = STATES[round(channels["haptic.state"])], channels["haptic.contacts"]
    return f"{state}, {count:.0f} contacts, {hypot(channels['haptic.wrench_x'], channels['haptic.wrench_y']):.2f} N"
