"""A running or recorded system in the browser: view, plots, live parameters, transport, and a hand that pulls."""

from symbody.studio.dial import Dial
from symbody.studio.live import Live
from symbody.studio.machine import Aim, Control, Grip, Hum, Machine, Ride, Struck, Viewpoint
from symbody.studio.player import Player
from symbody.studio.server import Studio

__all__ = [
    "Aim", "Control", "Dial", "Grip", "Hum", "Live", "Machine", "Player", "Ride", "Struck", "Studio", "Viewpoint",
]  # fmt: skip
