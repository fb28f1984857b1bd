"""The motion platform's figures and plots, part by part, and by the command."""

import json

import numpy as np
import pytest

from platform_stage import DATA
from symbody import machines
from symbody.cli import main
from symbody.errors import ModelError
from symbody.machines.platform.report import FIRST, dynamics_part, motion_of_run, servo_part, workspace_part
from symbody.visual.report_options import ReportOptions


def test_closed_form_and_engine_agree_in_all_cases():
    part = dynamics_part(DATA)()
    assert part.figures["case_error_max"] < 1e-8
    assert 1.0 < part.figures["printed_slider_error_percent"] < 100.0
    assert part.figures["inverse_us"] > 0.0
    assert part.figures["direct_us"] > 0.0
    forces, errors = (plot.figure.axes for plot in part.plots)
    assert len(forces) == 8
    assert len(errors[0].patches) == 32


def test_a_slalom_is_followed_and_within_the_drives():
    part = servo_part(DATA, 2.0)()
    assert part.figures["behind_m"] < 1e-9
    assert part.figures["behind_rad"] < 1e-9
    assert part.figures["drives_ok"]
    motion = motion_of_run(part.run, DATA)
    assert (
        np.abs(motion.forces()[50:, 2:] - np.column_stack([part.run[f"rod{k}.force"] for k in range(1, 7)])[50:]).max()
        < 3.0
    )
    for plot in part.plots:
        assert plot.figure.axes


def test_the_floor_lies_below_the_work_range():
    figures = workspace_part(DATA)().figures
    assert 0.0 < figures["z_floor_m"] < DATA.limits["z"].low
    # one run: a volume and a part of it
    assert figures["reachable_litres"] > figures["dexterous_litres"] > 0.0
    assert figures["scan_poses_per_s"] > 0.0


def test_too_short_a_run_is_refused():
    with pytest.raises(ModelError, match="is too short"):
        machines.entry("platform").report(ReportOptions(until=0.1))


@pytest.mark.minutes
@pytest.mark.slow
def test_the_command_prints_what_was_asked_for_and_writes_a_page(capsys, tmp_path):
    assert main(["demo", "platform", "--json", "--until", "1", "--report", str(tmp_path)]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"][0]
    assert list(figures)[: len(FIRST)] == list(FIRST)
    assert figures["base_parameters"] == 90
    assert figures["base_parameters_fixed_table"] == 88
    assert figures["case_error_max"] < 1e-8
    assert figures["assembly_modes_complete"]
    page = (tmp_path / "platform.html").read_text(encoding="utf-8")
    assert "Simulators of the catalogue" in page
    assert "http" not in page.partition("<body>")[2].partition("<h2>Motion")[0]
