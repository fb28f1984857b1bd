"""Unaccounted energy of a running machine: a channel and a sentence on the page, switched off by one argument.

Tests of studio/energy_watch.py and of the work as a state (system/power.py).
"""

import numpy as np
import pytest
from studio_models import swing

import symbody as sb
from symbody import machines
from symbody.errors import ModelError
from symbody.studio import Live
from symbody.studio.energy_watch import CHANNELS, SETTLES, WINDOW, EnergyWatch
from symbody.system.definition import define
from symbody.system.options import SystemOptions
from symbody.system.power import UNACCOUNTED, WORK
from symbody.system.system import system_of
from waiting import eventually


@pytest.fixture(scope="module")
def accounted():
    return system_of(define(swing(), SystemOptions(work=True)))


@pytest.mark.parametrize(
    ("method", "bound"), [("rk4", 1e-6), ("rodas4", 1e-6), ("trapezoidal", 1e-3), ("generalised-alpha", 1e-3)]
)
def test_the_work_as_a_state_accounts_for_a_law_and_an_input(accounted, method, bound):
    """E − E(0) − ∫P dt with a torque that jumps between steps: they exchange more than 0.5 J."""
    run = sb.simulate(
        accounted, 2.0, 1e-2, method=method, inputs={"torque": lambda t: 2.0 * (t > 0.7)}, energy="ignore"
    )
    assert run[UNACCOUNTED][0] == 0.0
    assert np.abs(run[UNACCOUNTED]).max() < bound
    assert np.ptp(run[WORK]) > 0.5
    plain = sb.simulate(
        swing(), 2.0, 1e-2, method=method, inputs={"torque": lambda t: 2.0 * (t > 0.7)}, energy="ignore"
    )
    np.testing.assert_allclose(run["arm.q"], plain["arm.q"], atol=1e-9)


def test_a_step_that_is_too_long_is_seen_in_the_state(accounted):
    run = sb.simulate(accounted, 2.0, 5e-2, method="semi-implicit", energy="ignore")
    assert np.abs(run[UNACCOUNTED]).max() > 0.01 * run.kinetic.max()


class Loop:
    """Records of 100 a second, and parameters."""

    def __init__(self):
        self.rows, self.parameters = np.empty((0, 4)), {"mass": 1.0}

    def go(self, seconds, missing, kinetic=10.0):
        """A motion that exchanges energy, while unaccounted energy reaches a value (J)."""
        first = self.rows[-1, 0] + 0.01 if len(self.rows) else 0.0
        last = self.rows[-1, 3] if len(self.rows) else 0.0
        t = first + 0.01 * np.arange(round(100 * seconds))
        part = kinetic * np.sin(3 * t) ** 2
        rows = np.array([t, part, -part, np.linspace(last, missing, len(t))]).T
        self.rows = np.vstack([self.rows, rows])

    def since(self, number, channels):
        assert channels == CHANNELS
        return len(self.rows), self.rows[number:, 0], self.rows[number:, 1:]


@pytest.fixture
def watched(accounted):
    loop = Loop()
    return loop, EnergyWatch(accounted, "warn", loop.since, lambda: loop.parameters)


def test_energy_beyond_its_bound_is_reported_until_it_is_past(watched):
    loop, watch = watched
    assert watch.line() == ""
    loop.go(2.0, 0.05)
    assert watch.line() == ""
    loop.go(1.0, 0.5)
    assert "0.5 J within 3 s, 5 % of the 10 J" in watch.line()
    loop.go(WINDOW + 1.0, 0.5)
    assert watch.line() == ""


def test_a_machine_at_rest_is_compared_with_its_motion_before(watched):
    loop, watch = watched
    loop.go(1.0, 0.0)
    assert watch.line() == ""
    loop.go(WINDOW + 1.0, 1e-4, kinetic=1e-5)
    assert watch.line() == ""


@pytest.mark.parametrize("what", ["parameter", "start"])
def test_a_changed_parameter_or_a_new_start_is_no_error_of_the_steps(watched, what):
    loop, watch = watched
    loop.go(2.0, 0.0)
    assert watch.line() == ""
    if what == "parameter":
        loop.parameters["mass"] = 2.0
    else:
        watch.begin_again()
    loop.go(SETTLES / 2, 5.0)
    assert watch.line() == ""
    loop.go(2.0, 5.0)
    assert watch.line() == ""
    loop.go(1.0, 6.0)
    assert "1 J" in watch.line()


def test_unknown_reactions_are_refused(accounted):
    with pytest.raises(ModelError, match="use warn or ignore"):
        EnergyWatch(accounted, "error", Loop().since, dict)


@pytest.mark.posix
def test_the_page_of_a_model_has_the_channel_and_no_complaint():
    with Live(swing(), values={"torque": 1.0}) as live:
        eventually(lambda: live.loop.latest().step > 50)
        assert live.units[UNACCOUNTED] == "J"
        assert np.abs(live.samples(0, [UNACCOUNTED])[2]).max() < 1e-9
        assert live.status()["lines"] == []


@pytest.mark.posix
def test_a_method_that_loses_energy_is_reported_on_the_page():
    with Live(swing(), rate=20.0, method="semi-implicit") as live:
        live.loop.slow(0.05)
        eventually(lambda: any("Energy is not accounted for" in line for line in live.status()["lines"]))


@pytest.mark.posix
def test_one_argument_switches_channel_and_check_off():
    with Live(swing(), rate=20.0, method="semi-implicit", energy="ignore") as live:
        live.loop.slow(0.05)
        eventually(lambda: live.loop.latest().step > 50)
        assert UNACCOUNTED not in live.units
        assert WORK not in live.machine.system.states
        assert live.status()["lines"] == []


@pytest.mark.parametrize("name", ["pendulum-clock", "kart-bench"])
def test_a_page_of_its_own_has_the_channel_and_energy_is_accounted_for(name):
    """A mechanism, and one whose filter runs in the same loop."""
    machine = machines.entry(name).page()
    assert all(channel in machine.system.outputs for channel in CHANNELS)
    dt = 1.0 / machine.rate / machine.substeps
    run = sb.simulate(machine.system, 0.5, dt, method=machine.method, energy="ignore")
    assert run[UNACCOUNTED][0] == pytest.approx(0.0, abs=1e-12)
    exchange = max(np.ptp(run["energy.kinetic"]), np.ptp(run["energy.potential"]), np.ptp(run[WORK]))
    assert np.ptp(run[UNACCOUNTED]) < 1e-4 * exchange


def test_a_start_of_the_users_own_has_no_unaccounted_energy_yet(accounted):
    run = sb.simulate(accounted, 0.1, 1e-3, x0={"arm.q": 1.0, "arm.qd": 2.0}, energy="ignore")
    assert run[UNACCOUNTED][0] == pytest.approx(0.0, abs=1e-12)
    assert np.abs(run[UNACCOUNTED]).max() < 1e-8


def test_public_systems_have_the_work_as_a_state_if_asked():
    assert WORK in sb.system(swing(), work=True).states
    assert UNACCOUNTED not in sb.system(swing()).outputs
