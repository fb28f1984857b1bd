"""What the driver's seat feels as a signal for the motion platform of this package: two axes, pitch and roll.

A running tractor is followed by `symbody demo ride --follow tractor`; here a recorded run passes the classic cueing.
"""

from __future__ import annotations

import numpy as np

from symbody.model.plain_numbers import GRAVITY
from symbody.model.rotation import matrix
from symbody.motion.cueing.classic import Classic
from symbody.motion.cueing.cueing_model import cueing_model, run_over
from symbody.motion.cueing.scene_record import SceneRecord
from symbody.results.run import Run
from symbody.system.system import system

STEP = 0.01  # s
SIGNALS = ("pitch.q", "roll.q")  # rad, of a platform with two axes


def seat_record(run: Run) -> SceneRecord:
    """Specific force less that at rest, and turn rates of the seat, in its frame."""
    turns = [matrix(angles) for angles in zip(run["roll.q"], run["pitch.q"], run["yaw.q"], strict=True)]
    up = np.array([0.0, 0.0, GRAVITY])
    felt, rate = (np.stack([run[f"seat.{what}.{axis}"] for axis in "xyz"], -1) for what in ("acceleration", "omega"))
    own = [(np.asarray(R).T @ (a + up) - up, np.asarray(R).T @ w) for R, a, w in zip(turns, felt, rate, strict=True)]
    return SceneRecord(run.t, np.array([a for a, _ in own]), np.array([w for _, w in own])).sampled(STEP)


def platform_signal(run: Run, method: Classic | None = None) -> Run:
    """The platform's motion over a recorded run, with the channels `SIGNALS` among others."""
    return run_over(system(cueing_model(method or Classic(table=None))), seat_record(run))
