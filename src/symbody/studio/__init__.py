"""A running or recorded system in the browser: view, plots, live parameters, transport, and a hand that pulls.

The package itself can be called: `sb.studio(model)` is `symbody.studio.studio(model)`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from symbody.late_modules import LatePackage, late_names

if TYPE_CHECKING:
    from symbody.studio.dial import Dial
    from symbody.studio.live import Live
    from symbody.studio.machine import (
        Aim,
        Companion,
        Control,
        Grip,
        Hum,
        Machine,
        Particles,
        Preset,
        Ride,
        Struck,
        Terrain,
        Viewpoint,
    )
    from symbody.studio.player import Player
    from symbody.studio.server import Studio
    from symbody.studio.show import studio
    from symbody.visual.scene import Cloud, HeightField

# The page is served before all of them are imported: nothing of a machine is needed for that.
_HOMES = {
    "studio.dial": "Dial",
    "studio.live": "Live",
    "studio.machine": "Aim Companion Control Grip Hum Machine Particles Preset Ride Struck Terrain Viewpoint",
    "studio.player": "Player",
    "studio.server": "Studio",
    "studio.show": "studio",
    "visual.scene": "Cloud HeightField",
}
late_names(__name__, _HOMES)

__all__ = [
    "Aim", "Cloud", "Companion", "Control", "Dial", "Grip", "HeightField", "Hum", "Live", "Machine", "Particles",
    "Player", "Preset", "Ride", "Struck", "Studio", "Terrain", "Viewpoint", "studio",
]  # fmt: skip


class _StudioPackage(LatePackage):
    """This package, which `sb.studio` is as soon as anything imports it."""

    def __call__(self, *arguments: Any, **options: Any) -> Studio:
        from symbody.studio.show import studio

        return studio(*arguments, **options)


sys.modules[__name__].__class__ = _StudioPackage
