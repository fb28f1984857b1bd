"""The supervisor in C: the same references as the guard in Python on hostile streams, and the same states."""

import ctypes
from functools import cache

import numpy as np
import pytest

import symbody as sb
from c_stage import CStage
from hostile_rides import ALL_IN, DT, KINDS, broken, c_guard, guarded, loop_ride, targets
from symbody.motion.built_in_platform import platform_data
from symbody.motion.data import AXES
from symbody.motion.safety import RideEvent, RideState
from symbody.motion.safety.loop_supervisor import (
    BLEND,
    REASONS,
    STATES,
    LoopSupervisor,
    reference_names,
    table,
)
from symbody.motion.safety.margins import with_margins
from symbody.motion.safety.states import TRANSITIONS, transition
from symbody.motion.safety.stream import StreamGuard, StreamRules
from symbody.motion.safety.supervisor import SupervisorRules

pytestmark = pytest.mark.usefixtures("optimised_slack")

DATA = platform_data()
METHODS = ("one, hexapod", "one, table", "two, hexapod", "two, table")


@pytest.mark.parametrize("seed", range(10))
def test_the_guard_in_c_is_the_guard_in_python(seed):
    rng, sample = np.random.default_rng(seed), c_guard()
    kind = KINDS[seed % len(KINDS)]
    stream = targets(kind, 1, 80, rng)[:, 0]
    stream[rng.integers(1, 80, 4), rng.integers(0, 8, 4)] = np.nan
    part = LoopSupervisor(DATA, METHODS).structure(DT)
    guard = StreamGuard(with_margins(DATA), DT)
    for k, wanted in enumerate(np.ascontiguousarray(stream)):
        verdict = guard.offer(DT * (k + 1), wanted)
        clipped = guard.advance()
        status = sample(ctypes.addressof(part.structure), wanted.ctypes.data)
        np.testing.assert_allclose(part.memory.r, guard.axes, atol=1e-9)
        np.testing.assert_allclose(part.memory.v, guard.rates, atol=1e-7)
        refused = verdict.status == "refused"
        assert status == (2 if refused else int(clipped))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rules", [None, ALL_IN])
