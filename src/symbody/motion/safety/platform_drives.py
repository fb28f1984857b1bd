"""Eight simulated drives for homing: the full model with mechanical end stops, friction, force limits and encoders."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from symbody.expr.functions import maximum, minimum
from symbody.model.model import Model
from symbody.motion.compiled import geometry_function
from symbody.motion.control.pid import RESET, pid_force
from symbody.motion.data import ACTUATORS, AXES, Array, PlatformData
from symbody.motion.drives import resolutions
from symbody.motion.mechanism import add_forces, add_friction, force_input, mechanism
from symbody.motion.safety.homing import REPORT, end_stops
from symbody.motion.servo import DAMPING, STIFFNESS, drive_force
from symbody.stepping.stepper import stepper
from symbody.system.system import System, system

STOP_STIFFNESS, STOP_DAMPING = 2e5, 2e3  # N/m, N s/m of an end stop
DT = 1e-3  # s, a sample of the drives
SUBSTEPS = 4  # end stops are stiff
LEAD = 2e-3  # m, largest distance of a reference from an axis that does not move
PUSH = 0.3  # of the rated force: the largest force of homing


def add_end_stops(m: Model, data: PlatformData) -> None:
    """Add springs with dampers that push sliders and legs back from their mechanical ends."""
    for name, low, high in zip(ACTUATORS, *end_stops(data), strict=True):

        def force(s: Any, p: Any, name: str = name, low: float = float(low), high: float = float(high)) -> tuple[Any]:
            deep = maximum(low - s.q[name], 0.0), maximum(s.q[name] - high, 0.0)
            pushed = [
                maximum(STOP_STIFFNESS * d - STOP_DAMPING * side * s.qd[name] * minimum(1e4 * d, 1.0), 0.0)
                for d, side in zip(deep, (1.0, -1.0), strict=True)
            ]
            return (pushed[0] - pushed[1],)

        m.coupling(f"{name}.stop", name)(force)


@cache
def stopped_plant(data: PlatformData) -> System:
    """The platform with friction and mechanical end stops, moved by forces; its states are the axes."""
    m = mechanism(data)
    add_friction(m, data)
    add_end_stops(m, data)
    add_forces(m, data)
    return system(m, independent=list(AXES), outputs=[])


class PlatformDrives:
    """Drives that follow speeds by PID of their own encoders, on the full model; `HomingDrives`. The encoders begin at
    random increments.

    Parameters
    ----------
    data : PlatformData
        The platform.
    axes : array, shape (8,)
        Where the platform is when the power comes on (m, rad).
    seed : int
        Of the encoders. Default 0.
    """

    def __init__(self, data: PlatformData, axes: Array, seed: int = 0) -> None:
        self.data, s = data, stopped_plant(data)
        places = {name: k for k, name in enumerate(s.states)}
        self._position = [places[f"{axis}.q"] for axis in AXES]
        self._stepper = stepper(s, dt=DT, substeps=SUBSTEPS)
        x = np.zeros(len(s.states))
        x[self._position] = axes
        self._x = self._stepper.reset(x)
        self._order = [[force_input(name) for name in ACTUATORS].index(name) for name in s.inputs]
        self._scale, self._ends = resolutions(data), PUSH * np.array([drive_force(n, data, False) for n in ACTUATORS])
        self._unknown = np.random.default_rng(seed).integers(-100_000, 100_000, len(ACTUATORS))
        self._wanted = self.true
        self._integral = np.array([s.u0[self._order.index(k)] for k in range(len(ACTUATORS))])
        self._integral /= np.array(STIFFNESS) * RESET
        self._last = self._wanted.copy()

    @property
    def true(self) -> Array:
        """True positions of the actuators (8,) (m)."""
        return np.asarray(geometry_function(self.data)(self._x[self._position]).q)

    def positions(self) -> Array:
        """Increments (8,) of the encoders, each from an unknown zero."""
        return np.asarray(np.round(self.true / self._scale) + self._unknown)

    def advance(self, speeds: Array) -> None:
        """Follow speeds (8,) (m/s) until the next report."""
        kp, kd = np.array(STIFFNESS), np.array(DAMPING)
        for _ in range(round(REPORT / DT)):
            q = self._scale * np.round(self.true / self._scale)
            self._wanted = np.clip(self._wanted + DT * speeds, q - LEAD, q + LEAD)
            rate, self._last = (q - self._last) / DT, q
            asked = pid_force(self._wanted - q, self._integral, speeds - rate, kp, kd, RESET)
            force = np.clip(asked, -self._ends, self._ends)
            self._integral = self._integral + DT * (self._wanted - q) * (force == asked)
            self._x = self._stepper.step(self._x, force[self._order])
