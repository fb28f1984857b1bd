"""A haptic scene in two processes: a world behind a line, and the hand in front of a real-time loop, as long as told.

The hand is a spring to a place that moves as the scene says; of the puck so that the peg pushes it, stops it and leans
on walls. Where the world is silent the hand comes back to where it began.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from symbody.haptics.experiments.puck import remote
from symbody.haptics.steps import haptic_method, scene_system
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.packet import Array
from symbody.haptics.two_rates.remote_scene import RemoteScene
from symbody.haptics.two_rates.world_link import REMOTE, WorldLink
from symbody.realtime.loop import Loop
from symbody.realtime.packet import Transport

GIVING = 0.01  # s between two places of the hand
WAITING = 60.0  # s for another world


@dataclass
class HapticRun:
    """What was seen of the ticks: extremes of energy, force, and distances."""

    ticks: int = 0
    least_energy: float = 0.0  # J, that the hand had given: below zero it was given some
    fall: float = 0.0  # J: the most that the hand was given from one time to a later one
    force_share: float = 0.0  # of the limits of what is rendered
    apart: float = 0.0  # m, between device and tool
    into_walls: float = 0.0  # m, of the tool, where the world is heard
    _highest: float = -inf
    _lost: bool = False  # walls that a silent world has let go hold nobody, until the tool is out of them again

    def see(self, rows: Array, columns: HapticColumns, silent: bool = False) -> None:
        """Records of ticks; silent: the world is not heard."""
        if not len(rows):
            return
        self.ticks += len(rows)
        energy = rows[:, columns.energy]
        self.least_energy = min(self.least_energy, float(np.min(energy)))
        highest = np.maximum.accumulate(np.maximum(energy, self._highest))
        self._highest, self.fall = float(highest[-1]), max(self.fall, float(np.max(highest - energy)))
        self.force_share = max(self.force_share, float(np.max(np.abs(rows[:, columns.command]) / columns.limit)))
        self.apart = max(self.apart, float(np.max(rows[:, columns.apart])))
        if columns.scene.into_walls:
            into = columns.scene.into_walls(rows[:, columns.tool])
            self._lost = silent or (self._lost and into[-1] > 0.0)
            if not self._lost:
                self.into_walls = max(self.into_walls, float(np.max(into)))


class HapticColumns:
    """Where the records of a loop have what is watched, and the limits of its forces (N, N m)."""

    def __init__(self, scene: RemoteScene, local: LocalModel, loop: Loop):
        place = {name: k for k, name in enumerate(loop.names)}
        made = local.scene.c.objects[local.scene.c.held]
        axes = [name for name in loop.names if name.startswith("haptic.command_")]
        self.scene, self.energy, self.apart = scene, place["haptic.energy"], place["haptic.apart"]
        self.command = [place[name] for name in axes]
        self.tool = [k for k, name in enumerate(loop.names) if name.endswith(".q")][made.q : made.q + made.nq]
        self.limit = np.array(local.scene.c.settings.limit[: len(axes)])


def haptic_run(
    transport: Transport,
    seconds: float,
    scene: RemoteScene | None = None,
    local: LocalModel | None = None,
    *,
    rate: float = 1000.0,
    passive: bool = True,
    stop: threading.Event | None = None,
    began: threading.Event | None = None,
    worlds: int = 1,
) -> dict[str, Any]:
    """The haptic process: ticks in a real-time loop, a hand that moves, for a time or until it is told to stop.

    scene: the puck unless given. local: its local model, where it is not as the scene has it, with a rate and a port of
    its own. began: is set when the first packet was taken, from which on the time counts. worlds: as many, one after
    the other, are waited for, up to a minute longer.
    """
    scene = scene or remote()
    local = local or scene.local(replace(REMOTE, passive=passive), rate)
    loop = Loop(scene_system(local.scene), local.scene.rate, haptic_method(local.scene), stale=None, overrun=None)
    columns, seen, since = HapticColumns(scene, local, loop), HapticRun(), 0
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
            loop.give(scene.hand(t - calm))
            since, rows = loop.records(since)
            seen.see(rows, columns, link.is_silent)
            time.sleep(GIVING)
            t = time.monotonic() - begin
        said = link.summary()
        statistics = loop.statistics()
    walls = {"into_walls_mm": 1e3 * seen.into_walls} if scene.into_walls else {}
    return {
        "scene": scene.name, "seconds": t, "ticks": seen.ticks, "least_energy_J": seen.least_energy,
        "fall_J": seen.fall, "force_share": seen.force_share, "apart_mm": 1e3 * seen.apart, **walls,
        "late_99_us": 1e6 * statistics.latency.quantile(0.99), **said,
    }  # fmt: skip
