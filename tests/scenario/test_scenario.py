"""Scenarios: tasks, breakdowns and sensors against times that are known in closed form, and files with mistakes.

Tests of scenario/scenario.py, scenario/scenario_file.py, scenario/condition.py, scenario/attempt.py,
scenario/referee.py.
"""

import math

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.results.run import Run
from symbody.scenario import (
    Attempt,
    AttemptState,
    Breakdown,
    DriverTask,
    Scenario,
    ScenarioReferee,
    VirtualSensor,
    attempted,
    read_scenario,
)
from symbody.scenario.attempt import PERIOD, instants
from symbody.scenario.condition import Condition, value_of
from symbody.studio import Live, Machine
from symbody.studio.messages import Play, Reset
from waiting import eventually

FILE = """
scenario: To sixty and back
about: Accelerate, then brake.
sensors:
  speed: {formula: 3.6 * abs(v), of: {v: car.speed}, unit: km/h, digits: 0}
  way: {formula: abs(v), of: {v: car.speed}, unit: m, gather: integral}
  fastest: {formula: 3.6 * v, of: {v: car.speed}, gather: largest}
  stops: {formula: abs(v) < 0.1, of: {v: car.speed}, gather: times}
  roll: {formula: abs(r) * 180 / pi, of: {r: roll.q}, unit: deg}
tasks:
  - {name: Accelerate, say: Drive faster than 60 km/h, until: speed > 60, within: 20, set_points: {speed: 65}}
  - {name: Brake, say: Stop for a second, until: [speed < 0.3, way > 10], hold: 1}
breakdowns:
  - {name: Rollover, when: roll >= 20, say: The car rolled over}
instruments:
  - {sensor: speed, face: round, high: 120, red: [[100, 120]]}
"""


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "sixty.yaml"
    path.write_text(FILE)
    return read_scenario(path)


def drive(t):
    """Speed (m/s): 2 m/s² for 10 s, then −4 m/s² for 5 s, then rest."""
    return np.interp(t, [0.0, 10.0, 15.0], [0.0, 20.0, 0.0])


def run_of(t, speed, roll=0.0):
    return Run(None, t, np.column_stack([speed, np.full(len(t), roll)]), names=["car.speed", "roll.q"])


def test_tasks_are_done_when_their_conditions_have_held_long_enough(scenario):
    t = np.arange(0.0, 20.0, 1e-3)
    ended = attempted(scenario, run_of(t, drive(t)))
    assert ended.state is AttemptState.DONE
    assert ended.finished["Accelerate"] == pytest.approx(60.0 / 3.6 / 2.0, abs=1.1 * PERIOD)
    assert ended.finished["Brake"] == pytest.approx(15.0 - 0.3 / 3.6 / 4.0 + 1.0, abs=1.1 * PERIOD)
    assert ended.values["way"] == pytest.approx(150.0, rel=3e-3)  # ½ · 20 m/s · 15 s
    assert ended.values["fastest"] == pytest.approx(72.0, rel=1e-3)
    assert ended.values["stops"] == 2  # at the start, and at the end


def test_a_task_that_takes_too_long_fails_and_names_itself(scenario):
    t = np.arange(0.0, 30.0, 1e-2)
    ended = attempted(scenario, run_of(t, 0.5 * np.minimum(t, 20.0)))
    assert ended.state is AttemptState.FAILED
    assert ended.message == "Accelerate: not done within 20 s."
    assert ended.time == pytest.approx(20.0, abs=1.1 * PERIOD)


def test_a_breakdown_ends_the_attempt_at_once(scenario):
    t = np.arange(0.0, 5.0, 1e-2)
    roll = np.radians(np.where(t < 3.0, 19.99, 20.01))
    ended = attempted(scenario, Run(None, t, np.column_stack([t, roll]), names=["car.speed", "roll.q"]))
    assert (ended.state, ended.message) == (AttemptState.BROKEN, "The car rolled over")
    assert ended.time == pytest.approx(3.0, abs=1.1 * PERIOD)


@pytest.mark.parametrize("seed", range(10))
def test_random_drives_end_as_a_search_over_the_whole_record_says(scenario, seed):
    random = np.random.default_rng(seed)
    t = np.arange(0.0, 60.0, PERIOD)
    speed = np.abs(np.interp(t, np.arange(0.0, 61.0, 3.0), random.uniform(-5.0, 30.0, 21)))
    speed[random.uniform(size=len(t)) < 0.01] = math.nan  # a sensor that fails now and then
    speed[t > random.uniform(20.0, 80.0)] = 0.0
    ended = attempted(scenario, run_of(t, speed))
    with np.errstate(invalid="ignore"):
        fast, slow = 3.6 * speed > 60.0, 3.6 * speed < 0.3
    way = np.cumsum(np.nan_to_num(speed)) * PERIOD
    first = int(np.argmax(fast)) if fast.any() else len(t)
    if first > round(20.0 / PERIOD):
        assert ended.state is AttemptState.FAILED
        return
    assert ended.finished["Accelerate"] == pytest.approx(t[first])
    held, done = 0, None
    for k in range(first + 1, len(t)):
        held = held + 1 if slow[k] and way[k] > 10.0 else 0
        if held > round(1.0 / PERIOD):
            done = t[k]
            break
    assert (ended.state is AttemptState.DONE) == (done is not None)
    if done is not None:
        assert ended.finished["Brake"] == pytest.approx(done, abs=1.1 * PERIOD)


