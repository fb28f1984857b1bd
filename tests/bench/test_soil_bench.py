"""Rows of `symbody bench --terrain` (symbody_bench/soil.py); no times are compared."""

import json

import pytest

from symbody.errors import ModelError
from symbody_bench.soil import PICTURE, blade, growth, heap, row, slopes, soil_bench, threads


def test_scenes_are_what_they_say():
    assert len(heap(125).particles) == 125
    assert slopes(64).heights.shape == (64, 64)
    times, ground = blade(700)
    assert len(times) == 700
    assert ground.cut_and_merged[0] > 0


def test_rows_have_size_and_times(tmp_path):
    found = soil_bench(tmp_path, ["heap"], quick=True)
    assert [row["particles"] for row in found["rows"]] == [125, 250, 500]
    assert all(0.0 < row["p50_us"] <= row["p99_us"] for row in found["rows"])
    assert json.loads((tmp_path / "soil.json").read_text(encoding="utf-8")) == found["rows"]
    with pytest.raises(ModelError, match="heap"):
        soil_bench(tmp_path, ["heaps"])


def test_the_plot_of_cost_is_written_and_linear_cost_has_the_exponent_one(tmp_path):
    assert soil_bench(tmp_path, ["slopes"], quick=True)["plots"] == [str(tmp_path / PICTURE)]
    assert (tmp_path / PICTURE).stat().st_size > 1000
    linear = [row("heap", n, [2e-8 * n, 2e-8 * n], "particles") for n in (10, 100, 1000)]
    assert growth(linear, "particles") == pytest.approx(1.0)
    square = [row("heap", n, [1e-9 * n**2] * 2, "particles") for n in (10, 100, 1000)]
    assert growth(square, "particles") == pytest.approx(2.0)


def test_threads_are_measured_by_the_clock():
    rows = threads(50, 3)
    assert [one["threads"] for one in rows][:2] == [1, 2]
    assert all(one["particles"] == 50 for one in rows)


@pytest.mark.slow
def test_the_tractor_is_measured_with_and_without_soil(tmp_path):
    rows = soil_bench(tmp_path, ["tractor"], quick=True)["rows"]
    assert [one["particles"] for one in rows] == [1000, 0]
