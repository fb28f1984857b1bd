"""Crawlers on soil: they carry the weight of their frame, drive with the speed of the belt, and slip under a load."""

import numpy as np
import pytest

import symbody as sb
from symbody.model.body import Joint
from symbody.realtime.chain import Chain, Stage
from symbody.realtime.unclocked import Unclocked
from symbody.terrain.crawler import add_crawler

MASS, RADIUS, WIDTH = 1500.0, 0.35, 0.4  # kg, m
WHEELS = (-0.8, 0.0, 0.8)  # m


def sledge(drag=0.0):
    """A frame between two crawlers on sand, held upright; drag: a force against its motion (N)."""
    ground = sb.Terrain(lambda x, y: 0.0 * x, spacing=0.1, area=(-5.0, -1.0, 5.0, 1.0), particles=0)
    m = sb.Model("sledge")
    m.ground.point("start", (0.0, 0.0, RADIUS - 0.03))
    frame = m.body("frame", "ground.start", [Joint("x", "T1"), Joint("z", "T3")], MASS)
    m.joint_force("x")(lambda q, qd, p: -drag + 0.0 * q)
    wires = add_crawler(m, ground, "belt", frame, WHEELS, RADIUS, WIDTH, 0.1)
    s = ground.system(m, outputs=["*.q", "*.qd", "belt.*"])
    first = Stage(ground, {name: wires.get(name, name) for one in ground.contacts for name in one.inputs})
    return Chain("sledge", [first, Stage(s, ground.wires())])


def driven(chain, speed, seconds):
    steps = Unclocked(chain, 1e-3)
    u = np.zeros(len(steps.model.inputs))
    u[steps.model.inputs.index("belt_speed")] = speed
    steps.give(u)
    column = {name: k for k, name in enumerate(steps.model.outputs)}
    rows = []
    for _ in range(round(seconds / 1e-3)):
        assert steps.step()
        rows.append(steps.row.copy())
    return {name: np.array(rows)[:, k] for name, k in column.items()}


def test_it_carries_the_weight():
    run = driven(sledge(), 0.0, 2.0)
    load = sum(run[f"belt_{k}.soil.force.z"] for k in (1, 2, 3))
    assert load[-500:].mean() == pytest.approx(9.81 * MASS, rel=0.01)
    assert abs(run["x.q"][-1]) < 0.01


@pytest.mark.parametrize("speed", [0.6, -0.6])
def test_it_drives_with_the_belt(speed):
    run = driven(sledge(), speed, 4.0)
    assert run["belt.belt_speed"][-1] == pytest.approx(speed, rel=1e-6)
    assert 0.7 < run["x.qd"][-1500:].mean() / speed <= 1.01  # the elastic cells sway its speed by 3 %


def test_a_load_makes_it_slip_and_too_much_stops_it():
    """Thrust is at most c A + W tan φ (Wong); beyond, the belt turns on the spot."""
    free, pulled = (driven(sledge(drag), 0.6, 4.0)["x.qd"][-500:].mean() for drag in (0.0, 3000.0))
    # one run: a load slows down
    assert pulled < free
    most = 9.81 * MASS * np.tan(np.radians(35.0)) + 1040.0 * 3 * WIDTH * 1.2 * RADIUS
    stuck = driven(sledge(most), 0.6, 3.0)
    assert stuck["x.qd"][-1] < 0.05
