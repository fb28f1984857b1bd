"""Random states of a model, for checks, timing and base parameters."""

from __future__ import annotations

import numpy as np

from symbody.model.body import QUATERNION
from symbody.model.model import Model

Array = np.ndarray


def random_state(model: Model, rng: np.random.Generator, turns: float = 1.0) -> tuple[Array, Array, Array]:
    """Random q in ±turns (unit quaternions), v, and accelerations or efforts, in the model's order."""
    q, end = rng.uniform(-turns, turns, model.nq), 0
    for joint in model.joints():
        end += joint.nq
        if joint.type in QUATERNION:
            quaternion = rng.normal(size=4)
            q[end - 4 : end] = quaternion / np.linalg.norm(quaternion)
    return q, rng.normal(size=model.nv), rng.normal(size=model.nv)
