"""The obstacle of the driving simulator (obstacle.py): pushes only where the car is in it, and takes its speed away."""

import numpy as np
import pytest

import symbody as sb
from symbody.expr.node_table import fresh_graph
from symbody.machines.car.driver import compiled_car
from symbody.vehicles.obstacle import DAMPING, LOAD, STIFFNESS, crash_force
from symbody.vehicles.pedals import SPEED
from symbody.vehicles.road import LENGTH, WIDTH, Road

ROAD = Road(begin=100.0)


def force(x, y, vx=0.0, vy=0.0):
    with fresh_graph():
        return np.array([float(f) for f in crash_force(ROAD, (x, y, 0.5), (vx, vy, 0.0))])


def test_nothing_pushes_before_beside_or_beyond_it():
    for x, y in ((99.9, 0.0), (101.0, 2.0), (101.0, -2.0), (100.0 + 4.5 + LENGTH + 0.1, 0.0)):
        assert force(x, y, 20.0).tolist() == [0.0, 0.0, 0.0]


def test_the_front_is_pushed_back_by_hunt_and_crossley_and_never_pulled():
    assert force(100.3, 0.0, 5.0)[0] == pytest.approx(-STIFFNESS * 0.3 * (1.0 + DAMPING * 5.0))
    assert force(100.3, 0.0, -50.0)[0] == 0.0


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_what_scrapes_along_it_is_pushed_aside(side):
    reach = ROAD.width / 2.0 + WIDTH / 2.0
    found = force(103.0, side * (reach - 0.1))
    assert found[0] == 0.0
    assert side * found[1] > 0.0


@pytest.mark.slow
def test_a_car_that_drives_on_is_stopped_and_loses_the_energy_of_its_motion():
    near = Road(begin=LENGTH / 2.0 + 5.0)
    s = compiled_car(("x.q", "y.q", "car.speed", LOAD, "pitch.q"), obstacle=near)
    run = sb.simulate(s, 1.0, 1e-3, method="rk4", inputs=dict(zip(s.inputs, s.u0, strict=True)))
    assert run["car.speed"][0] == pytest.approx(SPEED, rel=1e-3)
    assert run["car.speed"].min() < 0.0  # it springs back a little
    assert run["car.speed"].min() > -0.4 * SPEED
    deepest = run["x.q"].max() + LENGTH / 2.0 - near.begin
    assert 0.3 < deepest < 1.2
    assert run[LOAD].max() < 1e6
    assert np.abs(run["pitch.q"]).max() < 0.6
