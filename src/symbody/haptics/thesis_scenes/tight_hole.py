"""The tool in a hole of its own width, pushed to and fro through a local model (thesis 6.10–6.11 and 6.20–6.22).

"slow": 1 kg, 5 N in 10 s, springs alone, direct coupling, 20 ms delay, no friction (E8). "shaken": 1 N at 2.5 Hz, walls
of 4000 N/m and 30 N s/m (E11). "stiff": 3 N, walls of 15000 N/m and 100 N s/m (E12). In the last two the tool stands on
the bottom of the hole of the enclosure, and walls have friction. The thesis chose the walls of E11 as the stiffest with
which the intermediate representation is stable in the hole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import pi, sin

import numpy as np

from symbody.haptics.device import HapticDevice
from symbody.haptics.metrics import Log, bounces
from symbody.haptics.settings import ContactModel, Controller, Rendering
from symbody.haptics.shapes import Polygon, rectangle
from symbody.haptics.thesis_scenes.corner import MASS, PEG
from symbody.haptics.thesis_scenes.two_rate_testbed import (
    DEPTH,
    DEVICE,
    IN_HOLE,
    LINE,
    METHODS,
    THICK,
    TwoRateMethod,
    enclosure,
    felt_through,
    springs,
    upright_tool,
    varied,
)
from symbody.haptics.two_rates.impairment import Impairment

WORLD_RATE = 60.0  # Hz
NUDGE, NUDGED = 0.1, 0.1  # N, s
LEFT = 1e3 * DEPTH  # mm: the tool has left the hole


@dataclass(frozen=True)
class Shaking:
    """A drive f_x = amplitude sin(2π t/period) on a tool, and how it is felt; slot: a hole without bottom."""

    amplitude: float  # N
    period: float  # s
    rendering: Rendering
    seconds: float = 4.0
    mass: float = MASS
    line: Impairment = LINE
    rate: float = 512.0  # Hz
    device: HapticDevice = DEVICE
    slot: bool = False


CASES: Mapping[str, Shaking] = {
    "slow": Shaking(
        5.0, 10.0, Rendering(ContactModel("penalty", 10000.0, 15.0), controller=Controller("direct")), 10.0, 1.0,
        Impairment(delay=0.02), 4000.0, HapticDevice(), slot=True,
    ),
    "shaken": Shaking(1.0, 0.4, springs()),
    "stiff": Shaking(3.0, 0.4, springs(15000.0, 100.0)),
}  # fmt: skip


def slot() -> dict[str, Polygon]:
    """Two blocks at a distance of the tool's width, beside all of it."""
    x = PEG[1] / 2 + THICK / 2
    return {"left": rectangle(THICK, 4 * THICK, (-x, 0.0)), "right": rectangle(THICK, 4 * THICK, (x, 0.0))}


@dataclass(frozen=True)
class TightHole:
    """Motion of the device (mm) across and along the hole and its rotation (degrees), at most; whether it left it."""

    log: Log
    across: float
    up: float  # mm, from the bottom
    down: float  # mm, into the bottom
    turn: float
    left: bool
    late: float  # mm: largest motion across in the last quarter
    peak: float  # N
    bounces: int

    def record(self) -> dict[str, float | int]:
        """A row of figures."""
        return {
            "across_mm": self.across, "up_mm": self.up, "down_mm": self.down, "turn_deg": self.turn,
            "left": int(self.left), "late_mm": self.late, "peak_N": self.peak, "bounces": self.bounces,
        }  # fmt: skip


def shaken(method: str | TwoRateMethod, case: str, seed: int = 0, *, world_rate: float = WORLD_RATE) -> TightHole:
    """A run; a seed varies amplitude and phase of the drive by a tenth."""
    drive = CASES[case]
    more, phase = varied(seed, 0.1, 0.1)

    def push(t: float) -> tuple[float, float, float]:
        return (1.0 + more) * drive.amplitude * sin(2 * pi * (t / drive.period + phase)), 0.0, 0.0

    return _run(method, drive, push, world_rate)


def nudged(
    method: str | TwoRateMethod, case: str = "shaken", seed: int = 0, *, world_rate: float = WORLD_RATE
) -> TightHole:
    """The tool left in the hole after a push of 0.1 N for 0.1 s to a side; a seed varies both by a tenth."""
    more, longer = varied(seed, 0.1, 0.1)

    def push(t: float) -> tuple[float, float, float]:
        return (1.0 + more) * NUDGE * float(t < (1.0 + longer) * NUDGED), 0.0, 0.0

    return _run(method, CASES[case], push, world_rate)


def _run(
    method: str | TwoRateMethod, drive: Shaking, push: Callable[[float], tuple[float, ...]], world_rate: float
) -> TightHole:
    chosen = METHODS[method] if isinstance(method, str) else method
    y = 0.0 if drive.slot else IN_HOLE
    both = felt_through(
        chosen, upright_tool(y, drive.mass), slot() if drive.slot else enclosure(),
        rendering=drive.rendering, device=drive.device, line=drive.line, rate=drive.rate, world_rate=world_rate,
    )  # fmt: skip
    return measured(both.run(drive.seconds, push, strict=False), y)


def measured(log: Log, y: float) -> TightHole:
    """Measures of a run that began at a height (m)."""
    x, up, angle = 1e3 * log["x"][:, 0], 1e3 * (log["x"][:, 1] - y), np.degrees(log["x"][:, 2])
    return TightHole(
        log,
        float(np.max(np.abs(x))),
        float(np.max(up)),
        float(np.max(-up)),
        float(np.max(np.abs(angle))),
        bool(np.max(np.hypot(x, up)) > LEFT),
        float(np.max(np.abs(x[-len(x) // 4 :]))),
        float(np.max(np.abs(log["felt"][:, :2]))),
        bounces(log["contacts"]),
    )
