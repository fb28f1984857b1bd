"""Rows of `symbody bench --terrain` (symbody_bench/soil.py); no times are compared."""

import json

import pytest

from symbody.errors import ModelError
from symbody_bench.soil import blade, heap, slopes, soil_bench


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
