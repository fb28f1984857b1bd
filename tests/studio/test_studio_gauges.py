"""Instruments as data: the rows that the page reads, and what is refused."""

import json
import math

import pytest

from symbody.errors import ModelError
from symbody.studio.gauges import MOST_GAUGES, Gauge, Lamp, Map, Notice, gauges_of

KNOWN = {"speed": "m/s", "x": "m", "y": "m", "wanted": "m/s"}


def test_rows_name_channels_by_their_numbers():
    made = gauges_of(
        [
            Gauge("Speed", "speed", "round", 0.0, 50.0, scale=3.6, red=[(40.0, math.inf)], set_point="wanted"),
            Gauge("Limit", "speed", "bar", set_point=0.5),
            Map("Piste", "x", "y", (0.0, 0.0, 10.0, 20.0), [(0.0, 0.0), (10.0, 20.0)]),
            Lamp("Fast", "speed", (30.0, math.inf)),
            Notice("speed", {(0.0, 1.0): "Standing", (40.0, math.inf): "Too fast"}, latched=True),
        ],
        KNOWN,
    )
    assert made.channels == ["wanted", "speed", "x", "y"] or made.channels == ["speed", "wanted", "x", "y"]
    speed, limit, piste, fast, notice = made.rows
    assert made.channels[speed["channels"][0]] == "speed"
    assert made.channels[speed["set_channel"]] == "wanted"
    assert (limit["set_channel"], limit["set_value"]) == (-1, 0.5)
    assert [made.channels[k] for k in piste["channels"]] == ["x", "y"]
    assert (fast["kind"], notice["texts"], notice["latched"]) == ("lamp", ["Standing", "Too fast"], True)
    assert "Infinity" not in json.dumps(made.rows)  # a page could not read it


@pytest.mark.parametrize(
    ("gauges", "words"),
    [
        ([Gauge("Speed", "velocity")], "no channel 'velocity'"),
        ([Gauge("Speed", "speed", set_point="velocity")], "no channel 'velocity'"),
        ([Gauge("Speed", "speed", low=1.0, high=1.0)], "low < high"),
        ([Gauge("Speed", "speed")] * (MOST_GAUGES + 1), "nobody reads more"),
    ],
)
def test_impossible_gauges_are_refused(gauges, words):
    with pytest.raises(ModelError, match=words):
        gauges_of(gauges, KNOWN)
