"""Whatever a browser sends, it is a checked message or it is refused: nothing else ever happens."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbody.links.rejected import Rejected
from symbody.studio import messages
from symbody.studio.messages import (
    FAR,
    MOST_CHANNELS,
    Arrows,
    Inspect,
    LookBack,
    Pull,
    Seek,
    Set,
    Settings,
    Speed,
    Step,
    Watch,
)
from symbody.web.verbs import LONGEST
from symbody.web.verbs import read_message as read_by_verbs

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=12,
)
COMMANDS = st.sampled_from([*messages.VERBS, "fly", ""])
FIELDS = st.sampled_from(
    ["n", "factor", "t", "name", "value", "frame", "at", "to", "seconds", "channels", "values", "on", "other"]
)


def read_message(raw):
    return read_by_verbs(raw, messages.VERBS)[1]


def read(**told):
    return read_message(json.dumps(told))


def reason(raw):
    with pytest.raises(Rejected) as refused:
        read_message(raw)
    return refused.value.reason


def believed(raw):
    """What comes through is finite and in its range."""
    try:
        message = read_message(raw)
    except Rejected:
        return
    match message:
        case Step(n):
            assert type(n) is int
            assert 1 <= n <= messages.MOST_STEPS
        case Speed(factor):
            assert messages.SLOWEST <= factor <= messages.FASTEST
        case Seek(t):
            assert abs(t) <= FAR
        case Set(name, value):
            assert isinstance(name, str)
            assert math.isfinite(value)
        case Settings(values):
            assert 1 <= len(values) <= messages.MOST_VALUES
            assert all(isinstance(name, str) and math.isfinite(x) for name, x in values.items())
        case LookBack(t):
            assert t is None or abs(t) <= FAR
        case Pull(frame, at, to):
            assert type(frame) is int
            assert len(at) == len(to) == 3
            assert all(abs(x) <= FAR for x in (*at, *to))
        case Watch(channels):
            assert all(isinstance(name, str) for name in channels)
        case Arrows(on):
            assert type(on) is bool
        case Inspect(frame):
            assert type(frame) is int
            assert frame >= 0


@given(st.text() | st.binary())
def test_garbage_is_refused(raw):
    believed(raw)


@given(COMMANDS, st.dictionaries(FIELDS, ANYTHING, max_size=4))
def test_wrong_fields_types_and_ranges_are_refused(do, told):
    believed(json.dumps({"do": do, **told}))


@given(ANYTHING)
def test_json_of_any_shape(value):
    believed(json.dumps(value))


def test_messages_come_through():
    assert read(do="step", n=3) == Step(3)
    assert read(do="set", name="k", value=2) == Set("k", 2.0)
    assert read(do="pull", frame=1, at=[0, 0, 1], to=[1, 2, 3]) == Pull(1, (0.0, 0.0, 1.0), (1.0, 2.0, 3.0))
    assert read(do="watch", channels=["a.q"]) == Watch(("a.q",))
    assert read(do="settings", values={"k": 2, "c": 0.5}) == Settings({"k": 2.0, "c": 0.5})
    assert read(do="lookback", t=3) == LookBack(3.0)
    assert read(do="lookback", t=None) == LookBack(None)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{}", "not text"),
        ('{"do": "play"', "not JSON"),
        ("[" * 2000, "not JSON"),
        ('{"do": "watch", "channels": ["' + "x" * LONGEST + '"]}', "too long"),
        ('{"do": "fly"}', "no such command"),
        ('{"do": ["play"]}', "no such command"),
        ('{"do": "play", "n": 1}', "wrong fields"),
        ('{"do": "step"}', "wrong fields"),
        ('{"do": "step", "n": true}', "wrong type"),
        ('{"do": "step", "n": 1.5}', "wrong type"),
        ('{"do": "step", "n": 1000000}', "out of range"),
        ('{"do": "speed", "factor": NaN}', "out of range"),
        ('{"do": "speed", "factor": 0}', "out of range"),
        ('{"do": "set", "name": "k", "value": Infinity}', "out of range"),
        ('{"do": "set", "name": "k", "value": ' + "9" * 400 + "}", "out of range"),
        ('{"do": "set", "name": "k", "value": "1"}', "wrong type"),
        ('{"do": "pull", "frame": 1, "at": [0, 0], "to": [0, 0, 0]}', "out of range"),
        ('{"do": "pull", "frame": 1, "at": [0, 0, null], "to": [0, 0, 0]}', "wrong type"),
        ('{"do": "settings", "values": []}', "wrong type"),
        ('{"do": "settings", "values": {}}', "out of range"),
        ('{"do": "settings", "values": {"k": NaN}}', "out of range"),
        ('{"do": "settings", "values": {"k": "1"}}', "wrong type"),
        ('{"do": "settings", "values": {"": 1}}', "out of range"),
        ('{"do": "settings", "values": ' + json.dumps({f"p{k}": k for k in range(65)}) + "}", "out of range"),
        ('{"do": "lookback", "t": "now"}', "wrong type"),
        ('{"do": "lookback", "t": 1e7}', "out of range"),
        ('{"do": "watch", "channels": ' + json.dumps(["x"] * (MOST_CHANNELS + 1)) + "}", "out of range"),
    ],
)
def test_reasons(raw, why):
    assert reason(raw) == why


@pytest.mark.parametrize(
    ("told", "field", "low", "high", "step"),
    [
        ({"do": "step"}, "n", 1, 1000, 1),
        ({"do": "speed"}, "factor", 1e-3, 100.0, 1e-6),
        ({"do": "seek"}, "t", -1e6, 1e6, 1e-3),
        ({"do": "set", "name": "k"}, "value", -1e300, 1e300, 1e290),
        ({"do": "pull", "at": [0, 0, 0], "to": [0, 0, 0]}, "frame", 1, 10**6, 1),
        ({"do": "move", "name": "k", "seconds": 1.0}, "value", -1e6, 1e6, 1e-3),
        ({"do": "move", "name": "k", "value": 0.0}, "seconds", 1e-3, 100.0, 1e-6),
    ],
)
def test_numbers_up_to_their_limits_and_no_further(told, field, low, high, step):
    """The limits themselves, as numbers: a page and its docs rely upon them."""
    for good in (low, high):
        assert getattr(read_message(json.dumps(told | {field: good})), field) == good
    for bad in (low - step, high + step):
        assert reason(json.dumps(told | {field: bad})) == "out of range"


def test_texts_and_lists_up_to_their_limits_and_no_further():
    good = {"do": "letgo", "name": "x" * 200}
    assert read_message(json.dumps(good)).name == "x" * 200
    assert reason(json.dumps(good | {"name": "x" * 201})) == "out of range"
    assert reason(json.dumps(good | {"name": ""})) == "out of range"
    assert read(do="pilot", name="").name == ""
    assert read(do="watch", channels=["a"] * 8).channels == ("a",) * 8
    assert read(do="watch", channels=[]).channels == ()
    assert read(do="watch", channels=["a"] * 16).channels == ("a",) * 16
    assert reason(json.dumps({"do": "watch", "channels": ["a"] * 17})) == "out of range"
    assert read(do="settings", values={"k": 1}).values == {"k": 1.0}
    assert reason(json.dumps({"do": "pull", "frame": 1, "at": [0] * 4, "to": [0] * 3})) == "out of range"
    assert [read(do="inspect", frame=frame).frame for frame in (0, 10**6)] == [0, 10**6]
    assert read(do="tiles", keys=[[0, 0, 0]]).keys == ((0, 0, 0),)
    assert reason(json.dumps({"do": "tiles", "keys": [[1, 2, 3, 4]]})) == "out of range"
    assert reason(json.dumps({"do": "watch", "channels": "a"})) == "wrong type"
    assert reason(json.dumps({"do": "watch", "channels": [5]})) == "wrong type"
    assert reason(json.dumps({"do": "set", "name": 5, "value": 1})) == "wrong type"
    assert reason(json.dumps({"do": "pull", "frame": 1, "at": [0, 0, 1e6 + 1], "to": [0, 0, 0]})) == "out of range"
    assert len(read(do="tiles", keys=[[1, 2, 3]] * 64).keys) == 64
    assert reason(json.dumps({"do": "tiles", "keys": [[1, 2, 3]] * 65})) == "out of range"
    assert reason(json.dumps({"do": "tiles", "keys": []})) == "out of range"
    whole = json.dumps({"do": "play"})
    assert read_message(whole.ljust(4096))
    assert reason(whole.ljust(4097)) == "too long"


def test_every_verb_has_its_rights_and_only_positions_are_overtaken():
    free = {name for name, verb in messages.VERBS.items() if not verb.touches}
    assert free == {"watch", "lookback", "zoom", "arrows", "inspect", "tiles"}
    newest = {name: verb.newest_by for name, verb in messages.VERBS.items() if verb.newest_by is not None}
    assert newest == {"pull": (), "seek": (), "move": ("name",), "set": ("name",)}
    assert len(messages.VERBS) == 19
