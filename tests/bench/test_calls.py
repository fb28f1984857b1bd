"""What the benchmark of calls prints: a row for each way, with ratios that fit the times."""

import json

import pytest

from symbody_bench import calls


@pytest.mark.slow
def test_calls_are_measured_beside_the_work_in_them(tmp_path, monkeypatch):
    monkeypatch.setattr(calls, "REPEATS", 3)
    monkeypatch.setattr(calls, "STARTS", 1)
    monkeypatch.setattr(calls, "BATCH", 32)
    found = calls.calls_bench(tmp_path)
    work, plain, _ = found["call"]
    # one run: the second contains the first
    assert plain["us"] > work["us"] > 0.0
    assert plain["by_work"] == pytest.approx(plain["us"] / work["us"])
    assert [row["batch of 32"] for row in found["gradient"]][:2] == ["call", "gradient"]
    assert found["gradient"][1]["by_gradient"] == 1.0
    assert [row["import"] for row in found["import"]] == ["numpy", "symbody"]
    assert json.loads((tmp_path / "calls.json").read_text()) == found
