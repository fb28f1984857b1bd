"""Layout of a circuit's symbols on a sheet: cylinders on top, their valves and passages in rows below, pumps last.

Every node is a horizontal line in the gap below the row that it feeds; vertical lines join it to ports. Tanks and
sources are drawn at each of their ports. The unit of length is the width of a square of a valve's symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from symbody.model.circuit import Circuit
from symbody.model.circuit_elements import (
    Accumulator,
    Boundary,
    CheckValve,
    Cylinder,
    Element,
    Pump,
    ReliefValve,
    Throttle,
    Valve,
    Volume,
)

Offset = tuple[float, float]
PASSAGES: tuple[type[Element], ...] = (Throttle, CheckValve, ReliefValve)
OFFSETS: dict[type[Element], dict[str, Offset]] = {  # of ports from the centre of a symbol
    Cylinder: {"piston": (-1.4, -0.5), "rod": (1.4, -0.5)},
    Valve: {"a": (-0.3, 0.5), "b": (0.3, 0.5), "supply": (-0.3, -0.5), "tank": (0.3, -0.5)},
    Pump: {"outlet": (0.0, 0.6), "inlet": (0.0, -0.6)},
    Accumulator: {"node": (0.0, -0.8)},
}
WIDTHS: dict[type[Element], float] = {Cylinder: 5.0, Valve: 6.6, Pump: 3.4, ReliefValve: 4.0, Accumulator: 2.4}
NARROW = 2.6  # width of a passage with its name
HALF_HEIGHT = 0.9  # of a row
STUB = 0.5  # from a port to the symbol of a tank or source
CHANNEL = 0.45  # between the lines of two nodes
MARGIN = 0.7  # between a row and the lines below


@dataclass
class Placed:
    """A symbol on the sheet; `up` names the port of a passage that faces upwards."""

    element: Element
    rank: int
    up: str = ""
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        """Width of its symbol in its row, in squares."""
        return WIDTHS.get(type(self.element), NARROW)

    @property
    def ports(self) -> dict[str, Offset]:
        """Positions of its ports on the sheet, by name."""
        offsets = OFFSETS.get(type(self.element)) or {
            port: (0.0, 0.6 if port == self.up else -0.6) for port in self.element.ports
        }
        return {port: (self.x + dx, self.y + dy) for port, (dx, dy) in offsets.items()}


@dataclass
class CircuitLayout:
    """Symbols by name, and the height of each node's line."""

    circuit: Circuit
    placed: dict[str, Placed] = field(default_factory=dict)
    level: dict[str, int] = field(default_factory=dict)  # of a node: the row above its line
    line: dict[str, float] = field(default_factory=dict)

    def at(self, node: str) -> list[Offset]:
        """Positions of all ports at a node."""
        return [place.ports[port] for place in self.placed.values() for port in _joining(place.element, node)]


def layout(circuit: Circuit) -> CircuitLayout:
    """A place for every element that has a symbol (all but nodes and hoses)."""
    sheet = CircuitLayout(circuit)
    _rank(sheet)
    rows = [[p for p in sheet.placed.values() if p.rank == r] for r in range(_rows(sheet))]
    for row in rows:
        _spread(sheet, row)
    top = 0.0
    for rank, row in enumerate(rows):
        for place in row:
            place.y = top
        nodes = sorted((n for n, level in sheet.level.items() if level == rank), key=lambda n: min(_xs(sheet, n)))
        top -= HALF_HEIGHT + MARGIN
        for node in nodes:
            sheet.line[node] = top
            top -= CHANNEL
        top -= MARGIN + HALF_HEIGHT - CHANNEL * bool(nodes)
    return sheet


def _rows(sheet: CircuitLayout) -> int:
    return 1 + max([p.rank for p in sheet.placed.values()], default=0)


