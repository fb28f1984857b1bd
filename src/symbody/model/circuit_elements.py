"""What hydraulic circuits are made of, as data: nodes with a pressure, and what joins them.

Pressures are absolute, in Pa; any number may be a formula over the parameters of the model.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from numbers import Real
from typing import Any

from symbody.model.formula import Formula

Quantity = Any  # a number or a Formula over the parameters; an expression where the laws are traced


def number(unit: str, **bounds: float) -> dict[str, Any]:
    """What a field says of a number: its unit, and bounds (`above`, `least`)."""
    return {"unit": unit, **bounds}


def positive(unit: str) -> dict[str, Any]:
    """A number above 0, as a field of an element: its unit, and what the check asks of it."""
    return number(unit, above=0.0)


def not_negative(unit: str) -> dict[str, Any]:
    """A number of 0 or more, as a field of an element."""
    return number(unit, least=0.0)


PORT = {"port": True}  # what a field says of the name of a node


def settle_numbers(holder: Any) -> None:
    """Numbers of any kind become floats, and texts formulas; expressions stay."""
    for f in fields(holder):
        value = getattr(holder, f.name)
        if "unit" in f.metadata and isinstance(value, str | Real) and not isinstance(value, bool):
            object.__setattr__(holder, f.name, Formula(value) if isinstance(value, str) else float(value))


@dataclass(frozen=True)
class Element:
    """Something in a circuit; the metadata of a field says what it is: a port, or a number with unit and bounds."""

    name: str

    def __post_init__(self) -> None:
        settle_numbers(self)

    @property
    def ports(self) -> dict[str, str]:
        """Nodes by the fields that name them."""
        return {f.name: getattr(self, f.name) for f in fields(self) if "port" in f.metadata}


@dataclass(frozen=True)
class Boundary(Element):
    """A node whose pressure (Pa) is given."""

    pressure: Quantity = field(metadata=not_negative("Pa"))


@dataclass(frozen=True)
class Source(Boundary):
    """A supply of constant pressure (Pa)."""


@dataclass(frozen=True)
class Tank(Boundary):
    """A tank at constant pressure (Pa)."""

    pressure: Quantity = field(default=1e5, metadata=not_negative("Pa"))


@dataclass(frozen=True)
class Volume(Element):
    """A node with a pressure of its own: a volume `size` (m³) in a `wall` with a bulk modulus (Pa; none: rigid).

    Hoses, accumulators and chambers of cylinders add to it. Without a `start` (Pa) it begins at the tank's pressure.
    """

    size: Quantity = field(default=0.0, metadata=not_negative("m³"))
    wall: Quantity = field(default=None, metadata=positive("Pa"))
    start: Quantity = field(default=None, metadata=not_negative("Pa"))


@dataclass(frozen=True)
class Hose(Element):
    """More volume `size` (m³) at a node, in a `wall` with a bulk modulus (Pa; none: rigid)."""

    node: str = field(metadata=PORT)
    size: Quantity = field(metadata=positive("m³"))
    wall: Quantity = field(default=None, metadata=positive("Pa"))


@dataclass(frozen=True)
class Throttle(Element):
    """An orifice of an `area` (m²) with a `discharge` coefficient between two nodes."""

    a: str = field(metadata=PORT)
    b: str = field(metadata=PORT)
    area: Quantity = field(metadata=positive("m²"))
    discharge: Quantity = field(default=0.8, metadata=positive(""))


@dataclass(frozen=True)
class Valve(Element):
    """A 4/3 directional valve: a positive spool signal joins supply to `a` and `b` to tank, a negative one crosswise.

    Its flow is cv·|U|·√Δp, cv in m³/(s V √Pa); the spool follows the input `command` (V, up to ± `swing`) with a
    `lag` (s) and starts at `start` (V).
    """

    supply: str = field(metadata=PORT)
    tank: str = field(metadata=PORT)
    a: str = field(metadata=PORT)
    b: str = field(metadata=PORT)
    cv: Quantity = field(metadata=positive("m³/(s V √Pa)"))
    command: str
    lag: Quantity = field(default=6e-3, metadata=positive("s"))
    start: Quantity = field(default=0.0, metadata=number("V"))
    swing: Quantity = field(default=10.0, metadata=positive("V"))


@dataclass(frozen=True)
class CheckValve(Element):
    """Lets oil pass from `a` to `b` only, where the pressure drops by more than `cracking` (Pa); cv in m³/(s √Pa)."""

    a: str = field(metadata=PORT)
    b: str = field(metadata=PORT)
    cv: Quantity = field(metadata=positive("m³/(s √Pa)"))
    cracking: Quantity = field(default=0.0, metadata=not_negative("Pa"))


@dataclass(frozen=True)
class ReliefValve(Element):
    """Opens from `a` to `b` where the pressure drops by more than `opening` (Pa), with a `slope` in m³/(s Pa)."""

    a: str = field(metadata=PORT)
    b: str = field(metadata=PORT)
    opening: Quantity = field(metadata=positive("Pa"))
    slope: Quantity = field(metadata=positive("m³/(s Pa)"))


@dataclass(frozen=True)
class Pump(Element):
    """Moves `displacement` (m³/rad) at a `speed` (rad/s), less a `leakage` in m³/(s Pa); a `command` makes the speed
    an input of that name, which begins at `speed`."""

    inlet: str = field(metadata=PORT)
    outlet: str = field(metadata=PORT)
    displacement: Quantity = field(metadata=positive("m³/rad"))
    speed: Quantity = field(metadata=number("rad/s"))
    command: str = ""
    leakage: Quantity = field(default=0.0, metadata=not_negative("m³/(s Pa)"))


@dataclass(frozen=True)
class Accumulator(Element):
    """Gas of the volume `size` (m³) at `precharge` (Pa) behind a bladder at a node: p Vⁿ stays, n the `exponent`."""

    node: str = field(metadata=PORT)
    size: Quantity = field(metadata=positive("m³"))
    precharge: Quantity = field(metadata=positive("Pa"))
    exponent: Quantity = field(default=1.4, metadata=number("", above=1.0))


@dataclass(frozen=True)
class SealFriction:
    """A friction law by the name of its class in `elements.friction`, and its numbers."""

    law: str
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cylinder(Element):
    """A double-acting cylinder between two points, a link of its own name: its pins are `closed` (m) apart when it is
    in, and `closed` + `stroke` when it is out. The nodes `piston` and `rod` feed its two chambers.

    `wall` is the bulk modulus (Pa) of the tube (none: rigid); `friction`, that of the seals, is a law of
    `elements.friction`, kept as data.
    """

    a: Any  # path of a point, a Point, or a Body (its origin)
    b: Any
    piston: str = field(metadata=PORT)
    rod: str = field(metadata=PORT)
    bore: Quantity = field(metadata=positive("m"))
    rod_diameter: Quantity = field(metadata=not_negative("m"))
    closed: Quantity = field(metadata=positive("m"))
    stroke: Quantity = field(metadata=positive("m"))
    wall: Quantity = field(default=None, metadata=positive("Pa"))
    friction: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for end in ("a", "b"):
            place: Any = getattr(self, end)
            path = place if isinstance(place, str) else getattr(place, "path", None) or place["origin"].path
            object.__setattr__(self, end, path)
        law = self.friction
        if is_dataclass(law) and not isinstance(law, type | SealFriction):
            numbers = {f.name: getattr(law, f.name) for f in fields(law) if f.init}
            object.__setattr__(self, "friction", SealFriction(type(law).__name__, numbers))


KINDS: dict[str, type[Element]] = {
    "source": Source,
    "tank": Tank,
    "volume": Volume,
    "hose": Hose,
    "throttle": Throttle,
    "valve": Valve,
    "check-valve": CheckValve,
    "relief-valve": ReliefValve,
    "pump": Pump,
    "accumulator": Accumulator,
    "cylinder": Cylinder,
}
