"""Drivers side by side, and instruments as gauges: against attempts that are known in closed form.

Tests of scenario/study.py, scenario/instruments.py.
"""

import math

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.machines.games import game_of
from symbody.results.run import Run
from symbody.scenario import (
    Attempt,
    DriverTask,
    Instrument,
    Scenario,
    ScenarioReferee,
    VirtualSensor,
    compared_attempts,
    drivers_plot,
    scenario_of,
    sensor_history,
)
from symbody.scenario.instruments import gauge_values, scenario_gauges
from symbody.studio.gauges import gauges_of
from symbody.visual.plots import new_figure

SPEED = VirtualSensor("speed", "3.6 * v", {"v": "v"}, "km/h")
WAY = VirtualSensor("way", "v", {"v": "v"}, "m", gather="integral")
SCENARIO = Scenario(
    "sprint",
    {"speed": SPEED, "way": WAY},
    [DriverTask("Go", "Go", ["speed > 36"], set_points={"speed": 40.0}), DriverTask("Far", "Far", ["way > 100"])],
    instruments=[Instrument("speed", "round", 0.0, 120.0, [(100.0, 120.0)], "Speed", "bottom-left")],
)


def accelerating(a, until=12.0):
    t = np.arange(0.0, until, 0.01)
    return Run(None, t, (a * t)[:, np.newaxis], names=["v"], units={"v": "m/s"})


def test_the_faster_driver_is_done_sooner():
    slow, fast = compared_attempts(SCENARIO, {"slow": accelerating(2.0), "fast": accelerating(4.0)})
    assert slow["Go (s)"] == pytest.approx(5.0, abs=0.03)
    assert fast["Go (s)"] == pytest.approx(2.5, abs=0.03)
    assert slow["Far (s)"] == pytest.approx(10.0, abs=0.05)
    assert [one["state"] for one in (slow, fast)] == ["done", "done"]


def test_further_figures_and_a_task_that_is_not_done():
    (record,) = compared_attempts(SCENARIO, {"Ada": accelerating(2.0, 7.0)}, lambda run: {"time_s": run.t[-1]})
    assert record["Far (s)"] is None
    assert record["time_s"] == pytest.approx(6.99)


def test_the_history_is_what_the_attempt_sees():
    t, values = sensor_history(SCENARIO, accelerating(2.0), ["speed", "way"])
    np.testing.assert_allclose(values["speed"], 7.2 * t, atol=1e-9)
    np.testing.assert_allclose(values["way"], t**2, atol=0.25)
    assert t[-1] == pytest.approx(10.0, abs=0.05)


def test_a_plot_has_a_line_for_each_driver():
    figure = new_figure(8.0, 4.0)
    drivers_plot(SCENARIO, {"a": accelerating(2.0), "b": accelerating(3.0)}, ["speed", "way"]).draw(figure)
    assert [len(axes.lines) for axes in figure.axes] == [2, 2]


def test_mistakes_are_named():
    with pytest.raises(ModelError, match="0 drivers"):
        compared_attempts(SCENARIO, {})
    with pytest.raises(ModelError, match="unknown sensor 'sped'"):
        sensor_history(SCENARIO, accelerating(2.0), ["sped"])
    other = Run(None, np.arange(3.0), np.zeros((3, 1)), names=["w"], units={"w": ""})
    with pytest.raises(ModelError, match="no channel 'v'"):
        compared_attempts(SCENARIO, {"Ada": other})


def test_gauges_show_sensors_and_set_points_of_the_present_task():
    attempt = Attempt(SCENARIO)
    attempt.see(0.0, {"v": 5.0})
    assert gauge_values(attempt) == {"scenario.speed": 18.0, "scenario.speed.set_point": 40.0}
    attempt.see(1.0, {"v": 11.0})
    assert math.isnan(gauge_values(attempt)["scenario.speed.set_point"])


def test_gauges_have_the_face_zones_and_place_of_the_instrument():
    referee = ScenarioReferee(SCENARIO)
    (row,) = gauges_of(referee.gauges, dict.fromkeys(referee.gauge_values(), "")).rows
    assert (row["kind"], row["label"], row["corner"], row["unit"]) == ("round", "Speed", "bottom-left", "km/h")
    assert row["zones"] == [(100.0, 120.0)]
    assert scenario_gauges(SCENARIO)[0].set_point == "scenario.speed.set_point"


def test_a_set_point_on_a_gauge_is_not_repeated_as_text():
    assert ScenarioReferee(SCENARIO).lines() == ["Task 1 of 2: Go"]


@pytest.mark.parametrize(("more", "wrong"), [({"face": "square"}, "face"), ({"corner": "middle"}, "corner")])
def test_unknown_faces_and_corners_are_refused(more, wrong):
    with pytest.raises(ModelError, match=f"unknown {wrong}"):
        Instrument("speed", **more)


def test_scenarios_of_machines_can_be_read():
    assert scenario_of("symbody.machines.tractor").tasks
    for machine in ("car", "ride", "excavator"):
        assert game_of(machine).scenario.tasks
