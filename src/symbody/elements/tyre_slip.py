"""Tyres whose forces follow the slip without delay: saturating (linear up to the friction circle) and magic formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from symbody.elements.contact_laws import Penalty
from symbody.elements.numbers import Scalar, require_positive
from symbody.elements.tyre_patch import Patch, PatchForces, rubbed
from symbody.errors import ModelError
from symbody.expr.functions import atan, cos, sin

TREAD = 1e-3  # m: depth over which the damping of a tyre rises at touch-down
NO_SLIP = 1e-9  # slip over the slip at saturation: below it everything is linear


@dataclass(frozen=True, kw_only=True)
class Tyre:
    """Base of tyres: a radial spring, the effective radius, rolling drag.

    The numbers are for a 205/55 R16 at 2.3 bar, as textbooks on vehicle dynamics describe the class: 200 kN/m radial
    stiffness with little damping, 1 % rolling drag, a rolling radius that is smaller by a third of the deflection.

    Parameters
    ----------
    radius : float
        Unloaded radius (m). Default 0.318.
    stiffness : float
        Radial stiffness (N/m). Default 2e5.
    damping : float
        Radial damping (N s/m). Default 150.
    sag : float
        Reduction of the effective radius over the deflection. Default 0.3333.
    rolling_drag : float
        Rolling resistance over the load. Default 0.01.
    slow : float
        Speed below which forces are viscous, to avoid division by zero (m/s). Default 3.
    """

    radius: float = field(default=0.318, metadata={"unit": "m"})
    stiffness: float = field(default=200e3, metadata={"unit": "N/m"})
    damping: float = field(default=150.0, metadata={"unit": "N s/m"})
    sag: float = 1.0 / 3.0
    rolling_drag: float = 0.01
    slow: float = field(default=3.0, metadata={"unit": "m/s"})
    states: ClassVar[tuple[str, ...]] = ()

    @property
    def carcass(self) -> Penalty:
        """The radial spring of the tyre."""
        return Penalty(stiffness=self.stiffness, damping=self.damping, onset=TREAD)

    def load(self, at: Patch) -> Scalar:
        """N (N), upwards. N cos γ is the radial force, so that its power is that of the spring at any camber γ."""
        return self.carcass.force(self.radius - at.height, -at.lifting) / at.upright

    def drag(self, at: Patch, load: Scalar) -> Scalar:
        """Torque (N m) of rolling resistance about the axle."""
        speed = self.radius * at.spin
        return -self.rolling_drag * self.radius * load * speed / (speed * speed + self.slow * self.slow) ** 0.5

    def speed(self, at: Patch) -> Scalar:
        """√(v² + slow²) (m/s), the divisor of slip velocities."""
        return (at.rolling * at.rolling + self.slow * self.slow) ** 0.5

    def road(self, at: Patch, z: Sequence[Scalar] = ()) -> PatchForces:
        """Forces of the road on the tyre at its contact patch."""
        raise NotImplementedError

    @property
    def scales(self) -> tuple[Scalar, ...]:
        """A typical size of each state, for tolerances."""
        return ()

    def rates(self, at: Patch, z: Sequence[Scalar] = ()) -> tuple[Scalar, ...]:
        """Rates of the states, in order; empty without memory."""
        return ()

    def stored(self, at: Patch, z: Sequence[Scalar] = ()) -> Scalar:
        """Energy of the radial spring (J)."""
        return self.carcass.stored(self.radius - at.height)

    def dissipated(self, at: Patch, z: Sequence[Scalar] = ()) -> Scalar:
        """Power lost by radial damping, slip, twist and drag (W), never negative."""
        return self.carcass.dissipated(self.radius - at.height, -at.lifting) + rubbed(at, self.road(at, z))

    def check(self, name: str) -> None:
        """Raise ModelError if a number is invalid; `name` is the name of the element, for the message."""
        require_positive(name, self, "radius", "stiffness", "slow")
        require_positive(name, self, "damping", "sag", "rolling_drag", zero=True)


@dataclass(frozen=True, kw_only=True)
class SaturatingTyre(Tyre):
    """u = C σ/(μ N) per direction, F = −μ N u/√(1 + u·u): linear in small slip σ, never beyond the circle μ N.

    The same tyre on dry asphalt: at 4 kN about 60 kN/rad of cornering stiffness and a little more longitudinally, both
    growing less than the load; 30 mm of pneumatic trail that vanishes as the contact patch slides.

    Parameters
    ----------
    radius, stiffness, damping, sag, rolling_drag, slow
        As in `Tyre`.
    friction : float
        Coefficient μ. Default 0.95.
    cornering : float
        Cornering stiffness C over the load, at small loads (1/rad). Default 18.
    traction : float
        Longitudinal slip stiffness over the load. Default 22.
    load_scale : float
        Load at which 30 % of that ratio is lost (N). Default 6000.
    trail : float
        Pneumatic trail at small slip (m). Default 0.03.
    bore : float
        Radius at which a twist counts as lateral slip (m). Default 0.04.
    """

    friction: float = 0.95
    cornering: float = field(default=18.0, metadata={"unit": "1/rad"})
    traction: float = 22.0
    load_scale: float = field(default=6000.0, metadata={"unit": "N"})
    trail: float = field(default=0.03, metadata={"unit": "m"})
    bore: float = field(default=0.04, metadata={"unit": "m"})

    def road(self, at: Patch, z: Sequence[Scalar] = ()) -> PatchForces:
        load = self.load(at)
        soft = self.friction * (1.0 + (load / self.load_scale) ** 2) ** 0.5 * self.speed(at)
        along, aside = self.traction * at.along / soft, self.cornering * at.aside / soft
        grip, slide = friction_circle(self.friction * load, along, aside)
        side = -grip * aside
        twist = grip * self.cornering / soft * self.bore * self.bore * at.turn
        return PatchForces(load, -grip * along, side, -self.trail * side / slide - twist, self.drag(at, load))

    def check(self, name: str) -> None:
        super().check(name)
        require_positive(name, self, "friction", "cornering", "traction", "load_scale")
        _check_bore(name, self.trail, self.bore)


@dataclass(frozen=True, kw_only=True)
class MagicTyre(Tyre):
    """F = −D sin(C atan(B σ − E(B σ − atan B σ))), B C D = K, in each direction (Pacejka, Tyre and Vehicle Dynamics).

    Combined slip by similarity: both directions use u = √(u_x² + u_y²), u = K σ/D, with the shares u_x/u and u_y/u, so
    the force stays within the ellipse of D_x and D_y. Loads: D = μ N/(1 + q(N/N₀ − 1)), K_x ∝ N, K_y = C₀ N₀ 2x/(1 +
    x²) with x = N/(c N₀); trail and bore ∝ N. The numbers are typical of the class, not of a measured tyre.

    Parameters
    ----------
    radius, stiffness, damping, sag, rolling_drag, slow
        As in `Tyre`.
    nominal_load : float
        Load N₀ (N). Default 4000.
    grip_along, grip_aside : float
        Friction coefficients μ at the nominal load. Defaults 1.05, 1.
    degression : float
        Loss q of grip with the load. Default 0.15.
    traction : float
        Longitudinal slip stiffness over the load, K_x/N. Default 22.
    cornering : float
        C₀: largest K_y over N₀ (1/rad). Default 18.75.
    cornering_load : float
        Load c over N₀ at which K_y is largest. Default 2.
    shape_along, shape_aside : float
        Shape factors C. Defaults 1.65, 1.3.
    curvature_along, curvature_aside : float
        Curvature factors E. Defaults 0.2, -0.8.
    trail : float
        Pneumatic trail at small slip (m). Default 0.03.
    trail_shape : float
        The trail falls as cos(shape atan(fall u)), and is slightly negative as the patch slides. Default 1.15.
    trail_fall : float
        See `trail_shape`. Default 1.2.
    bore : float
        Radius at which a twist counts as lateral slip (m). Default 0.04.
    """

    nominal_load: float = field(default=4000.0, metadata={"unit": "N"})
    grip_along: float = 1.05
    grip_aside: float = 1.0
    degression: float = 0.15
    traction: float = 22.0
    cornering: float = field(default=18.75, metadata={"unit": "1/rad"})
    cornering_load: float = 2.0
    shape_along: float = 1.65
    shape_aside: float = 1.3
    curvature_along: float = 0.2
    curvature_aside: float = -0.8
    trail: float = field(default=0.03, metadata={"unit": "m"})
    trail_shape: float = 1.15
    trail_fall: float = 1.2
    bore: float = field(default=0.04, metadata={"unit": "m"})

    def road(self, at: Patch, z: Sequence[Scalar] = ()) -> PatchForces:
        load = self.load(at)
        by_nominal = load / self.nominal_load
        tired = 1.0 + self.degression * (by_nominal - 1.0)
        x = by_nominal / self.cornering_load
        K_x, K_y = self.traction, 2.0 * self.cornering / self.cornering_load / (1.0 + x * x)  # over load
        u_x = K_x * tired / self.grip_along * at.along / self.speed(at)
        u_y = K_y * tired / self.grip_aside * at.aside / self.speed(at)
        u = (u_x * u_x + u_y * u_y + NO_SLIP * NO_SLIP) ** 0.5
        by_slip = load / (u * self.speed(at))
        along = K_x * by_slip * saturation(u, self.shape_along, self.curvature_along)
        aside = K_y * by_slip * saturation(u, self.shape_aside, self.curvature_aside)
        trail = self.trail * by_nominal * cos(self.trail_shape * atan(self.trail_fall * u))
        aligning = aside * (trail * at.aside - (self.bore * by_nominal) ** 2 * at.turn)
        return PatchForces(load, -along * at.along, -aside * at.aside, aligning, self.drag(at, load))

    def check(self, name: str) -> None:
        super().check(name)
        require_positive(name, self, "nominal_load", "grip_along", "grip_aside", "traction", "cornering")
        require_positive(name, self, "cornering_load", "shape_along", "shape_aside", "trail_shape", "trail_fall")
        require_positive(name, self, "degression", zero=True)
        _check_bore(name, self.trail, self.bore)
        if any(isinstance(E, int | float) and E > 1.0 for E in (self.curvature_along, self.curvature_aside)):
            raise ModelError(
                "a curvature is above 1", element=name, cure="use 1 or less, because the force would change its sign"
            )


def friction_circle(limit: Scalar, along: Scalar, aside: Scalar) -> tuple[Scalar, Scalar]:
    """G of the force F = −G u, G = μN/√(1 + u·u), at most the limit μN (N); and 1 + u·u, of slips u = C σ/(μN)."""
    slide = 1.0 + along * along + aside * aside
    return limit / slide**0.5, slide


def saturation(u: Scalar, shape: Scalar, curvature: Scalar) -> Scalar:
    """sin(C atan(u/C − E(u/C − atan(u/C)))): the magic formula with unit slope and unit peak."""
    bent = u / shape
    return sin(shape * atan(bent - curvature * (bent - atan(bent))))


def _check_bore(name: str, trail: float, bore: float) -> None:
    """A wheel that is twisted in place must not gain energy from its trail."""
    if isinstance(trail, int | float) and isinstance(bore, int | float) and not 0.0 <= trail <= 2.0 * bore:
        raise ModelError(f"trail {trail} m does not fit bore {bore} m", element=name, cure="use 0 ≤ trail ≤ 2 bore")
