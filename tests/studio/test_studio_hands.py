"""Hands on a machine: they follow at bounded speed, let go when nobody speaks, and a person takes over from a pilot."""

import math
from dataclasses import replace

import numpy as np
import pytest
from studio_models import crank_machine

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.realtime.loop_memory import Snapshot
from symbody.studio import Live
from symbody.studio.hands import LONGEST, SILENCE, TICK, Hands
from symbody.studio.machine import Control
from symbody.studio.messages import LetGo, Move, Pilot, Reset
from waiting import eventually


class Standstill:
    """A loop whose time the test moves."""

    class channels:
        given, start = ["wheel.q", "pedal"], [0.0, 0.0]

    outputs = ("wheel.q",)

    def __init__(self):
        self.t, self.angle, self.given = 0.0, 0.0, []

    def latest(self):
        return Snapshot(0, self.t, np.array([self.angle]))

    def give(self, inputs):
        self.given.append(dict(inputs))


WHEEL = Control("wheel.q", "Wheel", -1.0, 1.0, seconds=0.5)
PEDAL = Control("pedal", "Pedal", 0.0, 1.0, seconds=0.1, returns=False)


@pytest.fixture
def loop():
    return Standstill()


@pytest.fixture
def clock():
    return [100.0]


@pytest.fixture
def hands(loop, clock):
    return Hands(loop, [WHEEL, PEDAL], lambda: clock[0])


def later(hands, loop, clock, seconds, n=50):
    for _ in range(n):
        loop.t += seconds / n
        clock[0] += seconds / n
        hands.follow()


def test_a_control_goes_at_most_from_end_to_end_in_its_seconds(hands, loop, clock):
    hands.move("wheel.q", 1.0, 0.01)  # faster than it may
    later(hands, loop, clock, 0.1)
    assert hands.values["wheel.q"] == pytest.approx(2.0 * 0.1 / 0.5)
    hands.move("wheel.q", 1.0, 4.0)  # slower, as asked
    later(hands, loop, clock, 0.1)
    assert hands.values["wheel.q"] == pytest.approx(0.4 + 2.0 * 0.1 / 4.0)


def test_speed_is_of_the_model_not_of_the_wall(hands, loop, clock):
    hands.move("wheel.q", 1.0)
    clock[0] += 0.5
    hands.follow()
    assert hands.values["wheel.q"] == 0.0  # the model stood still


def test_hands_at_rest_begin_as_if_they_had_not_rested(hands, loop):
    """A thread that rests sees a longer time pass: a control would jump by it."""
    hands.start()
    eventually(lambda: not hands._moves)
    loop.t += 10.0
    hands.move("wheel.q", 1.0)
    eventually(lambda: hands.values["wheel.q"] > 0.0)
    hands.close()
    assert hands.values["wheel.q"] == pytest.approx(2.0 * TICK / 0.5)


class Turns:
    """Stands for both events of the thread: writes down its waits, and ends it after some turns."""

    def __init__(self, turns):
        self.turns, self.waits, self.cleared = turns, [], 0

    def is_set(self):
        self.turns -= 1
        return self.turns < 0

    def wait(self, seconds):
        self.waits.append(seconds)
        return False

    def clear(self):
        self.cleared += 1

    def set(self):
        pass


def waits(hands, turns=3):
    """The waits (s) of the thread in its first turns."""
    hands._end = hands._touched = made = Turns(turns)
    hands._follow()
    assert made.cleared == turns
    return made.waits


def test_the_thread_looks_often_while_a_control_may_move_and_rests_otherwise(hands, monkeypatch):
    monkeypatch.setattr("symbody.studio.hands.set_realtime_priority", lambda level: None)
    assert waits(hands) == [0.002, 0.02, 0.02]
    hands.move("wheel.q", 0.0)
    assert waits(hands) == [0.002] * 3
    hands.let_go()
    assert waits(hands) == [0.02] * 3
    hands.appoint("still", lambda t, channels: {})
    assert waits(hands) == [0.002] * 3


@pytest.mark.parametrize(
    "act",
    [
        lambda hands: hands.move("wheel.q", 1.0),
        lambda hands: hands.let_go(),
        lambda hands: hands.appoint("", None),
        Hands.begin_again,
        Hands.stand,
        Hands.close,
    ],
    ids=["move", "let go", "appoint", "begin again", "stand", "close"],
)
def test_every_command_wakes_the_thread(hands, act):
    act(hands)
    assert hands._touched.is_set()


def test_a_program_ends_although_hands_are_open(hands):
    assert hands._thread.daemon


def test_unchanged_inputs_are_given_again_after_a_while(hands, loop, clock, monkeypatch):
    monkeypatch.setattr("symbody.studio.hands.RENEWED", 0.0625)  # s, exact in binary
    hands.follow()
    clock[0] += 0.0625
    hands.follow()
    assert len(loop.given) == 1
    clock[0] += 1e-6
    hands.follow()
    assert len(loop.given) == 2


