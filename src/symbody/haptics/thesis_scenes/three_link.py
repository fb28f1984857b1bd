"""The linkage of the thesis (table 5.1) in the hand: drift between device and linkage, with and without penalties.

Drawn (thesis 5.5–5.8): 1 N along x from rest, with the device 5 and 3 mm off, held at the centre of mass of link 2 or
3. Pushed (thesis 5.10–5.11): 0.4 N along x, on a device with faults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, pi

import numpy as np

from symbody.haptics.device import HapticDevice
from symbody.haptics.metrics import Array, Log
from symbody.haptics.objects import Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import Controller, Rendering
from symbody.haptics.shapes import Polygon, rectangle
from symbody.haptics.thesis_scenes.corner import hardware
from symbody.haptics.thesis_scenes.two_link import arm
from symbody.model.model import Model

LENGTHS = (0.042, 0.042, 0.03)  # m
MASSES = (3.0, 3.0, 1.0)  # kg
INERTIAS = (0.015, 0.015, 0.005)  # kg m², about centres of mass at half the length
WIDTH = 0.008  # m, of links with contact


def three_link(at: tuple[float, float] = (0.0, 0.0)) -> Model:
    """Three links on hinges in the plane x, y, from a position (m)."""
    return arm(LENGTHS, MASSES, INERTIAS, at)


def middle(link: int, q: Sequence[float]) -> tuple[float, float]:
    """The centre of mass of a link (from 1) from the base (m)."""
    ways = [LENGTHS[k] * (0.5 if k == link - 1 else 1.0) for k in range(link)]
    angles = np.cumsum(q)[:link]
    return float(ways @ np.cos(angles)), float(ways @ np.sin(angles))


def link_shape(k: int) -> Polygon:
    """Link k (from 1) as a rectangle."""
    return rectangle(LENGTHS[k - 1], WIDTH, (LENGTHS[k - 1] / 2, 0.0))


# -- drift -----------------------------------------------------------------------------------------------------------

DRAWN_FROM, DRAWN_BY, OFFSET = (pi / 4, pi / 6, -pi / 6), (1.0, 0.0, 0.0), (0.005, 0.003, 0.0)  # rad; N, N m; m, rad
NONE = (0.0, 0.0, 0.0)
PUSHED_FROM, PUSHED_BY = (0.0, pi / 6, -pi / 3), (0.4, 0.0, 0.0)
SIMULATED, HARDWARE = (10.0, 7.0), (200.0, 50.0)  # k_tc (1/s²), b_tc (1/s)
NO_PENALTY = (0.0, 0.0)
SECONDS = 4.0
RECOMPUTED = {2: (191.0, 1.2), 3: (289.0, 21.0)}  # mm at 4 s without and with penalty, by an independent calculation
EARLY = 0.7  # s, when the device of the thesis reached the end of its workspace


@dataclass(frozen=True)
class Drift:
    """Distance of device and tool (mm) at the end and at most; share of ticks with a singular hold."""

    log: Log
    end: float
    most: float
    singular: float

    def at(self, t: float) -> float:
        """Distance (mm) at a time (s)."""
        return float(np.interp(t, self.log["t"], distance(self.log)))

    def record(self) -> dict[str, float]:
        """A row of figures."""
        return {"early_mm": self.at(EARLY), "end_mm": self.end, "most_mm": self.most, "singular": self.singular}


def held_linkage(
    link: int,
    q: tuple[float, ...] = DRAWN_FROM,
    gains: tuple[float, float] = SIMULATED,
    device: HapticDevice | None = None,
    rate: float = 512.0,
    curving: bool = False,
) -> HapticScene:
    """The linkage in free space, held at the centre of mass of a link (from 1), which starts at the origin.

    device: of unit inertia unless given. curving: as of `Controller`.
    """
    controller = Controller(k_tc=gains[0], b_tc=gains[1], curving=curving)
    x, y = middle(link, q)
    return HapticScene(
        [Linkage("arm", three_link((-x, -y)), q=q)],
        tool=f"arm.link{link}",
        rate=rate,
        rendering=Rendering(controller=controller),
        device=device or HapticDevice(inertia=(1.0, 1.0, 1.0)),
    )


def distance(log: Log) -> Array:
    """Distance of device and tool (mm) in each tick."""
    return np.asarray(1e3 * np.linalg.norm(log["x"][:, :2] - log["tool"][:, :2], axis=1))


def drifted(scene: HapticScene, push: tuple[float, ...], offset: tuple[float, ...], seconds: float) -> Drift:
    """Run with a constant push and an initial offset of the device."""
    scene.displace(offset)
    log = scene.run(seconds, push)
    apart, rank = distance(log), log["rank"]
    return Drift(log, float(apart[-1]), float(np.max(apart)), float(np.mean(rank < np.max(rank))))


def drawn(
    link: int, penalty: bool, *, curving: bool = False, turned: tuple[float, ...] = NONE, force: float = 1.0
) -> Drift:
    """The linkage drawn along x; turned: change of the initial joint angles (rad); force: N."""
    q = tuple(a + b for a, b in zip(DRAWN_FROM, turned, strict=True))
    scene = held_linkage(link, q, SIMULATED if penalty else NO_PENALTY, curving=curving)
    return drifted(scene, tuple(force * x for x in DRAWN_BY), OFFSET, SECONDS)


FAULTS: Mapping[str, tuple[HapticDevice, tuple[float, ...]]] = {  # the device, and its initial offset from the tool
    "none": (HapticDevice(), NONE),
    "offset": (HapticDevice(), OFFSET),
    "friction": (HapticDevice(friction=(0.1, 0.1, 1e-3), damping=(0.5, 0.5, 1e-3)), NONE),
    "observer": (HapticDevice(observed=True), NONE),  # the hand force is known with a delay
    "pantograph": (hardware(), NONE),  # observer, encoders, friction, end stops
}


def pushed(
    link: int, penalty: bool, fault: str = "none", turned: tuple[float, ...] = NONE, seconds: float = 3.0
) -> Drift:
    """The linkage pushed on a device with one of `FAULTS`; turned: change of the initial joint angles (rad)."""
    device, offset = FAULTS[fault]
    q = tuple(a + b for a, b in zip(PUSHED_FROM, turned, strict=True))
    scene = held_linkage(link, q, HARDWARE if penalty else NO_PENALTY, device)
    return drifted(scene, PUSHED_BY, offset, seconds)


# -- observer of the hand's force, and end stops ---------------------------------------------------------------------

REACH = 0.05  # m, from the centre of the workspace to its end stops: more than 100 mm x 100 mm in the thesis
GAINS = (5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 240.0)  # K_o: 1/s


def observed(gain: float, reach: float = inf) -> HapticDevice:
    """The pantograph with an observer of this gain (1/s) for the hand's force; reach: of its end stops (m)."""
    return replace(hardware(), observer=gain, reach=(reach, reach, inf))


