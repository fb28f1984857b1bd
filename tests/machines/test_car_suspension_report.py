"""The demo of the car on its dampers: variants, figures, the dampers alone, weak coupling and its plot."""

import json

import numpy as np
import pytest

from symbody.cli import main
from symbody.machines.car_suspension import report as car_suspension
from symbody.machines.car_suspension.plots import Weak, plots
from symbody.machines.car_suspension.report import EXCHANGES, on_the_rig, report
from symbody.visual.plots import new_figure
from symbody.visual.report_options import ReportOptions


def test_unknown_variants_are_told(capsys):
    assert main(["demo", "car-suspension", "--only", "magic"]) == 2
    assert "interconnected" in capsys.readouterr().err


def test_only_roll_on_interconnected_dampers_is_resisted_much():
    def more(suspension: str) -> dict[str, float]:
        pushes = {mode: run["front_left_damper.force"] for mode, run in on_the_rig(suspension).items()}
        return {mode: float(push[len(push) // 2] - push[0]) for mode, push in pushes.items()}

    separate, interconnected = more("separate"), more("interconnected")
    assert interconnected.pop("roll") > 50 * max(separate.values())
    # one run: a bound
    assert max(interconnected.values()) < 1.1 * max(separate.values())


def test_weak_runs_that_failed_are_crosses():
    weak = [Weak("constant", float(ms), 0.1 * ms, 0.2 * ms) for ms in EXCHANGES[:3]]
    weak += [Weak("linear", 1.0, 0.01, 0.02), Weak("linear", 8.0, failed_at_s=1.5)]
    figure = new_figure(10.0, 4.0)
    plots({}, {}, {}, weak)[-1].draw(figure)
    for axes in figure.axes:
        constant, none, linear, crosses = (line.get_xydata() for line in axes.lines)
        assert len(none) == 0
        assert [x for x, _ in constant] == list(EXCHANGES[:3])
        assert [x for x, y in linear if np.isfinite(y)] == [1.0]
        assert [x for x, _ in crosses] == [8.0]


@pytest.mark.slow
def test_the_report_has_the_figures_of_both_suspensions_and_of_weak_coupling(tmp_path, monkeypatch):
    monkeypatch.setattr(car_suspension, "REPEATS", 1)  # nothing here is timed
    monkeypatch.setattr(car_suspension, "EXCHANGES", (1, 4))
    made = report(ReportOptions(until=2.5))
    page = made.save(tmp_path)
    separate, interconnected = json.loads((tmp_path / "car-suspension.json").read_text())
    assert interconnected["hydraulic_states"] == 22
    assert interconnected["peak_roll_deg"] < 0.6 * separate["peak_roll_deg"]
    for record in (separate, interconnected):
        assert record["drift_percent"] < 1e-3
        assert record["iterations_mean"] < 4.0
        assert record["constraint_max"] < 1e-9
    weak = {(one["hold"], one["exchange_ms"]): one["apart_deg"] for one in made.tables["Weak coupling"]}
    # one run: convergence by the order of each hold; test_car_suspension_model.py has the ordering of the roll
    assert weak["constant", 1.0] < 0.5 * weak["constant", 4.0]
    assert weak["linear", 1.0] < weak["linear", 4.0] < 0.1 * weak["constant", 4.0]
    assert len(list(tmp_path.glob("*.png"))) == len(made.plots) == 5
    assert "interconnected" in page.read_text(encoding="utf-8")
