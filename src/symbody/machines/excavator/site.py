"""The building site: gravel on deformable ground, crawlers and bucket in contact with it, and the hopper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symbody.machines.excavator.model import model
from symbody.machines.excavator.obstacles import FLOOR, INSIDE, PLACE, RIM, WALL, add_obstacles, hopper_centre
from symbody.machines.excavator.options import BUCKETS, USUAL, chosen, parameters
from symbody.model.formula import Formula
from symbody.realtime.chain import Chain, Stage
from symbody.system.system import System
from symbody.terrain.crawler import add_crawler
from symbody.terrain.soil.material import Soil
from symbody.terrain.soil.terrain import Terrain
from symbody.terrain.soil.tool_shape import ToolBox

TICK = 1e-3  # s
AREA, CELL = (-6.0, -6.0, 11.0, 10.0), 0.2  # m
HEAP = (6.2, 0.0), 1.3, 1.9  # m: middle, height and width of the gravel
GRAVEL = Soil(friction=0.65, cohesion=300.0, particle_friction=0.8, rolling_friction=0.5)
GRAIN, GRAINS = 0.09, 900  # m, radius of a particle; how many at a time
PITCH = 0.14  # m, between force points of the large bucket
WHEELS, WHEEL, BELT, BELT_LAG = (-1.35, -0.45, 0.45, 1.35), 0.45, 0.5, 0.2  # m, m, m, s
COMMANDS = ("boom_command", "dipper_command", "bucket_command", "slew_command", "left_speed", "right_speed")
OUTPUTS = (
    "*.q",
    "*.qd",
    "*_p",
    "reach",
    "pump.power",
    "*.hit",
    "*.belt_speed",
    "bucket.*",
    "*.wrench.*",
    "*.spin.*",
    "operator.*",
)


@dataclass(frozen=True)
class Site:
    """Ground, system and the chain of both, for one choice of options; `choose` changes it."""

    ground: Terrain
    system: System
    chain: Chain

    def choose(self, option: str) -> None:
        """Set bucket and dipper cylinder, before a start."""
        bucket, _ = chosen(option)
        for name, value in parameters(option).items():
            self.system.parameters[name] = value
        self.ground.reshape_tool("digging", bucket.boxes, PITCH * bucket.scale)


def heights(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Level ground with a heap of gravel before the excavator (m)."""
    (x0, y0), high, wide = HEAP
    return high * np.exp(-(((x - x0) / wide) ** 2 + ((y - y0) / (1.6 * wide)) ** 2))


def hopper_boxes() -> list[ToolBox]:
    """Floor and four walls, around the middle of the floor."""
    out, tall = INSIDE / 2 + WALL / 2, RIM - FLOOR
    walls = [((WALL, INSIDE, tall), (s * out, 0.0, tall / 2)) for s in (-1, 1)]
    walls += [((INSIDE, WALL, tall), (0.0, s * out, tall / 2)) for s in (-1, 1)]
    return [ToolBox((INSIDE, INSIDE, WALL), (0.0, 0.0, -WALL / 2)), *(ToolBox(*wall) for wall in walls)]


def site(option: str = USUAL, seed: int = 0, outputs: Sequence[str] = OUTPUTS) -> Site:
    """An excavator on its site; the seed is that of the places of new particles."""
    ground = Terrain(heights, CELL, area=AREA, soil=GRAVEL, particles=GRAINS, particle_radius=GRAIN, seed=seed)
    m = model()
    belts: dict[str, str] = {}
    for side in ("left", "right"):
        belts |= add_crawler(m, ground, side, m.bodies[f"{side}_crawler"], WHEELS, WHEEL, BELT, BELT_LAG)
    ground.tool(m, "digging", "bucket", BUCKETS["L"].boxes, PITCH)
    middle = m.ground.point("hopper", (*hopper_centre(), FLOOR), (0.0, 0.0, PLACE[1]))
    ground.tool(m, "hopper", middle, hopper_boxes(), 4.0 * CELL)
    wires = add_obstacles(m, Formula("bucket_scale"))
    for name in COMMANDS:  # what the driver does, as channels
        m.signal(f"operator.{name}")(lambda s, p, name=name: p[name])
    s = ground.system(m, outputs=[*outputs], inputs=[f"{part}.contact.force" for part in ("bucket", "dipper", "boom")])
    first = Stage(ground, {name: belts.get(name, name) for contact in ground.contacts for name in contact.inputs})
    made = Site(ground, s, Chain("excavator", [first, Stage(s, ground.wires() | wires)]))
    if option != USUAL:
        made.choose(option)
    return made
