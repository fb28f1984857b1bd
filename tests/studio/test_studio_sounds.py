"""Sounds from records: one note for each strike however the records are cut, tones only where they change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbody.errors import ModelError
from symbody.studio.machine import Hum, Struck
from symbody.studio.sounds import Listener, check_places, sound_channels, sound_rows

BLOWS = [(50, 4, 9.0), (200, 1, 25.0), (300, 10, 100.0), (340, 3, 400.0)]  # from, how long, peak


def struck():
    """A load that is zero but for some blows, half a sine each."""
    load = np.zeros(500)
    for begin, long, peak in BLOWS:
        load[begin : begin + long] = peak * np.sin(np.pi * (np.arange(long) + 0.5) / long)
    return load


@given(st.lists(st.integers(1, 499), max_size=12))
def test_each_blow_is_one_note_wherever_records_are_cut(cuts):
    ears, load = Listener([Struck("string", 100.0, 440.0)]), struck()[:, np.newaxis]
    told = [note for rows in np.split(load, sorted(set(cuts))) for note in ears.heard(rows)]
    assert [(note[0], note[2]) for note in told] == [(0.0, 440.0)] * len(BLOWS)
    peaks = [load[begin : begin + long].max() for begin, long, _ in BLOWS]
    assert [note[1] for note in told] == pytest.approx([min((peak / 100.0) ** 0.5, 1.0) for peak in peaks])


def test_the_damper_silences_once_when_it_comes_down():
    ears = Listener([Struck("string", 100.0, damper="damper")])
    rows = np.zeros((30, 2))
    rows[20:, 1] = 0.4
    told = [note for k in range(30) for note in ears.heard(rows[k : k + 1])]
    assert [note[1] for note in told] == [0.0]


def test_a_tone_is_told_when_it_changes():
    hum = Hum("load", 10.0, "speed", 2.0, lowest=40.0, quiet=2.0)
    ears = Listener([hum])
    assert ears.heard(np.array([[6.0, 100.0]])) == [[0.0, 0.5, 200.0]]
    assert ears.heard(np.array([[6.001, 100.1]])) == []
    assert ears.heard(np.array([[-20.0, 0.0]])) == [[0.0, 1.0, 40.0]]
    assert ears.heard(np.array([[1.0, 0.0]])) == [[0.0, 0.0, 40.0]]
    assert ears.heard(np.array([[np.nan, 0.0]])) == []
    assert ears.heard(np.zeros((0, 2))) == []


def test_channels_are_asked_for_once():
    assert sound_channels([Struck("a", 1.0, damper="b"), Hum("b", 1.0), Hum("c", 1.0, "a")]) == ["a", "b", "c"]
    assert sound_channels([Hum("a", 1.0, only=("y", 0.0, 1.0))]) == ["a", "y"]


def test_a_sound_that_belongs_to_a_range_is_silent_outside_of_it():
    ears = Listener([Hum("speed", 10.0, kind="gravel", only=("y", 3.0, np.inf))])
    heard = [ears.heard(np.array([[5.0, y]])) for y in (0.0, 4.0, 4.5, 2.9)]
    assert [rows[0][1] if rows else None for rows in heard] == [0.0, 0.5, None, 0.0]


def test_sounds_have_a_place_and_unknown_bodies_are_refused():
    given = [Struck("a", 1.0), Hum("b", 1.0, kind="wind", body="car", at=(1.0, 0.0, 0.0), near=3.0)]
    everywhere, there = sound_rows(given, {"car": 4})
    assert (everywhere["frame"], everywhere["kind"]) == (None, "struck")
    assert there == {"kind": "wind", "frame": 4, "at": [1.0, 0.0, 0.0], "near": 3.0}
    check_places(given, ["car"])
    with pytest.raises(ModelError, match="unknown body"):
        check_places(given, ["cat"])
    with pytest.raises(ModelError, match="near"):
        check_places([Hum("b", 1.0, near=0.0)], [])
    with pytest.raises(ModelError, match="full > quiet"):
        Hum("b", 1.0, quiet=1.0)
