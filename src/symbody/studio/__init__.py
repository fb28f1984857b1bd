"""A running or recorded system in the browser: view, plots, live parameters, transport, and a hand that pulls."""

from symbody.studio.live import Live
from symbody.studio.player import Player
from symbody.studio.server import Studio

__all__ = ["Live", "Player", "Studio"]
