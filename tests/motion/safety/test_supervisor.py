"""The supervisor: states in their order and no other, references within all limits, faults that end at rest.

Tests of motion/safety/supervisor.py, motion/safety/states.py.
"""

from contextlib import suppress
from itertools import product

import numpy as np
import pytest

from hostile_rides import DATA, DT, MACHINE, broken, there_and_back
from symbody.errors import ModelError
from symbody.motion.control.ride_motion import descent_motion
from symbody.motion.data import ACTUATORS, AXES
from symbody.motion.geometry import inverse_geometry
from symbody.motion.platform_motion import PlatformMotion
from symbody.motion.safety.states import TRANSITIONS, RideEvent, RideState, transition
from symbody.motion.safety.supervisor import RideSupervisor, SupervisorRules

pytestmark = pytest.mark.usefixtures("optimised_slack")

NEUTRAL = DATA.neutral_axes


def ready():
    ride = RideSupervisor(MACHINE, DT)
    ride.power_on()
    ride.homed()
    return ride


def running():
    ride = ready()
    ride.start()
    return ride


def moving(ride, ticks=60, start=0):
    """Feed a swing of the table; returns the references."""
    rows = []
    for k in range(start, start + ticks):
        sample = NEUTRAL.copy()
        sample[0] = 0.1 * np.sin(2.0 * k * DT)
        rows.append(ride.tick(k * DT, sample))
    return rows


def until_rest(ride, now, measured=None, most=400):
    """Ticks without samples until the ride is not running or stopping."""
    rows = []
    while ride.state in (RideState.RUNNING, RideState.STOPPING):
        now += DT
        rows.append(ride.tick(now, None, measured(ride) if measured else None))
        assert len(rows) < most
    return rows


def within(rows):
    axes, rates, second = (np.array([getattr(row, name) for row in rows]) for name in ("axes", "rates", "second"))
    return not broken(axes, rates, second, {}).any()


# -- states ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("state", "event"), list(product(RideState, RideEvent)))
def test_every_pair_of_state_and_event_has_a_transition_or_an_error(state, event):
    if (state, event) in TRANSITIONS:
        assert transition(state, event) is TRANSITIONS[state, event]
    else:
        with pytest.raises(ModelError, match=f"'{event.value}' is not possible in the state '{state.value}'"):
            transition(state, event)


def test_motion_is_reached_only_through_homing_and_every_fault_needs_a_reset():
    into = {state: {s for (s, _), to in TRANSITIONS.items() if to is state and s is not state} for state in RideState}
    assert into[RideState.RUNNING] == {RideState.READY}
    assert into[RideState.READY] == {RideState.HOMING, RideState.STOPPING}
    assert into[RideState.HOMING] == {RideState.OFF}
    out = {to for (s, _), to in TRANSITIONS.items() if s is RideState.FAULT}
    assert out == {RideState.FAULT, RideState.OFF}
    assert {e for (s, e) in TRANSITIONS if e is RideEvent.FAIL} == {RideEvent.FAIL}
    assert {s for (s, e) in TRANSITIONS if e is RideEvent.FAIL} == set(RideState)


