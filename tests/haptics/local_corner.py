"""The corner on the pantograph (thesis 4.22–4.24) with the scene behind a local model: between impulses and springs."""

from __future__ import annotations

from symbody.haptics.thesis_scenes.corner import METHODS as SCENES
from symbody.haptics.thesis_scenes.corner import PUSH, SECONDS, Corner, hardware, measured, peg, walls
from symbody.haptics.thesis_scenes.two_rate_testbed import METHODS, felt_through


def pushed_locally(method: str = "lm5", world_rate: float = 30.0, seconds: float = SECONDS) -> Corner:
    """The peg pushed into the corner; the hand feels the local model's impulses."""
    both = felt_through(
        METHODS[method], peg(), walls(), rendering=SCENES["impulse"], device=hardware(), world_rate=world_rate
    )
    return measured(both.run(seconds, PUSH))
