"""A haptic device with inertia, friction, encoders, delay and limits; and the hand that holds it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from symbody.errors import ModelError
from symbody.haptics.settings import Axes, by_axis, finite
from symbody.haptics.structures import HAND, LONGEST


@dataclass(frozen=True, kw_only=True)
class HapticDevice:
    """A device with three axes in the plane or six in space: M_d ẍ = F_h + u − C_d ẋ − friction (SI).

    observed: velocity and hand force come from encoders and a momentum observer, as in hardware; otherwise they are
    exact. external: it is not simulated; poses and hand forces come from outside at each tick.
    """

    inertia: Axes = (0.4, 0.4, 0.001)  # M_d: kg, kg m²
    damping: Axes = 0.0  # C_d: N s/m
    friction: Axes = 0.0  # N, dry
    limit: Axes = inf  # N: of the motors
    resolution: Axes = 0.0  # m, of the encoders; 0: perfect
    reach: Axes = inf  # m, from the origin to the end stops of x, y and the angle (rad), or of x, y and z
    delay: float = 0.0  # s, from the command to the motors
    rate: float = 8000.0  # Hz: lowest rate of its simulation
    smoothing: float = 2e-3  # s, of velocities from encoders
    observer: float = 60.0  # K_o: 1/s, of the hand's force
    observed: bool = False
    external: bool = False

    def numbers(self, nh: int, dt: float) -> dict[str, float | list[float]]:
        """Values of the C structure device_t."""
        delay = round(finite("delay", self.delay) / dt)
        if delay > LONGEST - 2:
            raise ModelError(f"delay = {self.delay} s", element="device", cure=f"give at most {(LONGEST - 2) * dt:g} s")
        return {
            "external": int(self.external),
            "observed": int(self.observed),
            "substeps": max(1, round(dt * finite("rate", self.rate, 1.0))),
            "delay": delay,
            "mass": by_axis(self.inertia, nh, "inertia", least=1e-9),
            "damping": by_axis(self.damping, nh, "damping"),
            "friction": by_axis(self.friction, nh, "friction"),
            "limit": by_axis(self.limit, nh, "limit"),
            "quantum": by_axis(self.resolution, nh, "resolution"),
            "reach": by_axis(self.reach, nh, "reach", least=1e-9)[:3],
            "smoothing": finite("smoothing", self.smoothing),
            "gain": finite("observer", self.observer),
        }


@dataclass(frozen=True, kw_only=True)
class Pantograph(HapticDevice):
    """The planar twin pantograph: two five-bars joined by a handle, four motors; x, y and angle (thesis D).

    The thesis does not print lengths and inertias; these give its peak of about 23 N and 1.15 N m.
    """

    inertia: Axes = (0.25, 0.25, 6e-4)  # of handle and arms: kg, kg m²
    arm: float = 0.09  # m
    forearm: float = 0.11  # m
    gap: float = 0.05  # m, between the motors of a five-bar
    handle: float = 0.1  # m, between its end points
    rotor: float = 2e-5  # kg m²
    torque: float = 0.525  # N m: 10 A
    counts: float = 16000.0  # of an encoder per turn
    observed: bool = True

    def numbers(self, nh: int, dt: float) -> dict[str, float | list[float]]:
        if nh == HAND:
            raise ModelError(
                "a pantograph is planar, but the scene is in space", element="device", cure="use it in a planar scene"
            )
        own = {name: finite(name, getattr(self, name), 1e-9) for name in _ARMS}
        return {**super().numbers(nh, dt), **own, "pantograph": 1}


_ARMS = ("arm", "forearm", "gap", "handle", "rotor", "torque", "counts")


@dataclass(frozen=True)
class HapticHand:
    """F_h = push + k (target − x) − b ẋ, and a mass that moves with the device; without k a pure force source."""

    stiffness: Axes = 0.0  # k: N/m
    damping: Axes = 0.0  # b: N s/m
    mass: Axes = 0.0  # kg

    def numbers(self, nh: int) -> dict[str, list[float]]:
        """Values of the C structure device_t."""
        return {
            "hand_k": by_axis(self.stiffness, nh, "stiffness"),
            "hand_b": by_axis(self.damping, nh, "damping"),
            "hand_m": by_axis(self.mass, nh, "mass"),
        }
