"""The equations of a hydraulic circuit: nodes, flows between them, and the volumes that the oil fills.

Lumped fluid (Jaiswal, 2.2): the pressure of a node follows ṗ = (ΣQ − V̇)/C with the compliance C = Σ V_k (1/B_oil +
1/B_k) of its volumes V_k in walls of bulk moduli B_k. So nothing is divided by a volume, and a volume of zero is safe.

Energy: a flow into a node at p brings Q p, a growing volume takes p V̇ of it as work, and ½ C p² is stored. The
equation assumes constant density, so the strain energy ½ p²/B of the oil that fills V̇ is missing. It is counted as
supplied by the node, ½ p² Ċ, a part p/2B (0.2 % at 70 bar) of the work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from symbody.elements.element import Motion, Named, account, declared
from symbody.model.circuit import Circuit, pressure_state
from symbody.model.circuit_elements import Boundary, Tank, Volume
from symbody.model.formula import Number
from symbody.model.model import Model

Law = Callable[[Motion, Named], Any]
BAR = 1e5  # Pa, scale for tolerances of pressures


@dataclass(frozen=True)
class Flow:
    """Oil (m³/s) from one node to another."""

    start: str
    end: str
    law: Law


@dataclass(frozen=True)
class Space:
    """A part of a node's volume (m³), its growth (m³/s) if it moves, and the bulk modulus (Pa) of an elastic wall."""

    node: str
    size: Law
    growth: Law | None = None
    wall: Callable[[Named], Any] = lambda p: None

    def compliance(self, p: Named, oil: Circuit) -> Any:
        """1/B_oil + 1/B_wall (1/Pa)."""
        wall = self.wall(p)
        return 1.0 / oil.bulk if wall is None else 1.0 / oil.bulk + 1.0 / wall


@dataclass
class Network:
    """A circuit while it is added to a model: volumes and flows by node."""

    model: Model
    circuit: Circuit
    flows: list[Flow] = field(default_factory=list)
    spaces: list[Space] = field(default_factory=list)
    compliances: list[tuple[str, Callable[[Named], Any]]] = field(default_factory=list)  # other than of oil, m³/Pa

    def __post_init__(self) -> None:
        self.oil = declared(self.model, self.circuit.name, self.circuit)
        self.boundaries = {b.name: declared(self.model, b.name, b) for b in self.circuit.of(Boundary)}

    def pressure(self, node: str, p: Named) -> Any:
        """Absolute pressure of a node (Pa), from its state or its boundary."""
        return self.boundaries[node](p).pressure if node in self.boundaries else p[pressure_state(node)]

    def drop(self, start: str, end: str, p: Named) -> Any:
        """Pressure difference from one node to another (Pa)."""
        return self.pressure(start, p) - self.pressure(end, p)

    def flow(self, name: str, start: str, end: str, law: Law) -> Law:
        """Add a flow from node to node with a signal; returns the power that it dissipates (W)."""
        self.flows.append(Flow(start, end, law))
        self.model.signal(name, unit="m³/s")(law)
        return lambda s, p: law(s, p) * self.drop(start, end, p)

    def inflow(self, node: str, s: Motion, p: Named) -> Any:
        """Sum of the flows into a node, m³/s."""
        into = sum(flow.law(s, p) for flow in self.flows if flow.end == node)
        return into - sum(flow.law(s, p) for flow in self.flows if flow.start == node)

    def growth(self, node: str, s: Motion, p: Named) -> Any:
        """Rate V̇ of a node's volume (m³/s)."""
        return sum(space.growth(s, p) for space in self.spaces if space.node == node and space.growth)

    def oil_compliance(self, node: str, s: Motion, p: Named) -> Any:
        """C = Σ V_k (1/B_oil + 1/B_k), m³/Pa."""
        return sum(x.size(s, p) * x.compliance(p, self.oil(p)) for x in self.spaces if x.node == node)

    def strain_carried(self, node: str, s: Motion, p: Named) -> Any:
        """½ p² Ċ (W): the strain energy of the oil that fills growing volumes."""
        moving = [(x.growth, x) for x in self.spaces if x.node == node and x.growth]
        rate = sum(growth(s, p) * x.compliance(p, self.oil(p)) for growth, x in moving)
        return rate * self.pressure(node, p) ** 2 / 2.0


def add_pressure(network: Network, volume: Volume) -> None:
    """Add ṗ = (ΣQ − V̇)/C as a state, after all elements at the node. A run ends if the oil boils."""
    m, node = network.model, volume.name

    @m.state(pressure_state(node), start=starting_pressure(network.circuit, volume), scale=BAR, unit="Pa")
    def rate(s: Motion, p: Named) -> Any:
        more = sum(law(p) for place, law in network.compliances if place == node)
        compliance = network.oil_compliance(node, s, p) + more
        return (network.inflow(node, s, p) - network.growth(node, s, p)) / compliance

    @m.limit(f"{node}.pressure")
    def above_vapour(s: Motion, p: Named) -> Any:
        return network.pressure(node, p) - network.oil(p).vapour

    def stored(s: Motion, p: Named) -> Any:
        return network.oil_compliance(node, s, p) * network.pressure(node, p) ** 2 / 2.0

    moves = any(space.growth for space in network.spaces if space.node == node)
    account(m, node, stored=stored, supplied=(lambda s, p: network.strain_carried(node, s, p)) if moves else None)


def add_boundary(network: Network, boundary: Boundary) -> None:
    """The outflow of a node with given pressure (m³/s), and its power p Q (W)."""
    m, node = network.model, boundary.name

    @m.signal(f"{node}.flow", unit="m³/s")
    def outflow(s: Motion, p: Named) -> Any:
        return network.growth(node, s, p) - network.inflow(node, s, p)

    account(m, node, supplied=lambda s, p: network.pressure(node, p) * outflow(s, p))


def starting_pressure(circuit: Circuit, volume: Volume) -> Number:
    """The given pressure, or else that of the tank, or else of the first source."""
    tanks_first = [*circuit.of(Tank), *circuit.of(Boundary)]
    found: Number = tanks_first[0].pressure if volume.start is None else volume.start
    return found
