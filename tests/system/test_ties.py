"""Which velocities follow from constraints between velocities (ties.py)."""

import numpy as np
import pytest
from rolling_models import ball_on_turntable, disc, sled

import symbody as sb
from symbody.system.assembly import assemble
from symbody.system.partition import partition


def tied(m, **options):
    parts = partition(m, assemble(m), **options)
    return [m.velocities[i] for i in parts.tied], [m.velocities[i] for i in parts.free], parts


def cart(axle=0.4, heading=0.0):
    """Two wheels on one axle: across it both want the same."""
    m = sb.Model("cart")
    place = [sb.Joint("x", "T1"), sb.Joint("y", "T2"), sb.Joint("heading", "R3", q0=(heading,))]
    body = m.body("cart", m.ground.point("axle", (0, 0, 0.1)), place, mass=5.0, inertia=(0.1, 0.1, 0.1))
    for name, side in (("left", 1.0), ("right", -1.0)):
        hub = body.point(name, (0.0, side * axle / 2, 0.0))
        wheel = m.body(name, hub, "R2", mass=0.5, inertia=(1e-3, 2e-3, 1e-3))
        m.rolling(f"{name}_contact", "wheel", wheel, radius=0.1)
    return m


def test_a_contact_takes_the_two_slides():
    names, free, parts = tied(disc())
    assert (names, free) == (["x", "y"], ["yaw", "lean", "spin"])
    assert [len(tie.rows) for tie in parts.ties] == [2]


@pytest.mark.parametrize("heading", [0.0, 0.8, np.pi / 2, 2.5])
def test_the_choice_does_not_depend_on_the_heading(heading):
    """And of the four equations of the cart one is redundant, with its multiplier zero: two freedoms are left."""
    names, free, parts = tied(cart(heading=heading))
    assert {"x", "y"} < set(names)
    assert (len(names), len(free), len(parts.dependent)) == (3, 2, 0)
    pair = next(tie for tie in parts.ties if len(tie.rows) == 2)
    assert [cart().velocities[i] for i in pair.dofs] == ["x", "y"]


def test_a_cart_on_two_wheels_turns_about_the_middle():
    m = cart()
    for body, v in (("left", 3.0), ("right", 5.0)):
        m.bodies[body].joints[0].v0 = (v,)
    s = sb.system(m, independent=["left", "right"])
    run = sb.simulate(s, until=4.0, dt=1e-2)
    rate, speed = (5.0 - 3.0) * 0.1 / 0.4, 0.5 * (3.0 + 5.0) * 0.1
    assert run["heading.q"] == pytest.approx(rate * run.t, abs=1e-10)
    assert run["x.q"] == pytest.approx(speed / rate * np.sin(rate * run.t), abs=1e-9)
    assert run["y.q"] == pytest.approx(speed / rate * (1 - np.cos(rate * run.t)), abs=1e-9)


def test_a_wheel_without_inertia_is_moved_by_the_cart():
    """Where the cart's mass resists all that rolling allows, a wheel needs none of its own."""
    m = cart()
    for name in ("left", "right"):
        m.bodies[name].mass, m.bodies[name].inertia = 0.0, (0.0,) * 6
    s = sb.system(m, inputs=["left.Q", "right.Q"])
    u = np.array([0.5, 0.5])
    forward = s.rates(0.0, s.x0, u)[s.states.index("left.qd" if "left.qd" in s.states else "x.qd")]
    scale = 0.1 if "left.qd" in s.states else 1.0
    assert forward * scale == pytest.approx(2 * 0.5 / 0.1 / 5.0, rel=1e-12)  # a = F/m


def test_named_natures_and_joints_count():
    assert tied(sled())[0] == ["y"]
    m = cart()
    for name in ("left", "right"):
        m.bodies[name].joints[0].nature = "dependent"
    assert {"left", "right"} <= set(tied(m)[0])
    assert set(tied(cart(), independent=["left", "right"])[1]) == {"left", "right"}


def test_what_moves_at_the_start_stays_free():
    m = cart()
    m.bodies["right"].joints[0].v0 = (1.0,)
    assert "right" in tied(m)[1]


def test_a_contradicting_start_is_refused():
    with pytest.raises(sb.ModelError, match="contradicts"):
        sb.system(sled(v0=(0.0, 1.0, 0.0)))


def test_quaternions_are_never_tied():
    m = ball_on_turntable()
    assert tied(m)[0] == ["ball.vx", "ball.vy"]
    with pytest.raises(sb.SingularityError, match="quaternions are never tied"):
        partition(m, assemble(m), independent=["ball.vx"])


def test_a_state_far_away_is_closed_on_the_way():
    """On a slope the height follows from where the ball has rolled to."""
    m = sb.Model("slope")
    plane = m.ground.point("slope", (0.0, 0.0, 0.0), (0.0, 0.3, 0.0))
    ball = m.body("ball", joints="free", mass=1.0, inertia=(0.004,) * 3)
    ball.joints[0].q0 = (0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0)
    m.rolling("contact", "ball", ball, plane, radius=0.1)
    s = sb.system(m)
    x = s.x0.copy()
    moved = [name for name in ("ball.x", "ball.y") if name in s.states]
    x[s.states.index(moved[0])] += 2.0
    q = dict(zip(m.coordinates, s.motion(0.0, x)[0], strict=True))
    n = np.array([np.sin(0.3), 0.0, np.cos(0.3)])
    assert n @ [q["ball.x"], q["ball.y"], q["ball.z"]] == pytest.approx(0.1, abs=1e-12)