def test_live_samples_and_a_recording_give_the_same(scenario):
    t = np.arange(0.0, 20.0, 1e-3)
    speed, live = drive(t), Attempt(scenario)
    for k in instants(t, PERIOD):
        live.see(float(t[k]), {"car.speed": float(speed[k]), "roll.q": 0.0})
    recorded = attempted(scenario, run_of(t, speed))
    assert live.finished == recorded.finished
    assert live.values == recorded.values


def test_times_that_do_not_increase_are_refused(scenario):
    attempt = Attempt(scenario)
    attempt.see(1.0, {"car.speed": 0.0, "roll.q": 0.0})
    with pytest.raises(ModelError, match="times that increase"):
        attempt.see(1.0, {"car.speed": 0.0, "roll.q": 0.0})


def test_a_formula_without_a_value_is_nan_and_no_condition_holds():
    assert math.isnan(value_of("1 / x", {"x": 0.0}))
    assert not Condition(["1 / x > 0"]).holds({"x": 0.0})
    assert not Condition(["x"]).holds({"x": math.nan})


MISTAKES = {
    "speed > 60, within": ("spede > 60, within", r"unknown name 'spede'.*did you mean 'speed'"),
    "until: [speed < 0.3, way > 10]": ("until: [speed < 0.3, speed > 10]", "never hold together"),
    "until: speed > 60": ("until: open('x')", "unknown function 'open'"),
    "{sensor: speed,": ("{sensor: speeed,", "unknown sensor 'speeed'"),
    "face: round": ("faze: round", r"unknown key 'faze'.*face"),
    "within: 20": ("within: -1", "0 ≤ hold < within"),
    "gather: largest": ("gather: highest", "unknown way to gather"),
    "formula: 3.6 * v,": ("formula: 3.6 * w,", "unknown name 'w'"),
    "high: 120": ("high: -1", "low < high"),
    "when: roll >= 20": ("when: []", "no condition"),
    "set_points: {speed: 65}": ("set_points: {sped: 65}", "unknown sensor 'sped'"),
}


@pytest.mark.parametrize("right", MISTAKES)
def test_mistakes_in_a_file_are_named_with_line_and_cure(tmp_path, right):
    wrong, message = MISTAKES[right]
    path = tmp_path / "wrong.yaml"
    path.write_text(FILE.replace(right, wrong))
    with pytest.raises(ModelError, match=message) as told:
        read_scenario(path)
    assert "wrong.yaml" in str(told.value)
    assert "(line " in str(told.value)


def test_a_machine_without_the_channel_is_told(scenario):
    with pytest.raises(ModelError, match=r"no channel 'roll\.q'"):
        scenario.require_channels(["car.speed"])


def test_a_scenario_needs_tasks_and_has_bounds():
    sensor = {"x": VirtualSensor("x", "a", {"a": "b"})}
    with pytest.raises(ModelError, match="no task"):
        Scenario("empty", sensor, [])
    task = DriverTask("t", "do it", ["x > 1"])
    with pytest.raises(ModelError, match="at most 100"):
        Scenario("many", sensor, [task] * 101)
    with pytest.raises(ModelError, match="at most 100"):
        Scenario("many", sensor, [task], [Breakdown("b", ["x > 2"], "broken")] * 101)


# -- on a running machine ----------------------------------------------------------------------------------------------


def falling(**more):
    """A mass that falls from rest, z = −½ g t², with a scenario that it cannot escape."""
    m = sb.Model("stone")
    m.body("stone", m.ground, [sb.Joint("z", "T3")], 1.0)
    sensors = {"depth": VirtualSensor("depth", "-z", {"z": "z.q"}, "m")}
    tasks = [
        DriverTask("Fall", "Fall by 2 m", ["depth > 2"], set_points={"depth": 2.0}),
        DriverTask("On", "Go on", ["depth > 1e9"]),
    ]
    scenario = Scenario("stone", sensors, tasks, [Breakdown("deep", ["depth >= 10"], "It is too deep.")])
    return Machine("stone", sb.system(m, outputs=["z.q"]), referee=ScenarioReferee(scenario), **more)


@pytest.mark.posix
def test_a_breakdown_stops_the_machine_and_a_new_start_is_a_new_attempt():
    machine = falling(rate=200.0)
    with Live(machine) as live:
        eventually(lambda: live.status()["lines"] == ["It is too deep. 1.4 s"])  # √(2 · 10 / 9.81) = 1.43 s
        eventually(lambda: live.loop.stands)
        assert machine.referee.attempt.finished["Fall"] == pytest.approx(math.sqrt(4.0 / 9.81), abs=1.1 * PERIOD)
        first = machine.referee.attempt
        live.obey(Reset())
        live.obey(Play())
        eventually(lambda: live.status() and "Fall" in machine.referee.attempt.finished)
        assert machine.referee.attempt is not first


def test_records_in_pieces_are_seen_as_the_whole(scenario):
    t = np.arange(0.0, 20.0, 1e-3)
    values = np.column_stack([drive(t), np.zeros(len(t))])
    whole, pieces = ScenarioReferee(scenario), ScenarioReferee(scenario)
    whole.see(t, values)
    for piece in np.array_split(np.arange(len(t)), 777):
        pieces.see(t[piece], values[piece])
    assert whole.attempt.finished == pieces.attempt.finished
    assert whole.attempt.values == pieces.attempt.values
    assert whole.lines() == pieces.lines()