def test_a_hand_that_was_kept_waiting_does_not_jerk(hands, loop, clock):
    hands.move("wheel.q", 1.0)
    loop.t += 0.3
    hands.follow()
    assert hands.values["wheel.q"] == pytest.approx(2.0 * LONGEST / 0.5)


def test_a_paused_machine_goes_on_from_where_it_stands(hands, loop, clock):
    hands.move("wheel.q", 1.0)
    later(hands, loop, clock, 0.1)
    loop.angle = 0.25  # its filter is late
    hands.stand()
    assert hands.values["wheel.q"] == loop.given[-1]["wheel.q"] == 0.25


def test_what_is_let_go_returns_unless_it_stays(hands, loop, clock):
    hands.move("wheel.q", 0.5)
    hands.move("pedal", 0.7)
    later(hands, loop, clock, 0.6)
    assert hands.values == {"wheel.q": 0.5, "pedal": 0.7}
    hands.let_go()
    later(hands, loop, clock, 0.6)
    assert hands.values == {"wheel.q": 0.0, "pedal": 0.7}


def test_silence_lets_go(hands, loop, clock):
    hands.move("wheel.q", 0.5)
    later(hands, loop, clock, 0.9 * SILENCE)
    assert hands.values["wheel.q"] == 0.5
    later(hands, loop, clock, 0.9 * SILENCE)
    assert hands.values["wheel.q"] == 0.0


def test_a_control_is_held_for_the_whole_silence_and_no_longer(hands, loop, clock):
    hands.move("wheel.q", 0.5)
    clock[0] += 1.0  # s
    loop.t += TICK
    hands.follow()
    held = hands.values["wheel.q"]
    assert held > 0.0
    clock[0] += 1e-6
    loop.t += TICK
    hands.follow()
    assert hands.values["wheel.q"] < held


def test_one_control_is_released_and_the_others_are_held(hands, loop, clock):
    both = Hands(loop, [WHEEL, replace(PEDAL, returns=True)], lambda: clock[0])
    both.move("wheel.q", 0.5)
    both.move("pedal", 0.7)
    later(both, loop, clock, 0.5)
    both.let_go("pedal")
    later(both, loop, clock, 0.4)
    assert both.values == {"wheel.q": 0.5, "pedal": 0.0}


def test_a_control_that_gathers_speed_begins_at_rest_and_stops_at_once(loop, clock):
    """v = a t with a = 2 way/T²; its speed never exceeds 2 way/T of the present T."""
    hands, dt = Hands(loop, [replace(WHEEL, seconds=2.0, gathers=True)], lambda: clock[0]), 0.01
    hands.move("wheel.q", 1.0)
    later(hands, loop, clock, 50 * dt)
    a = 2.0 * 2.0 / 2.0**2
    assert hands.values["wheel.q"] == pytest.approx(a * dt * dt * 50 * 51 / 2)
    before = hands.values["wheel.q"]
    hands.move("wheel.q", 1.0, 20.0)
    later(hands, loop, clock, dt, 1)
    assert hands.values["wheel.q"] == pytest.approx(before + 2.0 * 2.0 / 20.0 * dt)
    before = hands.values["wheel.q"]
    hands.move("wheel.q", -1.0)
    later(hands, loop, clock, dt, 1)
    assert hands.values["wheel.q"] == pytest.approx(before - a * dt * dt)
    hands.follow()  # no time has passed
    assert hands.values["wheel.q"] == pytest.approx(before - a * dt * dt)
    later(hands, loop, clock, dt, 1)
    assert hands.values["wheel.q"] == pytest.approx(before - 3 * a * dt * dt)


def test_the_thread_has_a_priority_below_the_loop(hands, monkeypatch):
    asked = []
    monkeypatch.setattr("symbody.studio.hands.set_realtime_priority", asked.append)
    hands.start()
    eventually(lambda: asked)
    hands.close()
    assert asked == [10]
    assert not hands._thread.is_alive()


def test_a_new_beginning_sets_all_controls_and_starts_the_pilot_again(hands, loop, clock):
    times = []

    def pilot(t, channels):
        times.append(t)
        return {"pedal": 0.5}

    hands.move("pedal", 0.7)
    later(hands, loop, clock, 0.2)
    hands.begin_again()
    assert hands.values == loop.given[-1] == {"wheel.q": 0.0, "pedal": 0.0}
    later(hands, loop, clock, 0.2)
    assert hands.values["pedal"] == 0.0  # nobody holds it any more
    hands.appoint("steady", pilot)
    later(hands, loop, clock, 0.2)
    hands.begin_again()
    assert hands.values["pedal"] == 0.0
    later(hands, loop, clock, 0.1, 1)
    assert hands.pilot == "steady"
    assert times[-2:] == pytest.approx([0.2, 0.1])


