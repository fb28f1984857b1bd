"""A running or recorded system in the browser: view, plots, live parameters, transport, and a hand that pulls.

The package itself can be called: `sb.studio(model)` is `symbody.studio.studio(model)`.
"""

import sys
from types import ModuleType
from typing import Any

from symbody.studio.dial import Dial
from symbody.studio.live import Live
from symbody.studio.machine import Aim, Control, Grip, Hum, Machine, Particles, Preset, Ride, Struck, Terrain, Viewpoint
from symbody.studio.player import Player
from symbody.studio.server import Studio
from symbody.studio.show import studio
from symbody.visual.scene import Cloud, HeightField

__all__ = [
    "Aim", "Cloud", "Control", "Dial", "Grip", "HeightField", "Hum", "Live", "Machine", "Particles", "Player", "Preset",
    "Ride", "Struck", "Studio", "Terrain", "Viewpoint", "studio",
]  # fmt: skip


class _StudioPackage(ModuleType):
    """This package, which `sb.studio` is as soon as anything imports it."""

    def __call__(self, *arguments: Any, **options: Any) -> Studio:
        return studio(*arguments, **options)


sys.modules[__name__].__class__ = _StudioPackage
