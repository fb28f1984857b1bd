"""The haptic process of a scene in two processes: a local model in a real-time loop, and a scripted hand.

The hand is a spring to a position that moves by the script of the scene. When the world is silent, the script starts
again.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from symbody.haptics.steps import SceneSource
from symbody.haptics.two_rates.local_model import LocalModel
from symbody.haptics.two_rates.packet import Array
from symbody.haptics.two_rates.remote_scene import RemoteScene
from symbody.haptics.two_rates.world_link import REMOTE, WorldLink
from symbody.links.packet import Transport
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety

GIVING = 0.01  # s between two positions of the hand
WAITING = 60.0  # s, longest wait for another world


@dataclass
class HapticRun:
    """Extremes of energy, force and distances over all ticks."""

    ticks: int = 0
    least_energy: float = 0.0  # J, given by the hand; negative: the hand received energy
    fall: float = 0.0  # J, largest energy that the hand received between two times
    force_share: float = 0.0  # largest rendered force relative to its limit
    apart: float = 0.0  # m, between device and tool
    into_walls: float = 0.0  # m, penetration of the tool while the world is heard
    _highest: float = -inf
    _lost: bool = False  # a silent world has released its walls, and the tool is still inside of one

    def see(self, rows: Array, columns: HapticColumns, silent: bool = False) -> None:
        """Add records of ticks; silent: the world is not heard."""
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
    """Columns of the records of a loop, and the limits of its forces (N, N m)."""

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
    scene: RemoteScene,
    local: LocalModel | None = None,
    *,
    rate: float = 1000.0,
    passive: bool = True,
    stop: threading.Event | None = None,
    began: threading.Event | None = None,
    worlds: int = 1,
) -> dict[str, Any]:
    """Run the haptic process for some seconds, or until `stop` is set.

    local: the local model, if it differs from that of the scene. began: set when the first packet arrives; the time
    counts from then on. worlds: number of worlds to wait for, one after the other, at most a minute longer.
    """
    local = local or scene.local(replace(REMOTE, passive=passive), rate)
    loop = Loop(SceneSource(local.scene), local.scene.rate, safety=Safety(stale=None, overrun=None))
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
            calm = t if link.is_silent else calm  # without forces the hand returns, and starts again
            loop.give(scene.hand(t - calm))
            since, rows = loop.records(since)
            seen.see(rows, columns, link.is_silent)
            time.sleep(GIVING)
            t = time.monotonic() - begin
        summary = link.summary()
        statistics = loop.statistics()
    walls = {"into_walls_mm": 1e3 * seen.into_walls} if scene.into_walls else {}
    return {
        "scene": scene.name, "seconds": t, "ticks": seen.ticks, "least_energy_J": seen.least_energy,
        "fall_J": seen.fall, "force_share": seen.force_share, "apart_mm": 1e3 * seen.apart, **walls,
        "late_99_us": 1e6 * statistics.latency.quantile(0.99), **summary,
    }  # fmt: skip
