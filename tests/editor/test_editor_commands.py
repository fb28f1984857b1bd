"""Commands keep a model consistent: names with all references, removal, copies, parts, scripts."""

import random

import pytest
from test_document import FOUR_BAR

from symbody.editor.commands import copied, free_name, removed, renamed
from symbody.editor.diagram_notes import changed_notes, diagram_notes
from symbody.editor.document import NEW
from symbody.editor.parts import added_part, parts
from symbody.editor.script import python_script
from symbody.editor.yaml_edit import data_of, edited
from symbody.equations.law_text import with_formulas
from symbody.errors import ModelError, SymbodyError
from symbody.files.yaml_file import model_of_text
from symbody.files.yaml_text import yaml_text
from symbody.model.check import check
from symbody.model.law import FormulaLaw

MORE = """\
joint_forces: {crank: -2*qd, rocker: k*(0.1 - q)}
couplings: {anti_roll: {joints: [crank, rocker], law: ['q("crank")', '-q("rocker")']}}
states: {filtered: {law: k*q("crank") - filtered + vx("rocker.tip") + length("spring")}}
sensors: {eye: rocker.tip}
force_sites: {push: {point: coupler.tip, law: [0, 0, k*vz]}}
"""
WHOLE = FOUR_BAR + MORE
RENAMES = [
    (("bodies", "crank"), "arm"),
    (("bodies", "rocker"), "swing"),
    (("bodies", "coupler", "points", "tip"), "end"),
    (("ground", "points", "pivot"), "post"),
    (("parameters", "k"), "stiffness"),
    (("links", "spring"), "coil"),
    (("bodies", "rocker", "joints", 0), "hinge"),
    (("states", "filtered"), "smooth"),
    (("cuts", "loop"), "pin"),
]


@pytest.mark.parametrize(("path", "name"), RENAMES, ids=[name for _, name in RENAMES])
def test_a_renamed_element_is_renamed_everywhere(path, name):
    check(model_of_text(WHOLE))
    text = edited(WHOLE, renamed(data_of(WHOLE), path, name))
    check(model_of_text(text))  # no reference is left behind
    old = str(path[-1]) if isinstance(path[-1], str) else "rocker"
    back = path[:-1] if not isinstance(path[-1], str) else (*path[:-1], name)
    again = edited(text, renamed(data_of(text), path if back == path[:-1] else back, old))
    assert yaml_text(model_of_text(again)) == yaml_text(model_of_text(WHOLE))


@pytest.mark.parametrize("seed", range(10))
def test_random_renames_keep_the_model(seed):
    """The renamed model has the same numbers in the same order."""
    rng, text = random.Random(seed), WHOLE
    for k in range(5):
        data = data_of(text)
        section = rng.choice(["bodies", "links", "cuts", "parameters", "states"])
        text = edited(text, renamed(data, (section, rng.choice([*data[section]])), f"name{seed}_{k}"))
    model, same = model_of_text(text), model_of_text(WHOLE)
    check(model)
    assert [b.mass for b in model.bodies.values()] == [b.mass for b in same.bodies.values()]
    assert [len(b.points) for b in model.bodies.values()] == [len(b.points) for b in same.bodies.values()]


def test_a_name_that_formulas_cannot_use_is_refused():
    with pytest.raises(ModelError, match="formulas"):
        renamed(data_of(WHOLE), ("parameters", "k"), "a b")
    with pytest.raises(ModelError, match="used already"):
        edited(WHOLE, renamed(data_of(WHOLE), ("bodies", "crank"), "rocker"))


def test_removal_takes_what_is_attached_and_moves_what_is_carried():
    text = edited(WHOLE, removed(data_of(WHOLE), [("bodies", "crank")]))
    data = data_of(text)
    assert data["bodies"]["coupler"]["on"] == "ground"
    assert "crank" not in data["joint_forces"]
    text = edited(WHOLE, removed(data_of(WHOLE), [("bodies", "rocker")]))
    data = data_of(text)
    assert not {"cuts", "links", "sensors"} & set(data)
    assert [*data["bodies"]] == ["crank", "coupler"]


def test_a_copy_refers_to_itself():
    edits, names = copied(data_of(WHOLE), [("bodies", "crank"), ("bodies", "coupler"), ("cuts", "loop")])
    data = data_of(edited(WHOLE, edits))
    assert names == {"crank": "crank_copy", "coupler": "coupler_copy"}
    assert data["bodies"]["coupler_copy"]["on"] == "crank_copy.tip"
    assert data["cuts"]["loop_copy"]["between"] == ["coupler_copy.tip", "rocker.tip"]
    assert free_name("a_2", {"a", "a_2", "a_3"}) == "a_4"


def test_positions_and_comments_are_one_line_of_the_file():
    text = changed_notes(FOUR_BAR, "at", {"crank": [10, 20.5]})
    text = changed_notes(text, "notes", {"crank": "steel"})
    assert text.startswith(FOUR_BAR)
    assert diagram_notes(text) == {"at": {"crank": [10, 20.5]}, "notes": {"crank": "steel"}, "groups": {}}
    text = changed_notes(changed_notes(text, "at", {"crank": None}), "notes", {"crank": None})
    assert text == FOUR_BAR
    assert diagram_notes(FOUR_BAR + "# editor: {bad\n")["at"] == {}
    with pytest.raises(SymbodyError):
        changed_notes(FOUR_BAR, "at", {"crank": [1e99, "x"]})


# -- parts and scripts -------------------------------------------------------------------------------------------------


def test_there_are_twenty_parts():
    assert len(parts()) >= 20


@pytest.mark.parametrize("name", [*parts()])
def test_a_part_makes_a_model_that_can_be_used_twice_and_on_another(name):
    text = NEW
    for on in ("ground", "ground", "pendulum.tip"):
        if on != "ground" and "pendulum" not in data_of(text)["bodies"]:
            text = edited(text, added_part(data_of(text), "pendulum", "ground")[0])
        edits, bodies = added_part(data_of(text), name, on)
        text = edited(text, edits)
        assert bodies
    check(model_of_text(text))


def made_by(script: str):
    names: dict = {}
    exec(compile(script, "script", "exec"), names)
    return names["m"]


def values_of(law: FormulaLaw, rng: random.Random) -> list[float]:
    from symbody.editor.properties import _NUMERIC

    named = {name: rng.uniform(0.5, 2.0) for name in (*law.arguments, "k", "t", "filtered")}
    motion = {name: lambda what, base=name: len(what) + len(base) for name in ("q", "qd", "length", "rate", "vx")}
    return [float(x) for x in law.evaluate(named, {**_NUMERIC, **motion})]


def test_the_script_of_a_model_builds_the_same_model():
    text = WHOLE.replace('vx("rocker.tip")', "0")
    model = model_of_text(text)
    again = with_formulas(made_by(python_script(model)))
    for law, same in zip(_laws(model), _laws(again), strict=True):
        for seed in range(10):
            assert values_of(law, random.Random(seed)) == pytest.approx(values_of(same, random.Random(seed)))
    assert yaml_text(_without_laws(again)) == yaml_text(_without_laws(model))


def _laws(model):
    return [
        model.links["spring"].law,
        model.force_sites["push"].law,
        *model.joint_laws.values(),
        model.states["filtered"].law,
    ]


def _without_laws(model):
    model.links["spring"].law = model.force_sites["push"].law = None
    model.joint_laws, model.couplings, model.states = {}, {}, {}
    return model


def test_a_law_that_a_script_cannot_express_is_refused_with_a_cure():
    with pytest.raises(ModelError, match=r"sb\.load"):
        python_script(model_of_text(WHOLE))
