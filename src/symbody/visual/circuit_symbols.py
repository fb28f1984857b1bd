"""Simplified ISO 1219 symbols of hydraulic elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, pi, sin
from typing import Any

from symbody.model.circuit_elements import (
    Accumulator,
    CheckValve,
    Cylinder,
    Element,
    Pump,
    ReliefValve,
    Throttle,
    Valve,
)
from symbody.visual.circuit_layout import Offset, Placed
from symbody.visual.plots import new_figure

INK, PIPE, WORDS = "#1a1a1a", "#1f5f99", "#444444"
PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.8}  # background of text
SCALE = 0.42  # inches per square of a valve's symbol
LINE = 1.1  # points


class Pen:
    """A list of strokes; they are drawn when the size of the sheet is known."""

    def __init__(self) -> None:
        self.lines: list[tuple[Sequence[Offset], dict[str, Any]]] = []
        self.words: list[tuple[float, float, str, dict[str, Any]]] = []

    def line(self, *points: Offset, color: str = INK, fill: str = "", dashed: bool = False) -> None:
        """A line through points; with `fill` a closed shape."""
        self.lines.append((points, {"color": color, "fill": fill, "dashed": dashed}))

    def box(self, x: float, y: float, width: float, height: float, fill: str = "white") -> None:
        """Draw a rectangle about its centre."""
        a, b, c, d = x - width / 2, x + width / 2, y - height / 2, y + height / 2
        self.line((a, c), (b, c), (b, d), (a, d), (a, c), fill=fill)

    def circle(self, x: float, y: float, r: float, fill: str = "white") -> None:
        """Draw a circle about its centre."""
        self.line(*arc(x, y, r, 0.0, 360.0), fill=fill)

    def arrow(self, tail: Offset, head: Offset) -> None:
        """Draw a line with a filled head."""
        (x0, y0), (x1, y1) = tail, head
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        ex, ey = 0.22 * (x1 - x0) / length, 0.22 * (y1 - y0) / length
        self.line(tail, head)
        self.line(head, (x1 - ex - ey / 2, y1 - ey + ex / 2), (x1 - ex + ey / 2, y1 - ey - ex / 2), head, fill=INK)

    def text(self, x: float, y: float, words: str, **style: Any) -> None:
        """Write text at a place."""
        self.words.append((x, y, words, {"fontsize": 8, "color": WORDS, "ha": "left", "va": "center"} | style))

    def figure(self, title: str) -> Any:
        """All strokes as a Matplotlib figure of the right size."""
        xs, ys = zip(*(point for points, _ in self.lines for point in points), strict=True)
        left, right, low, high = min(xs) - 2.2, max(xs) + 2.2, min(ys) - 0.8, max(ys) + 0.8
        sheet = new_figure(SCALE * (right - left), SCALE * (high - low) + 0.3)
        ax = sheet.add_subplot()
        ax.set(xlim=(left, right), ylim=(low, high), aspect="equal", title=title)
        ax.set_axis_off()
        for order, (points, how) in enumerate(self.lines):
            x, y = zip(*points, strict=True)
            if how["fill"]:
                ax.fill(x, y, facecolor=how["fill"], edgecolor=how["color"], lw=LINE, zorder=order + 3)
            else:
                ax.plot(x, y, color=how["color"], lw=LINE, ls="--" if how["dashed"] else "-", zorder=order + 3)
        for x0, y0, words, style in self.words:
            ax.text(x0, y0, words, zorder=len(self.lines) + 4, bbox=PAPER, **style)
        return sheet


def arc(x: float, y: float, r: float, start: float, end: float) -> list[Offset]:
    """Points of a circle between two angles (degrees)."""
    angles = [pi / 180 * (start + (end - start) * k / 40) for k in range(41)]
    return [(x + r * cos(a), y + r * sin(a)) for a in angles]


def _cylinder(pen: Pen, place: Placed) -> None:
    x, y = place.x, place.y
    pen.box(x, y, 3.4, 1.0)
    pen.box(x - 0.3, y, 0.3, 1.0)
    pen.box(x + 1.4, y, 3.1, 0.26)
    pen.text(x, y + 0.75, place.element.name, ha="center", weight="bold")


def _valve(pen: Pen, place: Placed) -> None:
    x, y = place.x, place.y
    for k in (-1, 0, 1):
        pen.box(x + 1.2 * k, y, 1.2, 1.0)
    for dx in (-0.3, 0.3):
        for edge, way in ((0.5, -1), (-0.5, 1)):
            pen.line((x + dx, y + edge), (x + dx, y + edge + way * 0.22))
            pen.line((x + dx - 0.12, y + edge + way * 0.22), (x + dx + 0.12, y + edge + way * 0.22))
    pen.arrow((x - 1.5, y - 0.5), (x - 1.5, y + 0.5))
    pen.arrow((x - 0.9, y + 0.5), (x - 0.9, y - 0.5))
    pen.arrow((x + 0.9, y - 0.5), (x + 1.5, y + 0.5))
    pen.arrow((x + 0.9, y + 0.5), (x + 1.5, y - 0.5))
    for way in (-1, 1):
        pen.box(x + way * 2.05, y - 0.2, 0.5, 0.4)
        pen.line((x + way * 2.05 - 0.25, y - 0.4), (x + way * 2.05 + 0.25, y))
    valve: Any = place.element
    pen.text(x + 0.7, y + 0.72, f"{valve.name} ← {valve.command}", weight="bold")


def _throttle(pen: Pen, place: Placed) -> None:
    x, y = place.x, place.y
    pen.line((x, y - 0.6), (x, y + 0.6), color=PIPE)
    pen.line(*arc(x - 0.62, y, 0.5, -50.0, 50.0))
    pen.line(*arc(x + 0.62, y, 0.5, 130.0, 230.0))
    _named(pen, place)


def _check_valve(pen: Pen, place: Placed) -> None:
    x, y, way = place.x, place.y, _way(place)
    pen.line((x, y - 0.6), (x, y + 0.6), color=PIPE)
    pen.line((x - 0.32, y + 0.2 * way), (x, y - 0.2 * way), (x + 0.32, y + 0.2 * way))
    pen.circle(x, y + 0.12 * way, 0.2)
    _named(pen, place)


def _relief_valve(pen: Pen, place: Placed) -> None:
    x, y, way = place.x, place.y, _way(place)
    pen.line((x, y - 0.6), (x, y + 0.6), color=PIPE)
    pen.box(x, y, 0.8, 0.8)
    pen.arrow((x - 0.15, y - 0.4 * way), (x - 0.15, y + 0.4 * way))
    pen.line((x, y - 0.6 * way), (x - 0.7, y - 0.6 * way), (x - 0.7, y), (x - 0.4, y), dashed=True)
    zigzag = [(x + 0.4 + 0.09 * k, y + (0.12 if k % 2 else -0.12) * (0 < k < 6)) for k in range(7)]
    pen.line(*zigzag)
    pen.text(x + 1.05, y, place.element.name, weight="bold")


def _pump(pen: Pen, place: Placed) -> None:
    x, y = place.x, place.y
    pen.circle(x, y, 0.6)
    pen.line((x, y + 0.6), (x - 0.22, y + 0.28), (x + 0.22, y + 0.28), (x, y + 0.6), fill=INK)
    for dy in (-0.05, 0.05):
        pen.line((x - 0.6, y + dy), (x - 1.0, y + dy))
    _named(pen, place, 0.75)


def _accumulator(pen: Pen, place: Placed) -> None:
    x, y = place.x, place.y
    pen.line(*arc(x, y + 0.3, 0.4, 0.0, 180.0), *arc(x, y - 0.4, 0.4, 180.0, 360.0), (x + 0.4, y + 0.3), fill="white")
    pen.line((x - 0.4, y - 0.05), (x + 0.4, y - 0.05))
    pen.line((x - 0.12, y + 0.35), (x + 0.12, y + 0.35), (x, y + 0.15), (x - 0.12, y + 0.35))
    _named(pen, place, 0.55)


def tank(pen: Pen, x: float, y: float, way: int, name: str) -> None:
    """An open tank at the end of a line that comes from below (way 1) or above (−1)."""
    low = y if way < 0 else y + 0.05
    pen.line((x - 0.22, low + 0.2), (x - 0.22, low), (x + 0.22, low), (x + 0.22, low + 0.2))
    pen.text(x, low - 0.22, name, ha="center", fontsize=7)


def source(pen: Pen, x: float, y: float, way: int, name: str) -> None:
    """A pressure supply at the end of a line that comes from below (way 1) or above (−1)."""
    pen.line((x, y), (x - 0.2, y + 0.3 * way), (x + 0.2, y + 0.3 * way), (x, y), fill="white")
    pen.text(x, y + 0.52 * way, name, ha="center", fontsize=7)


def _way(place: Placed) -> int:
    """Whether oil flows from `a` to `b` upwards (1) or downwards (−1)."""
    return -1 if place.up == "a" else 1


def _named(pen: Pen, place: Placed, beside: float = 0.45) -> None:
    pen.text(place.x + beside, place.y, place.element.name, weight="bold")


SYMBOLS: dict[type[Element], Callable[[Pen, Placed], None]] = {
    Cylinder: _cylinder,
    Valve: _valve,
    Throttle: _throttle,
    CheckValve: _check_valve,
    ReliefValve: _relief_valve,
    Pump: _pump,
    Accumulator: _accumulator,
}
