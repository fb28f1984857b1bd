"""Model files made to harm: whatever they contain, the answer is a ModelError, soon."""

import random
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import symbody
from symbody.errors import ModelError
from symbody.files import load
from symbody.files.mbs_file import _model as from_mbs
from symbody.files.read_budget import Amount, ReadBudget
from symbody.files.safe_file import MAX_BYTES
from symbody.files.safe_xml import parse_xml
from symbody.files.safe_yaml import parse_nodes
from symbody.files.snapping import Snapping
from symbody.files.urdf_file import _model as from_urdf
from symbody.files.yaml_file import _model as from_yaml
from symbody.model.check import problems

MODELS = Path(symbody.__file__).parent / "machines" / "textbook"
YAML = (MODELS / "double_pendulum.yaml").read_text()
LAWS = (MODELS / "quarter_car.yaml").read_text()
LAWS += """
interactions:
  bumper: {between: [chassis, carrier], law: {let: {gap: b_z - a_z, push: "max(-k_tyre*gap, 0)"}, values: [0, 0, push]}}
couplings: {bar: {joints: [heave, travel], law: ['qd("heave")*r33("carrier")', 'length("strut")']}}
limits: {stroke: {law: {let: {room: 'length("strut") - 0.1'}, values: [room]}}}
"""
MBS = (MODELS / "double_wishbone.mbs").read_text()
URDF = (MODELS / "arm6.urdf").read_text()

LETS = ", ".join(f"a{i}: a{i - 1}" for i in range(100_000))
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1 if i else str()};" * 10}">' for i in range(10))
    + "]><mbsDescR7><mbsname>&a9;</mbsname></mbsDescR7>"
)
EXTERNAL = '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><mbsDescR7><mbsname>&x;</mbsname></mbsDescR7>'
YAML_BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("bomb.mbs", BOMB, "document type or entities"),
        ("bomb.urdf", BOMB, "document type or entities"),
        ("external.mbs", EXTERNAL, "document type or entities"),
        ("entity.mbs", "<mbsDescR7>&x;</mbsDescR7>", "not well-formed"),
        ("deep.mbs", "<a>" * 100_000, "nested more than"),
        ("empty.mbs", "", "not well-formed"),
        ("encoding.mbs", '<?xml version="1.0" encoding="utf-7"?><mbsDescR7/>', "encoding utf-7"),
        ("latin.mbs", b'<?xml version="1.0"?><mbsDescR7><mbsname>\xe9</mbsname></mbsDescR7>', "not utf-8"),
        ("digits.mbs", f"<mbsDescR7><base><point><pointname>p</pointname><coordinates><x>{'9' * 1_000_000}"
         "</x></coordinates></point></base></mbsDescR7>", "not a number"),
        ("bomb.yaml", YAML_BOMB, "aliases"),
        ("deep.yaml", "[" * 100_000, "nested more than"),
        ("deeper.yaml", "- " * 10_000, "nested more than"),
        ("latin.yaml", b"symbody: 1\nname: \xe9", "not UTF-8"),
        ("binary.yaml", bytes(range(128)) * 10, "not YAML"),
        ("digits.yaml", f"symbody: 1\nname: a\ngravity: [0, 0, {'9' * 1_000_000}]", "1000000 characters"),
        ("digits.yml", f"symbody: {'9' * 5000}\nname: a", "format version"),
        ("big.yaml", "symbody: 1\nname: a\ngravity: [0, 0, 1e999]", "not finite"),
        ("huge.yaml", f"symbody: 1\nname: a\ngravity: [0, 0, {'9' * 390}]", "not finite"),
        ("nan.yaml", "symbody: 1\nname: a\ngravity: [0, 0, .nan]", "not finite"),
        ("formula.yaml", "symbody: 1\nname: a\ngravity: [0, 0, __import__('os').getcwd()]", "not"),
        ("power.yaml", "symbody: 1\nname: a\ngravity: [0, 0, 9**9**9**9]", "not a formula"),
        ("law.yaml", "symbody: 1\nname: a\nsignals: {s: {law: __import__('os').getcwd()}}", "not a formula"),
        ("call.yaml", "symbody: 1\nname: a\nsignals: {s: {law: exec('1')}}", "unknown function"),
        ("long.yaml", f"symbody: 1\nname: a\nsignals: {{s: {{law: {'t' * 1_000_000}}}}}", "1000000 characters"),
        ("many.yaml", f"symbody: 1\nname: a\nsignals: {{s: {{law: [{'t, ' * 100_000}]}}}}", "100000 formulas"),
        ("lets.yaml", f"symbody: 1\nname: a\nsignals: {{s: {{law: {{let: {{{LETS}}}, values: t}}}}}}", "named parts"),
        ("self.yaml", "symbody: 1\nname: a\nsignals: {s: {law: {let: {a: a*a}, values: a}}}", "before it is defined"),
        ("powers.yaml", "symbody: 1\nname: a\nsignals: {s: {law: 9**9**9**9}}", "overflows"),
        ("nested.yaml", f"symbody: 1\nname: a\ngravity: [0, 0, '{'-' * 1900}L']", "formula"),
    ],
)  # fmt: skip
def test_attacks_are_refused(tmp_path, name, content, says):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ModelError, match=says) as caught:
        load(path)
    assert caught.value.file == str(path)
    assert caught.value.cure
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("suffix", [".yaml", ".mbs", ".urdf"])
def test_a_hundred_megabytes_of_digits_are_not_read(tmp_path, suffix):
    path = tmp_path / f"digits{suffix}"
    with open(path, "wb") as file:
        file.write(b"symbody: 1\nmass: 9")
        file.truncate(5 * MAX_BYTES)  # sparse: takes no room on the disk
    with pytest.raises(ModelError, match="larger than 20 MB"):
        load(path)


