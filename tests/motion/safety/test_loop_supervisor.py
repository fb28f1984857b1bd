"""The supervisor in C: the same references as the guard in Python on hostile streams, and the same states."""

import ctypes

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
from symbody.motion.safety.stream import StreamGuard

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


def riding(**inputs):
    """A supervisor that runs at rest."""
    ride = stage()
    run = ride.run(round((BLEND + 0.2) / 1e-3), lambda k: inputs)
    assert state(run) == "running"
    return ride


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


def test_methods_come_in_pairs():
    with pytest.raises(sb.ModelError, match="1 methods"):
        CStage(LoopSupervisor(DATA, ("one",)))
    assert reference_names(".rate")[0] == f"reference.{AXES[0]}.rate"
