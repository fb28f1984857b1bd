"""Rows of `symbody bench --batch` (symbody_bench/batch.py); no times are compared."""

import json

import pytest

from symbody.errors import ModelError
from symbody_bench import batch

FIELDS = ["model", "function", "device", "precision", "n", "states_per_s", "single_states_per_s"]


def test_rows_of_a_function_and_of_a_system(tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "SECONDS", 1e-3)
    monkeypatch.setattr(batch, "FEW", (1, 20))
    monkeypatch.setattr(batch, "devices", lambda: [("cpu", "double", 1)])
    found = batch.batch_bench(tmp_path, ["arm7", "quarter-car"], quick=True)
    assert [list(row) for row in found["rows"]] == [FIELDS] * 4
    assert [(row["model"], row["n"]) for row in found["rows"]] == [
        ("arm7", 1), ("arm7", 20), ("quarter-car", 1), ("quarter-car", 20),
    ]  # fmt: skip
    assert all(row["states_per_s"] > 0 and row["single_states_per_s"] > 0 for row in found["rows"])
    assert json.loads((tmp_path / "batch.json").read_text()) == found["rows"]


def test_an_unknown_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="unknown model 'arm8'"):
        batch.batch_bench(tmp_path, ["arm8"])


def test_a_kind_has_one_colour_in_all_panels():
    kinds = {"arm7": ["double"], "car": ["double", "single"], "crane": ["single"]}
    values = {"n": 1, "states_per_s": 2.0, "single_states_per_s": 1.0, "function": "step", "device": "cpu"}
    figure = batch.figure([{"model": name, "precision": one} | values for name in kinds for one in kinds[name]])
    legend = {text.get_text(): line.get_color() for text, line in _legend(figure.axes[0])}
    assert list(legend) == ["cpu, double", "cpu, single"]
    for ax, drawn in zip(figure.axes, kinds.values(), strict=True):
        lines = [line for line in ax.lines if len(line.get_xdata()) and not line.get_label().startswith("_")]
        assert [(line.get_label(), line.get_color()) for line in lines] == [
            (f"cpu, {one}", legend[f"cpu, {one}"]) for one in drawn
        ]


def _legend(ax):
    legend = ax.get_legend()
    return zip(legend.get_texts(), legend.get_lines(), strict=True)