def test_hostile_streams_by_the_guard_in_c_break_no_limit(kind, rules):
    rows = guarded(kind, 10, 1.0, np.random.default_rng(3), rules)
    worst = {}
    assert not broken(*(rows[..., a : a + 8].reshape(-1, 8) for a in (0, 8, 16)), worst).any()
    assert rules is None or worst["acceleration"] > 0.5  # it was moved
    np.testing.assert_allclose(np.diff(rows[..., 8:16], axis=1), DT * rows[:, 1:, 16:], atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_hostile_methods_and_events_break_no_limit(seed):
    states, wrong, used = loop_ride(np.random.default_rng(seed))
    assert wrong == 0
    assert len(states) >= 3
    assert used["acceleration"] > 0.5  # it was moved


def test_the_table_has_all_transitions():
    states, events = list(RideState), list(RideEvent)
    for (state, event), to in TRANSITIONS.items():
        assert states[table()[states.index(state), events.index(event)]] is to is transition(state, event)
    assert (table() >= 0).sum() == len(TRANSITIONS)


def stage():
    return CStage(LoopSupervisor(DATA, METHODS))


def state(run, k=-1):
    return STATES[int(run["ride.state"][k])]


def riding(blends=1, **inputs):
    """A supervisor that runs: since a moment, or after a second blend at its method."""
    ride = stage()
    ride.give(**inputs)
    for now, kept in zip(ride.model.stepper.kept, ridden(blends, tuple(inputs.items())), strict=True):
        now[:] = kept
    return ride


@cache
def ridden(blends, inputs):
    """The memory of such a supervisor."""
    ride = stage()
    run = ride.run(round((blends * BLEND + 0.2) / 1e-3), lambda k: dict(inputs))
    assert state(run) == "running"
    return [kept.copy() for kept in ride.model.stepper.kept]


def test_states_follow_one_another_to_the_ride():
    run = stage().run(1800)
    seen = [STATES[int(x)] for x in dict.fromkeys(run["ride.state"])]
    assert seen == ["homing", "ready", "running"]


def test_a_stop_needs_a_new_wish():
    ride = riding()
    assert state(ride.run(5, lambda k: {"halt": 1.0})) == "ready"
    run = ride.run(300, lambda k: {"halt": 0.0})
    assert state(run) == "ready"
    assert REASONS[int(run["ride.reason"][-1])] == "emergency stop"
    ride.run(5, lambda k: {"wish": 1.0})
    assert state(ride.run(5, lambda k: {"wish": 2.0})) == "running"


def test_a_platform_that_does_not_follow_is_a_fault_until_the_reset():
    ride = riding()
    run = ride.run(10, lambda k: {"tracking_error": 0.05})
    assert state(run) == "fault"
    assert "away from its reference" in REASONS[int(run["ride.reason"][-1])]
    assert state(ride.run(10, lambda k: {"tracking_error": 0.0})) == "fault"
    assert state(ride.run(10, lambda k: {"wish": 0.0})) == "off"
    assert state(ride.run(2000, lambda k: {"wish": 2.0})) == "running"


@pytest.mark.parametrize("bad", [float("nan"), 40.0])
def test_bad_samples_are_refused_and_the_ride_stops_softly(bad):
    ride = riding()

    def moving(k):
        return {"one, table.x": 0.05 * np.sin(6.0 * 1e-3 * k) if k < 800 else bad}

    run = ride.run(2000, moving)
    assert state(run) == "ready"
    assert REASONS[int(run["ride.reason"][-1])].startswith("no valid sample")
    assert run["ride.refused"][-1] == pytest.approx(101, abs=2)
    limit = DATA.limits["x"]
    assert np.abs(run["reference.x.second"]).max() <= limit.acceleration
    assert not run["reference.x.rate"][-1]


def test_another_method_is_blended_in():
    ride = riding(**{"two, table.z": 0.05})
    before = ride.run(1)["reference.z"][-1]
    run = ride.run(3000, lambda k: {"method": 1.0})
    z = run["reference.z"]
    assert z[0] == pytest.approx(before, abs=1e-4)
    assert z[-1] == pytest.approx(before + 0.05, abs=1e-4)
    assert np.abs(run["reference.z.rate"]).max() < 0.1  # 1.9 · 0.05 m / 1.5 s


def test_gains_scale_and_reverse_an_axis():
    ride = riding(**{"one, table.roll": 0.05, "gain_roll": -0.5})
    assert ride.run(2000)["reference.roll"][-1] == pytest.approx(-0.025, abs=1e-4)


def test_the_reference_follows_without_delay():
    ride = riding()
    run = ride.run(3000, lambda k: {"one, table.pitch": 0.04 * np.sin(2.0 * np.pi * 0.7 * 1e-3 * k)})
    assert run["ride.delay"][-1] < 2e-3
    assert state(run) == "running"
    assert run["ride.clipped"][-1] < 600


def swing(k):
    """A method that moves the table."""
    return {"one, table.x": 0.05 * np.sin(6.0 * 1e-3 * k)}


NAN = float("nan")
FAULTY = {
    "too far": ({"drive_fault": 1.0}, REASONS[4]),
    "unstable": ({"drive_fault": 2.0}, REASONS[6]),
    "no encoder": ({"drive_fault": 3.0}, REASONS[5]),
    "no end": ({"drive_fault": 4.0}, REASONS[7]),
    "a fault with another number": ({"drive_fault": 9.0}, REASONS[7]),
    "output": ({"output_fault": 1.0}, REASONS[8]),
    "silent output": ({"output_age": 0.26}, REASONS[8]),
    "no age": ({"output_age": NAN}, REASONS[8]),
    "no number": ({"tracking_error": NAN}, REASONS[5]),
    "too far away": ({"tracking_error": 0.021}, REASONS[4]),
}


@pytest.mark.parametrize("name", FAULTY)
def test_every_fault_stops_a_moving_platform_and_keeps_its_first_reason(name):
    inputs, reason = FAULTY[name]
    ride = riding(2)
    ride.run(200, swing)
    run = ride.run(1, lambda k: inputs)
    assert state(run) == "stopping"
    assert run["reference.x.rate"][-1] > 0.05
    run = ride.run(400, lambda k: {"output_fault": 0.0, "output_age": 0.0, "tracking_error": 0.0, "drive_fault": 2.0})
    assert state(run) == "fault"
    assert REASONS[int(run["ride.reason"][-1])] == reason
    assert not run["reference.x.rate"][-1]
    assert not run["reference.x.second"][-1]
    assert np.diff(run["reference.x.rate"])[:5].max() < 0.0  # it brakes from the first sample on


def test_values_at_their_limits_are_no_faults():
    most = {"output_age": 0.25, "tracking_error": 0.02, "drive_fault": 0.5, "output_fault": 0.5, "halt": 0.5}
    assert state(riding().run(50, lambda k: most)) == "running"


def test_a_fault_is_left_only_by_switching_off():
    ride = riding()
    ride.run(10, lambda k: {"output_fault": 1.0})
    run = ride.run(50, lambda k: {"wish": 1.0, "output_fault": 0.0})
    assert state(run) == "fault"
    assert state(ride.run(1, lambda k: {"wish": 0.0})) == "off"
    run = ride.run(2000, lambda k: {"wish": 1.0})
    assert state(run) == "ready"
    assert state(ride.run(2, lambda k: {"wish": 2.0})) == "running"
    assert state(ride.run(200, lambda k: {"wish": 1.0})) == "ready"  # a stop without a fault is no fault again
    assert REASONS[int(ride.run(1)["ride.reason"][-1])] == "stopped"


def test_the_power_stays_off_while_the_output_fails():
    ride = stage()
    assert state(ride.run(50, lambda k: {"wish": 1.0, "output_fault": 1.0})) == "off"
    assert state(ride.run(50, lambda k: {"output_fault": 0.0, "output_age": 0.3})) == "off"
    assert state(ride.run(1, lambda k: {"output_age": 0.0})) == "homing"


def test_a_platform_is_ready_only_when_it_rests_at_neutral_and_the_output_has_finished():
    ride = stage()
    run = ride.run(1600, lambda k: {"wish": 1.0, "output_busy": 1.0})
    assert state(run) == "homing"
    run = ride.run(5, lambda k: {"output_busy": 0.0})
    assert state(run) == "ready"
    assert state(ride.run(500)) == "ready"  # nobody has asked for a ride
    assert state(ride.run(1, lambda k: {"wish": 0.0})) == "off"


def test_drives_without_zeros_are_homed_first_and_can_be_switched_off_meanwhile():
    ride = stage()
    assert state(ride.run(3000, lambda k: {"wish": 1.0, "homed": 0.0})) == "homing"
    assert state(ride.run(1, lambda k: {"wish": 0.0})) == "off"
    ride.run(10, lambda k: {"wish": 1.0})
    run = ride.run(10, lambda k: {"homed": 1.0, "output_busy": 1.0})
    assert state(run) == "homing"
    run = ride.run(1, lambda k: {"output_busy": 0.0})
    assert state(run) == "ready"
    np.testing.assert_array_equal([run[name][-1] for name in reference_names()], DATA.neutral_axes)


def test_homing_begun_at_a_known_position_ends_although_nobody_wants_it_any_more():
    ride = stage()
    ride.run(10, lambda k: {"wish": 1.0})
    assert state(ride.run(10, lambda k: {"wish": 0.0})) == "homing"
    assert [STATES[int(x)] for x in dict.fromkeys(ride.run(1600)["ride.state"])] == ["homing", "ready", "off"]


def test_the_way_back_to_neutral_after_a_fault_is_soft():
    ride = riding(2, **{"one, table.x": 0.05})
    ride.run(50, lambda k: {"output_fault": 1.0})
    run = ride.run(1, lambda k: {"output_fault": 0.0, "wish": 0.0})
    begun = run["reference.x"][-1]
    assert begun > 0.045
    run = ride.run(3000, lambda k: {"wish": 1.0, "one, table.x": 0.0})
    assert state(run) == "ready"
    x = run["reference.x"]
    assert np.abs(np.diff(x)).max() < 1.05 * 1.875 * begun / BLEND * 1e-3  # peak of the quintic
    assert x[-1] == pytest.approx(0.0, abs=1e-3)


def test_a_stop_by_the_wish_needs_a_new_wish_and_names_its_reason():
    ride = riding(2)
    ride.run(200, swing)
    run = ride.run(300, lambda k: {"wish": 1.0})
    assert state(run) == "ready"
    assert REASONS[int(run["ride.reason"][-1])] == "stopped"
    run = ride.run(3, lambda k: {"wish": 2.0, "halt": 1.0, "one, table.x": 0.0})
    assert state(run) == "ready"  # not while the emergency stop is pressed
    run = ride.run(3, lambda k: {"halt": 0.0})
    assert state(run) == "running"
    assert REASONS[int(run["ride.reason"][-1])] == ""


@pytest.mark.parametrize(("bad", "refusal"), [(NAN, 1), (40.0, 2), (-0.3, 3)])
def test_a_refused_sample_has_its_reason_and_the_next_one_is_taken(bad, refusal):
    ride = riding(2, **{"one, table.x": 0.05})
    run = ride.run(20, lambda k: {"one, table.x": bad})
    assert (run["ride.refusal"] == refusal).all()
    assert (run["ride.status"] == 2.0).all()
    np.testing.assert_array_equal(np.diff(run["ride.refused"]), 1.0)
    assert np.ptp(run["reference.x"]) < 1e-6
    run = ride.run(20, lambda k: {"one, table.x": 0.05})
    assert state(run) == "running"
    np.testing.assert_array_equal(np.diff(run["ride.accepted"]), 1.0)
    assert not np.diff(run["ride.refused"]).any()


@pytest.mark.parametrize(
    ("inputs", "method"),
    [
        ({"method": 0.0, "table": 0.0}, 0),
        ({"method": 0.4, "table": 1.0}, 1),
        ({"method": 0.5, "table": 0.5}, 2),
        ({"method": 1.0, "table": 0.6}, 3),
        ({"method": 7.0}, 3),
        ({"method": -7.0}, 0),
        ({"method": NAN}, 0),
    ],
)
def test_numbers_of_methods(inputs, method):
    assert riding().run(1, lambda k: inputs)["ride.method"][-1] == method


@pytest.mark.parametrize("axis", ["x", "yaw"])
def test_a_method_that_fails_while_it_is_blended_out_stays_where_it_was(axis):
    ride = riding(2, **{f"one, table.{axis}": 0.05, f"two, table.{axis}": -0.05})
    ride.run(300, lambda k: {"method": 1.0})
    run = ride.run(2500, lambda k: {f"one, table.{axis}": NAN})
    assert state(run) == "running"
    assert run["ride.refused"][-1] == 0.0
    x = run[f"reference.{axis}"]
    assert np.abs(np.diff(x)).max() < 1.1 * 1.875 * 0.1 / BLEND * 1e-3
    assert x[-1] == pytest.approx(-0.05, abs=1e-4)


def test_a_method_that_is_blended_out_goes_on_meanwhile():
    ride = riding(2, **{"two, table.x": 0.0})
    ride.run(100, lambda k: {"method": 1.0})
    run = ride.run(600, lambda k: {"one, table.x": 0.02 * (1.0 - np.cos(6.0 * 1e-3 * k))})
    assert 0.01 < np.ptp(run["reference.x"]) < 0.04


def test_methods_come_in_pairs():
    with pytest.raises(sb.ModelError, match="1 methods"):
        CStage(LoopSupervisor(DATA, ("one",)))
    assert reference_names(".rate")[0] == f"reference.{AXES[0]}.rate"


def test_inputs_begin_with_a_wish_for_a_ride_and_no_faults():
    found = LoopSupervisor(DATA, METHODS).inputs()
    gains = {f"gain_{axis.replace('.', '_')}": 1.0 for axis in AXES}
    cues = {f"{method}.{axis}": 0.0 for method in METHODS for axis in AXES}
    assert found == {
        "wish": 2.0, "method": 0.0, "table": 1.0, "halt": 0.0, "tracking_error": 0.0, "drive_fault": 0.0, "homed": 1.0,
        "output_fault": 0.0, "output_busy": 0.0, "output_age": 0.0, **gains, **cues,
    }  # fmt: skip


def test_outputs_have_units_and_begin_at_neutral():
    model = stage().model
    assert len(model.y0) == len(model.outputs) == len(model.units)
    np.testing.assert_array_equal(model.y0[:8], DATA.neutral_axes)
    assert not model.y0[8:].any()
    units = {"reference.x": "m", "reference.yaw": "rad", "reference.x.rate": "m/s", "reference.x.second": "m/s²"}
    units |= {"reference.yaw.second": "rad/s²", "ride.delay": "s", "ride.state": ""}
    assert {name: model.units[name] for name in units} == units


def test_numbers_of_the_structure_are_those_of_the_rules_and_laws(monkeypatch):
    followed = []
    monkeypatch.setattr("symbody.motion.safety.loop_supervisor.follow_builds", lambda *made: followed.append(made))
    rules = SupervisorRules(tracking=0.03, stream=StreamRules(beyond=3.0, jump=2.0, patience=0.2))
    part = LoopSupervisor(DATA, METHODS, rules).structure(2e-3)
    found = part.structure
    assert (found.dt, found.follow, found.approach) == (2e-3, 0.3 / 2e-3, 0.25 * 0.3 / 2e-3)
    assert LoopSupervisor(DATA, METHODS).structure(1e-3).structure.follow == 240.0
    assert (found.beyond, found.jump, found.patience, found.tracking) == (3.0, 2.0, 0.2, 0.03)
    assert (found.blend, found.forget, found.silent) == (1.5, 3.0, 0.25)
    assert followed[0] == (found, {"slack": part.slack})
    for name in ("r", "target", "last"):
        assert list(getattr(part.memory, name)) == DATA.neutral_axes.tolist()
    assert np.unique(table()).tolist() == [-1, 0, 1, 2, 3, 4, 5]


def test_the_words_of_a_reason_have_the_numbers_of_the_rules():
    ride = LoopSupervisor(DATA, METHODS, SupervisorRules(tracking=0.03, stream=StreamRules(patience=0.2)))
    assert ride.reason(3.0) == "no valid sample for 0.2 s"
    assert "0.03 m away" in ride.reason(4.0)
    for methods in ((), ("one",), ("one", "two", "three")):
        with pytest.raises(sb.ModelError, match=f"{len(methods)} methods"):
            CStage(LoopSupervisor(DATA, methods))
