"""The linkage at two rates: a slow world with a loose block, and the local model in the hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symbody.haptics.device import HapticDevice
from symbody.haptics.objects import HapticBody
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactModel, Rendering
from symbody.haptics.shapes import Shape, rectangle
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.packet_use import PacketUse
from symbody.haptics.two_rates.port import Port
from symbody.haptics.two_rates.remote_scene import RemoteScene
from symbody.haptics.two_rates.scene_world import EPSILON, SceneWorld
from symbody.haptics.two_rates.world_link import REMOTE
from symbody.haptics.two_rates.world_thread import WorldThread
from symbody.machines.linkage.arena import HAND, LINKS, RATE, linkage, obstacles, rendering, scripted_hand
from symbody.machines.linkage.enclosure import DAMPING, STIFFNESS

WORLD_RATE, WORLD_TICKS = 30.0, 960.0  # Hz, of packets and of the world's own ticks
LINE = Impairment(delay=0.02, jitter=0.005, loss=0.1)  # s, s, share: each way
BLOCK, BLOCK_MASS, BLOCK_AT = 0.018, 0.4, (-0.055, 0.035, 0.3)  # m; kg; m, m, rad


def block() -> HapticBody:
    """A loose block without friction or gravity."""
    return HapticBody("block", rectangle(BLOCK, BLOCK), BLOCK_MASS, BLOCK_MASS * BLOCK**2 / 6.0, BLOCK_AT)


def felt() -> Rendering:
    """That of the arena, with the walls of the enclosure."""
    return replace(rendering(), contact=ContactModel(stiffness=STIFFNESS, damping=DAMPING))


def world(epsilon: float = EPSILON) -> SceneWorld:
    """The linkage, which nobody holds, and the block between the walls."""
    made = felt()
    scene = HapticScene(
        [linkage(), block()], obstacles(), rate=WORLD_TICKS, rendering=Rendering(made.contact, made.friction)
    )
    return SceneWorld(scene, "arm", epsilon=epsilon)


def local_model(
    link: str = LINKS[-1],
    port: Port = REMOTE,
    rate: float = RATE,
    others: Sequence[HapticBody] = (),
    walls: Mapping[str, Shape] | None = None,
) -> LocalModel:
    """The linkage in the hand, held at the centre of mass of a link."""
    return LocalModel(
        linkage(), f"arm.{link}", rate=rate, rendering=felt(), device=HapticDevice(), hand=HAND,
        packets=PacketUse(kinematic=True, exact=True), port=port, others=others, walls=walls,
    )  # fmt: skip


def two_rates(link: str = LINKS[-1]) -> WorldThread:
    """World and local model of the linkage; they run when they are started.

    Parameters
    ----------
    link : str
        The link that is held at its centre of mass. Default "link3".

    Returns
    -------
    WorldThread
        With the link's delay and loss.

    Examples
    --------
    >>> from symbody.machines.linkage import two_rates
    >>> threads = two_rates()
    >>> threads.packets["taken"]
    0
    """
    return WorldThread(world(), local_model(link, others=[block()], walls=obstacles()), WORLD_RATE, LINE)


def remote() -> RemoteScene:
    """The same in two processes, held at any link."""
    return RemoteScene(
        "linkage", lambda _, epsilon: world(epsilon),
        lambda port, rate, hold: local_model(hold or LINKS[-1], port, rate), scripted_hand, felt().contact, holds=LINKS,
    )  # fmt: skip
