"""Pictures of circuits: everything has a place, and lines of different nodes never run along each other.

Tests of circuit_symbols.py.
"""

import pytest

from symbody import Model
from symbody.errors import ModelError
from symbody.model.circuit_elements import Boundary, Hose, Tank, Volume
from symbody.visual.circuit_drawing import draw_circuit, save_circuit
from symbody.visual.circuit_layout import layout

SHAPE = {"bore": 0.08, "rod_diameter": 0.03, "closed": 1.0, "stroke": 1.0}


def drive():
    """One cylinder behind a throttle and a valve."""
    c = Model("m").circuit("drive")
    P, T, feed, a, b = c.source("P", 7e6), c.tank("T"), c.volume("feed", 1e-4), c.volume("a"), c.volume("b")
    c.valve("spool", P, T, feed, b, cv=1e-8, command="u")
    c.throttle("t", feed, a, area=1e-5)
    c.cylinder("ram", "ground", "boom", a, b, **SHAPE)
    return c


def loader(functions=("lift", "tilt", "grab")):
    """Pump, relief valve, check valve, accumulator; for each function a valve and two cylinders."""
    c = Model("m").circuit("loader")
    T, line, main = c.tank("T"), c.volume("line", 1e-4), c.volume("main", 1e-4)
    c.pump("pump", T, line, displacement=1e-5, speed=100.0)
    c.relief_valve("relief", line, T, opening=1e7, slope=1e-9)
    c.check_valve("check", line, main, cv=1e-6)
    c.accumulator("gas", main, 1e-3, 4e6)
    for k in functions:
        a, b = c.volume(f"{k}_a", 1e-4), c.volume(f"{k}_b", 1e-4)
        c.hose(f"{k}_hose", b, 1e-4)
        c.valve(f"{k}_valve", main, T, a, b, cv=1e-8, command=k)
        c.cylinder(f"{k}_left", "ground", "boom", a, b, **SHAPE)
        c.cylinder(f"{k}_right", "ground", "boom", a, b, **SHAPE)
    return c


def without_cylinders():
    """A pump that fills a tank through two throttles, and a bridge that nothing else joins."""
    c = Model("m").circuit("loop")
    T, a, b = c.tank("T"), c.volume("a", 1e-4), c.volume("b", 1e-4)
    c.pump("pump", T, a, displacement=1e-5, speed=100.0)
    c.throttle("one", a, b, area=1e-5)
    c.throttle("two", b, T, area=1e-5)
    c.throttle("bridge", c.source("P", 1e6), T, area=1e-6)
    return c


CIRCUITS = [drive, loader, without_cylinders]


@pytest.mark.parametrize("make", CIRCUITS)
def test_everything_has_a_place_of_its_own(make):
    sheet = layout(make())
    drawn = [x for x in sheet.circuit.elements.values() if not isinstance(x, Boundary | Volume | Hose)]
    assert set(sheet.placed) == {x.name for x in drawn}
    assert set(sheet.line) == {volume.name for volume in sheet.circuit.of(Volume)}
    placed = list(sheet.placed.values())
    for k, one in enumerate(placed):
        for other in placed[:k]:
            assert one.rank != other.rank or abs(one.x - other.x) > 1.0, (one.element.name, other.element.name)


@pytest.mark.parametrize("make", CIRCUITS)
def test_lines_of_two_nodes_never_run_along_each_other(make):
    sheet = layout(make())
    down = [(x, *sorted((y, sheet.line[node])), node) for node in sheet.line for x, y in sheet.at(node)]
    for k, (x, low, high, node) in enumerate(down):
        for other_x, other_low, other_high, other in down[:k]:
            together = min(high, other_high) - max(low, other_low)
            assert node == other or abs(x - other_x) > 0.2 or together <= 0, (node, other)
    heights = list(sheet.line.values())
    assert len(set(heights)) == len(heights)


def test_cylinders_are_on_top_and_pumps_below():
    sheet = layout(loader())
    heights = {name: place.y for name, place in sheet.placed.items()}
    order = ["lift_left", "lift_valve", "check", "pump"]
    assert [heights[name] for name in order] == sorted((heights[name] for name in order), reverse=True)
    assert heights["lift_left"] == heights["grab_right"]
    assert heights["relief"] == heights["pump"]
    assert heights["gas"] > sheet.line["main"]  # an accumulator stands on its line


@pytest.mark.parametrize("make", CIRCUITS)
def test_names_are_on_the_picture(make, tmp_path):
    pytest.importorskip("matplotlib")
    circuit = make()
    (axes,) = draw_circuit(circuit).axes
    words = " ".join(text.get_text() for text in axes.texts)
    for name, element in circuit.elements.items():
        assert name in words or isinstance(element, Tank)
    path = save_circuit(circuit, tmp_path / "circuit.png")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 4000


def test_a_circuit_without_elements_is_not_drawn():
    with pytest.raises(ModelError, match="nothing to draw"):
        draw_circuit(Model("m").circuit("empty"))
