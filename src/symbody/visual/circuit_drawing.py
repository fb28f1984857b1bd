"""A hydraulic circuit as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath
from symbody.model.circuit import Circuit
from symbody.model.circuit_elements import Hose, Tank
from symbody.output_file import replacing
from symbody.visual.circuit_layout import STUB, CircuitLayout, boundary_ports, layout
from symbody.visual.circuit_symbols import PIPE, SYMBOLS, Pen, arc, source, tank
from symbody.visual.plots import png

LETTER = 0.17  # width of a letter, in squares of a valve's symbol


def save_circuit(circuit: Circuit, path: FilePath) -> Path:
    """Draw a circuit and save it as a PNG.

    Parameters
    ----------
    circuit : Circuit
    path : str or Path
        A .png file.

    Returns
    -------
    Path
        The written file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> import symbody as sb
    >>> c = sb.Model("m").circuit("oil")
    >>> supply, tank = c.source("P", 10e6), c.tank("T")
    >>> element = c.throttle("leak", supply, tank, 1e-6)
    >>> sb.save_circuit(c, folder / "circuit.png").name
    'circuit.png'
    """
    with replacing(path) as partial:
        partial.write_bytes(png(draw_circuit(circuit), 110))
    return Path(path)


def draw_circuit(circuit: Circuit) -> Any:
    """A Matplotlib figure of a circuit."""
    sheet = layout(circuit)
    if not sheet.placed:
        raise ModelError(
            "the circuit has nothing to draw", element=f"circuits.{circuit.name}", cure="join its nodes by elements"
        )
    pen = Pen()
    _pipes(pen, sheet)
    for place in sheet.placed.values():
        SYMBOLS[type(place.element)](pen, place)
    for boundary, (x, y), way in boundary_ports(sheet):
        pen.line((x, y), (x, y + way * STUB), color=PIPE)
        (tank if isinstance(boundary, Tank) else source)(pen, x, y + way * STUB, way, boundary.name)
    return pen.figure(circuit.name)


def _pipes(pen: Pen, sheet: CircuitLayout) -> None:
    """Each node: a horizontal line, a line to every port, dots where three lines meet, its name and its hoses."""
    for node, y in sheet.line.items():
        ports = sheet.at(node)
        xs = sorted({x for x, _ in ports})
        pen.line((xs[0], y), (xs[-1], y), color=PIPE)
        for x, port in ports:
            pen.line((x, port), (x, y), color=PIPE)
        ends = [xs[0], xs[-1]]
        for x in xs:
            arms = sum(1 for at, _ in ports if at == x) + (2 if x not in ends else 1 if len(xs) > 1 else 0)
            if arms > 2:
                pen.line(*arc(x, y, 0.09, 0.0, 360.0), color=PIPE, fill=PIPE)
        _name(pen, sheet, node, xs[0], xs[-1])


def _name(pen: Pen, sheet: CircuitLayout, node: str, left: float, right: float) -> None:
    """The name of a node and its hoses at the left end of its line; at the right end if other lines cross there."""
    hoses = [hose.name for hose in sheet.circuit.of(Hose) if hose.node == node]
    name, y = node if not hoses else f"{node} ({', '.join(hoses)})", sheet.line[node]

    def crossed(start: float, end: float) -> bool:
        ports = [(x, *sorted((port, sheet.line[other]))) for other in sheet.line for x, port in sheet.at(other)]
        return any(start < x < end and low <= y <= high for x, low, high in ports)

    width = LETTER * len(name)
    if crossed(left - width, left) and not crossed(right, right + width):
        pen.text(right + 0.15, y, name, color=PIPE, style="italic")
    else:
        pen.text(left - 0.15, y, name, color=PIPE, style="italic", ha="right")
