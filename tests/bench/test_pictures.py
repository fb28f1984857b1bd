"""Pictures of the studio beside its loop: rows with and without a browser, and what is counted between two instants."""

import json
import time

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.realtime.statistics import histogram_of
from symbody.studio.photograph import chromium
from symbody_bench import pictures
from symbody_bench.pictures import drawn, less, pictures_bench


def test_the_durations_since_an_instant_are_those_that_came_after_it():
    times = np.random.default_rng(0).lognormal(-9.0, 1.0, 5000)
    first, second = times[:2000], np.sort(times[2000:])[:-50]  # the largest of all may be before
    found = less(histogram_of(np.concatenate([first, second])), histogram_of(first))
    alone = histogram_of(second)
    np.testing.assert_array_equal(found.counts, alone.counts)
    assert found.mean == pytest.approx(alone.mean)
    assert alone.largest <= found.largest <= alone.edges[np.flatnonzero(alone.counts)[-1] + 1]
    assert less(alone, alone).record("latency") == dict.fromkeys(alone.record("latency"), 0.0)


def test_pictures_are_counted_by_the_second_and_script_by_the_picture():
    before = {"pictures": 10, "poses": 20, "script": 5.0, "t": 1.0, "sharpness": 1.0}
    after = {"pictures": 70, "poses": 140, "script": 95.0, "t": 3.0, "sharpness": 0.7}
    assert drawn(before, after) == {"pictures/s": 30.0, "poses/s": 60.0, "script ms": 1.5, "sharpness": 0.7}


@pytest.mark.slow
@pytest.mark.skipif(chromium() is None, reason="no Chromium here")
def test_a_model_is_measured_alone_and_watched(tmp_path):
    pytest.importorskip("playwright.sync_api")
    found = pictures_bench(tmp_path, ("pendulum",), 1.0, browsers=(0, 2), settled=0.5, progress=False)
    alone, watched, twice = found["pictures"]
    assert [(row["browsers"], row["views"]) for row in found["pictures"]] == [(0, 1), (2, 1), (2, 2)]
    assert "pictures/s" not in alone
    assert watched["pictures/s"] > 0.0
    assert watched["poses/s"] > 0.0
    assert watched["script ms"] > 0.0
    assert twice["pictures/s"] > 0.0
    assert 1.0 < watched["heap MB"] < 500.0
    assert abs(watched["grown MB"]) < watched["heap MB"]
    for row in (alone, watched, twice):
        assert 500 <= row["steps"] <= 10_000  # a second at 1 kHz, and what a busy machine takes longer to look
        assert row["latency 50 %"] <= row["latency 99 %"] <= row["latency max"]
    assert json.loads((tmp_path / "pictures.json").read_text())["pictures"] == found["pictures"]


@pytest.mark.slow
@pytest.mark.skipif(chromium() is None, reason="no Chromium here")
def test_a_row_that_does_not_end_says_what_it_waited_for(tmp_path, monkeypatch):
    pytest.importorskip("playwright.sync_api")
    monkeypatch.setattr(pictures, "SLOW", -18.0)  # s: less than the measurement takes
    monkeypatch.setattr(pictures, "LOADING", 1.0)
    found = pictures_bench(tmp_path, ("pendulum",), 20.0, browsers=(1,), views=1, settled=0.5, progress=False)
    (row,) = found["pictures"]
    assert row["not measured"].startswith("not ended after 4 s, while ") or "Timeout" in row["not measured"]
    assert "pictures/s" not in row


def test_a_preparation_that_takes_too_long_is_an_error(monkeypatch):
    monkeypatch.setattr(pictures, "shown", lambda name: time.sleep(0.5))
    with pytest.raises(ModelError, match="not ready after"):
        pictures.prepared("pendulum", 0.05)
