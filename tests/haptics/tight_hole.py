"""A peg that is shaken in a hole of its own width, through a local model (thesis 6.10–6.11 and 6.20–6.22).

"slow": 1 kg, 5 N in 10 s, springs alone, direct coupling, 20 ms delay (E8). "shaken": 2 kg, 1 N at 2.5 Hz (E11).
"stiff": 3 N and walls of 15000 N/m (E12).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi, sin

import numpy as np

from symbody.haptics.metrics import Log
from symbody.haptics.objects import HapticBody
from symbody.haptics.settings import ContactModel, Controller, Rendering
from symbody.haptics.shapes import Polygon, rectangle
from symbody.haptics.thesis_scenes.corner import INERTIA, MASS, PEG
from symbody.haptics.thesis_scenes.two_rate_testbed import LINE, METHODS, THICK, TwoRateMethod, felt_through, springs
from symbody.haptics.two_rates.impairment import Impairment

DEPTH = 0.032  # m, by which the peg is in: its upper part is free, so a push at its middle turns it
LOST = 20.0  # mm: it has left the hole, or its walls


@dataclass(frozen=True)
class Shaking:
    """A drive f_x = amplitude sin(2π t/period) on a peg, and how it is felt."""

    amplitude: float  # N
    period: float  # s
    rendering: Rendering
    seconds: float
    mass: float = MASS
    line: Impairment = LINE
    rate: float = 512.0  # Hz
    depth: float = DEPTH


CASES: Mapping[str, Shaking] = {
    "slow": Shaking(
        5.0, 10.0, Rendering(ContactModel("penalty", 10000.0, 15.0), controller=Controller("direct")), 10.0, 1.0,
        Impairment(delay=0.02), 4000.0, PEG[0] + THICK,
    ),
    "shaken": Shaking(1.0, 0.4, springs(), 4.0),
    "stiff": Shaking(3.0, 0.4, springs(15000.0, 100.0), 4.0),
}  # fmt: skip


def upright(mass: float = MASS) -> HapticBody:
    """The peg, turned by a right angle: as wide as the hole."""
    return HapticBody("peg", rectangle(PEG[1], PEG[0]), mass, INERTIA)


def hole(depth: float = DEPTH) -> dict[str, Polygon]:
    """Two blocks at a distance of the peg's width, their tops so high that the peg is in by a depth (m)."""
    x, top = PEG[1] / 2 + THICK / 2, -PEG[0] / 2 + depth
    return {
        "left": rectangle(THICK, 4 * THICK, (-x, top - 2 * THICK)),
        "right": rectangle(THICK, 4 * THICK, (x, top - 2 * THICK)),
    }


@dataclass(frozen=True)
class TightHole:
    """How far the peg goes (mm) across and along the hole and turns (degrees); growth: last half against the first."""

    log: Log
    across: float
    along: float
    turn: float
    growth: float
    peak: float  # N

    def record(self) -> dict[str, float]:
        """As a row of figures."""
        return {
            "across_mm": self.across, "along_mm": self.along, "turn_deg": self.turn, "growth": self.growth,
            "peak_N": self.peak,
        }  # fmt: skip


def shaken(method: str | TwoRateMethod, case: str, seed: int = 0, seconds: float | None = None) -> TightHole:
    """A run; a seed changes amplitude and phase of the drive by a tenth."""
    chosen = METHODS[method] if isinstance(method, str) else method
    drive = CASES[case]
    random = np.random.default_rng(seed)
    share, phase = (1.0 + 0.1 * random.uniform(-1.0, 1.0), 0.1 * random.uniform()) if seed else (1.0, 0.0)
    both = felt_through(
        chosen, upright(drive.mass), hole(drive.depth), rendering=drive.rendering, line=drive.line, rate=drive.rate
    )

    def push(t: float) -> tuple[float, float, float]:
        return share * drive.amplitude * sin(2 * pi * (t / drive.period + phase)), 0.0, 0.0

    return measured(both.run(seconds or drive.seconds, push, strict=False))


def measured(log: Log) -> TightHole:
    """Measures of a run, of the hand's own place."""
    x, y, angle = 1e3 * log["x"][:, 0], 1e3 * log["x"][:, 1], np.degrees(log["x"][:, 2])
    half = len(x) // 2
    early, late = float(np.max(np.abs(x[:half]))), float(np.max(np.abs(x[half:])))
    return TightHole(
        log,
        float(np.max(np.abs(x))),
        float(np.max(np.abs(y))),
        float(np.max(np.abs(angle))),
        late / max(early, 1e-9),
        float(np.max(np.abs(log["felt"][:, 0]))),
    )
