"""The estimator in the studio (estimator/page.py): dials of noise, sensors and model, and the ghost of the linkage."""

import numpy as np
import pytest

from symbody import machines
from symbody.machines.estimator.model import SENSORS, SETS
from symbody.machines.estimator.page import BEADS, BESIDE, LINKS, Ghost, page
from symbody.studio.machine_loop import check_channels, machine_loop

pytestmark = pytest.mark.posix  # the real-time loop


@pytest.fixture(scope="module")
def machine():
    return page()


@pytest.fixture(scope="module")
def run(machine):
    """The linkage tilts out for 0.3 s; the filter begins 2° away."""
    with machine_loop(machine, stale=None, overrun=None, history=1.0) as loop:
        loop.pause()
        loop.give({"U_ref": 10.0})
        assert loop.step(300, timeout=120.0)
        check_channels(machine, loop.names)
        known = {*loop.channels.given, *loop.parameters}
        assert {dial.name for dial in machine.dials} <= known
        return loop.history()


def test_the_filter_finds_the_crank_and_its_bands_hold_it(run):
    late = slice(-100, None)
    error = np.abs(run["est.crank.q"] - run["crank.q"])
    assert np.allclose(error, np.abs(run["off.crank.q"]), atol=1e-15)
    assert np.array_equal(run["off.crank.q.sigma"][1:], run["est.crank.q.sigma"][1:])
    assert error[-200] > 0.0
    assert np.all(error[late] < 3.0 * run["est.crank.q.sigma"][late])
    assert error[late].max() < 0.3 * SENSORS["crank.q"].sigma
    assert np.all(np.abs(run["est.rod_p"] - run["rod_p"])[late] < 4.0 * run["est.rod_p.sigma"][late])


def test_the_ghost_closes_its_loop(machine, run):
    """The last bead is at the pivot of the rocker, 10 m away, though every angle is an estimate."""
    ghost = Ghost(machine.system)
    lines = ghost({name: float(run[name][-1]) for name in run.names})
    assert ghost.points().shape == (len(LINKS) * BEADS, 3)
    assert ghost.points()[-1] == pytest.approx([BESIDE, 10.0, 0.0], abs=1e-6)
    assert lines[1] == "consistent"


def test_the_demo_can_be_touched():
    assert machines.entry("estimator").has_page


def test_scenarios_are_the_sets_of_the_report(machine):
    found = {preset.name: preset.values for preset in machine.presets}
    for number in (1, 3, 4):
        used = {name for name in SENSORS if found[f"Set {number}"][f"sensors.{name}"]}
        assert used == set(SETS[number])
    assert machine.pilots["program"](1.5, {}) == {"U_ref": 10.0}
