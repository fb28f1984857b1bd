"""The linkage as a machine: its figures, its arena (arena.py, measures.py), its page, and what a hand can do there."""

import json

import numpy as np
import pytest

from symbody import machines
from symbody.cli import main
from symbody.machines import ReportOptions
from symbody.machines.linkage import arena
from symbody.machines.linkage.arena import HALF, STRONG
from symbody.machines.linkage.measures import PLANES, ringed
from symbody.machines.linkage.page import HoldLines, controls, page, script
from symbody.machines.linkage.report import figures, report, tables


def test_the_command_prints_its_figures(capsys):
    assert main(["demo", "linkage", "--only", "drift", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["figures"]
    assert found["drift_mm"]["with_penalty"] < 0.2 * found["drift_mm"]["without"]
    assert found["drift_link3_mm"]["with_penalty"] < found["drift_link3_mm"]["without"]


def test_the_report_has_a_table_and_a_plot_of_each_stage():
    made = report(ReportOptions(("collisions", "times")))
    assert [plot.title for plot in made.plots] == ["Impacts"]
    assert len(made.plots[0].figure.axes) == 2
    assert list(made.tables) == ["Impacts"]
    assert set(made.figures[0]["tick_us"]) == {"p50", "p99"}
    assert made.figures[0]["energy_change"]["e = 0"] < 0.0
    assert figures({}) == {}
    assert tables({}) == {}


def test_a_ring_of_walls_holds_the_linkage():
    scene = ringed()
    assert len(scene.walls) == PLANES
    log = scene.run(2.0, (2.0, 1.0, 0.0))
    assert log["contacts"][-1] > 0
    assert log["depth"].max() < 2e-3


@pytest.mark.parametrize("link", ["link1", "link2", "link3"])
def test_a_hand_takes_any_link_to_the_walls_and_stays_with_it(link):
    scene = arena(link)
    for goal in ((0.1, 0.0, 0.0), (0.0, -0.08, 0.0), (-0.1, 0.05, 0.0)):
        log = scene.run(1.5, pose=goal)
        assert np.all(np.abs(log["felt"][:, :3]) <= np.array(STRONG) * (1 + 1e-12))
    tip = scene.objects[0].function(scene.q, np.zeros(3))
    assert np.all(np.abs(tip.position[:, :2]) < np.array(HALF))
    assert log["apart"][-1] < 0.01
    assert scene.counts["faults"] == 0


def test_the_scripted_hand_stays_within_the_controls():
    ends = {control.name: (control.low, control.high) for control in controls(arena())}
    for t in np.linspace(0.0, 60.0, 300):
        for name, value in script(float(t), {}).items():
            assert ends[name][0] <= value <= ends[name][1]


def test_its_page_has_the_dials_and_sounds_of_its_system():
    made = page()
    assert {dial.name for dial in made.dials} <= set(made.system.inputs)
    assert all(dial.low <= dial.value <= dial.high for dial in made.dials)
    assert {sound.channel for sound in made.sounds[:1]} <= set(made.system.outputs)
    names = ("state", "contacts", "wrench_x", "wrench_y", "rank", "apart")
    lines = HoldLines(arena())({f"haptic.{name}": 2.0 for name in names})
    assert lines[0] == "colliding, 2 contacts"
    assert "link3, rank 2, 1 topology direction" in lines[1]
    assert machines.entry("linkage").has_page


def test_the_wall_behind_two_rates_is_where_it_is_with_epsilon():
    made = report(ReportOptions(("wall",)))
    felt = made.figures[0]["wall_mm"]
    assert felt["lm5"] == pytest.approx(116.0, abs=0.2)
    assert max(felt["ir"], felt["lm0"]) < 115.0
    assert [plot.title for plot in made.plots] == list(made.tables) == ["Static wall"]
    assert len(made.plots[0].figure.axes[0].lines) == 4
