"""Hydraulic circuits as data that belong to a model. `elements/hydraulics.py` has the equations.

    c = m.circuit("hydraulics")
    P, T, a, b = c.source("P", 7.6e6), c.tank("T"), c.volume("a", 5e-5), c.volume("b", 5e-5)
    c.valve("spool", P, T, a, b, cv=2e-8, command="u")
    c.cylinder("lift", "ground.foot", "boom.eye", a, b, bore=0.08, rod_diameter=0.035, closed=1.1, stroke=1.1)

Each method returns the name of what it adds. Nodes are given by these names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Concatenate, ParamSpec, TypeVar

from symbody.errors import ModelError
from symbody.model.circuit_elements import (
    Accumulator,
    CheckValve,
    Cylinder,
    Element,
    Hose,
    Pump,
    Quantity,
    ReliefValve,
    SealFriction,
    Source,
    Tank,
    Throttle,
    Valve,
    Volume,
    number,
    positive,
    settle_numbers,
)

P = ParamSpec("P")
K = TypeVar("K")
LAMINAR = ("smooth", "linear")  # flow law of an orifice at small pressure differences


def pressure_state(node: str) -> str:
    """Name of the state that holds the pressure (Pa) of a volume."""
    return f"{node}_p"


def spool_state(valve: str) -> str:
    """Name of the state that holds the signal (V) of a valve's spool."""
    return f"{valve}_spool"


def _adds(kind: Callable[P, Element]) -> Callable[Concatenate[Circuit, P], str]:
    """A method of a circuit that adds an element of this kind and returns its name."""

    def add(circuit: Circuit, /, *arguments: P.args, **more: P.kwargs) -> str:
        return circuit.add(kind(*arguments, **more))

    add.__doc__ = kind.__doc__
    return add


@dataclass
class Circuit:
    """Nodes and elements that share one oil. `Model.circuit` makes circuits.

    Parameters
    ----------
    name : str
    density : float
        Of the oil, kg/m³.
    bulk : float
        Bulk modulus of the oil, Pa.
    vapour : float
        Vapour pressure, Pa (absolute).
    transition : float
        Pressure difference (Pa) below which the flow through orifices is laminar.
    laminar : str
        The laminar law: "smooth" (continuous slope) or "linear".
    elements : dict of str to Element
        Nodes and elements by name. The methods of the circuit add them.

    Examples
    --------
    >>> import symbody as sb
    >>> c = sb.Model("m").circuit("oil")
    >>> pump, tank = c.source("P", 10e6), c.tank("T")
    >>> c.throttle("leak", pump, tank, 1e-6)
    'leak'
    """

    name: str
    density: Quantity = field(default=850.0, metadata=positive("kg/m³"))
    bulk: Quantity = field(default=1500e6, metadata=positive("Pa"))
    vapour: Quantity = field(default=0.0, metadata=number("Pa"))
    transition: Quantity = field(default=2e5, metadata=positive("Pa"))
    laminar: str = "smooth"
    elements: dict[str, Element] = field(default_factory=dict)

    def __post_init__(self) -> None:
        settle_numbers(self)

    source = _adds(Source)
    tank = _adds(Tank)
    volume = _adds(Volume)
    hose = _adds(Hose)
    throttle = _adds(Throttle)
    valve = _adds(Valve)
    check_valve = _adds(CheckValve)
    relief_valve = _adds(ReliefValve)
    pump = _adds(Pump)
    accumulator = _adds(Accumulator)
    cylinder = _adds(Cylinder)

    def add(self, element: Element) -> str:
        """Add an element, and return its name."""
        if element.name in self.elements:
            where = f"circuits.{self.name}.{element.name}"
            raise ModelError(
                "the circuit already has an element of this name", element=where, cure="rename one of them"
            )
        self.elements[element.name] = element
        return element.name

    @property
    def parameters(self) -> Iterator[str]:
        """Names of the numbers that become live parameters."""
        holders: list[Circuit | Element] = [self, *self.elements.values()]
        for holder in holders:
            for f in fields(holder):
                if "unit" in f.metadata and f.name != "start" and isinstance(getattr(holder, f.name), float | int):
                    yield f"{holder.name}_{f.name}"
        for cylinder in self.of(Cylinder):
            if isinstance(cylinder.friction, SealFriction):
                yield from (f"{cylinder.name}_{number}" for number in cylinder.friction.numbers)

    @property
    def states(self) -> Iterator[str]:
        """Names of the states of the circuit, without those of friction."""
        yield from (pressure_state(volume.name) for volume in self.of(Volume))
        yield from (spool_state(valve.name) for valve in self.of(Valve))

    @property
    def commands(self) -> Iterator[str]:
        """Names of the inputs that the circuit needs."""
        commanded: list[Valve | Pump] = [*self.of(Valve), *self.of(Pump)]
        return (element.command for element in commanded if element.command)

    def of(self, *kinds: type[K]) -> Iterator[K]:
        """All elements of the given kinds, in order."""
        return (element for element in self.elements.values() if isinstance(element, kinds))
