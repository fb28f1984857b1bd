"""Settings of a scene: contact, friction, controller, limits of the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite

from symbody.errors import ModelError
from symbody.haptics.friction import LAWS
from symbody.haptics.structures import CONTACT_MODELS, CONTROLLERS, HAND, LIMITING

Axes = float | Sequence[float]  # one number for all axes; or three in the plane, six in space
FOUR_K, FOUR_B = (100.0, 100.0, 0.5), (70.0, 70.0, 0.375)  # N/m, N m/rad; N s/m, N m s/rad: thesis, table 4.1
COUPLER_K, COUPLER_B = (1000.0, 1000.0, 2.5), (50.0, 50.0, 0.125)
ADAPTIVE = 60.0  # s/m: K_b of thesis D.6
FOUR = CONTROLLERS[0]


def by_axis(value: Axes, nh: int, name: str, *, least: float = 0.0) -> list[float]:
    """A number for each of the six axes of the C structures.

    In space, three numbers are expanded: the first is for x and y, the second for z, the third for all rotations.
    """
    given = [float(value)] * nh if isinstance(value, int | float) else [float(x) for x in value]
    if len(given) == 3 and nh == HAND:
        given = [given[0], given[0], given[1], *[given[2]] * 3]
    if len(given) != nh or not all(x >= least for x in given):
        raise ModelError(f"{name} = {value}", cure=f"give {nh} numbers, each at least {least:g}")
    return given + [0.0] * (HAND - nh)


def one_of(name: str, known: Sequence[str], what: str) -> int:
    """The index of a name; raises if it is unknown."""
    if name not in known:
        raise ModelError(f"unknown {what} '{name}'", cure=f"use one of {', '.join(known)}")
    return list(known).index(name)


def finite(name: str, value: float, least: float = 0.0, most: float = inf) -> float:
    """The number if it is within bounds; raises otherwise."""
    if not (isfinite(value) and least <= value <= most):
        bound = f"between {least:g} and {most:g}" if most < inf else f"finite and at least {least:g}"
        raise ModelError(f"{name} = {value}", cure=f"give a number {bound}")
    return float(value)


def in_space(name: str, given: Sequence[float]) -> tuple[float, float, float]:
    """A point or direction (x, y) or (x, y, z) as three numbers."""
    x = [float(value) for value in given]
    if len(x) not in (2, 3) or not all(map(isfinite, x)):
        raise ModelError(f"{name} = {tuple(x)}", cure="give two finite numbers in the plane, three in space")
    return x[0], x[1], x[2] if len(x) == 3 else 0.0


@dataclass(frozen=True)
class ContactModel:
    """Contact between bodies (thesis 4.5).

    Parameters
    ----------
    model : str
        "impulse" (an impulse at the impact, then springs), "penalty" (springs only) or "constraint" (rigid: a
        complementarity problem of velocities). Default "impulse".
    stiffness : float
        K of the wall (N/m). Default 4000.
    damping : float
        B of the wall (N s/m). Default 30.
    restitution : float
        e of impacts, from 0 to 1. Default 0.
    pull : bool
        Whether damping may hold back a separating body. Default False.
    two_rows : bool
        Whether each of two moving bodies in an impact treats the other as a wall, as in the thesis. Default False.
    """

    model: str = "impulse"
    stiffness: float = 4000.0
    damping: float = 30.0
    restitution: float = 0.0
    pull: bool = False
    two_rows: bool = False

    def numbers(self) -> dict[str, float]:
        """Values of the C structure settings_t."""
        return {
            "contact": one_of(self.model, CONTACT_MODELS, "contact model"),
            "stiffness": finite("stiffness", self.stiffness),
            "damping": finite("damping", self.damping),
            "restitution": finite("restitution", self.restitution, 0.0, 1.0),
            "unclamped": int(self.pull),
            "two_rows": int(self.two_rows),
        }


@dataclass(frozen=True)
class ContactFriction:
    """Friction of resting contacts and of impacts.

    Parameters
    ----------
    law : str
        A law of `haptics/friction.py`; "none": frictionless. Default "none".
    static : float
        Coefficient μ_s. Default 0.25.
    kinetic : float
        Coefficient μ_k. Default 0.2.
    deflection : float
        Deflection z₀ of the bristles at break-away (m). Default 1e-5.
    v_min : float
        Velocity below which a contact may stick (m/s). Default 0.0001.
    damping : float
        β in stiction (N s/m). Default 0.
    impact : float
        Coefficient μ of impulses; 0: frictionless impacts, as in the thesis. Default 0.
    """

    law: str = "none"
    static: float = 0.25
    kinetic: float = 0.2
    deflection: float = 1e-5
    v_min: float = 1e-4
    damping: float = 0.0
    impact: float = 0.0

    def numbers(self) -> dict[str, float]:
        """Values of the C structure settings_t."""
        law = -1 if self.law == "none" else one_of(self.law, list(LAWS), "friction law")
        if not self.kinetic <= self.static:
            raise ModelError(
                f"kinetic friction {self.kinetic} above static friction {self.static}", cure="swap or correct them"
            )
        return {
            "friction": law,
            "mu_s": finite("static", self.static),
            "mu_k": finite("kinetic", self.kinetic),
            "deflection": finite("deflection", self.deflection, 1e-12),
            "v_min": finite("v_min", self.v_min, 1e-12),
            "beta": finite("damping", self.damping),
            "mu_impact": finite("impact", self.impact),
        }


@dataclass(frozen=True)
class Controller:
    """Coupling between device and tool; default gains are those of the thesis.

    Parameters
    ----------
    name : str
        "four-channel", "virtual-coupler", "unilateral-coupler" (active in contact only) or "direct". Default
        "four-channel".
    stiffness : float or sequence of float, optional
        Of the coupling (N/m). Default: of the thesis.
    damping : float or sequence of float, optional
        Of the coupling (N s/m). Default: of the thesis.
    adaptive : float
        K_b (s/m). Default 60.
    least_damping : float
        B_min (N s/m). Default 0.
    shaping : bool, optional
        Whether the device is made to feel like the tool. A virtual coupler has the tool's inertia anyway.
    passivity : bool
        Whether the passivity controller acts; its observer always counts. Default False.
    k_tc, b_tc : float
        Gains (1/s², 1/s) that hold the device in the directions in which the joints of a held linkage cannot move
        (thesis 5.24). Defaults 200, 50.
    rank_tolerance : float
        Singular values of the linkage's Jacobian below this share of the largest count as zero. Default 0.001.
    curving : bool
        Whether the device also gets J̇q̇ of the tool, because links move on curves; the thesis omits it. Default False.
    """

    name: str = FOUR
    stiffness: Axes | None = None
    damping: Axes | None = None
    adaptive: float = ADAPTIVE
    least_damping: float = 0.0
    shaping: bool | None = None
    passivity: bool = False
    k_tc: float = 200.0
    b_tc: float = 50.0
    rank_tolerance: float = 1e-3
    curving: bool = False

    def numbers(self, nh: int) -> dict[str, float | list[float]]:
        """Values of the C structure settings_t."""
        kind = one_of(self.name, CONTROLLERS, "controller")
        usual = (FOUR_K, FOUR_B) if self.name == FOUR else (COUPLER_K, COUPLER_B)
        shaping = self.name != "virtual-coupler" if self.shaping is None else self.shaping
        return {
            "controller": kind,
            "couple_k": by_axis(usual[0] if self.stiffness is None else self.stiffness, nh, "stiffness"),
            "couple_b": by_axis(usual[1] if self.damping is None else self.damping, nh, "damping"),
            "adaptive": finite("adaptive", self.adaptive),
            "least_damping": finite("least_damping", self.least_damping),
            "shaping": int(shaping),
            "passivity": int(self.passivity),
            "k_tc": finite("k_tc", self.k_tc),
            "b_tc": finite("b_tc", self.b_tc),
            "curving": int(self.curving),
            "rank_tolerance": finite("rank_tolerance", self.rank_tolerance, 1e-12, 0.5),
        }


@dataclass(frozen=True)
class WrenchLimit:
    """Treatment of wrenches that the device cannot render (thesis 4.5.2).

    Parameters
    ----------
    how : str
        "full" (rendered unchanged), "saturate" (the device gets less than the tool), "scale" (both get less), "spread"
        (the rest follows in the next ticks), "spread-exact" (to the same velocity as an impulse at once). Default
        "full".
    wrench : float or sequence of float
        Largest wrench of the device (N, N m). Default (15, 15, 1).
    hand : float or sequence of float
        Largest wrench of the hand (N, N m); larger ones are clipped. Default (100, 100, 10).
    """

    how: str = "full"
    wrench: Axes = (15.0, 15.0, 1.0)
    hand: Axes = (100.0, 100.0, 10.0)

    def numbers(self, nh: int) -> dict[str, float | list[float]]:
        """Values of the C structure settings_t."""
        return {
            "limiting": one_of(self.how, LIMITING, "way to limit"),
            "limit": by_axis(self.wrench, nh, "wrench"),
            "hand_limit": by_axis(self.hand, nh, "hand"),
        }


@dataclass(frozen=True)
class Rendering:
    """All settings of a scene: contact, friction, controller and limits.

    Parameters
    ----------
    contact : ContactModel, optional
        Walls and impacts.
    friction : ContactFriction, optional
        Friction of contacts.
    controller : Controller, optional
        Coupling of device and tool.
    limit : WrenchLimit, optional
        Largest wrenches.
    """

    contact: ContactModel = field(default_factory=ContactModel)
    friction: ContactFriction = field(default_factory=ContactFriction)
    controller: Controller = field(default_factory=Controller)
    limit: WrenchLimit = field(default_factory=WrenchLimit)

    def numbers(self, nh: int) -> dict[str, float | list[float]]:
        """Values of the C structure settings_t."""
        return {
            **self.contact.numbers(), **self.friction.numbers(), **self.controller.numbers(nh), **self.limit.numbers(nh)
        }  # fmt: skip
