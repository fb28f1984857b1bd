"""Poses of the frames of a model for given coordinates, in the frame of the view: z upwards."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symbody.equations.compile import compile
from symbody.model.model import Model
from symbody.visual.motion import BodyMotion, turned
from symbody.visual.page import quaternions

Array = np.ndarray


class Poses:
    """Compiled kinematics of a model, with live parameters."""

    def __init__(self, model: Model, up: Array, parameters: Mapping[str, float]):
        live = "all" if set(parameters) - set(model.values) else "named"
        self._up, self._nv = up, model.nv
        self._kinematics = compile(model, "kinematics", loads=False, live=live)
        self.update(parameters)

    def update(self, parameters: Mapping[str, float]) -> bool:
        """Take over parameters; whether the kinematics depend on any of them."""
        known = {name: x for name, x in parameters.items() if name in self._kinematics.parameters}
        if known:
            self._kinematics.parameters.update(known)
        return bool(known)

    def motion(self, q: Array) -> BodyMotion:
        """Poses for rows of coordinates; times are the row numbers."""
        found = self._kinematics(q, np.zeros((len(q), self._nv)))
        return turned(np.arange(len(q), dtype=float), found.position, found.rotation, self._up)

    def rows(self, q: Array) -> Array:
        """x y z and the quaternion w x y z of each frame, the ground first, for one row of coordinates."""
        moved = self.motion(q[np.newaxis])
        return np.column_stack([moved.position[0], quaternions(moved.rotation[0])])
