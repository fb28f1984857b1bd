"""The held tool pushes the last link of a free linkage to the top wall, through a local model (thesis 6.23–6.24).

0.1 N, K = 4000 N/m, B = 30 N s/m. Methods by name: "ir"; "sc" and "kc", local models with ε = 5 mm and static or
kinematic constraints, which go on moving between packets. When the link is at the top wall, the centre of the tool is
at 181 mm. In the thesis the device loses contact with the link several times with every method, and "ir" bounces most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import cos, pi

import numpy as np

from symbody.haptics.device import HapticDevice
from symbody.haptics.metrics import Log, intervals
from symbody.haptics.objects import Linkage
from symbody.haptics.thesis_scenes.corner import PEG
from symbody.haptics.thesis_scenes.three_link import LENGTHS, WIDTH
from symbody.haptics.thesis_scenes.two_rate_testbed import (
    DEVICE,
    METHODS,
    TOP,
    WORLD_RATE,
    TwoRateMethod,
    enclosure,
    felt_through,
    height,
    level_tool,
    linkage,
    springs,
    varied,
)
from symbody.haptics.two_rates.scene_world import EPSILON

PUSH = 0.1  # N
GAP = 0.005  # m, from the tool to the link at the start
START = 140.0  # mm, y of the tool's centre at the start
AT = 0.02  # m, x of the tool
ARCHED = (pi / 6, -pi / 3, pi / 6)  # rad: pushed at its last hinge, the last link moves without turning
SECONDS = 6.0
FELT: Mapping[str, TwoRateMethod] = {
    "ir": METHODS["ir"],
    "sc": METHODS["lm5"],
    "kc": TwoRateMethod(EPSILON, kinematic=True),
}


@dataclass(frozen=True)
class PushedLinkage:
    """Contact of tool and link: how often it is lost, for how long, and how far the tool is thrown back (mm)."""

    log: Log
    y: np.ndarray  # mm, of the device's centre in the frame of the thesis
    lost: int  # times, before the top wall is reached
    free: float  # share of the time after the first contact
    rebound: float  # mm, at most, before the top wall is reached
    thrown: float  # mm, at most, after it
    arrived: float  # s, at 181 mm within 1 mm; NaN if never
    end: float  # mm
    peak: float  # N

    @property
    def bounced(self) -> float:
        """How far the device comes back at most (mm)."""
        return max(self.rebound, self.thrown)

    def record(self) -> dict[str, float | int]:
        """A row of figures."""
        return {
            "lost": self.lost, "free": self.free, "rebound_mm": self.rebound, "thrown_mm": self.thrown,
            "arrived_s": self.arrived, "end_mm": self.end, "peak_N": self.peak,
        }  # fmt: skip


def free_linkage(nearer: float = 0.0) -> Linkage:
    """The linkage with its last link level and the hinge of this link above the tool; nearer: share of the gap."""
    y = height(START) + PEG[1] / 2 + GAP * (1.0 - nearer) + WIDTH / 2
    return linkage(ARCHED, (AT - LENGTHS[0] * cos(ARCHED[0]) - LENGTHS[1] * cos(ARCHED[0] + ARCHED[1]), y))


def pushed_up(
    method: str,
    seed: int = 0,
    *,
    world_rate: float = WORLD_RATE,
    smoothing: float | None = None,
    device: HapticDevice = DEVICE,
    seconds: float = SECONDS,
) -> PushedLinkage:
    """The run; a seed varies push, gap and place of the tool by a tenth."""
    chosen = FELT[method]
    if smoothing is not None:
        chosen = replace(chosen, smoothing=smoothing)
    more, nearer, aside = varied(seed, 0.1, 0.1, 0.002)
    both = felt_through(
        chosen, level_tool(AT + aside, height(START)), enclosure(), others=[free_linkage(nearer)], rendering=springs(),
        device=device, world_rate=world_rate,
    )  # fmt: skip
    return measured(both.run(seconds, (0.0, (1.0 + more) * PUSH, 0.0)))


def measured(log: Log) -> PushedLinkage:
    """Measures of a run toward the top wall."""
    y = TOP + 1e3 * (log["x"][:, 1] - height(TOP))
    there = np.flatnonzero(y > TOP - 1.0)
    until = int(there[0]) if len(there) else len(y)
    touched = intervals(log["contacts"] > 0)
    first = touched[0][0] if touched else len(y)
    back = np.maximum.accumulate(y) - y
    pushing = log["contacts"][first:until] > 0
    return PushedLinkage(
        log,
        y,
        max(0, len(intervals(pushing)) - 1),
        float(np.mean(~pushing)) if len(pushing) else float("nan"),
        float(np.max(back[:until])),
        float(np.max(back[until:])) if until < len(y) else 0.0,
        float(log["t"][there[0]]) if len(there) else float("nan"),
        float(y[-1]),
        float(np.max(np.abs(log["felt"][:, 1]))),
    )
