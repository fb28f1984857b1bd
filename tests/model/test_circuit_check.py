"""Circuits that cannot be meant are refused, with the place and the cure."""

import pytest

from symbody.elements.friction import LuGre
from symbody.elements.hydraulics import with_circuits
from symbody.errors import ModelError
from symbody.model import Joint, Model
from symbody.model.circuit_check import circuit_problems, circuit_warnings

SHAPE = {"bore": 0.08, "rod_diameter": 0.035, "closed": 1.0, "stroke": 1.0}


def machine():
    """A sound circuit, and its model."""
    m = Model("machine")
    m.body("sledge", None, [Joint("sledge", "T1", q0=(1.5,))], mass=100.0)
    c = m.circuit("oil")
    c.source("P", 7.6e6)
    c.tank("T")
    c.volume("a", 1e-4)
    c.volume("b", 1e-4)
    c.valve("spool", "P", "T", "a", "b", cv=2e-8, command="u")
    c.cylinder("ram", "ground", "sledge", "a", "b", **SHAPE)
    return m, c


def test_a_sound_circuit_has_no_problems():
    m, _ = machine()
    assert list(circuit_problems(m)) == []
    assert list(circuit_warnings(m)) == []


WRONG = {
    "unknown node": (lambda m, c: c.throttle("t", "a", "c", area=1e-5), "oil.t.b", "the nodes are P, T, a, b"),
    "an element is no node": (lambda m, c: c.throttle("t", "a", "spool", area=1e-5), "oil.t.b", "the nodes are"),
    "joined to itself": (lambda m, c: c.throttle("t", "a", "a", area=1e-5), "oil.t", "different nodes"),
    "valve on one node": (lambda m, c: c.valve("v", "P", "T", "a", "a", cv=1e-8, command="u"), "oil.v", "different"),
    "no area": (lambda m, c: c.throttle("t", "a", "b", area=0.0), "oil.t.area", "more than 0"),
    "negative volume": (lambda m, c: c.hose("h", "a", size=-1e-5), "oil.h.size", "more than 0"),
    "negative modulus": (lambda m, c: c.hose("h", "a", size=1e-5, wall=-1.0), "oil.h.wall", "more than 0"),
    "not a number": (lambda m, c: c.hose("h", "a", size=float("nan")), "oil.h.size", "finite"),
    "unknown parameter": (lambda m, c: c.hose("h", "a", size="L/2"), "oil.h.size", "'L'"),
    "density": (lambda m, c: setattr(c, "density", 0.0), "circuits.oil.density", "more than 0"),
    "laminar": (lambda m, c: setattr(c, "laminar", "rough"), "circuits.oil", "smooth or linear"),
    "exponent": (lambda m, c: c.accumulator("g", "a", 1e-3, 1e6, exponent=1.0), "oil.g.exponent", "more than 1"),
    "empty volume": (lambda m, c: (c.volume("v"), c.throttle("t", "a", "v", area=1e-5)), "oil.v", "set its size"),
    "alone": (lambda m, c: c.volume("v", 1e-4), "oil.v", "connect an element"),
    "alone with a hose": (lambda m, c: (c.volume("v"), c.hose("h", "v", 1e-4)), "oil.v", "connect an element"),
    "floating": (
        lambda m, c: (c.volume("v", 1e-4), c.volume("w", 1e-4), c.throttle("t", "v", "w", area=1e-5)),
        "oil.v",
        "set its start, or connect it to a tank",
    ),
    "no such point": (lambda m, c: c.cylinder("r", "ground", "sledge.eye", "a", "b", **SHAPE), "oil.r.b", "origin"),
    "no such body": (lambda m, c: c.cylinder("r", "cart.eye", "sledge", "a", "b", **SHAPE), "oil.r.a", "sledge"),
    "one body": (lambda m, c: c.cylinder("r", "sledge", "sledge", "a", "b", **SHAPE), "oil.r", "two different bodies"),
    "thick rod": (
        lambda m, c: c.cylinder("r", "ground", "sledge", "a", "b", **SHAPE | {"rod_diameter": 0.09}),
        "oil.r",
        "thinner rod",
    ),
    "name of a link": (lambda m, c: m.link("ram", "ground", "sledge"), "oil.ram", "rename"),
    "no friction law": (
        lambda m, c: c.cylinder("r", "ground", "sledge", "a", "b", **SHAPE, friction=LuGre),
        "oil.r.friction",
        "such as LuGre()",
    ),
    "name that is taken": (lambda m, c: m.parameter("a_size", 1.0), "circuits.oil", "rename"),
    "bad name": (lambda m, c: c.hose("my hose", "a", 1e-4), "oil.my hose", "letters"),
    "bad command": (
        lambda m, c: c.valve("v", "P", "T", "a", "b", cv=1e-8, command="a b"),
        "oil.v.command",
        "letters",
    ),
    "command is a parameter": (lambda m, c: m.parameter("u", 1.0), "oil.spool.command", "name of an input"),
    "in two circuits": (lambda m, c: m.circuit("more").tank("T"), "more.T", "rename"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_meant_is_refused(case):
    m, c = machine()
    change, where, cure = WRONG[case]
    change(m, c)
    found = list(circuit_problems(m))
    assert found, case
    assert any(error.element.endswith(where) and cure in str(error) for error in found), [str(e) for e in found]
    with pytest.raises(ModelError):
        with_circuits(m)


def test_a_second_element_of_a_name_is_refused():
    _, c = machine()
    with pytest.raises(ModelError, match="rename"):
        c.tank("a")


def test_trapped_oil_needs_a_start():
    m, c = machine()
    c.volume("shut", 1e-4, start=2e6)
    c.cylinder("brake", "ground", "sledge", "shut", "T", **SHAPE)
    assert list(circuit_problems(m)) == []


def test_a_pump_without_relief_is_worth_a_word():
    m, c = machine()
    c.pump("pump", "T", "a", displacement=1e-5, speed=100.0)
    assert "relief" in next(circuit_warnings(m))
    c.relief_valve("relief", "a", "T", opening=1e7, slope=1e-9)
    assert list(circuit_warnings(m)) == []


def test_many_problems_are_found_at_once():
    m, c = machine()
    c.throttle("one", "a", "x", area=-1.0)
    c.hose("two", "y", size="unknown")
    assert len(list(circuit_problems(m))) == 4
