"""The bench at two rates: the walls in a slow world, the peg's local model in the hand."""

from __future__ import annotations

from symbody.haptics.device import HapticDevice
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import Rendering
from symbody.haptics.thesis_scenes.corner import peg
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.port import Port
from symbody.haptics.two_rates.remote_scene import RemoteScene
from symbody.haptics.two_rates.scene_world import SceneWorld
from symbody.machines.haptic_bench.arena import HAND, rendering, scripted_hand, walls

WORLD_TICKS = 960.0  # Hz, of the world itself


def world(epsilon: float) -> SceneWorld:
    """The peg, which nobody holds, between the walls."""
    felt = rendering()
    scene = HapticScene([peg()], walls(), rate=WORLD_TICKS, rendering=Rendering(felt.contact, felt.friction))
    return SceneWorld(scene, "peg", epsilon=epsilon)


def local_model(port: Port, rate: float) -> LocalModel:
    """The peg in the hand of the bench."""
    return LocalModel(peg(), rate=rate, rendering=rendering(), device=HapticDevice(), hand=HAND, port=port)


def remote() -> RemoteScene:
    """Both, for two processes."""
    return RemoteScene(
        "haptic-bench", lambda _, epsilon: world(epsilon), lambda port, rate, _: local_model(port, rate), scripted_hand,
        rendering().contact,
    )  # fmt: skip
