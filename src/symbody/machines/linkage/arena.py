"""The interactive linkage: its base in the middle of an enclosure with a post, any link in the hand."""

from __future__ import annotations

from math import cos, pi, sin

from symbody.haptics.device import HapticDevice, HapticHand
from symbody.haptics.objects import Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactFriction, ContactModel, Controller, Rendering, WrenchLimit
from symbody.haptics.shapes import Polygon, rectangle
from symbody.haptics.thesis_scenes.three_link import link_shape, three_link
from symbody.machines.linkage.enclosure import FOLDED, walls

RATE = 1000.0  # Hz
HALF = (0.09, 0.07)  # m, from the base to the walls
POST, POST_AT = 0.02, (-0.06, -0.045)  # m
STRONG = (
    60.0,
    60.0,
    4.0,
)  # N, N m, of the device; stretched towards a wall the linkage has an effective mass of a dozen kg
HAND = HapticHand((150.0, 150.0, 0.0), (20.0, 20.0, 0.01))  # an arm that lets the handle turn
LINKS = ("link1", "link2", "link3")


def obstacles() -> dict[str, Polygon]:
    """Walls and a post."""
    return walls(HALF) | {"post": rectangle(POST, POST, POST_AT)}


def linkage() -> Linkage:
    """The folded linkage; links 2 and 3 have contact."""
    return Linkage("arm", three_link(), {name: link_shape(k) for k, name in enumerate(LINKS, 1) if k > 1}, q=FOLDED)


def rendering() -> Rendering:
    """Friction with sticking, and a device with the inertia of the linkage, within its limits."""
    friction = ContactFriction("reset-integrator", damping=118.0)
    return Rendering(ContactModel(), friction, Controller(curving=True), WrenchLimit("spread", STRONG))


def scripted_hand(t: float) -> dict[str, float]:
    """Around, out to the walls and in again, through stretched and folded positions (m)."""
    r = 0.055 + 0.035 * sin(0.37 * t)
    return {"hand_x": r * cos(2 * pi * t / 9.0), "hand_y": 0.8 * r * sin(2 * pi * t / 9.0)}


def arena(link: str = LINKS[-1]) -> HapticScene:
    """The linkage between walls and post, in a hand.

    Parameters
    ----------
    link : str
        The link that is held at its centre of mass. Default "link3".

    Returns
    -------
    HapticScene
        At the rate of the device.

    Examples
    --------
    >>> from symbody.machines.linkage import arena
    >>> int(arena("link2").run(0.1)["rank"][-1])  # free directions of the device
    2
    """
    return HapticScene(
        [linkage()],
        obstacles(),
        tool=f"arm.{link}",
        rate=RATE,
        rendering=rendering(),
        device=HapticDevice(),
        hand=HAND,
    )
