"""Measures of the linkage: drift with and without penalties, impacts, experiments of two rates, times."""

from __future__ import annotations

from math import cos, pi, sin

from symbody.codegen import wait_optimised
from symbody.haptics.objects import Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.shapes import Polygon
from symbody.haptics.thesis_scenes.pushed_linkage import FELT, PushedLinkage, pushed_up
from symbody.haptics.thesis_scenes.static_wall import StaticWall, WallDrift, drift_map, pushed_down
from symbody.haptics.thesis_scenes.three_link import FAULTS, Drift, drawn, link_shape, pushed, three_link
from symbody.haptics.thesis_scenes.tight_hole import TightHole
from symbody.haptics.thesis_scenes.tight_hole import shaken as shaken_in_hole
from symbody.haptics.thesis_scenes.two_rate_testbed import METHODS, WORLD_RATES
from symbody.machines.linkage.enclosure import FOLDED, HALF, Collisions, shaken
from symbody.realtime.tick_times import percentiles

HELD = (2, 3)  # links
PENALTY = {"without": False, "with_penalty": True}
CURVING = {"": False, ", curving": True}
PLANES = 20
Drifts = dict[str, Drift]


def drifts() -> Drifts:
    """The linkage drawn by 1 N, by held link and penalty, and with the curvature of the paths of the links."""
    return {
        f"link {link}, {name}{more}": drawn(link, penalty, curving=curving)
        for link in HELD
        for name, penalty in PENALTY.items()
        for more, curving in CURVING.items()
    }


def on_hardware() -> Drifts:
    """The linkage pushed by 0.4 N on devices with faults."""
    return {
        f"link {link}, {fault}, {name}": pushed(link, penalty, fault)
        for link in HELD
        for fault in FAULTS
        for name, penalty in PENALTY.items()
    }


def collisions() -> dict[str, Collisions]:
    """The distal link shaken between walls: plastic, elastic, and plastic with friction."""
    return {"e = 0": shaken(0.0), "e = 1": shaken(1.0), "e = 0, μ = 0.3": shaken(0.0, friction=0.3)}


def walls_felt() -> dict[str, StaticWall]:
    """The tool pushed against a wall of a world at 30 and 60 Hz, and with a smoothing of 0.2 s."""
    cases = {
        f"{rate:g} Hz{more}": (rate, time) for rate in WORLD_RATES for more, time in ((", 0.2 s", 0.2), ("", None))
    }
    return {
        f"{name}, {case}": pushed_down(name, world_rate=rate, smoothing=time)
        for case, (rate, time) in cases.items()
        for name in METHODS
    }


def wall_map() -> list[WallDrift]:
    """Drift of the wall against rate, start and smoothing, over two seeds."""
    return drift_map(range(1, 3))


def in_hole() -> dict[str, TightHole]:
    """The tool shaken in the tight hole, with the walls of the baseline and four times as stiff ones."""
    return {
        f"{name}, {rate:g} Hz, {case}": shaken_in_hole(name, case, world_rate=rate)
        for case in ("shaken", "stiff")
        for rate in WORLD_RATES
        for name in METHODS
    }


def links_pushed() -> dict[str, PushedLinkage]:
    """A free linkage pushed by the tool to the top wall."""
    return {f"{name}, {rate:g} Hz": pushed_up(name, world_rate=rate) for rate in WORLD_RATES for name in FELT}


def ring(count: int = PLANES, radius: float = HALF) -> dict[str, Polygon]:
    """Walls all around, each the outside of a side of a regular polygon (m)."""
    made = {}
    for k in range(count):
        ends = [2 * pi * (k + side) / count for side in (0, 1)]
        made[f"wall{k + 1}"] = Polygon(
            [(r * cos(a), r * sin(a)) for r in (radius, 1.5 * radius) for a in ends[:: 1 if r == radius else -1]]
        )
    return made


def ringed(rate: float = 1000.0) -> HapticScene:
    """The linkage inside a ring of walls, held at link 3."""
    shapes = {f"link{k}": link_shape(k) for k in (2, 3)}
    return HapticScene([Linkage("arm", three_link(), shapes, q=FOLDED)], ring(), tool="arm.link3", rate=rate)


def tick_times() -> dict[str, float]:
    """Microseconds of a tick of the linkage among twenty walls; the optimised code, if it comes."""
    wait_optimised()
    return percentiles(ringed().times(3.0, (2.0, 1.0, 0.0)))