def test_too_many_elements():
    amounts = dict.fromkeys(("elements", "values"), Amount(100))
    with pytest.raises(ModelError, match="more elements than its size allows, 100"):
        parse_xml(b"<a>" + b"<b/>" * 200 + b"</a>", ReadBudget(amounts))
    with pytest.raises(ModelError, match="line 1: the file has more values than its size allows, 100"):
        parse_nodes("[" + "1," * 200 + "]", ReadBudget(amounts))


def check_only_model_errors(kind: str, data: bytes) -> None:
    """Read and check; only a ModelError may come out."""
    with suppress(ModelError):
        if kind in ("yaml", "laws"):
            model = from_yaml(parse_nodes(data.decode("utf-8", "replace")))
        else:
            root = parse_xml(data)
            model = from_mbs(root) if kind == "mbs" else from_urdf(root.root, False, "constraint", Snapping(0.0))
        problems(model)


SAMPLES = {"yaml": YAML, "laws": LAWS, "mbs": MBS, "urdf": URDF}


@pytest.mark.parametrize("kind", SAMPLES)
def test_truncated_files(kind):
    data = SAMPLES[kind].encode()
    for end in range(0, len(data), 50):
        check_only_model_errors(kind, data[:end])


PIECES = [
    *("", "0", "-1", "1e999", ".nan", "null", "[]", "{}", ":", "-", "&a", "*a", "!!", "'", '"', "#", "\t", "\n", "R9"),
    *("<", ">", "</", "<x>", "&lt;", "&#0;", "&amp;", "<![CDATA[", "<!--", "-->", "\x00", "é", "\ud7ff", "ground", "."),
]


@pytest.mark.parametrize("kind", SAMPLES)
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 6))
def test_random_mutations(kind, seed, count):
    rng = random.Random(seed)
    text = SAMPLES[kind]
    for _ in range(count):
        start = rng.randrange(len(text))
        text = text[:start] + rng.choice(PIECES) + text[start + rng.choice((0, 1, 1, 2, 5, 20)) :]
    check_only_model_errors(kind, text.encode("utf-8", "replace"))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes(data):
    for kind in SAMPLES:
        check_only_model_errors(kind, data)


KEYS = ("on", "joints", "mass", "com", "inertia", "points", "type", "between", "kind", "x", "law", "start", "scale")
KEYS += ("let", "values")
SCALARS = st.none() | st.booleans() | st.floats() | st.text(max_size=5)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
FAMILIES = ("gravity", "parameters", "ground", "bodies", "links", "cuts", "force_sites", "sensors")
FAMILIES += ("inputs", "joint_forces", "trajectories", "states", "constraints", "signals")
FAMILIES += ("interactions", "couplings", "limits")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(FAMILIES), DATA)
def test_any_value_in_any_place(key, value):
    for content in (value, {"x": value}):
        text = yaml.safe_dump({"symbody": 1, "name": "m", key: content}, allow_unicode=True)
        check_only_model_errors("yaml", text.encode("utf-8", "replace"))
