"""The puck in two processes: a world behind a line, and the hand in front of a real-time loop, for as long as is asked.

The hand is a spring to a place that goes to and fro, so that the peg pushes the puck, stops it and leans on walls;
where the world is silent it comes back to where it began.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from math import inf, pi
from typing import Any

import numpy as np

from symbody.haptics.experiments.corner import PEG
from symbody.haptics.experiments.puck import DEVICE_LIMIT, ROOM, START, puck_local
from symbody.haptics.steps import haptic_method, scene_system
from symbody.haptics.two_rates.packet import Array
from symbody.haptics.two_rates.world_link import REMOTE, WorldLink
from symbody.realtime.loop import Loop
from symbody.realtime.packet import Transport

GIVING = 0.01  # s between two places of the hand
WAITING = 60.0  # s for another world
SWAY = (0.1, 0.05)  # m, of the hand along x and y: beyond the walls
TURNS = (0.2, 0.13)  # Hz


@dataclass
class HapticRun:
    """What was seen of the ticks: extremes of energy, force, and distances."""

    ticks: int = 0
    least_energy: float = 0.0  # J, that the hand had given: below zero it was given some
    fall: float = 0.0  # J: the most that the hand was given from one time to a later one
    force_share: float = 0.0  # of the device's limits
    apart: float = 0.0  # m, between device and tool
    into_walls: float = 0.0  # m, of the tool, where the world is heard
    _highest: float = -inf
    _lost: bool = False  # walls that a silent world has let go hold nobody, until the tool is out of them again

    def see(self, rows: Array, place: dict[str, int], silent: bool = False) -> None:
        """Records of ticks; silent: the world is not heard."""
        if not len(rows):
            return
        self.ticks += len(rows)
        energy = rows[:, place["haptic.energy"]]
        self.least_energy = min(self.least_energy, float(np.min(energy)))
        highest = np.maximum.accumulate(np.maximum(energy, self._highest))
        self._highest, self.fall = float(highest[-1]), max(self.fall, float(np.max(highest - energy)))
        for axis, limit in zip(("x", "y", "turn"), DEVICE_LIMIT, strict=True):
            force = np.max(np.abs(rows[:, place[f"haptic.command_{axis}"]]))
            self.force_share = max(self.force_share, float(force) / limit)
        tool = rows[:, [place["peg_x.q"], place["peg_y.q"]]]
        device = rows[:, [place["handle_x.q"], place["handle_y.q"]]]
        self.apart = max(self.apart, float(np.max(np.linalg.norm(tool - device, axis=1))))
        into = np.max(np.abs(tool) + np.array(PEG) / 2 - np.array(ROOM) / 2, axis=1)
        self._lost = silent or (self._lost and into[-1] > 0.0)
        if not self._lost:
            self.into_walls = max(self.into_walls, float(np.max(into)))


def haptic_run(
    transport: Transport,
    seconds: float,
    *,
    rate: float = 1000.0,
    passive: bool = True,
    sway: tuple[float, float] = SWAY,
    stop: threading.Event | None = None,
    began: threading.Event | None = None,
    worlds: int = 1,
) -> dict[str, Any]:
    """The haptic process: ticks in a real-time loop, a hand that sways, for a time or until it is told to stop.

    began: is set when the first packet was taken, from which on the time counts. worlds: as many, one after the other,
    are waited for, up to a minute longer.
    """
    local = puck_local(replace(REMOTE, passive=passive), rate)
    loop = Loop(scene_system(local.scene), rate, haptic_method(local.scene), stale=None, overrun=None)
    place = {name: k for k, name in enumerate(loop.names)}
    seen, since = HapticRun(), 0
    stop = stop or threading.Event()
    with loop, WorldLink(local, transport) as link:
        begin = time.monotonic()
        while not local.counts["taken"] and not stop.is_set() and time.monotonic() < begin + seconds + WAITING:
            time.sleep(GIVING)
        if began:
            began.set()
        begin, t, calm = time.monotonic(), 0.0, 0.0
        while not stop.is_set() and t < seconds + WAITING * (link.link.counts["sessions"] < worlds):
            calm = t if link.is_silent else calm  # who feels nothing any more comes back, and begins anew
            x, y = (a * np.sin(2.0 * pi * f * (t - calm)) for a, f in zip(sway, TURNS, strict=True))
            loop.give({"hand_x": START[0] + x, "hand_y": START[1] + y})
            since, rows = loop.records(since)
            seen.see(rows, place, link.is_silent)
            time.sleep(GIVING)
            t = time.monotonic() - begin
        said = link.summary()
        statistics = loop.statistics()
    return {
        "seconds": t, "ticks": seen.ticks, "least_energy_J": seen.least_energy, "fall_J": seen.fall,
        "force_share": seen.force_share, "apart_mm": 1e3 * seen.apart, "into_walls_mm": 1e3 * seen.into_walls,
        "late_99_us": 1e6 * statistics.latency.quantile(0.99), **said,
    }  # fmt: skip
