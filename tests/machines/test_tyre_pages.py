"""Kart and car observers in the studio (tyre_page.py, both pages): four tyre forces, with estimates and bands."""

from importlib import import_module

import numpy as np
import pytest

from symbody import machines
from symbody.machines.tyre_page import BEADS, TyreForces
from symbody.studio.machine_loop import check_channels, machine_loop

pytestmark = pytest.mark.posix  # the real-time loop

NAMES = ("kart-bench", "car-observer")
WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
UNTIL = {"kart-bench": 4.5, "car-observer": 6.0}  # s: tyres slide before the end
SETTLED = {"kart-bench": 4.0, "car-observer": 5.5}


@pytest.fixture(scope="module", params=NAMES)
def driven(request):
    """A page, and its run with the steering of the report."""
    name, page = request.param, machines.entry(request.param).page()
    with machine_loop(page, stale=None, overrun=None, history=2.0 * UNTIL[name]) as loop:
        loop.pause()
        for k in range(0, round(UNTIL[name] * page.rate), 20):
            loop.give(page.pilots["program"](k / page.rate, {}))
            assert loop.step(20, timeout=60.0), loop.reason
        check_channels(page, loop.names)
        assert {dial.name for dial in page.dials} <= {*loop.channels.given, *loop.parameters}
        return name, page, loop.history()


def test_bands_contain_the_four_true_forces(driven):
    _, _, run = driven
    for wheel in WHEELS:
        error = np.abs(run[f"est.{wheel}.side"] - run[f"{wheel}.side"])
        assert np.mean(error <= 1.96 * run[f"est.{wheel}.side.sigma"]) > 0.9, wheel
        assert np.sqrt(np.mean(error**2)) < 0.05 * np.abs(run[f"{wheel}.side"]).max(), wheel


def test_tyres_that_slide_show_their_friction(driven):
    name, page, run = driven
    late = run.t > SETTLED[name]
    error = np.abs(run["est.friction"] - page.system.parameters["friction"])
    assert error[0] > 0.15
    assert error[late].max() < 0.05
    assert run["est.friction.sigma"][late].max() < 0.2 * run["est.friction.sigma"][0]


def test_plots_beads_and_text_show_each_tyre(driven):
    name, page, run = driven
    for wheel, plot in zip(WHEELS, page.plots, strict=False):
        assert plot == f"{wheel}.side, est.{wheel}.side"
        assert f"est.{wheel}.side.sigma" in run.names  # a plot draws its band
    last = {channel: float(run[channel][-1]) for channel in run.names}
    lines = page.shows(last)
    assert [line.split(" ")[:2] for line in lines[:4]] == [wheel.split("_") for wheel in WHEELS]
    assert lines[4] == "consistent"
    true, estimated = (one.points() for one in page.particles)
    assert true.shape == estimated.shape == (len(WHEELS) * BEADS, 3)
    length = true[BEADS - 1, 1] - true[0, 1]
    assert length == pytest.approx(
        import_module(f"symbody.machines.{name.replace('-', '_')}.page").LENGTH * last["front_left.side"]
    )


def test_text_reports_noise_that_was_not_specified():
    forces = TyreForces({"front_left": (0.0, 0.0, 0.0)}, 1.0, 0.1, digits=1)
    channels = {"front_left.side": 1.0, "est.front_left.side": 2.0, "est.front_left.side.sigma": 0.5, "est.nis": 3.0}
    assert forces(channels) == [
        "front left +1.0 N, estimated +2.0 ± 1.0 N", "not consistent: sensors noisier than specified"
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_demo_is_interactive(name):
    assert machines.entry(name).has_page
