"""The haptic bench as a machine: its figures, its arena (arena.py), its page, and what a hand can do there."""

import json
from math import pi

import numpy as np
import pytest

from symbody import machines
from symbody.cli import main
from symbody.haptics.force_beads import ARROWS, BEADS, ForceBeads
from symbody.machines import ReportOptions
from symbody.machines.haptic_bench import bench
from symbody.machines.haptic_bench.arena import FLOOR
from symbody.machines.haptic_bench.page import controls, page, script, told
from symbody.machines.haptic_bench.report import figures, report, stability_plot, tables
from symbody.stepping.step_options import FixedStep


def test_the_first_word_of_its_name_is_enough():
    assert machines.entry("haptic").name == "haptic-bench"
    assert machines.entry("haptic").has_page


def test_the_command_prints_its_figures(capsys):
    assert main(["demo", "haptic", "--only", "arm", "--only", "corner", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["figures"]
    assert found["e1_loss_J"] == pytest.approx({"0.7 m": 7 / 24, "1.5 m": 7 / 3})
    for figure in ("penetration_mm", "settle_s", "peak_N"):
        assert set(found[figure]) == {"ideal", "impulse", "penalty", "coupler"}
    assert found["penetration_mm"]["penalty"] == pytest.approx(1.47, rel=0.2)


def test_the_report_has_a_table_and_a_plot_of_each_stage():
    made = report(ReportOptions(("corner", "times")))
    assert [plot.title for plot in made.plots] == ["Corner"]
    assert len(made.plots[0].figure.axes) == 4
    assert list(made.tables) == ["Corner"]
    assert set(made.figures[0]["step_us"]) == {"p50", "p99"}
    assert figures({}) == {}
    assert tables({}) == {}


def test_the_map_of_stable_walls_is_drawn():
    found = {what: {"direct": {1.0: 100.0, 2.0: 0.0}} for what in ("damping", "rate", "delay")}
    assert len(stability_plot(found).figure.axes) == 3


def test_a_hand_puts_the_peg_into_the_hole_and_the_walls_hold_it():
    scene = bench()
    scene.run(1.5, pose=(0.0, 0.0, pi / 2))
    way = np.linspace(0.0, -0.09, 1500)
    log = scene.run(1.5, pose=np.column_stack([0.0 * way, way, np.full(1500, pi / 2)]))
    assert log["tool"][-1, 1] < FLOOR - 0.02  # in
    log = scene.run(2.0, pose=(0.03, -0.09, pi / 2))  # and pulled to the right, by 9 N
    assert log["tool"][-1, 0] < 2e-3
    assert np.all(np.abs(log["felt"][:, :3]) <= (15.0, 15.0, 1.0))


def test_the_scripted_hand_stays_within_the_controls():
    ends = {control.name: (control.low, control.high) for control in controls()}
    for t in np.linspace(0.0, 30.0, 200):
        for name, value in script(float(t), {}).items():
            assert ends[name][0] <= value <= ends[name][1]


def test_forces_are_drawn_and_told():
    scene = bench()
    arrows = ForceBeads(scene)
    assert arrows().shape == (0, 3)
    scene.run(1.0, pose=(0.09, 0.0, 0.0))
    beads = arrows()
    assert 0 < len(beads) <= BEADS * ARROWS
    # one run: places of drawn beads
    assert beads[0, 0] > beads[BEADS - 1, 0]  # away from the wall to the right
    names = ("state", "contacts", "wrench_x", "wrench_y", "depth", "kinetic")
    lines = told({f"haptic.{name}": 1.0 for name in names})
    assert lines == ["resting, 1 contacts, 1.41 N", "1000.000 mm inside a wall, kinetic energy 1000.00 mJ"]


def test_its_page_has_the_dials_and_sounds_of_its_source():
    made = page()
    stepped = made.source.loop_model(1.0 / made.rate, 1, FixedStep())
    assert {dial.name for dial in made.dials} <= set(stepped.inputs)
    assert {control.name for control in made.controls} <= set(stepped.inputs)
    assert all(dial.low <= dial.value <= dial.high for dial in made.dials)
    chosen = {dial.name: dial.choices[round(dial.value - dial.low)] for dial in made.dials if dial.choices}
    assert chosen["controller"] == "four-channel"
    assert chosen["friction"] == "reset-integrator"
    assert all(len(dial.choices) == dial.high - dial.low + 1 for dial in made.dials if dial.choices)
    assert {sound.channel for sound in made.sounds[:1]} <= set(stepped.outputs)
