"""The motion of a vehicle's seat from a recorded run, and the signal of a platform with two axes, pitch and roll.

A running vehicle is followed by `LoopScene` instead.
"""

from __future__ import annotations

import numpy as np

from symbody.model.plain_numbers import GRAVITY
from symbody.model.rotation import matrix
from symbody.motion.cueing.classic import Classic
from symbody.motion.cueing.cueing_model import cueing_model, run_over
from symbody.motion.cueing.scene_record import SceneRecord
from symbody.motion.sources.loop_scene import CHANNELS
from symbody.results.run import Run
from symbody.system.system import system

STEP = 0.005  # s: rk4 is stable with the fastest filters of the cueing, 300 1/s
SIGNALS = ("pitch", "roll")  # rad


def seat_record(run: Run, step: float = STEP) -> SceneRecord:
    """Specific force less that at rest, and turn rates, in the frame of the seat; the run has `CHANNELS`."""
    values = np.stack([run[name] for name in CHANNELS], axis=-1)
    turns = np.array([matrix(row) for row in values[:, 3:].tolist()], dtype=float)
    up = np.array([0.0, 0.0, GRAVITY])
    felt = np.einsum("kij,ki->kj", turns, values[:, :3] + up) - up
    spin = np.einsum("kji,kjl->kil", turns, np.gradient(turns, run.t, axis=0))  # Rᵀ Ṙ = ω×
    rate = 0.5 * np.stack([spin[:, a, b] - spin[:, b, a] for a, b in ((2, 1), (0, 2), (1, 0))], axis=-1)
    return SceneRecord(run.t, felt, rate).sampled(step)


def platform_signal(run: Run, method: Classic | None = None) -> Run:
    """The motion that the classic cueing asks of the platform over a recorded run, with `SIGNALS` among others."""
    return run_over(system(cueing_model(method or Classic(table=None))), seat_record(run))
