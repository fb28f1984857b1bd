"""A terrain beside a system: five lines, forces in both directions, the same bits again, loops, and bad input."""

import numpy as np
import pytest
from soil_drive import SoilDrive, ToolBox, box_on, wheel_on

import symbody as sb
from symbody.errors import ModelError
from symbody.realtime import Loop, Safety
from symbody.realtime.unclocked import Unclocked
from waiting import eventually


def sled(ground, start=(1.5, 1.5, 0.06), speed=0.0, mass=200.0):
    """A box that falls onto the ground and is pushed along x by the input `push` (N)."""
    m = sb.Model("sled")
    m.ground.point("start", start)
    box = m.body("box", on="ground.start", joints="T1 T2 T3 R3", mass=mass, inertia=10.0)
    m.input("push", 0.0, "N")
    m.joint_force("box.T1")(lambda q, qd, p: p.push)
    ground.tool(m, "base", box, sb.ToolBox((0.6, 0.4, 0.1)))
    return m


def test_five_lines():
    ground = sb.Terrain(lambda x, y: 0.05 * np.sin(3.0 * x), 0.05, area=(0.0, 0.0, 3.0, 3.0))
    m = sb.Model("roller")
    m.ground.point("start", (1.0, 1.5, 0.5))
    m.body("drum", on="ground.start", joints="T1 T3 R2", mass=80.0, inertia=2.0)
    ground.wheel(m, "drum_on_soil", "drum", radius=0.3, width=0.5)
    run = ground.simulate(m, 0.5, dt=1e-3)
    assert run["drum_on_soil.soil.force.z"].max() > 80.0 * 9.81
    assert run.units["drum_on_soil.soil.force.z"] == "N"
    assert (ground.start.heights - ground.heights).max() > 0.001


def test_a_sled_rests_with_its_weight_and_moves_against_friction():
    ground = sb.Terrain(np.zeros((60, 60)), 0.05)
    m = sled(ground)
    run = ground.simulate(m, 2.0, 1e-3, inputs={"push": lambda t: 400.0 if t > 1.0 else 0.0})
    assert run["base.soil.force.z"][900] == pytest.approx(200.0 * 9.81, rel=1e-3)
    assert run["base.soil.force.x"][1500:].mean() == pytest.approx(-400.0, rel=0.02)  # below friction: it holds
    assert run["box.T1.q"].max() < 2.0 * ground.soil.shear_length
    pushed = ground.simulate(m, 1.6, 1e-3, inputs={"push": lambda t: 1500.0 if t > 1.0 else 0.0})
    assert pushed["box.T1.qd"][-1] > 0.2
    assert -pushed["base.soil.force.x"][1100:].mean() > 0.9 * ground.soil.tool_friction * 200.0 * 9.81


@pytest.mark.parametrize("seed", range(3))
def test_the_same_seed_gives_the_same_bits(seed):
    def once(number):
        ground = box_on(sb.Terrain(np.zeros((40, 60)), 0.1, particles=300, seed=number), ToolBox((0.05, 1.0, 0.6)))
        drive = SoilDrive(ground)
        rows = [drive.step((1.0 + 1e-3 * k, 2.0, 0.25 - min(1e-3 * k, 0.1)), (1.0, 0.0, 0.0)) for k in range(900)]
        return np.array(rows).tobytes() + ground.heights.tobytes() + ground.particles.tobytes(), len(ground.particles)

    (first, count), (second, _), (other, _) = once(seed), once(seed), once(seed + 1)
    assert count > 20
    assert first == second
    assert first != other


def test_two_runs_of_one_terrain_are_equal():
    ground = sb.Terrain(np.zeros((60, 60)), 0.05)
    m = sled(ground)
    s = ground.system(m)
    runs = [ground.simulate(s, 0.5, inputs={"push": 3000.0}).values for _ in range(2)]
    np.testing.assert_array_equal(*runs)


@pytest.mark.parametrize(
    ("start", "push", "words"),
    [
        ((1.5, 1.5, 0.2), 1e5, "base: is off the terrain"),
        ((1.5, 1.5, -0.6), 0.0, "base: is deep in the ground at the start"),
        ((9.0, 1.5, 0.2), 0.0, "base: is off the terrain"),
    ],
)
def test_a_body_that_leaves_or_begins_in_the_ground_is_named(start, push, words):
    ground = sb.Terrain(np.zeros((60, 60)), 0.05)
    m = sled(ground, start)
    with pytest.raises(ModelError, match=words):
        ground.simulate(m, 2.0, inputs={"push": push})


def test_numbers_that_are_not_finite_are_named():
    drive = SoilDrive(wheel_on(sb.Terrain(np.zeros((20, 20)), 0.1), 0.3, 0.2))
    with pytest.raises(ModelError, match="wheel: moves by numbers that are not finite"):
        drive.step((1.0, np.nan, 0.5))


def test_names_are_used_once():
    ground, m = sb.Terrain(np.zeros((20, 20)), 0.1), sb.Model("twice")
    m.body("box", joints="T1", mass=1.0)
    ground.tool(m, "base", "box", ToolBox((0.1, 0.1, 0.1)))
    with pytest.raises(ModelError, match="two contacts"):
        ground.tool(m, "base", "box", ToolBox((0.1, 0.1, 0.1)))
    with pytest.raises(ModelError, match="width is 0"):
        ground.wheel(m, "wheel", "box", 0.3, 0.0)


def test_an_unclocked_source_refuses_bad_steps():
    ground = sb.Terrain(np.zeros((20, 20)), 0.1)
    with pytest.raises(ModelError, match="the step is 0"):
        Unclocked(ground, 0.0)
    with pytest.raises(ModelError, match="cannot simulate"):
        Unclocked(ground, 1e-3).run(0.0, {})


@pytest.mark.clock
@pytest.mark.posix
def test_the_loop_steps_the_same_chain_and_restarts_with_fresh_ground():
    ground = sb.Terrain(np.zeros((60, 60)), 0.05, particles=50)
    chain = ground.chain(ground.system(sled(ground)))
    with Loop(chain, rate=500.0, safety=Safety(stale=None, overrun=None)) as loop:
        eventually(lambda: loop.latest().t > 0.5)
        outputs, sunk = dict(zip(loop.outputs, loop.latest().outputs, strict=True)), ground.heights.min()
        loop.restart()
        eventually(lambda: ground.heights.min() == 0.0)
        eventually(lambda: ground.heights.min() == sunk)  # the same fall again
    assert sunk < -0.001
    assert outputs["base.soil.force.z"] == pytest.approx(200.0 * 9.81, rel=0.5)
