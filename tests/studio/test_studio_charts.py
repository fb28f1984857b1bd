"""Charts of pages: contents as plain data, of which a page draws only what has the right form and size."""

import json

import numpy as np
import pytest

from symbody.studio import Chart, chart_content, chart_series
from symbody.studio.charts import MOST_CELLS, MOST_POINTS, MOST_SERIES, checked_content
from symbody.studio.machine_pages import MachinePage, PageDesk
from symbody.web import FileStore


@pytest.mark.parametrize("seed", range(10))
def test_intervals_are_around_their_values_and_what_is_not_finite_is_left_out(seed):
    rng = np.random.default_rng(seed)
    y, half = rng.normal(size=6), rng.random(6)
    half[rng.integers(6)] = np.inf
    y[rng.integers(6)] = np.nan
    made = chart_series("people", y, halves=half)
    for k in range(6):
        assert (made["y"][k] is None) == bool(np.isnan(y[k]))
        if np.isfinite(y[k] + half[k]):
            assert (made["low"][k], made["high"][k]) == pytest.approx((y[k] - half[k], y[k] + half[k]))
        else:
            assert made["low"][k] is made["high"][k] is None
    json.dumps(made, allow_nan=False)


def test_contents_of_another_form_or_size_are_empty():
    whole = chart_content(["A"], [chart_series("people", [1.0], halves=[float("inf")])], note="so")
    assert checked_content(whole) == whole
    for damaged in (None, 3, [], {"series": []}, {**whole, "more": 1}, {**whole, "series": [{"label": "x"}]}):
        assert checked_content(damaged)["series"] == []
    long = chart_content((), [chart_series("people", [0.0] * (MOST_POINTS + 1))], [[1.0] * (MOST_CELLS + 1)])
    assert checked_content(long) == chart_content()
    many = chart_content((), [chart_series(str(k), [0.0]) for k in range(2 * MOST_SERIES)])
    assert len(checked_content(many)["series"]) == MOST_SERIES


def test_a_page_has_new_contents_only_if_they_change(tmp_path):
    store = FileStore(tmp_path)
    desk = PageDesk([MachinePage("Study", charts=[Chart("laps", "Laps", "bars")])], {}, store)
    assert desk.data[0]["charts"] == [{"key": "laps", "title": "Laps", "kind": "bars", "x": "", "y": ""}]
    first, found = desk.current_charts()
    assert found == {"laps": chart_content()}
    store.put("laps", chart_content(["A"], [chart_series("people", [1.0])]))
    desk._read()  # as after a verb
    second, found = desk.current_charts()
    assert second == first + 1
    assert found["laps"]["names"] == ["A"]
    desk._read()
    assert desk.current_charts()[0] == second
    (tmp_path / "laps.json").write_text("damaged", encoding="utf-8")
    desk._read()
    assert desk.current_charts()[1] == {"laps": chart_content()}
