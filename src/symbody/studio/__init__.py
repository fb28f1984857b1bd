"""A running or recorded system in the browser: view, plots, live parameters, transport, and a hand that pulls."""

from symbody.studio.dial import Dial
from symbody.studio.live import Live
from symbody.studio.machine import Aim, Control, Grip, Hum, Machine, Particles, Ride, Struck, Terrain, Viewpoint
from symbody.studio.player import Player
from symbody.studio.server import Studio
from symbody.visual.scene import Cloud, HeightField

__all__ = [
    "Aim", "Cloud", "Control", "Dial", "Grip", "HeightField", "Hum", "Live", "Machine", "Particles", "Player", "Ride",
    "Struck", "Studio", "Terrain", "Viewpoint",
]  # fmt: skip
