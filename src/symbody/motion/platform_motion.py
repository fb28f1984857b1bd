"""A motion of the platform over time: axes with rates and accelerations, and derived actuator quantities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbody.model.model import Model
from symbody.motion.data import AXES, LEGS, Array, PlatformData
from symbody.motion.dynamics import actuator_map, inverse_dynamics
from symbody.motion.geometry import inverse_geometry, leg_vectors
from symbody.motion.kinematics import (
    LegMotion,
    acceleration_of_rates,
    leg_frames,
    leg_rates,
    leg_velocities,
    rates_of_twist,
    twist_of_rates,
)


@dataclass(frozen=True, eq=False)
class PlatformMotion:
    """A motion of the axes, in the order of `AXES`.

    Parameters
    ----------
    t : array, shape (n,)
        Times (s).
    axes : array, shape (n, 8)
        Positions (m, rad).
    rates : array, shape (n, 8)
        First derivatives (m/s, rad/s).
    second : array, shape (n, 8)
        Second derivatives (m/s², rad/s²).
    data : PlatformData
        The platform.
    """

    t: Array
    axes: Array
    rates: Array
    second: Array
    data: PlatformData

    @property
    def pose(self) -> Array:
        """x, y, z and the three angles of the platform (n, 6)."""
        return self.axes[:, 2:]

    def part(self, rows: slice) -> PlatformMotion:
        """The motion at some of its times."""
        return PlatformMotion(self.t[rows], self.axes[rows], self.rates[rows], self.second[rows], self.data)

    def parts(self, size: int) -> Iterator[PlatformMotion]:
        """The motion in parts of at most `size` times."""
        return (self.part(slice(k, k + size)) for k in range(0, len(self.t), size))

    @cached_property
    def twist(self) -> Array:
        """[q̇_t; v; ω], (n, 8)."""
        return np.hstack([self.rates[:, :2], twist_of_rates(self.pose, self.rates[:, 2:])])

    @cached_property
    def acceleration(self) -> Array:
        """[q̈_t; v̇; ω̇], (n, 8)."""
        turned = acceleration_of_rates(self.pose, self.rates[:, 2:], self.second[:, 2:])
        return np.hstack([self.second[:, :2], turned])

    @cached_property
    def actuators(self) -> Array:
        """q = (x_t, y_t, q_31 … q_36), (n, 8)."""
        return np.asarray(inverse_geometry(self.axes, self.data)[0])

    @cached_property
    def legs(self) -> LegMotion:
        """Rates and second derivatives of the leg joints."""
        return leg_rates(self.pose, self.twist[:, 2:], self.acceleration[:, 2:], self.data)

    @property
    def actuator_rates(self) -> Array:
        """q̇, (n, 8)."""
        return np.hstack([self.rates[:, :2], self.legs.q3d])

    def forces(self, friction: bool = True) -> Array:
        """Γ of the actuators (n, 8) (N)."""
        return np.asarray(inverse_dynamics(self.pose, self.twist, self.acceleration, self.data, friction))

    @property
    def power(self) -> Array:
        """Γᵀq̇ (n,) (W)."""
        return np.asarray((self.forces() * self.actuator_rates).sum(axis=1))


def in_model(motion: PlatformMotion, model: Model) -> tuple[Array, Array, Array]:
    """q, q̇, q̈ (n, nv) of all coordinates of the model, with closed loops."""
    actuators, passive = inverse_geometry(motion.axes, motion.data)
    legs = motion.legs
    values = {axis: (motion.axes[:, i], motion.rates[:, i], motion.second[:, i]) for i, axis in enumerate(AXES)}
    for k, leg in enumerate(LEGS):
        values[f"yoke{leg}"] = passive[:, k, 0], legs.q1d[:, k], legs.q1dd[:, k]
        values[f"cylinder{leg}"] = passive[:, k, 1], legs.q2d[:, k], legs.q2dd[:, k]
        values[f"rod{leg}"] = actuators[:, 2 + k], legs.q3d[:, k], legs.q3dd[:, k]
    q, qd, qdd = (np.stack([values[name][i] for name in model.velocities], axis=1) for i in range(3))
    return q, qd, qdd


def velocity_basis(motion: PlatformMotion, model: Model) -> Array:
    """N (n, nv, 8) of q̇_model = N q̇: velocities of all joints for unit velocities of the actuators."""
    pose, data = motion.pose[:, None], motion.data
    twists = np.swapaxes(np.linalg.inv(actuator_map(motion.pose, data)), 1, 2)  # (n, 8, 8): a row for each actuator
    d, L = leg_vectors(pose, data)
    v, w = twists[..., None, 2:5], twists[..., None, 5:]
    q1d, q2d, q3d = leg_velocities(leg_frames(d), v + np.cross(w, L))
    rates = np.concatenate([twists[..., :2], rates_of_twist(pose, twists[..., 2:])], axis=-1)
    values = {axis: rates[..., i] for i, axis in enumerate(AXES)}
    for k, leg in enumerate(LEGS):
        values |= {f"yoke{leg}": q1d[..., k], f"cylinder{leg}": q2d[..., k], f"rod{leg}": q3d[..., k]}
    return np.stack([values[name] for name in model.velocities], axis=1)


def random_motion(data: PlatformData, states: int, rng: np.random.Generator, table: bool = True) -> PlatformMotion:
    """Random states within the limits of all axes, or of the hexapod alone; they are not a continuous motion."""
    low, high, speed, acceleration = map(data.ends, ("low", "high", "speed", "acceleration"))
    places, rates, second = rng.uniform(-1.0, 1.0, (3, states, len(AXES))) * np.repeat([table, True], (2, 6))
    axes = 0.5 * (low + high) + 0.5 * (high - low) * places
    return PlatformMotion(np.arange(states, dtype=float), axes, speed * rates, acceleration * second, data)
