"""Every parser, with inputs that are kept and inputs that are made of them; `make fuzz` does it for an hour."""

import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutate import CORPUS, FEWEST, WAYS, Coverage, corpus, edited, fuzz
from targets import TARGETS, accepted, words

MINUTE = 60.0
NEEDS = {"parquet": "pyarrow", "mcap": "zstandard", "serial": "serial", "web": "websockets"}
NO_LOOP = ("shared",) if sys.platform == "win32" else ()

every_target = pytest.mark.parametrize("name", TARGETS)


def needed(name):
    if name in NO_LOOP:
        pytest.skip("needs the memory of loops")
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])


def test_every_target_has_its_corpus():
    assert sorted(path.name for path in CORPUS.iterdir()) == sorted(TARGETS)


@every_target
def test_what_is_kept_is_taken_or_refused(name):
    """At least one of the inputs is good: otherwise what is made of them would be refused at the door."""
    needed(name)
    taken = [accepted(name, data) for data in corpus(name)]
    assert any(taken)


@every_target
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_changed_inputs_are_taken_or_refused(name, data):
    needed(name)
    made = data.draw(st.sampled_from(corpus(name)))
    numbers = st.integers(0, 2**32 - 1)
    word = st.sampled_from(words(name)) | st.binary(max_size=6)
    for way, place, amount, put in data.draw(st.lists(st.tuples(st.sampled_from(WAYS), numbers, numbers, word))):
        made = edited(made, way, place, amount, put)
    accepted(name, made)


@pytest.mark.slow
@every_target
def test_a_minute_of_changes_finds_nothing(name):
    needed(name)
    tries, steps, found = fuzz(name, MINUTE / len(TARGETS))
    assert found == []
    assert tries >= FEWEST
    assert steps > 5


def test_new_lines_are_noticed():
    """The guide itself: another way through the reader is news, the same again is none."""
    coverage = Coverage()
    good, bad = corpus("studio")[0], b"{}"
    assert coverage.new(lambda: accepted("studio", good)) > 0
    assert coverage.new(lambda: accepted("studio", good)) == 0
    assert coverage.new(lambda: accepted("studio", bad)) > 0
