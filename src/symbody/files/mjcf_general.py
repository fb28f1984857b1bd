"""Actuators of MJCF as the general actuators that MuJoCo makes of them: gain, bias and dynamics with their parameters.

A default class has one actuator for all kinds. An element takes its own parameters (kp, kv, area …) from the nearest
class, of its own and those around it, whose actuator has the same kind or is a general one of the same form. Ranges and
gears are always inherited.
Source: MuJoCo documentation, "XML Reference"; models that MuJoCo 4.0 compiled.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symbody.errors import ModelError
from symbody.files.mjcf_numbers import Attributes, merged, real, reals, truth

SHORTHANDS = ("motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle")
UNSUPPORTED = ("adhesion", "dcmotor", "pid", "orientation", "plugin")
KIND = "kind"  # key of the attributes: the element's tag
LENGTH = 10  # of gainprm, biasprm and dynprm
USUAL_GAIN, USUAL_BIAS = (1.0, *(0.0,) * (LENGTH - 1)), (0.0,) * LENGTH
_OWN = {  # attributes that a shorthand turns into gain, bias and dynamics
    "position": ("kp", "kv", "dampratio", "timeconst"),
    "intvelocity": ("kp", "kv", "dampratio", "timeconst"),
    "velocity": ("kv",),
    "damper": ("kv",),
    "cylinder": ("area", "diameter", "bias", "timeconst"),
}
# gainprm of a muscle: attribute, its value if none is given; `range` has two numbers
_MUSCLE = (
    ("range", (0.75, 1.05)),
    ("force", (-1.0,)),
    ("scale", (200.0,)),
    ("lmin", (0.5,)),
    ("lmax", (1.6,)),
    ("vmax", (1.5,)),
    ("fpmax", (1.3,)),
    ("fvmax", (1.2,)),
)
_MUSCLE_DYNAMICS = (("timeconst", (0.01, 0.04)), ("tausmooth", (0.0,)))
_OWN["muscle"] = tuple(name for name, _ in (*_MUSCLE, *_MUSCLE_DYNAMICS))


@dataclass(frozen=True)
class MjcfActuator:
    """An actuator in numbers, as MuJoCo's model has them: force = gain · (control or activation) + bias.

    Ranges are None if they have no effect.
    """

    kind: str
    gain: str
    gainprm: tuple[float, ...]
    bias: str
    biasprm: tuple[float, ...]
    dynamics: str
    dynprm: tuple[float, ...]
    gear: tuple[float, ...]
    ctrlrange: tuple[float, float] | None
    forcerange: tuple[float, float] | None
    actrange: tuple[float, float] | None
    lengthrange: tuple[float, float] | None

    @property
    def is_muscle(self) -> bool:
        return "muscle" in (self.gain, self.bias)

    @property
    def ratio(self) -> float:
        """The damping ratio of a position servo, which MuJoCo writes as a positive biasprm[2]; 0 if it has none."""
        servo = self.bias == "affine" and self.gainprm[0] == -self.biasprm[1]
        return max(self.biasprm[2], 0.0) if servo else 0.0


def actuator_numbers(attributes: Attributes, autolimits: bool, where: str) -> MjcfActuator:
    """The numbers of a general actuator."""
    g, b, d = (
        reals(attributes, f"{what}prm", where, usual)
        for what, usual in (("gain", USUAL_GAIN), ("bias", USUAL_BIAS), ("dyn", USUAL_GAIN))
    )
    low, high = reals(attributes, "lengthrange", where, (0.0, 0.0))
    return MjcfActuator(
        attributes.get(KIND, "general"),
        *(attributes.get("gaintype", "fixed"), g),
        *(attributes.get("biastype", "none"), b),
        *(attributes.get("dyntype", "none"), d),
        gear=reals(attributes, "gear", where, (1.0, *(0.0,) * 5)),
        ctrlrange=bounds(attributes, "ctrl", autolimits, where),
        forcerange=bounds(attributes, "force", autolimits, where),
        actrange=bounds(attributes, "act", autolimits, where),
        lengthrange=(low, high) if low < high else None,
    )


def bounds(attributes: Mapping[str, str], what: str, autolimits: bool, where: str) -> tuple[float, float] | None:
    """The range WHATrange if it is active."""
    key = f"{what}range"
    if key not in attributes or not truth(attributes, f"{what}limited", autolimits):
        return None
    low, high = reals(attributes, key, where, count=2)
    return (low, high) if low < high else None


def general(element: ET.Element, classes: Sequence[Attributes]) -> Attributes:
    """The general actuator of an element. classes: the actuators of its class and of those around it, nearest first."""
    kind, where = str(element.tag), element.get("name") or str(element.tag)
    own = _OWN.get(kind, ())
    rest = {key: value for key, value in element.attrib.items() if key not in own}
    made = {**merged(classes[0] if classes else {}, rest), KIND: kind}
    if kind not in SHORTHANDS:
        return made
    usual = next((one for one in classes if one.get(KIND, "general") in (kind, "general")), {KIND: kind})
    return made | _law(kind, {key: element.attrib[key] for key in own if key in element.attrib}, usual, where)


def _law(kind: str, given: Mapping[str, str], usual: Attributes, where: str) -> Attributes:
    """Gain, bias and dynamics of a shorthand."""
    gain, bias = usual.get("gaintype", "fixed"), usual.get("biastype", "none")
    g, b, d = (
        reals(usual, f"{what}prm", where, start)
        for what, start in (("gain", USUAL_GAIN), ("bias", USUAL_BIAS), ("dyn", USUAL_GAIN))
    )
    affine = gain == "fixed" and bias in ("none", "affine")
    start = g[0] if affine else 1.0
    if kind == "motor":
        return _written(("fixed", (1.0,)), ("none", ()), ("none", (1.0,)))
    if kind in ("position", "intvelocity"):
        kp, rate = real(given, "kp", where, start), b[2] if affine else 0.0
        if "kv" in given:
            rate = -_positive(given, "kv", where)
        if "dampratio" in given:
            rate = _positive(given, "dampratio", where)  # a positive number is a ratio, as in MuJoCo
        tau = real(given, "timeconst", where, d[0] if usual.get("dyntype") == "filterexact" else 0.0)
        dynamics = "integrator" if kind == "intvelocity" else "filterexact" if tau > 0 else "none"
        limited = {"actlimited": "true"} if kind == "intvelocity" else {}
        return limited | _written(("fixed", (kp,)), ("affine", (0.0, -kp, rate)), (dynamics, (tau or 1.0,)))
    if kind == "velocity":
        kv = real(given, "kv", where, start)
        return _written(("fixed", (kv,)), ("affine", (0.0, 0.0, -kv)), ("none", (1.0,)))
    if kind == "damper":
        kv = real(given, "kv", where, -g[2] if gain == "affine" else 0.0)
        return {"ctrllimited": "true"} | _written(("affine", (0.0, 0.0, -kv)), ("none", ()), ("none", (1.0,)))
    if kind == "cylinder":
        area = real(given, "area", where, start)
        area = math.pi / 4 * real(given, "diameter", where) ** 2 if "diameter" in given else area
        three = reals(given, "bias", where, b[:3] if affine else (0.0,) * 3)
        tau = real(given, "timeconst", where, d[0] if affine else 1.0)
        return _written(("fixed", (area,)), ("affine", three), ("filter", (tau,)))
    inherited = gain == "muscle"
    force = _muscle(given, _MUSCLE, g if inherited else (), where)
    return _written(
        ("muscle", force),
        ("muscle", force),
        ("muscle", _muscle(given, _MUSCLE_DYNAMICS, d if inherited else (), where)),
    )


def _muscle(
    given: Mapping[str, str], names: Sequence[tuple[str, tuple[float, ...]]], above: Sequence[float], where: str
) -> tuple[float, ...]:
    """Parameters of a muscle: as given, of the class, or usual (also where the class has 0)."""
    found: list[float] = []
    for name, usual in names:
        start = tuple(above[len(found) + k] or x if above else x for k, x in enumerate(usual))
        found += (
            x if x >= 0.0 else y for x, y in zip(reals(given, name, where, start), start, strict=True)
        )  # negative: not given
    return tuple(found)


def _positive(given: Mapping[str, str], key: str, where: str) -> float:
    value = real(given, key, where)
    if value < 0.0:
        raise ModelError(f"{key}={value:g} is negative", element=where, cure="give 0 or more")
    return value


def _written(
    gain: tuple[str, Sequence[float]], bias: tuple[str, Sequence[float]], dynamics: tuple[str, Sequence[float]]
) -> Attributes:
    """Attributes with all numbers, so that none of the class remains."""
    made: Attributes = {}
    for what, (kind, numbers) in (("gain", gain), ("bias", bias), ("dyn", dynamics)):
        padded = (*numbers, *(0.0,) * (LENGTH - len(numbers)))
        made |= {f"{what}type": kind, f"{what}prm": " ".join(map(repr, map(float, padded)))}
    return made
