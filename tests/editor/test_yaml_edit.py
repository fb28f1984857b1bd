"""Edits of YAML text: only the edited place changes, and the data is always the edited data."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbody.editor.yaml_edit import Drop, Put, Retitle, data_of, edited, edited_data, value_at
from symbody.errors import ModelError

TEXT = """\
# a machine with comments
symbody: 1
name: demo   # its name
gravity: [0, 0, -9.81]  # m/s²
ground:
  points:
    pivot: [0.7, 0, 0]   # far
bodies:
  crank:
    # the first one
    on: ground
    joints: [{type: R2, q0: -1.20}]
    mass: 1.0  # kg
    points: {tip: [0.3, 0, 0], mid: [0.15, 0, 0]}

  rod:
    on: crank.tip
    joints:
      - type: R2
        q0: 0.6
      - type: T1
    mass: 2

cuts:
  loop: {kind: ball, between: [rod, ground.pivot]}
# the end
"""


LOOP = "  loop: {kind: ball, between: [rod, ground.pivot]}"


def lines_changed(old: str, new: str) -> tuple[list[str], list[str]]:
    before, after = old.splitlines(), new.splitlines()
    return [line for line in before if line not in after], [line for line in after if line not in before]


@pytest.mark.parametrize(
    ("edit", "gone", "come"),
    [
        (Put(("bodies", "crank", "mass"), 2.5), ["    mass: 1.0  # kg"], ["    mass: 2.5  # kg"]),
        (Put(("gravity", 2), -1.62), ["gravity: [0, 0, -9.81]  # m/s²"], ["gravity: [0, 0, -1.62]  # m/s²"]),
        (Put(("bodies", "rod", "com"), [0.4, 0, 0]), [], ["    com: [0.4, 0, 0]"]),
        (Put(("bodies", "rod", "joints", 0, "q0"), 0.7), ["        q0: 0.6"], ["        q0: 0.7"]),
        (Drop(("cuts", "loop")), ["cuts:", "  loop: {kind: ball, between: [rod, ground.pivot]}"], []),
        (Drop(("bodies", "rod", "mass")), ["    mass: 2"], []),
        (Put(("sensors", "eye"), "rod"), [], ["sensors:", "  eye: rod"]),
        (Retitle(("cuts", "loop"), "eye"), [LOOP], [LOOP.replace("loop", "eye")]),
    ],
)  # fmt: skip
def test_an_edit_changes_its_own_line_only(edit, gone, come):
    assert lines_changed(TEXT, edited(TEXT, [edit])) == (gone, come)


def test_a_new_body_has_a_line_for_each_key():
    new = edited(TEXT, [Put(("bodies", "arm"), {"on": "rod", "joints": "R2", "mass": 1})])
    assert "\n  arm:\n    on: rod\n    joints: R2\n    mass: 1\n" in new
    assert new.count("#") == TEXT.count("#")


def test_a_flow_mapping_keeps_its_form():
    new = edited(TEXT, [Drop(("bodies", "crank", "points", "tip"))])
    assert "    points: {mid: [0.15, 0, 0]}" in new
    new = edited(new, [Put(("bodies", "crank", "points", "end"), [1, 0, 0])])
    assert "    points: {mid: [0.15, 0, 0], end: [1, 0, 0]}" in new


@pytest.mark.parametrize(
    "edit",
    [
        Put((), 1),
        Put(("bodies", 3), 1),
        Drop(("bodies", "nobody")),
        Drop(("bodies", "rod", "joints", 7)),
        Retitle(("bodies", "rod"), "crank"),
        Put(("name", "x"), 1),
    ],
)
def test_a_place_that_does_not_exist_is_refused(edit):
    with pytest.raises(ModelError):
        edited(TEXT, [edit])


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
NUMBERS = st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | WORDS
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=8
)


@given(DATA, st.integers(0, 10**6))
def test_any_data_at_any_place_reads_back(value, seed):
    rng, data = random.Random(seed), data_of(TEXT)
    path: tuple = ()
    inner = data
    while isinstance(inner, dict | list) and inner and (not path or rng.random() < 0.7):
        key = rng.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        path, inner = (*path, key), inner[key]
    new = edited(TEXT, [Put(path, value)])
    assert data_of(new) == edited_data(data, Put(path, value))
    assert value_at(data_of(new), path) == value
