"""YAML model files: what they say, what they refuse, and that they come back as they were; yaml_values.py."""

import json
from pathlib import Path

import jsonschema
import pytest
from file_schema import validate
from hypothesis import given
from hypothesis import strategies as st

import symbody
from symbody.errors import ModelError
from symbody.files import load, save
from symbody.files.safe_yaml import parse_nodes, plain
from symbody.files.schema import SCHEMA
from symbody.files.yaml_file import _model as from_nodes
from symbody.files.yaml_text import yaml_text
from symbody.model import Formula, Joint, Model

REPOSITORY = Path(__file__).parents[2]
MODELS = Path(symbody.__file__).parent / "machines" / "textbook"

FULL = """
symbody: 1
name: everything
gravity: [0, -9.81, 0]
parameters: {L: {value: 0.5, unit: m}, m1: 1.0, small: 1e-3}
ground: {points: {rail: [0, 0, 1]}}
bodies:
  tool:
    on: arm.tip
    joints: free
  arm:
    on: ground.rail
    joints: [{type: R2, name: shoulder, nature: driven, q0: 0.1, v0: -2}, T1]
    mass: m1
    com: [0, 0, -L/2]
    inertia: [0.08, 0.08, 0.001, 1e-4, 0, 0]
    points: {tip: [0, 0, -L], tool: {position: [0, 0, 0], rotation: [0, 1.57, 0]}}
  on:
    joints: T1 R2 R2
  ball: {joints: [{type: ball, q0: [0, 1, 0, 0]}]}
links: {spring: {between: [arm.tip, ground]}}
cuts:
  loop: {kind: revolute, between: [ball, "on"], axis: 2}
  bar: {kind: rod, between: [ball, arm.tip], length: 2*L}
force_sites: {push: arm.tip, pull: {point: arm}}
sensors: {tip: arm.tip, slow: {point: arm.tip, quantities: [position, velocity]}}
"""


def read(text: str) -> Model:
    return from_nodes(parse_nodes(text))


def test_everything_in_one_file(tmp_path):
    path = tmp_path / "full.yaml"
    path.write_text(FULL)
    m = load(path)
    assert m.gravity == (0.0, -9.81, 0.0)
    assert m.values == {"L": 0.5, "m1": 1.0, "small": 1e-3}
    assert m.parameters["L"].unit == "m"
    assert list(m.bodies) == ["tool", "arm", "on", "ball"]  # the order of the file is the order of the coordinates
    arm = m.bodies["arm"]
    assert arm.on == "ground.rail"
    assert arm.joints == [Joint("shoulder", "R2", "driven", (0.1,), (-2.0,)), Joint("arm.T1", "T1")]
    assert arm.com == (0.0, 0.0, Formula("-L/2"))
    assert arm.inertia == (0.08, 0.08, 0.001, 1e-4, 0.0, 0.0)
    assert arm["tool"].rotation == (0.0, 1.57, 0.0)
    assert [joint.name for joint in m.bodies["on"].joints] == ["on.T1", "on.R2_2", "on.R2_3"]
    assert m.links["spring"].b == "ground.origin"
    assert m.cuts["loop"].axis == 2
    assert m.cuts["bar"].length == Formula("2*L")
    assert m.force_sites["pull"].point == "arm.origin"
    assert m.sensors["slow"].quantities == ("position", "velocity")
    assert m.nq == 2 + 7 + 3 + 4


def test_what_is_saved_comes_back(tmp_path):
    m = read(FULL)
    save(m, tmp_path / "again.yaml")
    again = load(tmp_path / "again.yaml")
    assert again == m
    assert list(again.bodies) == list(m.bodies)
    assert yaml_text(again) == yaml_text(m)


@pytest.mark.parametrize("name", ["double_pendulum.yaml", "quarter_car.yaml", "double_wishbone.mbs", "arm6.urdf"])
def test_our_samples_survive_yaml(tmp_path, name):
    m = load(MODELS / name)
    save(m, tmp_path / "copy.yml")
    assert load(tmp_path / "copy.yml") == m


numbers = st.floats(allow_nan=False, allow_infinity=False)
words = st.from_regex(r"\A\w([\w \-]{0,8}\w)?\Z").filter(lambda word: word != "ground")


@given(numbers, numbers, words, words, st.text().filter(lambda t: t.strip() and t.isprintable()))
def test_numbers_names_and_text_come_back_exactly(x, y, body, point, title):
    m = Model(title, gravity=(x, y, -9.81))
    made = m.body(body, mass=x, com=(y, 0, x))
    made.point(point, (x, y, 0))
    assert read(yaml_text(m)) == m


