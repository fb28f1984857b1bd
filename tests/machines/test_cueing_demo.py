"""The chain from a scene to a passenger as one system, and the figures and plots of `symbody demo cueing`.

Tests of machines/cueing/model.py, plots.py and report.py.
"""

import json

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.cli import main
from symbody.errors import ModelError
from symbody.machines.cueing.report import report
from symbody.motion.cueing import Classic, cueing_model, descent, run_over
from symbody.motion.cueing.comparison import METHODS
from symbody.motion.data import AXES
from symbody.visual.report_options import ReportOptions

ASKED = ["pi_percent", "tilt_rate_deg_s", "table_m", "hexapod_m"]


@pytest.mark.slow
def test_the_platform_follows_the_references_of_cueing():
    """The axes of the simulated platform, with friction and drives, are those of the filters alone."""
    record = descent(1e-3).until(5.0)
    wanted = run_over(sb.system(cueing_model(Classic())), record, every=0.01)
    s = sb.system(machines.model("cueing"), outputs=["*.q", "felt.*"])
    run = sb.simulate(s, 5.0, 1e-3, every=0.01, inputs=record.inputs())
    for axis in AXES:
        rest = run[f"{axis}.q"] - run[f"{axis}.q"][0]
        assert np.abs(rest - wanted[axis]).max() < 2e-3, axis
    np.testing.assert_allclose(run["felt.x"], wanted["felt.x"], atol=1e-6)


def test_unknown_methods_are_refused():
    with pytest.raises(ModelError, match="use classic, adaptive, optimal"):
        machines.model("cueing", "magic")
    with pytest.raises(ModelError, match="too short"):
        report(ReportOptions(("classic",), until=0.1))
    with pytest.raises(ModelError, match="unknown variant"):
        report(ReportOptions(("magic",)))


def test_figures_of_a_short_descent_have_what_was_asked_for():
    made = report(ReportOptions(("classic",), until=2.0))
    assert [row["method"] for row in made.figures] == ["classic, hexapod", "classic, table"]
    assert list(made.figures[0])[1:5] == ASKED
    assert made.figures[0]["table_m"] == 0.0 < made.figures[1]["table_m"]
    titles = [plot.title for plot in made.plots]
    for word in ("senses", "filters", "Acceleration", "Felt acceleration", "Felt error", "Tilt", "Travel"):
        assert any(word in title for title in titles), word
    for plot in made.plots:
        assert plot.figure.axes[0].lines


def test_the_split_translation_is_the_whole_one_in_each_resolution():
    made = report(ReportOptions(("optimal",), until=2.0))
    (split,) = (plot for plot in made.plots if plot.title == "Split of the translation")
    table, hexapod = split.figure.axes[0].lines, split.figure.axes[1].lines
    whole = table[0].get_ydata()
    assert [line.get_label() for line in table] == ["together", "α-split", "weighted", "null space"]
    for one, other in zip(table[1:], hexapod[1:], strict=True):
        np.testing.assert_allclose(one.get_ydata() + other.get_ydata(), whole, atol=1e-12)
        assert np.abs(one.get_ydata()).max() > 0.0


@pytest.mark.slow
def test_the_command_prints_all_methods_and_writes_all_plots(capsys, tmp_path):
    pytest.importorskip("daqp")
    assert main(["demo", "cueing", "--json", "--until", "3", "--report", str(tmp_path)]) == 0
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert [row["method"] for row in figures] == list(METHODS)
    assert all(np.isfinite(row[key]) for row in figures for key in ASKED)
    assert len(list(tmp_path.glob("cueing-*.png"))) == 15
    assert (tmp_path / "cueing-split-of-the-translation.png").is_file()
    assert (tmp_path / "cueing-fitness-of-the-swarm.png").is_file()