def pushed_to_stop(
    link: int, penalty: bool, gain: float, reach: float = REACH, turned: tuple[float, ...] = NONE, seconds: float = 1.5
) -> Drift:
    """The linkage pushed on a device with an observer and end stops; turned: change of the initial angles (rad)."""
    q = tuple(a + b for a, b in zip(PUSHED_FROM, turned, strict=True))
    scene = held_linkage(link, q, HARDWARE if penalty else NO_PENALTY, observed(gain, reach))
    return drifted(scene, PUSHED_BY, NONE, seconds)


def stop_time(log: Log, reach: float = REACH) -> float:
    """When the device first reaches an end stop (s); NaN if never."""
    there = np.flatnonzero(np.max(np.abs(log["x"][:, :2]), axis=1) >= reach * (1.0 - 1e-9))
    return float(log["t"][there[0]]) if len(there) else float("nan")


def drift_against_gain(gains: Sequence[float] = GAINS, turned: tuple[float, ...] = NONE) -> list[dict[str, float]]:
    """Rows by held link and gain: distance at 0.7 s (mm) and time of the end stop (s), without and with penalty."""
    made = []
    for link in (2, 3):
        for gain in gains:
            row = {"link": float(link), "gain": gain}
            for name, penalty in (("without", False), ("penalty", True)):
                row[f"{name}_mm"] = pushed_to_stop(link, penalty, gain, inf, turned).at(EARLY)
                row[f"{name}_stop_s"] = stop_time(pushed_to_stop(link, penalty, gain, REACH, turned).log)
            made.append(row)
    return made
