# Written by tests/stubs.py from the table in __init__.py.
from symbody.studio.appearance import Trail, Viewpoint
from symbody.studio.application import StudioApplication
from symbody.studio.balls import Balls
from symbody.studio.cameras import Chase, Fixed, Orbit, Ride
from symbody.studio.charts import Chart, chart_content, chart_series
from symbody.studio.dial import Dial
from symbody.studio.gallery import GalleryCard, gallery_server
from symbody.studio.gauges import Gauge, Lamp, Map, Notice
from symbody.studio.landscape import Landscape
from symbody.studio.launch import studio
from symbody.studio.live import Live
from symbody.studio.machine import (
    Aim,
    ChangingSurface,
    Companion,
    Control,
    Grip,
    Hum,
    Instruction,
    Machine,
    Particles,
    Preset,
    Struck,
)
from symbody.studio.machine_pages import Board, Form, FormField, MachinePage, MachineVerb
from symbody.studio.player import Player
from symbody.studio.server import Studio
from symbody.studio.soil_view import soil_view
from symbody.visual.scene import Cloud, HeightField, Look

__all__ = [
    "Aim",
    "Balls",
    "Board",
    "ChangingSurface",
    "Chart",
    "Chase",
    "Cloud",
    "Companion",
    "Control",
    "Dial",
    "Fixed",
    "Form",
    "FormField",
    "GalleryCard",
    "Gauge",
    "Grip",
    "HeightField",
    "Hum",
    "Instruction",
    "Lamp",
    "Landscape",
    "Live",
    "Look",
    "Machine",
    "MachinePage",
    "MachineVerb",
    "Map",
    "Notice",
    "Orbit",
    "Particles",
    "Player",
    "Preset",
    "Ride",
    "Struck",
    "Studio",
    "StudioApplication",
    "Trail",
    "Viewpoint",
    "chart_content",
    "chart_series",
    "gallery_server",
    "soil_view",
    "studio",
]
