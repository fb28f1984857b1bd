"""Sixteen motions that compare closed form and engine: hexapod {Z, X, Y, roll} × table {none, X, Y, XY}.

Each axis moves as a sin(ωt), with an acceleration far below gravity (low) or at its limit (high).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from symbody.motion.data import ACTUATORS, AXES, Array, PlatformData
from symbody.motion.mechanism import add_friction, mechanism
from symbody.motion.platform_motion import PlatformMotion
from symbody.system.inverse import Inverse
from symbody.system.system import System, system

HEXAPOD = {"Z": ("z",), "X": ("x",), "Y": ("y",), "roll": ("roll",)}
TABLES = {"none": (), "X": ("table.x",), "Y": ("table.y",), "XY": ("table.x", "table.y")}
PACES = {"low": 0.05, "high": 1.0}  # of the highest acceleration
REACH = 0.8  # amplitude, as a share of the distance to the nearer limit of an axis
SAMPLES = 100


@dataclass(frozen=True)
class MotionCase:
    """A motion of the comparison, with its names."""

    hexapod: str
    table: str
    pace: str
    motion: PlatformMotion

    @property
    def name(self) -> str:
        """For example "Z + table XY, high"."""
        return f"{self.hexapod} + table {self.table}, {self.pace}"


def cases(data: PlatformData, samples: int = SAMPLES) -> list[MotionCase]:
    """All sixteen at both paces."""
    return [
        MotionCase(h, t, pace, swing((*HEXAPOD[h], *TABLES[t]), PACES[pace], data, samples))
        for h, t, pace in product(HEXAPOD, TABLES, PACES)
    ]


def swing(moving: tuple[str, ...], share: float, data: PlatformData, samples: int = SAMPLES) -> PlatformMotion:
    """Axes that move as a sin(ωt) about the neutral pose; a ω² is a share of their acceleration limit."""
    middle = data.neutral_axes
    tau = np.linspace(0.0, 1.0, samples, endpoint=False)
    axes, rates, second = (np.zeros((samples, len(AXES))) for _ in range(3))
    axes += middle
    longest = max(_period(axis, share, data, middle) for axis in moving)
    t = longest * tau
    for axis in moving:
        k, a = AXES.index(axis), _amplitude(axis, data, middle)
        w = 2.0 * np.pi / _period(axis, share, data, middle)
        axes[:, k] += a * np.sin(w * t)
        rates[:, k], second[:, k] = a * w * np.cos(w * t), -a * w * w * np.sin(w * t)
    return PlatformMotion(t, axes, rates, second, data)


def _amplitude(axis: str, data: PlatformData, middle: Array) -> float:
    limit, at = data.limits[axis], float(middle[AXES.index(axis)])
    return REACH * min(limit.high - at, at - limit.low)


def _period(axis: str, share: float, data: PlatformData, middle: Array) -> float:
    return float(2.0 * np.pi * np.sqrt(_amplitude(axis, data, middle) / (share * data.limits[axis].acceleration)))


# -- Γ by the engine ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EngineInverse:
    """The engine's inverse dynamics of the closed mechanism: Γ of its actuators for a motion of the axes."""

    system: System
    inverse: Inverse

    def __call__(self, motion: PlatformMotion) -> Array:
        """Γ (n, 8) (N)."""
        moved = {f"{axis}.q": motion.axes[:, k] for k, axis in enumerate(AXES)}
        moved |= {f"{axis}.qd": motion.rates[:, k] for k, axis in enumerate(AXES)}
        order = [AXES.index(name) for name in self.inverse.accelerations]
        return self.inverse(np.column_stack([moved[name] for name in self.system.states]), motion.second[:, order])


def engine(data: PlatformData) -> EngineInverse:
    """The engine's inverse dynamics of the mechanism with friction."""
    m = mechanism(data)
    add_friction(m, data)
    s = system(m, independent=list(AXES), outputs=[])
    return EngineInverse(s, s.inverse(ACTUATORS))


def apart(a: Array, b: Array) -> float:
    """Largest difference of two Γ (n, 8), relative to the largest force of each actuator, or to 1 N."""
    return float((np.abs(a - b).max(axis=0) / np.maximum(np.abs(b).max(axis=0), 1.0)).max())
