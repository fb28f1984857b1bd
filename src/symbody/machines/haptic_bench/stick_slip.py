"""A peg pressed against a wall and drawn along it (thesis 4.6–4.10): stick and slip with several friction laws.

Two contacts of 0.175 N each; f_y = −A (1 + sin t), then a constant pull of half the sliding friction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, sin

import numpy as np

from symbody.haptics.metrics import Log
from symbody.haptics.scene import HapticScene
from symbody.haptics.settings import ContactFriction, ContactModel, Rendering
from symbody.haptics.shapes import rectangle
from symbody.haptics.thesis_scenes.corner import PEG, THICK, peg

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
QUIET = 0.5  # s about the instant of the weakest drive
HELD, HOLD, REST = 0.035, 6.0, 4.0  # N, half of the sliding friction; s: its duration; s at its end, for the creep


def drawn(friction: ContactFriction, drive: float = DRIVE, seconds: float = SECONDS, rate: float = 512.0) -> Log:
    """A run of the peg along the wall: `seconds` of stick and slip, then it is held for 6 s."""
    wall = rectangle(THICK, 2.0, (PEG[0] / 2 + THICK / 2, 0.0))
    press = 2 * LOAD
    rendering = replace(Rendering(CONTACT), friction=friction)
    at = (PEG[0] / 2, 0.0)  # the contact point, so that friction and hand do not turn it
    scene = HapticScene([peg()], {"wall": wall}, tool="peg", at=at, rate=rate, rendering=rendering)
    return scene.run(seconds + HOLD, lambda t: (press, -drive * (1.0 + sin(t)) if t < seconds else -HELD, 0.0))


@dataclass(frozen=True)
class StickSlip:
    """Measures of a run: changes between stick and slip, share of time stuck, and motion while stuck.

    Oscillation is the standard deviation of the velocity (m/s) while the drive is weakest. Creep is the mean velocity
    (m/s) under the constant pull, in its last 4 s.
    """

    transitions: int
    stuck: float
    oscillation: float
    creep: float

    def record(self) -> dict[str, float | int]:
        """A row of figures."""
        return {
            "transitions": self.transitions, "stuck": self.stuck,
            "oscillation_um_s": 1e6 * self.oscillation, "creep_um_s": 1e6 * self.creep,
        }  # fmt: skip


def measures(log: Log) -> StickSlip:
    """Stick and slip of a run."""
    under_load = log["toold"][log["t"] > log["t"][-1] - REST, 1]
    log = log[log["t"] < log["t"][-1] - HOLD]
    t, v = log["t"], log["toold"][:, 1]
    sticks = (log["contacts"] > 0) & (log["sliding"] == 0)
    changes = np.count_nonzero(np.diff(sticks.astype(int)))
    weakest = np.arange(1.5 * pi, t[-1] - QUIET, 2.0 * pi)  # sin t = −1
    still = [v[np.abs(t - rest) < QUIET] for rest in weakest]
    oscillation = float(np.mean([np.std(x) for x in still]))
    creep = float(np.abs(np.mean(under_load)))
    return StickSlip(int(changes), float(np.mean(sticks)), oscillation, creep)
