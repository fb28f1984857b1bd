"""Messages by the verbs that an application registers: checked to the last number, or refused.

Tests of verbs.py and checks.py. The verbs of the studio have their own test, with hostile messages.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_notes import VERBS, Erase, Scroll, Write

from symbody.links.rejected import Rejected
from symbody.web.checks import by_name, integer, list_of, number, or_none, switch, text
from symbody.web.verbs import LONGEST, Verb, read_message


def reason(check, value):
    with pytest.raises(Rejected) as refused:
        check(value)
    return refused.value.reason


def test_a_message_comes_with_its_verb():
    verb, message = read_message('{"do": "scroll", "to": 7}', VERBS)
    assert (verb, message) == (VERBS["scroll"], Scroll(7))
    assert not verb.touches
    assert read_message('{"do": "erase"}', VERBS) == (VERBS["erase"], Erase())


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{}", "not text"),
        ("{", "not JSON"),
        (" " * (LONGEST + 1), "too long"),
        ('{"do": "set"}', "no such command"),
        ('{"do": null}', "no such command"),
        ('{"do": "scroll"}', "wrong fields"),
        ('{"do": "scroll", "to": 1, "by": 2}', "wrong fields"),
        ('{"do": "scroll", "to": "1"}', "wrong type"),
        ('{"do": "scroll", "to": -1}', "out of range"),
    ],
)
def test_reasons(raw, why):
    assert reason(lambda raw: read_message(raw, VERBS), raw) == why


def test_a_verb_may_allow_shorter_messages_only():
    verbs, raw = {"erase": Verb(Erase, longest=20)}, '{"do": "erase"}'
    assert read_message(raw.ljust(20), verbs)[1] == Erase()
    assert reason(lambda raw: read_message(raw, verbs), raw.ljust(21)) == "too long"


@given(st.sampled_from([*VERBS, "set"]), st.dictionaries(st.text(max_size=5), st.integers() | st.text(), max_size=3))
def test_other_registries_admit_nothing(do, more):
    with pytest.raises(Rejected, match="no such command"):
        read_message(json.dumps({**more, "do": do}), {})


def test_what_a_message_sets():
    assert VERBS["write"].target(Write("a", "red")) == VERBS["write"].target(Write("b", "red"))
    assert VERBS["write"].target(Write("a", "red")) != VERBS["write"].target(Write("a", "blue"))
    assert VERBS["scroll"].target(Scroll(1)) == VERBS["scroll"].target(Scroll(2))
    assert VERBS["erase"].target(Erase()) is None


def test_checks_of_values():
    assert number(0.0, 1.0)(1) == 1.0
    assert [reason(number(0.0, 1.0), x) for x in (True, "1", None)] == ["wrong type"] * 3
    assert [reason(number(0.0, 1.0), x) for x in (float("nan"), 1.5, 10**400)] == ["out of range"] * 3
    assert [reason(integer(0, 9), x) for x in (1.0, False)] == ["wrong type"] * 2
    assert switch(False) is False
    assert reason(switch, 0) == "wrong type"
    assert text(0)("") == ""
    assert [reason(text(), x) for x in ("", "x" * 201)] == ["out of range"] * 2
    assert list_of(integer(0, 9), 1, 2)([3]) == (3,)
    assert [reason(list_of(switch, 1, 2), x) for x in ([], [True] * 3)] == ["out of range"] * 2
    assert by_name(switch, 0, 1)({"a": True}) == {"a": True}
    assert [reason(by_name(switch, 0, 1), x) for x in ({"a": True, "b": True}, {"": True})] == ["out of range"] * 2
    assert (or_none(switch)(None), or_none(switch)(True)) == (None, True)
    assert reason(or_none(switch), 1) == "wrong type"