GOOD = [
    "symbody: 1\nname: a",
    FULL,
    "symbody: 1\nname: a\nbodies: {b: {}}",
    "symbody: 1\nname: a\nbodies: {b: {joints: []}}",
    'symbody: 1\nname: a\nbodies: {b: {joints: ""}}',
    "symbody: 1\nname: a\nbodies: {b: {joints: [R1, {type: T2}], mass: 2*3}}",
    "symbody: 1\nname: a\nbodies: {b-1: {points: {p 1: [1, 2e3, .5]}}}",
    (MODELS / "quarter_car.yaml").read_text(),
    (MODELS / "stewart.yaml").read_text(),
    "symbody: 1\nname: a\ninputs: {u: 1, v: {value: 2, unit: N}}\nstates: {z: {law: u - z}, y: {start: 2*3, law: 1}}",
    "symbody: 1\nname: a\nsignals: {s: {law: t}, r: {law: [t, 2*t]}}\nbodies: {b: {joints: R1}}\njoint_forces: {b: -q}",
    "symbody: 1\nname: a\nbodies: {b: {joints: R1}}\nconstraints: {c.1: {law: q('b')}}",
    "symbody: 1\nname: a\nbodies: {b: {joints: [{type: R1, nature: driven}]}}\ntrajectories: {b: 2*t}",
    (MODELS.parent / "car" / "model.yaml").read_text(),
    "symbody: 1\nname: a\nbodies: {b: {joints: R1}}\njoint_forces: {b: {let: {a: 2*q}, values: -a}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\ninteractions: {i: {between: [ground, b], law: [a_x, 1, b_r33, 0, 0, b_wz]}}",
    "symbody: 1\nname: a\nbodies: {b: {joints: R1 R2}}\ncouplings: {c: {joints: [b.R1, b.R2], law: [1, t]}}",
    "symbody: 1\nname: a\nbodies: {b: {joints: R1}}\ncouplings: {c: {joints: [b], law: [t]}}",
    "symbody: 1\nname: a\nlimits: {l: {law: 1 - t}}\nstates: {p: {scale: 1e5, law: {values: [t]}}}",
    "symbody: 1\nname: a\nsignals: {s: {law: {let: {}, values: [x('ground'), 1]}}}",
]
GOOD += [
    f"symbody: 1\nname: a\nbodies: {{b: {{joints: free}}}}\n{more}"
    for more in (
        "rolling_contacts: {c: {kind: wheel, point: b, radius: 0.3}}",
        "rolling_contacts: {c.1: {kind: wheel, point: b, plane: ground, radius: 0.3, tube: 0.02, axis: 1}}",
        "rolling_contacts: {c: {kind: ball, point: b, radius: 2*0.1}}",
        "rolling_contacts: {c: {kind: knife-edge, point: b, axis: 3}}",
        "nonholonomic_constraints: {c: {law: qd('b.vx') - 2*qd('b.vy')}}",
        "nonholonomic_constraints: {c: {law: {let: {v: vx('b')}, values: [v, qd('b.wz')]}}}",
    )
]
BAD = [
    "",
    "symbody: 1\nname: a\nbodies: {b: {}}\nrolling_contacts: {c: {kind: square, point: b, radius: 1}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\nrolling_contacts: {c: {kind: wheel}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\nrolling_contacts: {c: {kind: wheel, point: b, radius: 1, axis: 4}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\nrolling_contacts: {c: {kind: ball, point: b, radius: 1, width: 1}}",
    "symbody: 1\nname: a\nnonholonomic_constraints: {c: {law: []}}",
    "symbody: 1\nname: a\nnonholonomic_constraints: {c: qd('b')}",
    "just words",
    "[1, 2]",
    "name: a",
    "symbody: 1",
    "symbody: 2\nname: a",
    'symbody: "1"\nname: a',
    "symbody: 1\nname: 12",
    "symbody: 1\nname: a\ngravity: 9.81",
    "symbody: 1\nname: a\ngravity: [0, 0]",
    "symbody: 1\nname: a\ngravity: [0, 0, true]",
    "symbody: 1\nname: a\ngravity: [0, 0, .inf]",
    "symbody: 1\nname: a\ngravity: [0, 0, -.INF]",
    "symbody: 1\nname: a\ngravity: [0, 0, null]",
    "symbody: 1\nname: a\nparameters: {k: L}",
    "symbody: 1\nname: a\nparameters: {k: {unit: m}}",
    "symbody: 1\nname: a\nbody: {}",
    "symbody: 1\nname: a\nbodies: [arm]",
    "symbody: 1\nname: a\nbodies: {b: }",
    "symbody: 1\nname: a\nbodies: {b: {weight: 1}}",
    "symbody: 1\nname: a\nbodies: {b: {joints: R4}}",
    "symbody: 1\nname: a\nbodies: {b: {joints: {type: R1}}}",
    "symbody: 1\nname: a\nbodies: {b: {joints: [{name: j}]}}",
    "symbody: 1\nname: a\nbodies: {b: {joints: [{type: R1, nature: free}]}}",
    "symbody: 1\nname: a\nbodies: {b: {inertia: [1, 2, 3, 4]}}",
    "symbody: 1\nname: a\nbodies: {b.c: {}}",
    "symbody: 1\nname: a\nbodies: {b: {points: {p: {rotation: [0, 0, 0]}}}}",
    "symbody: 1\nname: a\nlinks: {l: {between: [ground]}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\ncuts: {c: {kind: glue, between: [b, ground]}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\ncuts: {c: {kind: ball, between: [b, ground], axis: 0}}",
    "symbody: 1\nname: a\nsensors: {s: {point: ground, quantities: [colour]}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\nlinks: {l: {between: [ground, b], law: [1]}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\nlinks: {l: {between: [ground, b], law: }}",
    "symbody: 1\nname: a\nbodies: {b: {}}\nlinks: {l: {between: [ground, b], law: true}}",
    "symbody: 1\nname: a\nforce_sites: {f: {point: ground, law: x}}",
    "symbody: 1\nname: a\nforce_sites: {f: {point: ground, law: [x, y]}}",
    "symbody: 1\nname: a\nforce_sites: {f: {law: [x, y, z]}}",
    "symbody: 1\nname: a\ninputs: {1u: 0}",
    "symbody: 1\nname: a\ninputs: {u: k}",
    "symbody: 1\nname: a\nstates: {z.1: {law: 0}}",
    "symbody: 1\nname: a\nstates: {z: 0}",
    "symbody: 1\nname: a\nstates: {z: {start: 1}}",
    "symbody: 1\nname: a\nconstraints: {c: {law: []}}",
    "symbody: 1\nname: a\nsignals: {c: t}",
    f"symbody: 1\nname: a\nsignals: {{c: {{law: {'t+' * 10_000}t}}}}",
    "symbody: 1\nname: a\nsignals: {c: {law: {let: {a: t}}}}",
    "symbody: 1\nname: a\nsignals: {c: {law: {let: {1a: t}, values: 1}}}",
    "symbody: 1\nname: a\nsignals: {c: {law: {let: t, values: 1}}}",
    "symbody: 1\nname: a\nsignals: {c: {law: {lets: {a: t}, values: 1}}}",
    f"symbody: 1\nname: a\nlimits: {{c: {{law: {{values: 1, let: {{{','.join(f'a{i}: 1' for i in range(3000))}}}}}}}}}",
    "symbody: 1\nname: a\nlimits: {c: {law: [t]}}",
    "symbody: 1\nname: a\nstates: {z: {scale: 0, law: t}}",
    "symbody: 1\nname: a\nstates: {z: {scale: k, law: t}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\ninteractions: {i: {between: [ground, b], law: 1}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\ninteractions: {i: {between: [ground], law: [1, 2, 3]}}",
    "symbody: 1\nname: a\nbodies: {b: {}}\ninteractions: {i: {between: [ground, b], law: {let: {a: 1}, values: a}}}",
    "symbody: 1\nname: a\ncouplings: {c: {joints: [], law: []}}",
    "symbody: 1\nname: a\ncouplings: {c: {law: [1]}}",
    "symbody: 1\nname: a\nbodies: {b: {joints: R1}}\njoint_forces: {b: {law: -q}}",
]


