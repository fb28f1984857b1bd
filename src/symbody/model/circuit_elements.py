"""Parts of hydraulic circuits, as data: nodes with a pressure, and the elements between them.

Pressures are absolute, in Pa. Any number may be a formula over the parameters of the model.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from numbers import Real
from typing import Any

from symbody.model.formula import Formula

Quantity = Any  # a number, or a Formula over the parameters; an expression while laws are traced


def number(unit: str, **bounds: float) -> dict[str, Any]:
    """Metadata of a field that is a number: its unit and bounds (`above`, `least`)."""
    return {"unit": unit, **bounds}


def positive(unit: str) -> dict[str, Any]:
    """Metadata of a field that is a number above 0."""
    return number(unit, above=0.0)


def not_negative(unit: str) -> dict[str, Any]:
    """Metadata of a field that is a number of 0 or more."""
    return number(unit, least=0.0)


PORT = {"port": True}  # metadata of a field that names a node


def settle_numbers(holder: Any) -> None:
    """Convert all numbers to float and all texts to formulas; expressions stay as they are."""
    for f in fields(holder):
        value = getattr(holder, f.name)
        if "unit" in f.metadata and isinstance(value, str | Real) and not isinstance(value, bool):
            object.__setattr__(holder, f.name, Formula(value) if isinstance(value, str) else float(value))


@dataclass(frozen=True)
class Element:
    """A part of a circuit. The metadata of each field says whether it is a port, or a number with unit and bounds."""

    name: str

    def __post_init__(self) -> None:
        settle_numbers(self)

    @property
    def ports(self) -> dict[str, str]:
        """The nodes at its ports, by the name of the field."""
        return {f.name: getattr(self, f.name) for f in fields(self) if "port" in f.metadata}


@dataclass(frozen=True)
class Boundary(Element):
    """A node with a given pressure (Pa)."""

    pressure: Quantity = field(metadata=not_negative("Pa"))


@dataclass(frozen=True)
class Source(Boundary):
    """A supply at constant pressure (Pa)."""


@dataclass(frozen=True)
class Tank(Boundary):
    """A tank at constant pressure (Pa)."""

    pressure: Quantity = field(default=1e5, metadata=not_negative("Pa"))


@dataclass(frozen=True)
class Volume(Element):
    """A node with its own pressure: a volume `size` (m³) in a `wall` with a bulk modulus (Pa; None: rigid).

    Hoses, accumulators and chambers of cylinders add to the volume. Without a `start` (Pa) the pressure starts at the
    tank's.
    """

    size: Quantity = field(default=0.0, metadata=not_negative("m³"))
    wall: Quantity = field(default=None, metadata=positive("Pa"))
    start: Quantity = field(default=None, metadata=not_negative("Pa"))


@dataclass(frozen=True)
class Hose(Element):
    """Additional volume `size` (m³) at a node, in a `wall` with a bulk modulus (Pa; None: rigid)."""

    node: str = field(metadata=PORT)
    size: Quantity = field(metadata=positive("m³"))
    wall: Quantity = field(default=None, metadata=positive("Pa"))


@dataclass(frozen=True)
class Throttle(Element):
    """An orifice of area `area` (m²) and discharge coefficient `discharge` between two nodes."""

    a: str = field(metadata=PORT)
    b: str = field(metadata=PORT)
    area: Quantity = field(metadata=positive("m²"))
    discharge: Quantity = field(default=0.8, metadata=positive(""))


@dataclass(frozen=True)
class Valve(Element):
    """A 4/3 directional valve: a positive spool signal connects supply to `a` and `b` to tank, a negative one crosses.

    The flow is cv·|U|·√Δp with cv in m³/(s V √Pa). The spool follows the input `command` (V, within ± `swing`) with a
    time constant `lag` (s), and starts at `start` (V).
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
    """Oil flows only from `a` to `b`, if the pressure drop exceeds `cracking` (Pa); cv in m³/(s √Pa)."""

    a: str = field(metadata=PORT)
    b: str = field(metadata=PORT)
    cv: Quantity = field(metadata=positive("m³/(s √Pa)"))
    cracking: Quantity = field(default=0.0, metadata=not_negative("Pa"))


@dataclass(frozen=True)
class ReliefValve(Element):
    """Opens from `a` to `b` if the pressure drop exceeds `opening` (Pa), with a `slope` in m³/(s Pa)."""

    a: str = field(metadata=PORT)
    b: str = field(metadata=PORT)
    opening: Quantity = field(metadata=positive("Pa"))
    slope: Quantity = field(metadata=positive("m³/(s Pa)"))


@dataclass(frozen=True)
class Pump(Element):
    """A pump of `displacement` (m³/rad) at `speed` (rad/s), with `leakage` in m³/(s Pa).

    With a `command`, the speed is an input of that name with the initial value `speed`, or a state of the model, such
    as the speed of an engine.
    """

    inlet: str = field(metadata=PORT)
    outlet: str = field(metadata=PORT)
    displacement: Quantity = field(metadata=positive("m³/rad"))
    speed: Quantity = field(metadata=number("rad/s"))
    command: str = ""
    leakage: Quantity = field(default=0.0, metadata=not_negative("m³/(s Pa)"))


@dataclass(frozen=True)
class Accumulator(Element):
    """A gas volume `size` (m³) at `precharge` (Pa) behind a bladder: p Vⁿ is constant, n is the `exponent`."""

    node: str = field(metadata=PORT)
    size: Quantity = field(metadata=positive("m³"))
    precharge: Quantity = field(metadata=positive("Pa"))
    exponent: Quantity = field(default=1.4, metadata=number("", above=1.0))


@dataclass(frozen=True)
class SealFriction:
    """A friction law as data: the name of its class in `symbody.elements`, and its numbers."""

    law: str
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cylinder(Element):
    """A double-acting cylinder between two points. It is also a link of the same name.

    The distance of its pins is `closed` (m) when it is retracted, and `closed` + `stroke` when it is extended. The
    nodes `piston` and `rod` feed its two chambers. `wall` is the bulk modulus (Pa) of the tube (None: rigid).
    `friction` is the seals' friction law, one of `symbody.elements`, kept as data.
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
