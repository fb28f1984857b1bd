"""A running or recorded system in the browser: 3-D view, plots, live parameters, transport, and bodies that are pulled.

The package itself can be called: `sb.studio(model)` is `symbody.studio.studio(model)`.

Examples
--------
A machine with controls, instruments, sounds, cameras and pages; it is compiled when the studio starts:

>>> import numpy as np
>>> import symbody as sb
>>> from dataclasses import dataclass
>>> from symbody.studio import Aim, Board, Chase, Companion, Control, Dial, Fixed, Form, FormField, Gauge, Grip, Hum
>>> from symbody.studio import Instruction, Lamp, Machine, MachinePage, MachineVerb, Map, Notice, Orbit, Preset, Ride
>>> from symbody.studio import Struck, Trail, Viewpoint
>>> s = sb.system(sb.machines.model("cart-pole"))
>>> push = Control("force", "Push", -10.0, 10.0, keys={"ArrowLeft": Aim(-10.0)}, grips=[Grip("cart", (1.0, 0.0, 0.0))])
>>> cameras = [Ride("Seat", "cart", (0.0, 0.0, 1.0)), Chase("Behind", "cart"), Orbit("Around", "cart"),
...            Fixed("Side", (0.0, -5.0, 1.0))]
>>> gauges = [Gauge("Speed", "x.qd", "round"), Lamp("Far", "x.q", (1.0, 9.0)),
...           Map("Place", "x.q", "x.q", (-2, -2, 2, 2)), Notice("x.q", {(1.0, 9.0): "Come back"})]
>>> @dataclass(frozen=True)
... class Enter:
...     name: str
>>> helpers: list[Companion] = []
>>> start = Instruction("Hold ← or → to push the cart.", touch="Move “Push” to push the cart.")
>>> machine = Machine(
...     "Balance", s, start=start, controls=[push], dials=[Dial("pole_mass", 0.1, 0.05, 0.5, "kg")],
...     presets=[Preset("Heavy", {"pole_mass": 0.5})],
...     sounds=[Struck("x.q", 1.0), Hum("x.qd", 2.0)], trails=[Trail("cart")], cameras=cameras, gauges=gauges,
...     view=Viewpoint(-90.0, 10.0), companions=helpers, verbs={"enter": MachineVerb(Enter, lambda message: None)},
...     pages=[MachinePage("Drive", boards=[Board("best", "Best", {"name": "Name"}, "name")],
...                        forms=[Form("enter", "Enter", [FormField("name", "Name")])])])

Sources, applications and servers; `start()` or `with` starts them:

>>> from symbody.studio import GalleryCard, Live, Player, Studio, StudioApplication, gallery_server
>>> live = Live(machine)
>>> played = Player(sb.simulate(s, until=0.1, dt=0.01))
>>> application = StudioApplication(played)
>>> server = Studio(played)
>>> gallery = gallery_server([GalleryCard("balance", "A cart and a pole", None, lambda: live)])

Grounds that change, and looks:

>>> from symbody.studio import Balls, ChangingSurface, Cloud, HeightField, Landscape, Look, Particles, soil_view
>>> from symbody.terrain import SOILS, HeightMap, Terrain
>>> surface = ChangingSurface(HeightField(0, (2, 2), (1.0, 1.0), (0.0, 0.0, 0.0), "#8a7f6a"), lambda: np.zeros((2, 2)))
>>> stones = Particles(Cloud(0, 10, 0.02, "#8a7f6a"), lambda: np.zeros((10, 3)))
>>> sizes, shades = np.linspace(0.5, 1.0, 10), np.full((10, 3), 140)
>>> pebbles = Particles(stones.cloud, lambda: Balls(np.zeros((10, 3)), sizes, shades))
>>> land: Landscape = Landscape.of(HeightMap(np.zeros((9, 9)), 10.0))
>>> plate = Look("box", np.eye(4), "#336699")
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
    "studio.appearance": "Trail Viewpoint",
    "studio.application": "StudioApplication",
    "studio.balls": "Balls",
    "studio.cameras": "Chase Fixed Orbit Ride",
    "studio.charts": "Chart chart_content chart_series",
    "studio.dial": "Dial",
    "studio.gallery": "GalleryCard gallery_server",
    "studio.gauges": "Gauge Lamp Map Notice",
    "studio.landscape": "Landscape",
    "studio.launch": "studio",
    "studio.live": "Live",
    "studio.machine": "Aim ChangingSurface Companion Control Grip Hum Instruction Machine Particles Preset Struck",
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