@pytest.mark.parametrize("text", GOOD)
def test_schema_and_reader_accept_the_same(tmp_path, text):
    validate(text)
    (tmp_path / "good.yaml").write_text(text)
    assert load(tmp_path / "good.yaml").name == plain(parse_nodes(text))["name"]


@pytest.mark.parametrize("text", BAD)
def test_schema_and_reader_refuse_the_same(tmp_path, text):
    with pytest.raises(jsonschema.ValidationError):
        validate(text)
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ModelError) as caught:
        load(path)
    assert caught.value.file == str(path)
    assert caught.value.element
    assert caught.value.cure


def test_the_published_schema_is_the_schema():
    published = REPOSITORY / "docs" / "model.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == SCHEMA
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_an_unknown_key_is_answered_with_the_nearest_and_the_line():
    with pytest.raises(ModelError, match=r"bodies\.arm\.mas \(line 5\).*did you mean 'mass'"):
        read("symbody: 1\nname: a\nbodies:\n  arm:\n    mas: 1\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\na: 2", "appears twice"),
        ("a: &x 1\nb: *x", "aliases"),
        ("a: !!python/object:os.system 1", "tag"),
        ("a: 1\n---\nb: 2", "second document"),
        ("? [1, 2]\n: 3", "not a word"),
        ("a: [1, 2", "not YAML"),
        ("a: b: c", "not YAML"),
        ("[" * 101 + "]" * 101, "nested"),
        ('a: "\x01"', "not YAML"),
    ],
)
def test_yaml_we_do_not_read(text, says):
    with pytest.raises(ModelError, match=says) as caught:
        parse_nodes(text)
    assert caught.value.cure


def test_words_stay_words():
    assert plain(parse_nodes("on: off\nno: 1:30\ny: 0x1F\nz: 1_000\nw: 012")) == {
        "on": "off",
        "no": "1:30",
        "y": "0x1F",
        "z": "1_000",
        "w": 12,
    }
