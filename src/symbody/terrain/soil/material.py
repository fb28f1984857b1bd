"""Numbers of soils: pressure and sinkage by Bekker, shear by Janosi and Hanamoto, flow, and particles.

p = (k_c/b + k_φ) zⁿ under a plate of the width b, τ = (c + p tan φ)(1 − exp(−j/K)) under a sliding surface.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cbrt, expm1, isfinite, pi, radians

from symbody.elements.numbers import require_positive
from symbody.errors import ModelError
from symbody.suggestions import did_you_mean

STEEPEST = radians(60.0)  # of a friction angle
LARGEST_SHARE = 0.2  # of a drop that flows in a step: with four neighbours more than ¼ is unstable
TOUCH = 0.15  # ω dt of a particle on the spring of one contact: with a dozen contacts it stays stable
DAMPING_RATIO = 0.35  # of that contact
DEEPEST = 0.3  # m in the ground at the start


@dataclass(frozen=True, kw_only=True)
class Soil:
    """A soil. The defaults are a dry sand: friction and η of Jaiswal (Pub. V), Bekker's numbers of Wong.

    friction is also the steepest slope. elastic: pressure per metre of rebound. flow: share of a drop that flows per
    second. pressing: η of Pub. V, which weighs load against height. tool_friction: of soil on steel.
    loosening: growth of the void ratio of cut soil.
    particle_friction, rolling_friction: coefficients of particles; push: the speed (m/s) at which overlapping particles
    part; drag: their damping in air (1/s). A particle slower than calm_speed for calm_time merges.

    Parameters
    ----------
    density : float
        kg/m³.
    cohesive_modulus, frictional_modulus, exponent : float
        Bekker's k_c, k_φ and n: pressure (k_c/b + k_φ) zⁿ.
    cohesion : float
        Pa.
    friction : float
        Angle of friction, rad; also the steepest slope.
    shear_length : float
        Of Janosi and Hanamoto, m.
    elastic : float
        Pressure per metre of rebound, Pa/m.
    penetration : float
        Pressure up to which a cell that was never cut is elastic against a tool that moves sideways, Pa. 0 (default):
        it yields at its passive earth pressure.
    tool_friction : float
        Angle of friction of soil on steel, rad.
    flow : float
        Share of a drop that flows per second, 1/s.
    pressing : float
        η of Pub. V, which weighs load against height.
    void_ratio : float
        Volume of voids over that of grains, in the ground.
    loosening : float
        By how much the void ratio of cut soil grows; 0 (default): it takes as much room as in the ground.
    loosening_time : float
        Time constant of this growth, s.
    particle_friction, rolling_friction : float
        Coefficients of particles.
    push : float
        Speed at which overlapping particles part, m/s.
    drag : float
        Damping of particles in air, 1/s.
    calm_speed, calm_time : float
        A particle slower than this (m/s) for this time (s) merges with the ground.

    Examples
    --------
    >>> import symbody as sb
    >>> from dataclasses import replace
    >>> wet = replace(sb.Soil(), cohesion=2000.0)
    >>> wet.cohesion
    2000.0
    """

    density: float = field(default=1600.0, metadata={"unit": "kg/m³"})
    cohesive_modulus: float = 990.0  # k_c, N/mⁿ⁺¹
    frictional_modulus: float = 1.52843e6  # k_φ, N/mⁿ⁺²
    exponent: float = 1.1  # n
    cohesion: float = field(default=1040.0, metadata={"unit": "Pa"})  # c
    friction: float = radians(35.0)  # φ
    shear_length: float = field(default=0.025, metadata={"unit": "m"})  # K
    elastic: float = 5e7  # Pa/m
    penetration: float = field(default=0.0, metadata={"unit": "Pa"})
    tool_friction: float = 0.45
    flow: float = field(default=50.0, metadata={"unit": "1/s"})
    pressing: float = 4.0  # η
    void_ratio: float = 0.6
    loosening: float = 0.0
    loosening_time: float = field(default=0.3, metadata={"unit": "s"})
    particle_friction: float = 0.7
    rolling_friction: float = 0.4
    push: float = field(default=0.2, metadata={"unit": "m/s"})
    drag: float = field(default=0.1, metadata={"unit": "1/s"})
    calm_speed: float = field(default=0.03, metadata={"unit": "m/s"})
    calm_time: float = field(default=0.25, metadata={"unit": "s"})

    def __post_init__(self) -> None:
        wrong = [name for name, value in vars(self).items() if not isfinite(value)]
        if wrong:
            raise ModelError(f"{wrong[0]} is {getattr(self, wrong[0])}", element="soil", cure="give a finite number")
        positive = (
            "density", "frictional_modulus", "exponent", "friction", "shear_length", "elastic", "flow", "push",
            "loosening_time",
        )  # fmt: skip
        require_positive("soil", self, *positive, "calm_speed")
        require_positive("soil", self, *(name for name in vars(self) if name not in positive), zero=True)
        if self.friction > STEEPEST:
            cure = f"give the angle in rad, up to {STEEPEST:.3g}"
            raise ModelError(f"friction is {self.friction} rad", element="soil", cure=cure)


# Wong, Theory of Ground Vehicles, table 2.3 (values of the Land Locomotion Laboratory and others)
SOILS = {
    "sand": Soil(),
    "dry sand": Soil(friction=radians(28.0)),
    "sandy loam": Soil(
        cohesive_modulus=5270.0, frictional_modulus=1.51504e6, exponent=0.7, cohesion=1720.0, friction=radians(29.0)
    ),
    "clayey soil": Soil(
        cohesive_modulus=13190.0, frictional_modulus=0.69215e6, exponent=0.5, cohesion=4140.0, friction=radians(13.0),
        density=1700.0, shear_length=0.01,
    ),
    "snow": Soil(
        cohesive_modulus=4370.0, frictional_modulus=0.19672e6, exponent=1.6, cohesion=1030.0, friction=radians(19.7),
        density=400.0, elastic=2e7,
    ),
}  # fmt: skip


def soil_named(soil: Soil | str) -> Soil:
    """A soil, or one of `SOILS` by its name."""
    if isinstance(soil, Soil):
        return soil
    if soil not in SOILS:
        raise ModelError(f"unknown soil '{soil}'", element="terrain", cure=did_you_mean(soil, SOILS, "soils"))
    return SOILS[soil]


def particle_volume(soil: Soil, radius: float) -> float:
    """Volume (m³) that a particle takes in the ground: sphere and voids, ⁴⁄₃πr³(1 + e)."""
    return 4.0 / 3.0 * pi * radius**3 * (1.0 + soil.void_ratio)


def loose_radius(soil: Soil, radius: float) -> float:
    """Radius (m) of a particle of loose soil: its volume is ⁴⁄₃πr³(1 + e + loosening)/(1 + e)."""
    return radius * cbrt((1.0 + soil.void_ratio + soil.loosening) / (1.0 + soil.void_ratio))


def material_numbers(soil: Soil, gravity: float, spacing: float, radius: float, dt: float) -> dict[str, float]:
    """The numbers of material_t for steps of dt (s). The springs of particles follow from mass and step."""
    volume = particle_volume(soil, radius)
    mass = soil.density * volume
    same = (
        "density", "cohesive_modulus", "exponent", "cohesion", "shear_length", "elastic", "penetration",
        "tool_friction", "pressing", "push", "drag", "calm_speed", "calm_time",
    )  # fmt: skip
    return {
        **{name: getattr(soil, name) for name in same},
        "gravity": gravity,
        "flow": min(LARGEST_SHARE, soil.flow * dt),
        "radius": radius,
        "mass": mass,
        "thickness": volume / spacing**2,
        "voids": soil.void_ratio,
        "loose": soil.void_ratio + soil.loosening,
        "loosening": -expm1(-dt / soil.loosening_time),
        "widest": loose_radius(soil, radius),
        "stiffness": mass * (TOUCH / dt) ** 2,
        "damping": 2.0 * DAMPING_RATIO * mass * TOUCH / dt,
        "friction": soil.particle_friction,
        "rolling": soil.rolling_friction,
        "deepest": DEEPEST,
    }
