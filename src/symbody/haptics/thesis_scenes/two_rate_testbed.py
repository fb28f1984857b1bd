"""The testbed of two rates (thesis 3.3 and chapter 6): an enclosure with a hole, rendered through local models.

A rectangular tool of 2 kg moves in an enclosure whose bottom has a hole of exactly its width. Methods by name: "ir",
the intermediate representation (planes of contacts, springs, direct coupling); "lm0" and "lm5", local models with ε = 0
and 5 mm. The thesis prints no geometry except two heights of the tool's centre, at the bottom and below the top wall.
The device is the pantograph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from symbody.haptics.device import HapticDevice
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactFriction, ContactModel, Rendering
from symbody.haptics.shapes import Polygon, rectangle
from symbody.haptics.thesis_scenes.corner import INERTIA, MASS, PEG, hardware
from symbody.haptics.thesis_scenes.three_link import LENGTHS, WIDTH, link_shape, three_link
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.haptics.two_rates.packet_use import INTERPOLATION, PacketUse
from symbody.haptics.two_rates.scene_world import EPSILON, SceneWorld

LINK = LENGTHS[2], WIDTH  # m: the distal link
FOLDED = (-pi / 3, 2 * pi / 3, -pi / 3)  # rad: the distal link level with the base
BOTTOM, TOP = 116.0, 181.0  # mm, y of the tool's centre at the bottom wall, and below a link at the top wall
LEVEL = (BOTTOM + TOP) / 2  # mm, y of the scene's origin
HALF = 0.07  # m, from the middle to the side walls
DEPTH = 0.032  # m, of the hole: the upright tool stands out by 10 mm
THICK = 0.1  # m, of walls
WORLD_RATES = (30.0, 60.0)  # Hz
WORLD_RATE = WORLD_RATES[0]
LINE = Impairment(delay=0.002)  # s, each way
DEVICE = hardware()
FRICTION = ContactFriction("reset-integrator", damping=118.0)


@dataclass(frozen=True)
class TwoRateMethod:
    """How a world is rendered: a local model with ε (m), or the intermediate representation.

    smoothing: its time (s) at updates, of the interpolation or of the deformation; by default that of `LocalModel`.
    """

    epsilon: float = 0.0
    intermediate: bool = False
    kinematic: bool = False
    exact: bool = False
    reported: bool = False
    smoothing: float | None = None


METHODS: Mapping[str, TwoRateMethod] = {
    "ir": TwoRateMethod(intermediate=True),
    "lm0": TwoRateMethod(),
    "lm5": TwoRateMethod(EPSILON),
}


def linkage(q: Sequence[float] = FOLDED, base: tuple[float, float] = (0.0, 0.0)) -> Linkage:
    """Three links from a base (m); only the distal one has contact."""
    return Linkage("arm", three_link(base), {"link3": link_shape(3)}, q=q)


def level_tool(x: float, y: float) -> HapticBody:
    """The rectangular tool, 42 mm wide, at a place (m)."""
    return HapticBody("tool", rectangle(*PEG), MASS, INERTIA, (x, y, 0.0))


def upright_tool(y: float, mass: float = MASS) -> HapticBody:
    """The tool turned by a right angle, in the middle: as wide as the hole."""
    return HapticBody("tool", rectangle(PEG[1], PEG[0]), mass, INERTIA, (0.0, y, 0.0))


def height(y_mm: float) -> float:
    """A height (mm) in the frame of the thesis as y of the scene (m)."""
    return 1e-3 * (y_mm - LEVEL)


FLOOR = height(BOTTOM) - PEG[1] / 2  # m, top of the bottom wall
CEILING = height(TOP) + PEG[1] / 2 + WIDTH  # m: a link fits between it and the tool
IN_HOLE = FLOOR - DEPTH + PEG[0] / 2  # m, y of the upright tool on the bottom of the hole


def enclosure() -> dict[str, Polygon]:
    """Four walls; the bottom one is in two parts with the hole and its bottom between them."""
    wide, tall = HALF - PEG[1] / 2, CEILING - FLOOR + 2 * THICK
    beside, middle = (HALF + PEG[1] / 2) / 2, (CEILING + FLOOR) / 2
    return {
        "left floor": rectangle(wide, THICK, (-beside, FLOOR - THICK / 2)),
        "right floor": rectangle(wide, THICK, (beside, FLOOR - THICK / 2)),
        "bottom": rectangle(PEG[1], THICK, (0.0, FLOOR - DEPTH - THICK / 2)),
        "ceiling": rectangle(2 * HALF, THICK, (0.0, CEILING + THICK / 2)),
        "left wall": rectangle(THICK, tall, (-HALF - THICK / 2, middle)),
        "right wall": rectangle(THICK, tall, (HALF + THICK / 2, middle)),
    }


def felt_through(
    method: TwoRateMethod,
    tool: HapticBody | Linkage,
    walls: Mapping[str, Polygon],
    hold: str | None = None,
    *,
    others: Sequence[HapticBody | Linkage] = (),
    rendering: Rendering | None = None,
    device: HapticDevice | None = None,
    line: Impairment = LINE,
    world_rate: float = WORLD_RATE,
    rate: float = 512.0,
    computing: float = 0.0,
) -> TwoRates:
    """World and local model of a tool between walls, with the same friction; the ticks of both have the same length."""
    rendering = rendering or Rendering()
    contact = replace(rendering.contact, model="impulse")
    scene = HapticScene([tool, *others], walls, rate=rate, rendering=Rendering(contact, rendering.friction))
    smoothing = (INTERPOLATION, 0.0) if method.smoothing is None else (method.smoothing, method.smoothing)
    packets = PacketUse(
        kinematic=method.kinematic, exact=method.exact, reported=method.reported, intermediate=method.intermediate,
        interpolation=smoothing[0], deformation=smoothing[1],
    )  # fmt: skip
    local = LocalModel(tool, hold, rate=rate, rendering=rendering, device=device, packets=packets)
    world = SceneWorld(scene, tool.name, epsilon=method.epsilon)
    return TwoRates(world, local, world_rate, line, computing=computing, contact=rendering.contact)


def springs(stiffness: float = 4000.0, damping: float = 30.0, model: str = "impulse") -> Rendering:
    """The walls of the thesis, with friction."""
    return Rendering(ContactModel(model, stiffness, damping), FRICTION)


def varied(seed: int, *ranges: float) -> tuple[float, ...]:
    """Uniform random numbers within ± each range; zeros for seed 0."""
    random = np.random.default_rng(seed)
    return tuple(float(reach * random.uniform(-1.0, 1.0)) if seed else 0.0 for reach in ranges)
