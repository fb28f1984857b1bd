"""A peg that is pressed against a wall and drawn along it (thesis 4.6–4.10): what friction laws make of stick and slip.

Two contacts of 0.175 N each; f_y = −A (1 + sin t).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sin

import numpy as np

from symbody.haptics.experiments.corner import PEG, THICK, peg
from symbody.haptics.metrics import Array, Log, intervals
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactFriction, ContactModel, Rendering
from symbody.haptics.shapes import rectangle

LOAD = 0.175  # N, at each of two contacts
DRIVE = 0.05  # A: N
SECONDS = 20.0
CONTACT = ContactModel("impulse", 10000.0, 15.0)
MODELS = {
    "reset-integrator, β = 0": ContactFriction("reset-integrator"),
    "reset-integrator, β = 118": ContactFriction("reset-integrator", damping=118.0),
    "reset-integrator, β = 1180": ContactFriction("reset-integrator", damping=1180.0),
    "finger-pad": ContactFriction("finger-pad"),
    "modified-dahl": ContactFriction("modified-dahl"),
    "classical": ContactFriction("classical"),
}
LONG = 0.5  # s: a stretch that counts as stuck
SETTLED = 0.5  # s, of a stretch: after it, what still moves is drift or oscillation


def drawn(friction: ContactFriction, drive: float = DRIVE, seconds: float = SECONDS, rate: float = 512.0) -> Log:
    """A run of the peg along the wall."""
    wall = rectangle(THICK, 2.0, (PEG[0] / 2 + THICK / 2, 0.0))
    press = 2 * LOAD
    rendering = replace(Rendering(CONTACT), friction=friction)
    at = (PEG[0] / 2, 0.0)  # where it touches: friction and hand turn it nowhere
    scene = HapticScene([peg()], {"wall": wall}, tool="peg", at=at, rate=rate, rendering=rendering)
    return scene.run(seconds, lambda t: (press, -drive * (1.0 + sin(t)), 0.0))


@dataclass(frozen=True)
class StickSlip:
    """Measures of a run: changes between stick and slip, share of time stuck, and what happens while it sticks."""

    transitions: int
    stuck: float
    oscillation: float  # m/s: of the velocity in stiction, root of the mean square after its first moments
    creep: float  # m/s: mean of the velocity in the longest stretch of small velocity

    def record(self) -> dict[str, float | int]:
        """As a row of figures."""
        return {
            "transitions": self.transitions, "stuck": self.stuck,
            "oscillation_um_s": 1e6 * self.oscillation, "creep_um_s": 1e6 * self.creep,
        }  # fmt: skip


def measures(log: Log) -> StickSlip:
    """Stick and slip of a run."""
    t, v = log["t"], log["toold"][:, 1]
    sticks = (log["contacts"] > 0) & (log["sliding"] == 0)
    stretches = [(a, b) for a, b in intervals(sticks) if t[b - 1] - t[a] > LONG]
    changes = np.count_nonzero(np.diff(sticks.astype(int)))
    late = [_late(t, v, a, b) for a, b in stretches]
    rough = max((float(np.std(x)) for x in late if len(x)), default=0.0)
    creep = max((float(np.mean(np.abs(x))) for x in late if len(x)), default=0.0)
    return StickSlip(int(changes), float(np.mean(sticks)), rough, creep)


def _late(t: Array, v: Array, a: int, b: int) -> Array:
    """Velocities of a stretch, after its first moments and before its last."""
    inside = (t[a:b] > t[a] + SETTLED) & (t[a:b] < t[b - 1] - 0.1)
    return np.asarray(v[a:b][inside])