def test_what_a_person_held_is_released_for_a_pilot(hands, loop, clock):
    hands.move("wheel.q", 0.5)
    later(hands, loop, clock, 0.2)
    hands.appoint("steady", lambda t, channels: {})
    hands.appoint("", None)
    later(hands, loop, clock, 0.2)
    assert hands.values["wheel.q"] == 0.0


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_both_ends_can_be_reached(hands, loop, clock, value):
    hands.move("wheel.q", value)
    later(hands, loop, clock, 0.5)
    assert hands.values["wheel.q"] == value


@pytest.mark.parametrize("value", [1.1, -1.1, math.nan, math.inf, -math.inf])
def test_nothing_outside_is_taken(hands, value):
    with pytest.raises(Rejected):
        hands.move("wheel.q", value)


def test_no_such_control(hands):
    with pytest.raises(Rejected):
        hands.move("rudder", 0.0)
    with pytest.raises(Rejected):
        hands.let_go("rudder")


@pytest.mark.parametrize("said", [math.nan, math.inf, 1e300, -1e300])
def test_a_pilot_who_talks_nonsense_stays_within_the_ends(hands, loop, clock, said):
    hands.appoint("drunk", lambda t, channels: {"wheel.q": said})
    later(hands, loop, clock, 3.0)
    assert abs(hands.values["wheel.q"]) <= 1.0
    assert all(math.isfinite(x) for given in loop.given for x in given.values())


def test_a_pilot_who_fails_is_dismissed(hands, loop, clock):
    assert hands.complaint == ""
    hands.appoint("clumsy", lambda t, channels: {"wheel.q": channels["no such channel"]})
    later(hands, loop, clock, 0.1)
    assert hands.pilot == ""
    assert "clumsy" in hands.complaint
    assert "no such channel" in hands.complaint
    assert hands.values == {"wheel.q": 0.0, "pedal": 0.0}
    hands.appoint("steady", lambda t, channels: {"wheel.q": 0.1})
    assert hands.complaint == ""


def test_a_person_takes_over_from_a_pilot(hands, loop, clock):
    hands.appoint("steady", lambda t, channels: {"wheel.q": min(t, 0.3)})
    later(hands, loop, clock, 1.0)
    assert hands.pilot == "steady"
    assert hands.values["wheel.q"] == pytest.approx(0.3)
    hands.move("wheel.q", -0.3)
    later(hands, loop, clock, 0.5)
    assert hands.pilot == ""
    assert hands.values["wheel.q"] == -0.3


def test_inputs_at_rest_are_given_again_as_a_sign_of_life(hands, loop, clock):
    for _ in range(100):
        clock[0] += 0.01
        hands.follow()
    assert 15 <= len(loop.given) <= 100


@pytest.mark.parametrize(("low", "high", "rest", "seconds"), [(0, 0, 0, 1), (1, 0, 0, 1), (0, 1, 2, 1), (0, 1, 0, 0)])
def test_a_control_without_sense_is_refused(low, high, rest, seconds):
    with pytest.raises(ModelError):
        Control("x", "X", low, high, rest, seconds=seconds)


# -- in the loop -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def live():
    made = Live(crank_machine()).start()
    yield made
    made.close()


def angle(live):
    return live.loop.latest().outputs[live.loop.outputs.index("wheel.q")]


@pytest.mark.posix
def test_the_wheel_turns_and_its_effort_is_that_of_the_spring(live):
    effort = live.loop.outputs.index("wheel.effort")
    load = 0.1 * 9.81 * 0.2 * math.cos(0.4)  # the load hangs on the wheel's grip

    def held():  # who is silent for a second has let go
        live.obey(Move("wheel.q", 0.4, 0.2))
        return abs(angle(live) - 0.4) < 1e-3 and abs(live.loop.latest().outputs[effort] - (2.0 * 0.4 - load)) < 0.05

    eventually(held)
    live.obey(LetGo("wheel.q"))
    eventually(lambda: abs(angle(live)) < 1e-3)


@pytest.mark.posix
def test_a_pilot_turns_it_and_reset_begins_again(live):
    live.obey(Pilot("swaying"))
    eventually(lambda: abs(angle(live)) > 0.5)
    assert live.status()["pilot"] == "swaying"
    live.obey(Reset())
    with pytest.raises(Rejected):
        live.obey(Pilot("nobody we know"))
    live.obey(Pilot(""))
    eventually(lambda: abs(angle(live)) < 1e-3)
    assert live.status()["lines"][0].endswith("rad")


@pytest.mark.posix
def test_velocity_is_the_derivative_of_the_motion(live):
    begun = live.loop.latest().t
    live.obey(Pilot("swaying"))
    eventually(lambda: angle(live) < -0.5)
    run = live.loop.history("wheel.q", "wheel.qd", since=begun)
    between = 0.5 * (run["wheel.qd"][1:] + run["wheel.qd"][:-1])  # the filter is a trapezoidal rule
    np.testing.assert_allclose(np.diff(run["wheel.q"]) / np.diff(run.t), between, atol=1e-9)
    live.obey(Pilot(""))
