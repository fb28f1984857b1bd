"""MuJoCo as a world (mujoco_world.py): the same packets as our own scenes, and honest work on bodies."""

import numpy as np
import pytest

from symbody.errors import ModelError
from symbody.haptics.objects import HapticBody
from symbody.haptics.scene import HapticScene
from symbody.haptics.shapes import box
from symbody.haptics.thesis_scenes.puck import AT, PUCK, PUCK_MASS, START, puck_energy, puck_local, puck_world
from symbody.haptics.two_rates.scene_world import SceneWorld
from symbody.haptics.two_rates.world_end import WorldEnd

mujoco = pytest.importorskip("mujoco")
from symbody.haptics.two_rates.mujoco_world import MujocoWorld  # noqa: E402

EDGE, MASS = 0.04, 0.5  # m, kg
INERTIA = MASS * EDGE**2 / 6.0
FLOOR, WALL = -0.05, 0.1  # m: the floor's top, the wall's face
MJCF = f"""<mujoco><option timestep="0.002" gravity="0 0 -9.81"/><worldbody>
<geom name="floor" type="box" size="1 1 0.05" pos="0 0 {FLOOR - 0.05}"/>
<geom name="wall" type="box" size="0.05 1 1" pos="{WALL + 0.05} 0 0.95"/>
<body name="tool"><freejoint/><geom type="box" size="0.02 0.02 0.02" mass="{MASS}"/></body>
</worldbody></mujoco>"""


def ours(epsilon=0.005):
    tool = HapticBody("tool", box(EDGE, EDGE, EDGE), MASS, (INERTIA,) * 3, (0.0, 0.0, 0.0))
    walls = {
        "floor": box(2.0, 2.0, 0.1, (0.0, 0.0, FLOOR - 0.05)),
        "wall": box(0.1, 2.0, 2.0, (WALL + 0.05, 0.0, 0.95)),
    }
    scene = HapticScene([tool], walls, rate=500.0, gravity=(0.0, 0.0, -9.81))
    return SceneWorld(scene, "tool", epsilon=epsilon)


def turned(x, y, z, axis=(0.0, 0.0, 1.0), angle=0.0):
    return np.array([x, y, z, np.cos(angle / 2), *np.sin(angle / 2) * np.array(axis)])


@pytest.mark.parametrize(
    "q",
    [
        turned(0.0, 0.0, FLOOR + 0.02 + 0.003),
        turned(0.01, 0.02, FLOOR + 0.02 + 0.002, angle=0.4),
        turned(WALL - 0.02 - 0.001, 0.0, FLOOR + 0.02 + 0.004),
        turned(0.0, 0.0, FLOOR + 0.0282842712 + 0.002, (1.0, 0.0, 0.0), np.pi / 4),
        turned(0.0, 0.0, FLOOR + 0.0346410162 + 0.001, np.array([1.0, -1.0, 0.0]) / 2**0.5, np.arctan(2**0.5)),
        turned(0.0, 0.0, 0.1),
    ],
    ids=["on a face", "turned", "in a corner", "on an edge", "on a corner", "nowhere near"],
)
def test_both_engines_tell_the_same(q):
    steps = [world.advance(q, 1.0 / 30.0) for world in (ours(), MujocoWorld(MJCF, "tool"))]
    mine, theirs = (sorted(step.constraints, key=lambda c: tuple(np.round([*c.normal, *c.point], 4))) for step in steps)
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a.normal, b.normal, atol=1e-6)
        np.testing.assert_allclose(a.point, b.point, atol=1e-6)
        np.testing.assert_allclose(a.tool, b.tool, atol=1e-6)
        assert a.s == pytest.approx(b.s, abs=1e-7)
        assert a.body < 0
        assert b.body < 0
    np.testing.assert_allclose(steps[0].tool.D, steps[1].tool.D, atol=1e-9)
    np.testing.assert_allclose(steps[0].tool.G, steps[1].tool.G, atol=1e-9)


@pytest.mark.parametrize("engine", ["symbody", "mujoco"])
def test_a_puck_has_its_energy_from_the_work_of_the_tool(engine):
    """A heavy tool at speed u throws a puck at rest at 2u, where that is elastic: it has all of the work, 2 m u²."""
    world, u, dt, work, gained = puck_world(engine, speed=0.0), 0.2, 1.0 / 60.0, 0.0, 0.0
    q, way = np.array(START), np.array([u * dt, 0.0, 0.0])
    for _ in range(28):  # the puck has not come back from the wall
        q = q + way
        step = world.advance(q, dt)
        work, gained = work + step.work, gained + step.gained
    assert gained == pytest.approx(puck_energy(world), rel=1e-6)
    if engine == "mujoco":  # its contacts are damped
        # one run: energy that a damped contact must lose
        assert PUCK_MASS * u**2 < gained < work < 2.0 * PUCK_MASS * u**2
    else:
        assert work == pytest.approx(gained, rel=1e-6)
        assert work == pytest.approx(2.0 * PUCK_MASS * u**2, rel=1e-6)


@pytest.mark.parametrize("engine", ["symbody", "mujoco"])
def test_a_puck_has_its_energy_back_from_a_tool_that_stands_and_steps_can_be_undone(engine):
    world = puck_world(engine, speed=-0.2)
    kept, before = world.kept(), puck_energy(world)
    steps = [world.advance(np.array(START), 1.0 / 60.0) for _ in range(30)]
    assert max(abs(step.work) for step in steps) < 1e-9
    assert 0.0 <= -sum(step.gained for step in steps) + 1e-9 < (0.4 if engine == "mujoco" else 1e-6) * before
    assert max(np.cumsum([step.gained for step in steps])) < 1e-9  # it never has more than it had
    assert any(c.body >= 0 for step in steps for c in step.constraints)  # it came, and bounced
    world.restore(kept)
    assert puck_energy(world) == pytest.approx(before, rel=1e-12)
    again = [world.advance(np.array(START), 1.0 / 60.0) for _ in range(30)]
    assert [len(a.constraints) for a in again] == [len(b.constraints) for b in steps]


def test_constraints_of_moving_bodies_tell_their_velocity():
    """A puck that comes at 0.5 m/s is told with that velocity along the normal, by both engines."""
    for engine in ("symbody", "mujoco"):
        world = puck_world(engine, speed=-0.5)
        where = np.array([AT - PUCK / 2 - 0.021 - 0.5 / 60.0 - 0.003, 0.0, 0.0])
        (found,) = {round(c.velocity, 3) for c in world.advance(where, 1.0 / 60.0).constraints if c.body >= 0}
        assert found == pytest.approx(0.5, abs=0.01)


def test_a_local_model_takes_packets_of_mujoco():
    local, end = puck_local(), WorldEnd(puck_world("mujoco", speed=0.0))
    assert local.update(end.step()) == "taken"


def test_models_that_are_no_world_are_refused():
    with pytest.raises(ModelError, match="no such body"):
        MujocoWorld(MJCF, "hammer")
    with pytest.raises(ModelError, match="MuJoCo cannot read"):
        MujocoWorld("<mujoco><nonsense/></mujoco>", "tool")
    with pytest.raises(ModelError, match="unsupported joints"):
        MujocoWorld(MJCF.replace("<freejoint/>", '<joint type="hinge"/>'), "tool")
    off = MJCF.replace('size="0.02 0.02 0.02" mass', 'pos="0.01 0 0" size="0.02 0.02 0.02" mass')
    with pytest.raises(ModelError, match="not at its centre"):
        MujocoWorld(off, "tool")
