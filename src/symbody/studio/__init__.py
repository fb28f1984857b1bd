"""A running or recorded system in the browser: 3-D view, plots, live parameters, transport, and bodies that are pulled.

The package itself can be called: `sb.studio(model)` is `symbody.studio.studio(model)`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from symbody.lazy_imports import LazyPackage, lazy_names

if TYPE_CHECKING:
    from symbody.studio.server import Studio

# The server sends its page before a machine is imported. Type checkers read __init__.pyi, which tests/stubs.py writes
# from this table.
_NAMES = {
    "studio.application": "StudioApplication",
    "studio.cameras": "Chase Fixed Orbit Ride",
    "studio.charts": "Chart chart_content chart_series",
    "studio.dial": "Dial",
    "studio.gallery": "GalleryCard gallery_server",
    "studio.gauges": "Gauge Lamp Map Notice",
    "studio.landscape": "Landscape",
    "studio.launch": "studio",
    "studio.live": "Live",
    "studio.machine": "Aim ChangingSurface Companion Control Grip Hum Machine Particles Preset Struck Trail Viewpoint",
    "studio.machine_pages": "Board Form FormField MachinePage MachineVerb",
    "studio.player": "Player",
    "studio.server": "Studio",
    "studio.soil_view": "soil_view",
    "visual.scene": "Cloud HeightField Look",
}

__all__ = lazy_names(__name__, _NAMES)


class _StudioPackage(LazyPackage):
    """This package, which can be called."""

    def __call__(self, *arguments: Any, **options: Any) -> Studio:
        from symbody.studio.launch import studio

        return studio(*arguments, **options)


sys.modules[__name__].__class__ = _StudioPackage
