"""The linkage as a machine: its figures, its arena (arena.py, measures.py), its page, and what a hand can do there."""

import json
import threading
import time

import numpy as np
import pytest

from symbody import machines
from symbody.cli import main
from symbody.haptics.thesis_scenes.static_wall import WallDrift
from symbody.haptics.thesis_scenes.three_link import RECOMPUTED
from symbody.haptics.two_rates.one_clock import TwoRates
from symbody.links.rejected import Rejected
from symbody.machines import ReportOptions
from symbody.machines.linkage import arena
from symbody.machines.linkage.arena import HALF, STRONG
from symbody.machines.linkage.measures import PLANES, ringed
from symbody.machines.linkage.page import LinkageLines, controls, page, script
from symbody.machines.linkage.report import figures, plots, report, tables
from symbody.machines.linkage.two_rates import BLOCK_AT, LINE, WORLD_RATE, two_rates
from symbody.stepping.step_options import FixedStep
from symbody.studio import Live
from symbody.studio.messages import Settings


def test_the_command_prints_its_figures(capsys):
    assert main(["demo", "linkage", "--only", "drift", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["figures"]
    for key, link in (("drift_mm", 2), ("drift_link3_mm", 3)):
        assert [found[key][name] for name in ("without", "with_penalty")] == pytest.approx(RECOMPUTED[link], rel=0.2)


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


def test_its_page_has_the_dials_and_sounds_of_its_source():
    made = page()
    stepped = made.source.loop_model(1.0 / made.rate, 1, FixedStep())
    assert {dial.name for dial in made.dials} <= set(stepped.inputs)
    assert {control.name for control in made.controls} <= set(stepped.inputs)
    assert {preset for one in made.presets for preset in one.values} <= {dial.name for dial in made.dials}
    assert set(made.looks) == set(made.system.model.bodies)
    assert all(dial.low <= dial.value <= dial.high for dial in made.dials)
    assert {sound.channel for sound in made.sounds[:1]} <= set(stepped.outputs)
    names = ("state", "contacts", "wrench_x", "wrench_y", "rank", "apart")
    lines = LinkageLines(two_rates())({f"haptic.{name}": 2.0 for name in names})
    assert lines[0] == "colliding, 2 contacts, 2.83 N, handle 2000.00 mm off"
    assert "link3: its joints follow in 2 directions and block 1" in lines[1]
    assert machines.entry("linkage").has_page


def test_the_wall_behind_two_rates_is_where_it_is_with_epsilon():
    made = report(ReportOptions(("wall",)))
    felt = made.figures[0]["wall_mm"]
    assert felt["lm5, 60 Hz"] == pytest.approx(116.0, abs=1.5)
    assert felt["lm0, 60 Hz, 0.2 s"] == pytest.approx(80.0, abs=3.0)
    assert [plot.title for plot in made.plots] == list(made.tables) == ["Static wall"]
    assert [len(axes.lines) for axes in made.plots[0].figure.axes] == [4] * 4


def test_maps_and_paths_are_drawn():
    row = {"gain": 15.0, "without_mm": 1.0, "penalty_mm": 0.1, "without_stop_s": 0.7}
    drift = {"ir": (1.0, 2.0), "lm0": (3.0, 4.0), "lm5": (0.0, 1.0)}
    found = {
        "observer": [{"link": link, **row} for link in (2, 3)],
        "map": [WallDrift(rate, 0.05, 0.2, drift) for rate in (30.0, 60.0)],
    }
    assert [len(plot.figure.axes) for plot in plots(found)] == [2, 6]
    assert [len(rows) for rows in tables(found).values()] == [2, 2]


@pytest.mark.posix
def test_dials_of_the_page_reach_world_and_line_and_a_world_that_dies_is_said():
    made = page()
    (threads,) = made.companions
    live = Live(made).start()
    try:
        live.obey(Settings({"world_rate": 50.0, "delay": 0.05, "local": 2.0, "hold": 1.0}))
        assert wait_for(lambda: threads.end.period == 0.02 and threads.impairment.delay == 0.05)
        assert wait_for(lambda: threads.standing == "whole scene" and threads.local.scene.c.settings.hold == 1)
        assert wait_for(lambda: any(line.startswith("whole scene: ") for line in live.status()["lines"]))
        with pytest.raises(Rejected, match="range"):
            live.obey(Settings({"world_rate": 5.0}))
        threads.world.advance = None
        assert wait_for(lambda: "the world has ended: TypeError" in live.status()["lines"][-1])
        assert live.loop.state == "running"
    finally:
        live.close()
    assert not threads.alive
    assert "world" not in {thread.name for thread in threading.enumerate()}


def wait_for(condition, timeout=20.0):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def test_the_scripted_hand_strikes_the_block_through_the_line_and_keeps_the_handle_on_the_link():
    threads = two_rates()
    both = TwoRates(threads.world, threads.local, WORLD_RATE, LINE, passive=True)
    log = both.run(8.0, pose=lambda t: (*script(t, {}).values(), 0.0))
    block = threads.world.scene.q[3:5]
    assert log["contacts"].max() > 0
    assert np.linalg.norm(block - BLOCK_AT[:2]) > 0.01
    assert np.all(np.abs(block) < np.array(HALF))
    assert log["apart"].max() < 0.01
    assert both.counts["lost"] > 0