COMMANDS = {
    "power_on": RideState.OFF, "homed": RideState.HOMING, "start": RideState.READY, "stop": RideState.RUNNING,
    "reset": RideState.FAULT,
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("state", [RideState.OFF, RideState.HOMING, RideState.READY, RideState.RUNNING])
def test_a_command_is_refused_in_every_state_but_its_own(state, command):
    ride = RideSupervisor(MACHINE, DT)
    for step in ("power_on", "homed", "start"):
        if ride.state is state:
            break
        getattr(ride, step)()
    if COMMANDS[command] is state:
        getattr(ride, command)()
    else:
        with pytest.raises(ModelError, match="not possible in the state"):
            getattr(ride, command)()
        assert ride.state is state


@pytest.mark.parametrize("steps", [(), ("power_on",), ("power_on", "homed"), ("power_on", "homed", "start"), ("fail",)])
def test_the_power_goes_off_at_rest_only(steps):
    ride = RideSupervisor(MACHINE, DT)
    for step in steps:
        getattr(ride, step)(*(["a fault"] if step == "fail" else []))
    if ride.state in (RideState.OFF, RideState.RUNNING):
        with pytest.raises(ModelError, match="not possible in the state"):
            ride.power_off()
    else:
        ride.power_off()
        assert ride.state is RideState.OFF


def test_random_commands_and_ticks_never_break_a_limit_or_move_a_platform_that_is_not_running():
    rng = np.random.default_rng(9)
    for _ in range(5):
        ride, rows = RideSupervisor(MACHINE, DT), []
        names = ["power_on", "homed", "start", "stop", "reset", "power_off", "fail"]
        for k in range(150):
            if rng.random() < 0.2:
                name = names[rng.integers(len(names))]
                with suppress(ModelError):
                    getattr(ride, name)(*(["a fault"] if name == "fail" else []))
            before = ride.state
            row = ride.tick(k * DT, rng.uniform(-2.0, 2.0, 8) * DATA.ends("high"))
            if before not in (RideState.RUNNING, RideState.STOPPING):
                assert not row.rates.any()
            assert row.powered == (row.state not in (RideState.OFF, RideState.FAULT))
            rows.append(row)
        assert within(rows)


# -- rides -------------------------------------------------------------------------------------------------------------


def test_a_stream_is_followed_and_a_stop_ends_at_rest_and_ready():
    ride = running()
    rows = moving(ride)
    assert rows[-1].axes[0] == pytest.approx(0.1 * np.sin(2.0 * 59 * DT), abs=5e-3)
    ride.stop("the passenger has had enough")
    rows += until_rest(ride, 59 * DT)
    assert ride.state is RideState.READY
    assert ride.reason == "the passenger has had enough"
    assert not rows[-1].rates.any()
    assert within(rows)
    assert sum(ride.counts.values()) == 60


def test_a_descent_as_a_live_stream_stays_within_the_limits_with_a_small_delay():
    """Item 11 of the document: the stream of the scene within the platform's limits, yaw below 20°, small delay."""
    motion = descent_motion(MACHINE, 1, 0.6, 2.0).part(slice(None, None, 5))
    ride = running()
    rows = [ride.tick(k * DT, axes) for k, axes in enumerate(motion.axes)]
    assert within(rows)
    assert ride.counts["refused"] == 0
    axes = np.array([row.axes for row in rows])
    assert np.degrees(np.abs(axes[:, AXES.index("yaw")]).max()) < 20.0
    slope = np.gradient(motion.axes, DT, axis=0)
    late = np.sum(slope * (motion.axes - axes)) / np.sum(slope**2)
    assert abs(late) < 2.0 * DT


def test_silence_of_the_stream_stops_the_ride():
    ride = running()
    moving(ride)
    until_rest(ride, 59 * DT)
    assert ride.state is RideState.READY
    assert ride.reason == "no valid sample for 0.1 s"


def test_a_second_ride_does_not_know_the_stream_of_the_first():
    ride = running()
    moving(ride)
    at = until_rest(ride, 59 * DT)[-1].axes
    ride.start()
    for now in (100.0, 100.05):  # without a sample it waits
        row = ride.tick(now)
        assert ride.state is RideState.RUNNING
        np.testing.assert_array_equal(row.axes, at)
    assert ride.tick(100.1, at).verdict.status == "accepted"


def test_a_stream_of_wrong_samples_stops_the_ride_with_their_reason():
    ride = running()
    moving(ride)
    for k in range(60, 200):
        ride.tick(k * DT, 1e3 * NEUTRAL)
    assert ride.state is RideState.READY
    assert "is it in mm?" in ride.reason


def measured_at(offset):
    def measured(ride):
        q = np.asarray(inverse_geometry(ride._guard.axes, DATA)[0])
        return q + offset * np.eye(8)[4]

    return measured


@pytest.mark.parametrize(
    ("offset", "reason"), [(0.03, "rod3 is 0.03 m away from its reference"), (np.nan, "not a number")]
)
def test_a_platform_that_does_not_follow_stops_and_is_in_fault(offset, reason):
    ride = running()
    moving(ride)
    rows = until_rest(ride, 59 * DT, measured_at(offset))
    assert ride.state is RideState.FAULT
    assert reason in ride.reason
    assert ACTUATORS[4] == "rod3"
    assert within(rows)
    with pytest.raises(ModelError, match="possible: fail, reset, power off"):
        ride.start()
    ride.reset()
    assert ride.state is RideState.OFF


def test_encoders_that_fall_silent_and_late_ticks_are_faults():
    ride = running()
    for k in range(20):
        ride.tick(k * DT, NEUTRAL, np.asarray(inverse_geometry(NEUTRAL, DATA)[0]))
    for k in range(20, 40):
        ride.tick(k * DT, NEUTRAL)
    assert "no measured positions" in ride.reason
    ride = running()
    moving(ride, 20)
    ride.tick(0.3, NEUTRAL)
    assert "s between two ticks" in ride.reason
    until_rest(ride, 0.3)
    assert ride.state is RideState.FAULT


def test_a_vetted_trajectory_is_played_and_can_be_stopped_anywhere():
    for stop_at in (None, 137, 300):
        ride = ready()
        motion = there_and_back("table.x", 0.16, 2.0, DATA)
        assert ride.load(motion).ok
        ride.start()
        rows = [ride.tick(k * DT) for k in range(stop_at or 402)]
        if stop_at is not None:
            ride.stop()
            rows += until_rest(ride, stop_at * DT)
        assert ride.state is RideState.READY
        assert within(rows)
        assert max(row.axes[0] for row in rows) == pytest.approx(0.16, abs=0.16 if stop_at else 1e-9)


def test_a_refused_trajectory_is_not_played():
    ride = ready()
    bad = there_and_back("table.x", 0.7, 5.0, DATA)
    found = ride.load(bad)
    assert not found.ok
    assert any("trajectory refused" in text for _, text in ride.history)
    ride.start()
    assert ride.tick(0.0).axes[0] == 0.0
    slow = PlatformMotion(2.0 * bad.t, bad.axes, bad.rates, bad.second, DATA)
    ride.stop()
    until_rest(ride, 0.0)
    assert "not sampled every" in ride.load(slow).reason
    with pytest.raises(ModelError, match="only while the platform is ready"):
        running().load(bad)


def test_homing_that_ends_outside_the_limits_is_refused():
    ride = RideSupervisor(MACHINE, DT)
    ride.power_on()
    outside = NEUTRAL.copy()
    outside[AXES.index("z")] = 0.23
    with pytest.raises(ModelError, match="z: homing ended outside the limits"):
        ride.homed(outside)
    assert ride.state is RideState.HOMING


def test_rules_have_their_documented_values():
    rules, ride = SupervisorRules(), RideSupervisor(MACHINE)
    assert (rules.tick, rules.measured, rules.tracking) == (0.05, 0.05, 0.02)
    assert (rules.stream.beyond, rules.stream.jump, rules.stream.patience) == (4.0, 5.0, 0.1)
    assert ride.dt == 1e-3
    assert ride.rules == rules


def test_the_history_has_each_change_with_its_time_and_no_more_than_a_thousand_entries():
    ride = RideSupervisor(MACHINE, DT)
    ride.power_on()
    ride.tick(1.0)
    ride.homed()
    ride.tick(np.nan)  # an unknown time is not a time
    ride.start()
    ride.tick(2.0, NEUTRAL)
    ride.tick(2.0 + DT, 1e3 * NEUTRAL)
    ride.fail("one")
    ride.fail("two")
    assert ride.reason == "two"
    until_rest(ride, 2.0 + DT)
    ride.reset()
    times, words = zip(*ride.history, strict=True)
    assert times == (0.0, 1.0, 1.0, 2.0 + DT, 2.0 + DT, 2.0 + DT, 2.0 + 2 * DT, 2.0 + 2 * DT)
    assert words[3].startswith("sample refused: z = 500 m is far outside")
    assert words[:3] + words[4:] == (
        "off → homing: power on", "homing → ready: homed", "ready → running: start", "running → stopping: one",
        "stopping → stopping: two", "stopping → fault: two", "fault → off: reset",
    )  # fmt: skip
    for k in range(1200):
        ride.fail(str(k))
    assert len(ride.history) == 1000
    assert ride.history[-1][1].endswith(": 1199")


@pytest.mark.parametrize("end", ["low", "high"])
def test_homing_may_end_at_a_limit(end):
    ride = RideSupervisor(MACHINE, DT)
    ride.power_on()
    at = NEUTRAL.copy()
    at[0] = DATA.ends(end)[0]
    ride.homed(at)
    np.testing.assert_array_equal(ride.tick(0.0).axes, at)


def test_a_trajectory_is_played_sample_by_sample_and_only_once():
    motion, ride = there_and_back("table.x", 0.16, 2.0, DATA), ready()
    rates = motion.rates.copy()
    rates[-1, 0] = 5e-4 * DATA.limits["table.x"].speed  # almost at rest
    motion = PlatformMotion(motion.t, motion.axes, rates, motion.second, DATA)
    assert ride.load(motion).ok
    ride.start()
    rows = [ride.tick(k * DT) for k in range(len(motion.t))]
    for name in ("axes", "rates", "second"):
        found = np.array([getattr(row, name) for row in rows])
        np.testing.assert_array_equal(found[:-1], getattr(motion, name)[:-1])
    np.testing.assert_array_equal(rows[-1].axes, motion.axes[-1])
    assert not rows[-1].rates.any()
    assert ride.state is RideState.READY
    assert ride.reason == "the trajectory has ended"
    assert any(text == "trajectory accepted" for _, text in ride.history)
    assert not ride.tick(len(motion.t) * DT).second.any()
    ride.start()
    assert ride.reason == ""
    sample = NEUTRAL.copy()
    sample[1] = 1e-3
    assert ride.tick(3.0, sample).verdict.status == "accepted"


def test_a_trajectory_of_another_sample_time_is_refused():
    motion = there_and_back()
    late = PlatformMotion(1.001 * motion.t, motion.axes, motion.rates, motion.second, DATA)
    found = ready().load(late)
    assert (found.ok, found.sample, found.time, found.quantity) == (False, 0, 0.0, "time")


def test_verdicts_are_those_of_the_samples():
    ride = running()
    assert ride.tick(0.0).verdict is None
    assert ride.tick(DT, NEUTRAL).verdict.status == "accepted"
    far = NEUTRAL.copy()
    far[0] = 4 * DT * DATA.limits["table.x"].speed
    assert ride.tick(2 * DT, far).verdict.status == "clipped"
    for k in range(3, 23):
        verdict = ride.tick(k * DT, np.full(8, np.nan)).verdict
        assert verdict.status == "refused"
        assert ride.counts == {"accepted": 1, "clipped": 1, "refused": k - 2}
    assert ride.tick(23 * DT, np.full(8, np.nan)).verdict.status == "refused"  # the sample at which it stops
    assert ride.reason == "no valid sample for 0.1 s: table.x is not a number"
    until_rest(ride, 23 * DT)
    assert not ride.tick(1.0).second.any()


def test_ticks_and_errors_at_their_limits_are_no_faults():
    tick = 0.0
    ride = running()
    for tick in (0.0, 0.0, 0.05):
        ride.tick(tick, NEUTRAL if tick else None)
    assert ride.state is RideState.RUNNING
    ride.tick(0.125)
    assert "0.075 s between two ticks" in ride.reason
    q = np.asarray(inverse_geometry(NEUTRAL, DATA)[0])
    for far, reason in ((0.02, ""), (-0.02, ""), (0.020001, "table.x is 0.02 m away from its reference")):
        ride = running()
        ride.tick(0.0, NEUTRAL, q + far * np.eye(8)[0])
        assert ride.reason == reason


def test_a_new_supervisor_has_no_reason_to_stop():
    assert RideSupervisor(MACHINE, DT).reason == ""


def test_a_tick_without_a_sample_for_too_long_does_not_follow_the_target(monkeypatch):
    ride, now, followed = running(), 0.0, []
    monkeypatch.setattr(ride._guard, "advance", lambda: followed.append(True))
    ride.tick(now, NEUTRAL)
    while ride.state is RideState.RUNNING:
        assert len(followed) == round(now / DT) + 1
        now += DT
        ride.tick(now)
    assert len(followed) == round(now / DT)


def test_a_measured_position_that_is_not_a_number_is_a_fault():
    ride = running()
    ride.tick(0.0, NEUTRAL, np.full(8, np.nan))
    assert ride.reason == "a measured position is not a number"


def test_measured_positions_that_stop_are_a_fault():
    ride, now = running(), 0.0
    ride.tick(now, NEUTRAL, np.asarray(inverse_geometry(NEUTRAL, DATA)[0]))
    while ride.state is RideState.RUNNING:
        assert now <= ride.rules.measured + DT
        now += DT
        ride.tick(now, NEUTRAL)
    assert now > ride.rules.measured
    assert "no measured positions for" in ride.reason
