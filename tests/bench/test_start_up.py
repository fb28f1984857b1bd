"""How fast machines start, as the benchmark measures it."""

import json

import pytest

import symbody as sb
from symbody.studio.photograph import chromium
from symbody_bench.start_up import start_up_bench


@pytest.mark.slow
def test_a_start_is_measured_cold_and_warm(tmp_path):
    (row,) = start_up_bench(tmp_path, ["pendulum"], progress=False)["start_up"]
    assert row["machine"] == "pendulum"
    assert row["operations"] == sb.system(sb.machines.model("pendulum")).rates_function.operations.total
    # one run: each contains the next
    assert row["cold_s"] > row["system_cold_s"] > row["system_warm_s"] > 0.0  # the second traces and compiles nothing
    for kind in ("cold", "warm") if chromium() else ():
        assert 0.0 < row[f"served_{kind}_s"] < row[f"picture_{kind}_s"] <= row[f"live_{kind}_s"]
    assert json.loads((tmp_path / "start.json").read_text())[0] == row


@pytest.mark.slow
def test_a_machine_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(sb.ModelError, match=r"piabo: its start failed: .*piano"):
        start_up_bench(tmp_path, ["piabo"], progress=False)
