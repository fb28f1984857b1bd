# Written by tests/stubs.py from the table in __init__.py.
from symbody.studio.application import StudioApplication
from symbody.studio.dial import Dial
from symbody.studio.gallery import GalleryCard, gallery_server
from symbody.studio.launch import studio
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
from symbody.visual.scene import Cloud, HeightField

__all__ = [
    "Aim",
    "Cloud",
    "Companion",
    "Control",
    "Dial",
    "GalleryCard",
    "Grip",
    "HeightField",
    "Hum",
    "Live",
    "Machine",
    "Particles",
    "Player",
    "Preset",
    "Ride",
    "Struck",
    "Studio",
    "StudioApplication",
    "Terrain",
    "Viewpoint",
    "gallery_server",
    "studio",
]
