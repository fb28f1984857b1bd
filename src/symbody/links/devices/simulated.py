"""Simulated devices: a handle with inertia, friction, delay, sensors and limits, held by a simulated hand."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from symbody.errors import ModelError
from symbody.links.devices.device import Device

Array = np.ndarray
Number = float | Sequence[float]

LONGEST = 0.1  # s simulated at most after a pause of the process; longer pauses are skipped


@dataclass(frozen=True)
class Handle:
    """Mechanics and electronics of a device (SI): one number for all axes, or one per axis.

    Parameters
    ----------
    inertia : float or sequence of float
        M (kg or kg m²). Default 0.5.
    damping : float or sequence of float
        b (N s/m). Default 0.5.
    friction : float or sequence of float
        Dry friction f_c (N). Default 0.
    limit : float or sequence of float
        Largest effort u_max (N). Default inf.
    resolution : float or sequence of float
        Of the encoder (m) or the force sensor (N); 0: perfect. Default 0.
    delay : float
        τ from the command to the motor, or from the hand to the force sensor (s). Default 0.
    smoothing : float
        Time constant of the velocity from encoder differences (s). Default 0.002.
    bandwidth : float
        ω of the servo of an admittance device (rad/s). Default 200.
    """

    inertia: Number = 0.5
    damping: Number = 0.5
    friction: Number = 0.0
    limit: Number = np.inf
    resolution: Number = 0.0
    delay: float = 0.0
    smoothing: float = 2e-3
    bandwidth: float = 200.0


@dataclass(frozen=True)
class Hand:
    """A simulated hand on the handle: f_h = f(t) + k (r(t) − x) − c v.

    Parameters
    ----------
    stiffness : float or sequence of float
        k (N/m). Default 0.
    damping : float or sequence of float
        c (N s/m). Default 0.
    wants : function, optional
        Target r(t) (m). Default 0.
    pushes : function, optional
        Force f(t) (N). Default 0.
    """

    stiffness: Number = 0.0
    damping: Number = 0.0
    wants: Callable[[float], Number] = lambda t: 0.0
    pushes: Callable[[float], Number] = lambda t: 0.0

    def force(self, t: float, x: Array, v: Array) -> Array:
        """f_h (N, N m) at a time t (s), a position x (m, rad) and a velocity v."""
        k, c = np.asarray(self.stiffness), np.asarray(self.damping)
        return np.asarray(self.pushes(t) + k * (np.asarray(self.wants(t)) - x) - c * v)


class Simulated(Device):
    """Base of the simulated devices: channel names, time between calls, and a delay."""

    MEASURED: ClassVar[tuple[str, ...]]  # endings of the channels of each axis
    TAKEN: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        axes: Sequence[str] = ("x",),
        handle: Handle | None = None,
        hand: Hand | None = None,
        *,
        step: float = 1e-3,  # s
        clock: Callable[[], float] = time.monotonic,
    ):
        self.measures = tuple(f"{axis}.{ending}" for ending in self.MEASURED for axis in axes)
        self.takes = tuple(f"{axis}.{ending}" for ending in self.TAKEN for axis in axes)
        self.handle, self.hand, self.step = handle or Handle(), hand or Hand(), step
        d = self.handle
        numbers = (d.inertia, d.damping, d.friction, d.limit, d.resolution)
        self._M, self._b, self._f_c, self._u_max, self._resolution = (
            np.full(len(axes), x, dtype=float) for x in numbers
        )
        if not (step > 0.0 and np.all(self._M > 0.0) and all(np.all(np.asarray(x) >= 0.0) for x in numbers)):
            cure = "give a positive step and inertia, and no negative numbers"
            raise ModelError(
                "a number of the simulated device is not allowed", element=axes[0] if axes else "device", cure=cure
            )
        self.t, self.x, self.v = 0.0, np.zeros(len(axes)), np.zeros(len(axes))
        self._measured, self._wanted = np.zeros(len(self.measures)), self._at_rest()
        self._delayed: deque[tuple[float, Array]] = deque()  # delayed forces with their times of arrival
        self._arrived = np.zeros(len(axes))
        self._clock, self._passed = clock, clock()

    def read(self) -> Array:
        self._move_on()
        return self._measured.copy()

    def command(self, values: Array) -> None:
        self._move_on()
        self._wanted = np.array(values, dtype=float)

    def safe(self) -> None:
        self._wanted = self._at_rest()

    def close(self) -> None:
        self.safe()

    def _at_rest(self) -> Array:
        """The command at rest."""
        raise NotImplementedError

    def _advance(self, h: float) -> None:
        """One step of h (s)."""
        raise NotImplementedError

    def _move_on(self) -> None:
        """Step up to the present time of the clock."""
        now = self._clock()
        self._passed = max(self._passed, now - LONGEST)
        while self._passed + self.step <= now:
            self._advance(self.step)
            self.t += self.step
            self._passed += self.step

    def _late(self, force: Array) -> Array:
        """Queue the present force and return the one of τ ago."""
        self._delayed.append((self.t + self.handle.delay, force))
        while self._delayed and self._delayed[0][0] <= self.t:
            self._arrived = self._delayed.popleft()[1]
        return self._arrived


class SimulatedImpedance(Simulated):
    """Measures motion by an encoder, takes force: M v̇ = u(t − τ) + f_h − b v − f_c sign v, |u| ≤ u_max.

    Implicit in b and f_c, so that dry friction holds it exactly at rest.

    Parameters
    ----------
    axes, handle, hand, step, clock
        As in `SimulatedAdmittance`.
    """

    MEASURED, TAKEN = ("q", "qd"), ("Q",)

    def safe(self) -> None:
        super().safe()
        self._delayed.clear()  # the motors are switched off at once
        self._arrived = self._at_rest()

    def _at_rest(self) -> Array:
        return np.zeros(len(self.takes))

    def _advance(self, h: float) -> None:
        M, n = self._M + h * self._b, len(self.x)
        u = np.minimum(np.maximum(self._late(self._wanted), -self._u_max), self._u_max)
        free = (self._M * self.v + h * (u + self.hand.force(self.t, self.x, self.v))) / M
        self.v = np.sign(free) * np.maximum(np.abs(free) - h * self._f_c / M, 0.0)
        self.x = self.x + h * self.v
        seen, before, rate = rounded(self.x, self._resolution), self._measured[:n], self._measured[n:]
        self._measured = np.concatenate([seen, rate + ((seen - before) - h * rate) / (self.handle.smoothing + h)])


class SimulatedAdmittance(Simulated):
    """Measures the hand's force, takes motion: a servo v̇ = ω²(r − x) + 2ω(ṙ − v), |M v̇| ≤ u_max, implicit.

    Parameters
    ----------
    axes : sequence of str
        Names of the axes. Default ("x",).
    handle : Handle, optional
        Mechanics and electronics. Default: `Handle()`.
    hand : Hand, optional
        The simulated hand. Default: `Hand()`.
    step : float
        Longest step of its simulation (s). Default 0.001.
    clock : function, optional
        Function that returns seconds.
    """

    MEASURED, TAKEN = ("Q",), ("q", "qd")

    def _at_rest(self) -> Array:
        return np.concatenate([self.x, np.zeros_like(self.v)])

    def _advance(self, h: float) -> None:
        omega, n = self.handle.bandwidth, len(self.x)
        r, rd = self._wanted[:n], self._wanted[n:]
        asked = (omega**2 * (r - self.x - h * self.v) + 2.0 * omega * (rd - self.v)) / (1.0 + omega * h) ** 2
        most = self._u_max / self._M
        self.v = self.v + h * np.minimum(np.maximum(asked, -most), most)
        self.x = self.x + h * self.v
        self._measured = rounded(self._late(self.hand.force(self.t, self.x, self.v)), self._resolution)


def rounded(x: Array, resolution: Array) -> Array:
    """x rounded to multiples of the resolution; unchanged if it is 0."""
    if not np.any(resolution):
        return x
    return np.where(resolution > 0.0, np.round(x / np.where(resolution > 0.0, resolution, 1.0)) * resolution, x)
