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

    Parameters
    ----------
    inertia : float or sequence of float
        M_d (kg, kg m²). Default (0.4, 0.4, 0.001).
    damping : float or sequence of float
        C_d (N s/m). Default 0.
    friction : float or sequence of float
        Dry friction (N). Default 0.
    limit : float or sequence of float
        Largest force of the motors (N). Default inf.
    resolution : float or sequence of float
        Step of the encoders (m); 0: perfect. Default 0.
    reach : float or sequence of float
        Distance from the origin to the end stops of x, y and the angle (rad), or of x, y and z (m). Default inf.
    delay : float
        Time from the command to the motors (s). Default 0.
    rate : float
        Lowest rate of its simulation (Hz). Default 8000.
    smoothing : float
        Time constant of velocities from encoders (s). Default 0.002.
    observer : float
        Gain K_o of the observer of the hand's force (1/s). Default 60.
    observed : bool
        Whether velocity and hand force come from encoders and a momentum observer, as in hardware; otherwise they are
        exact. Default False.
    external : bool
        Whether it is not simulated: poses and hand forces come from outside at each tick. Default False.
    """

    inertia: Axes = (0.4, 0.4, 0.001)
    damping: Axes = 0.0
    friction: Axes = 0.0
    limit: Axes = inf
    resolution: Axes = 0.0
    reach: Axes = inf
    delay: float = 0.0
    rate: float = 8000.0
    smoothing: float = 2e-3
    observer: float = 60.0
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

    Parameters
    ----------
    inertia : float or sequence of float
        Of handle and arms (kg, kg m²). Default (0.25, 0.25, 0.0006).
    damping, friction, limit, resolution, reach, delay, rate, smoothing, observer, observed, external
        As in `HapticDevice`.
    arm : float
        Length of the driven links (m). Default 0.09.
    forearm : float
        Length of the outer links (m). Default 0.11.
    gap : float
        Distance between the motors of a five-bar (m). Default 0.05.
    handle : float
        Distance between its end points (m). Default 0.1.
    rotor : float
        Inertia of a motor (kg m²). Default 2e-5.
    torque : float
        Largest torque of a motor (N m), at 10 A. Default 0.525.
    counts : float
        Increments of an encoder per turn. Default 1.6e4.
    """

    inertia: Axes = (0.25, 0.25, 6e-4)
    arm: float = 0.09
    forearm: float = 0.11
    gap: float = 0.05
    handle: float = 0.1
    rotor: float = 2e-5
    torque: float = 0.525
    counts: float = 16000.0
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
    """F_h = push + k (target − x) − b ẋ, and a mass that moves with the device; without k a pure force source.

    Parameters
    ----------
    stiffness : float or sequence of float
        k (N/m). Default 0.
    damping : float or sequence of float
        b (N s/m). Default 0.
    mass : float or sequence of float
        kg. Default 0.
    """

    stiffness: Axes = 0.0
    damping: Axes = 0.0
    mass: Axes = 0.0

    def numbers(self, nh: int) -> dict[str, list[float]]:
        """Values of the C structure device_t."""
        return {
            "hand_k": by_axis(self.stiffness, nh, "stiffness"),
            "hand_b": by_axis(self.damping, nh, "damping"),
            "hand_m": by_axis(self.mass, nh, "mass"),
        }
