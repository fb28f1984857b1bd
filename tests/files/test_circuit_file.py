"""Circuits in files: what is written comes back, reader and schema agree, errors name the place and the cure."""

import jsonschema
import pytest
from file_schema import validate
from hypothesis import given
from hypothesis import strategies as st

from symbody.elements.friction import LuGre
from symbody.errors import ModelError
from symbody.files import load, save
from symbody.files.circuit_file import circuit_from, circuit_mapping
from symbody.files.safe_yaml import parse_nodes, plain
from symbody.files.yaml_text import yaml_text
from symbody.model import Joint, Model
from symbody.model.circuit_elements import KINDS, SealFriction, Volume

SHAPE = {"bore": 0.08, "rod_diameter": 0.035, "closed": 1.0, "stroke": 1.0}


def machine():
    """One element of each kind."""
    m = Model("machine")
    m.parameter("A", 1e-5)
    m.body("sledge", None, [Joint("sledge", "T1", q0=(1.5,))], mass=100.0)
    c = m.circuit("oil", bulk=1.4e9, laminar="linear")
    P, T = c.source("P", 7.6e6), c.tank("T")
    a, b, line = c.volume("a", 1e-4, wall=5.5e8, start=2e6), c.volume("b"), c.volume("line", "10*A")
    c.hose("hose", b, 1e-4)
    c.throttle("t", a, line, area="A*2")
    c.valve("spool", P, T, a, b, cv=2.138e-8, command="u", lag=0.01)
    c.check_valve("check", line, a, cv=1e-7)
    c.relief_valve("relief", line, T, opening=1e7, slope=1e-9)
    c.pump("pump", T, line, displacement=1e-5, speed=100.0, command="engine")
    c.accumulator("gas", line, 1e-3, 4e6)
    c.cylinder("ram", "ground", "sledge", a, b, **SHAPE, friction=LuGre(Fc=100.0, passive=False))
    return m


def test_all_kinds_are_saved_and_come_back(tmp_path):
    m = machine()
    assert {type(x) for x in m.circuits["oil"].elements.values()} == set(KINDS.values())
    save(m, tmp_path / "machine.yaml")
    again = load(tmp_path / "machine.yaml")
    assert again.circuits == m.circuits
    assert again == m
    validate(yaml_text(m))


def test_files_say_only_what_is_not_usual():
    told = circuit_mapping(machine().circuits["oil"])
    assert told["elements"]["T"] == {"kind": "tank"}
    assert told["elements"]["b"] == {"kind": "volume"}
    assert set(told) == {"bulk", "laminar", "elements"}
    assert told["elements"]["ram"]["friction"]["law"] == "LuGre"


@given(st.floats(1e-12, 1e12), st.floats(1e-12, 1e12) | st.none(), st.floats(0, 1e12) | st.none())
def test_numbers_come_back_exactly(size, wall, start):
    m = Model("m")
    m.circuit("oil").volume("v", size, wall, start)
    told = plain(parse_nodes(yaml_text(m)))["circuits"]["oil"]
    assert circuit_from("oil", told, "").elements["v"] == Volume("v", size, wall, start)


def test_friction_is_data():
    m = machine()
    friction = m.circuits["oil"].elements["ram"].friction
    assert isinstance(friction, SealFriction)
    assert friction.law == "LuGre"
    assert LuGre(**friction.numbers) == LuGre(Fc=100.0, passive=False)


WRONG = {
    "{bulk: 1e9, elements: {T: {kind: tnk}}}": ("elements.T", "did you mean 'tank'"),
    "{elements: {T: {pressure: 1e5}}}": ("elements.T", "kind"),
    "{elements: {T: {kind: tank, pressur: 1e5}}}": ("elements.T.pressur", "did you mean 'pressure'"),
    "{elements: {t: {kind: throttle, a: P, b: T}}}": ("elements.t", "add `area"),
    "{elements: {t: {kind: throttle, a: P, b: [T], area: 1}}}": ("elements.t.b", "write a word"),
    "{elements: {t: {kind: throttle, a: P, b: 3, area: 1}}}": ("elements.t.b", "write a word"),
    "{elements: {T: {kind: tank, pressure: yes and no}}, bulk: [1]}": ("oil.bulk", "write a number"),
    "{elements: {T: {kind: tank, pressure: true}}}": ("elements.T.pressure", "write a number"),
    "{elements: {T: {kind: tank, pressure: {a: 1}}}}": ("elements.T.pressure", "write a number"),
    "{elements: [a, b]}": ("oil.elements", "write"),
    "{density: 1, elemnts: {}}": ("oil.elemnts", "did you mean 'elements'"),
    "12": ("oil", "write `key: value`"),
    "{elements: {r: {kind: cylinder, a: ground, b: sledge, piston: a, rod: b, bore: 1, rod_diameter: 0, closed: 1,"
    " stroke: 1, friction: LuGre}}}": ("elements.r.friction", "law: LuGre"),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_a_file_cannot_mean_is_refused(tmp_path, text):
    file = tmp_path / "wrong.yaml"
    file.write_text(f"symbody: 1\nname: wrong\ncircuits:\n  oil: {text}\n")
    where, cure = WRONG[text]
    with pytest.raises(ModelError) as caught:
        load(file)
    assert where in str(caught.value.element)
    assert "line 4" in str(caught.value)
    assert cure in str(caught.value)
    with pytest.raises(jsonschema.ValidationError):
        validate(file.read_text())


def test_numbers_without_end_are_refused(tmp_path):
    file = tmp_path / "huge.yaml"
    file.write_text(f"symbody: 1\nname: m\ncircuits: {{oil: {{bulk: 1{'0' * 350}}}}}\n")
    with pytest.raises(ModelError, match="bulk"):
        load(file)


def test_circuits_are_checked_when_a_file_is_read(tmp_path):
    file = tmp_path / "floating.yaml"
    file.write_text("symbody: 1\nname: m\ncircuits: {oil: {elements: {v: {kind: volume, size: 1e-3}}}}\n")
    with pytest.raises(ModelError, match="nothing flows in or out"):
        load(file)


def test_other_formats_refuse_circuits(tmp_path):
    m = Model("m")
    m.body("sledge", None, "T1", mass=1.0)
    c = m.circuit("oil")
    c.throttle("t", c.source("P", 1e6), c.tank("T"), area=1e-5)
    with pytest.raises(ModelError, match="do not support circuits"):
        save(m, tmp_path / "m.mbs")
    save(m, tmp_path / "m.mbs", laws="drop")
    assert load(tmp_path / "m.mbs").circuits == {}