def _rank(sheet: CircuitLayout) -> None:
    """Assign rows from the cylinders down: their passages, the valves, what feeds the valves, the pumps."""
    circuit = sheet.circuit
    for cylinder in circuit.of(Cylinder):
        _put(sheet, cylinder, 0)
    _descend(sheet)
    below = 1 + max(sheet.level.values(), default=-1)
    for valve in circuit.of(Valve):
        _put(sheet, valve, below)
    _descend(sheet)
    for pump in circuit.of(Pump):
        above = sheet.level.setdefault(pump.outlet, 0) if _is_volume(circuit, pump.outlet) else 0
        _put(sheet, pump, above + 1)
        _descend(sheet)
    for element in circuit.of(*PASSAGES):  # passages that no row above leads to
        if element.name not in sheet.placed:
            _put(sheet, element, 0, "a")
            _descend(sheet)
    for accumulator in circuit.of(Accumulator):
        _put(sheet, accumulator, sheet.level.setdefault(accumulator.node, 0))


def _put(sheet: CircuitLayout, element: Element, rank: int, up: str = "") -> None:
    """Put a symbol in a row; new nodes below it get their lines under this row."""
    sheet.placed[element.name] = Placed(element, rank, up)
    for port, node in element.ports.items():
        above = port == up or (isinstance(element, Valve) and port in ("a", "b")) or port == "outlet"
        if _is_volume(sheet.circuit, node):
            sheet.level.setdefault(node, max(rank - 1, 0) if above else rank)


def _descend(sheet: CircuitLayout) -> None:
    """Assign rows to passages below nodes that already have a line, row by row."""
    found = True
    while found:
        found = False
        for passage in sheet.circuit.of(*PASSAGES):
            reached = [port for port, node in passage.ports.items() if node in sheet.level]
            if passage.name not in sheet.placed and reached:
                up = min(reached, key=lambda port: sheet.level[passage.ports[port]])
                _put(sheet, passage, sheet.level[passage.ports[up]] + 1, up)
                found = True


def _spread(sheet: CircuitLayout, row: list[Placed]) -> None:
    """Place the symbols of a row below the ports that they join, without overlap."""
    wanted = {id(place): _wish(sheet, place, k) for k, place in enumerate(row)}
    ordered = sorted(row, key=lambda place: wanted[id(place)])
    edge = -float("inf")
    for place in ordered:
        place.x = max(wanted[id(place)], edge + place.width / 2)
        edge = place.x + place.width / 2
    shift = sum(wanted[id(p)] - p.x for p in row) / max(len(row), 1)
    for place in row:
        place.x += shift
        _keep_clear(sheet, place)


def _keep_clear(sheet: CircuitLayout, place: Placed) -> None:
    """Move a symbol sideways if one of its lines would run along the line of another port above."""
    above = [
        (x, p.element.ports[port])
        for p in sheet.placed.values()
        if p.rank < place.rank
        for port, (x, _) in p.ports.items()
    ]

    def clashes() -> bool:
        own = [(x, place.element.ports[port]) for port, (x, y) in place.ports.items() if y > place.y]
        return any(
            abs(x - other) < CHANNEL - 0.1 and not (node == far and abs(x - other) < 1e-6)
            for x, node in own
            for other, far in above
        )

    start = place.x
    for k in range(8):
        place.x = start + CHANNEL * ((k + 1) // 2) * (-1) ** k
        if not clashes():
            return
    place.x = start


def _wish(sheet: CircuitLayout, place: Placed, k: int) -> float:
    """The mean of the ports above that a symbol joins; without any, the next free place."""
    higher = {name: p for name, p in sheet.placed.items() if p.rank < place.rank}
    found = [
        p.ports[port][0]
        for node in place.element.ports.values()
        if _is_volume(sheet.circuit, node)
        for p in higher.values()
        for port in _joining(p.element, node)
    ]
    return sum(found) / len(found) if found else place.width * k


def _xs(sheet: CircuitLayout, node: str) -> list[float]:
    return [x for x, _ in sheet.at(node)] or [0.0]


def _joining(element: Element, node: str) -> Iterator[str]:
    return (port for port, other in element.ports.items() if other == node)


def _is_volume(circuit: Circuit, node: str) -> bool:
    return isinstance(circuit.elements.get(node), Volume)


def boundary_ports(sheet: CircuitLayout) -> Iterable[tuple[Boundary, Offset, int]]:
    """Every port at a tank or source: the boundary, the position, and whether it faces up (1) or down (−1)."""
    for place in sheet.placed.values():
        for port, node in place.element.ports.items():
            boundary = sheet.circuit.elements[node]
            if isinstance(boundary, Boundary):
                x, y = place.ports[port]
                yield boundary, (x, y), 1 if y > place.y else -1
