"""The estimator's demo: its figures and its report; estimator/report.py, experiment.py."""

import json

import pytest

from symbody.cli import main
from symbody.machines.estimator.experiment import NAMES
from symbody.machines.estimator.report import report
from symbody.visual.report_options import ReportOptions


@pytest.mark.slow
def test_the_demo_prints_errors_and_bands_of_sets_and_rates(capsys):
    assert main(["demo", "estimator", "--json", "--only", "set-2", "--until", "0.3"]) == 0
    *sets, seen, last = json.loads(capsys.readouterr().out)["figures"]
    assert seen["observability"]
    assert [(one["set"], one["rate_Hz"]) for one in sets] == [(2, 1000), (2, 500), (2, 200), (2, 100)]
    for one in sets:
        assert set(one["rmse_percent"]) == set(one["coverage"]) == set(NAMES)
    assert last["step_us"] > 0.0


@pytest.mark.slow
def test_its_report_has_four_plots(tmp_path):
    made = report(ReportOptions(("set-2",), 2.1, progress=False))
    page = made.save(tmp_path)
    assert page.is_file()
    assert len(list(tmp_path.glob("*.png"))) == 4
