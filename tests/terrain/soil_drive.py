"""Moves one contact of a terrain along a given path, without a model."""

import ctypes

import numpy as np

from symbody.realtime.unclocked import Unclocked
from symbody.terrain.soil.ground_contact import MOTION, GroundContact
from symbody.terrain.soil.structures import TOOL, TYRE, WHEEL
from symbody.terrain.soil.terrain import PITCH, Terrain
from symbody.terrain.soil.tool_shape import ToolBox

__all__ = ["TYRE", "WHEEL", "SoilDrive", "ToolBox", "box_on", "wheel_on"]


def box_on(ground: Terrain, *boxes: ToolBox, pitch: float | None = None) -> Terrain:
    """A terrain with a tool named "tool"."""
    ground.contacts.append(GroundContact("tool", TOOL, boxes=boxes, pitch=pitch or PITCH * ground.start.spacing))
    return ground


def wheel_on(ground: Terrain, radius: float, width: float) -> Terrain:
    """A terrain with a wheel named "wheel"."""
    ground.contacts.append(GroundContact("wheel", WHEEL, radius, width))
    return ground


class SoilDrive:
    """A terrain whose first contact is moved by hand; `step` returns force and torque on it."""

    def __init__(self, ground: Terrain, dt: float = 1e-3):
        self.ground, self.dt = ground, dt
        self.steps = Unclocked(ground, dt)
        self.names = self.steps.model.outputs

    def step(self, p, v=(0.0, 0.0, 0.0), R=None, w=(0.0, 0.0, 0.0), load=None):
        """One step with the contact at p after it; velocities v and w."""
        R = np.eye(3) if R is None else R
        before = np.array(p) - self.dt * np.array(v)  # the soil looks one step ahead
        turned = R - self.dt * np.cross(w, R.T).T
        row = [*before, *turned.ravel(), *v, *w, *([] if load is None else [load])]
        assert len(MOTION) == 18
        self.steps._u[: len(row)] = row
        if not self.steps.step():
            self.ground.raise_trouble()
        return self.steps._row[:6].copy()

    def rest(self, n):
        """Many steps with the contact as it is."""
        s = self.steps
        s._function(s._where, s.done, n, n, s._row.ctypes.data, ctypes.addressof(s._status))
        s.done += n
        assert s._status.value == 0

    def output(self, name):
        """The newest value of an output."""
        return float(self.steps._row[self.names.index(name)])
