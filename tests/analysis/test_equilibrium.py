"""Equilibrium: statics by hand, steady motions by hand, quaternions, user states, and errors that say what to do."""

import argparse

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.equilibrium import equilibrium
from symbody.cli import assemble as assemble_command
from symbody.cli import equilibrium as equilibrium_command

G = 9.81


def pendulum(angle):
    m = sb.Model("pendulum")
    joint = sb.Joint("arm", "R2", q0=(angle,), v0=(3.0,))
    m.body("arm", joints=[joint], mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    return m


@pytest.mark.parametrize(("start", "end", "stable"), [(0.4, 0.0, True), (1.57, 0.0, True), (3.0, np.pi, False)])
def test_a_pendulum_hangs_or_stands(start, end, stable):
    found = equilibrium(pendulum(start))
    assert found.x == pytest.approx([end, 0.0], abs=1e-12)
    assert found.stable is stable
    assert found.residual < 1e-12


def test_settling_leads_down():
    found = equilibrium(pendulum(3.0), settle=True)
    assert found.stable
    assert found.x == pytest.approx([0.0, 0.0], abs=1e-10)


@pytest.fixture(scope="module")
def quarter_car():
    return sb.system(
        machines.model("quarter-car"), outputs=["*.q", "*.qd", "strut.*", "tyre.force.z", "wheel_centre.*"]
    )


@pytest.mark.parametrize("height", [0.0, 0.06, 2.0])
def test_a_quarter_car_stands_on_its_tyre_even_if_it_starts_in_the_air(quarter_car, height):
    s = quarter_car
    found = equilibrium(s, s.x0 + np.array([height, 0, 0, 0]), inputs={"road": 0.02})
    assert found.outputs["tyre.force.z"] == pytest.approx((350 + 16 + 20) * G, rel=1e-12)
    sunk = (350 + 16 + 20) * G / 200000
    assert found.outputs["wheel_centre.position.z"] == pytest.approx(0.319 + 0.02 - sunk, abs=1e-12)
    assert found.stable
    np.testing.assert_allclose(s.rates(0.0, found.x, found.u), 0.0, atol=1e-10)


def test_the_legs_of_a_platform_carry_its_weight():
    """Without their own masses the legs' forces are along the legs: their vertical parts add up to the weight."""
    m = machines.model("stewart")
    for name, body in m.bodies.items():
        if name != "platform":
            body.mass, body.inertia = 0.0, (0.0,) * 6
    s = sb.system(m, outputs=["*.q"])
    legs = [f"f{i}" for i in range(1, 7)]
    x = np.zeros(13)
    x[:4] = 0.05, 0.03, 1.0, 1.0  # place, and the first number of the quaternion
    found = equilibrium(s, x, free_inputs=legs, hold=["platform.*"])
    assert found.x == pytest.approx(x)
    forces = np.array([found.inputs[name] for name in legs])
    axes = []
    for i in range(1, 7):
        foot, top = m.ground.points[f"foot{i}"].position, m.bodies["platform"].points[f"top{i}"].position
        axis = np.array(top) + x[:3] - np.array(foot)
        axes.append(axis / np.linalg.norm(axis))
    np.testing.assert_allclose(forces @ np.array(axes), [0.0, 0.0, 300.0 * G], atol=1e-7)


def cart(drag=3.0):
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.input("push", 0.0, "N")
    m.body("cart", joints="T1", mass=2.0)
    m.joint_force("cart")(lambda q, qd, p: p.push - drag * qd)
    return m


def test_a_steady_speed_needs_a_push_and_a_push_leads_to_a_speed():
    found = equilibrium(cart(), steady={"cart.qd": 2.0}, free_inputs=["push"])
    assert found.inputs["push"] == pytest.approx(6.0)
    assert found.stable
    assert equilibrium(cart(), inputs={"push": 6.0}, drifting=["cart.qd"]).states["cart.qd"] == pytest.approx(2.0)
    assert equilibrium(cart(drag=0.0), steady={"cart.qd": 2.0}).residual == 0.0


def test_a_wheel_rolls_as_fast_as_its_slip_tells():
    """Drag D v = c (r ω − v), torque τ = r c (r ω − v); the body sinks into its spring meanwhile."""
    m = sb.Model("unicycle")
    m.input("torque", 0.0, "N m")
    body = m.body("body", joints=[sb.Joint("along", "T1"), sb.Joint("up", "T3")], mass=100.0)
    wheel = m.body("wheel", body, [sb.Joint("spin", "R2")], mass=5.0, inertia=(0.1, 0.2, 0.1))
    drag, slip, radius = 4.0, 500.0, 0.3
    m.joint_force("along")(lambda q, qd, p: -drag * qd)
    m.joint_force("up")(lambda q, qd, p: -5e4 * q)
    m.joint_force("spin")(lambda q, qd, p: p.torque)

    @m.force_site("contact", wheel)
    def contact(at, p):
        push = slip * (radius * at.omega[1] - at.velocity[0])
        return push, 0.0, 0.0, 0.0, -radius * push, 0.0

    found = equilibrium(m, steady={"along.qd": 20.0}, drifting=["spin.qd"], free_inputs=["torque"])
    assert found.states["spin.qd"] == pytest.approx(20.0 * (1 + drag / slip) / radius)
    assert found.inputs["torque"] == pytest.approx(radius * drag * 20.0)
    assert found.states["up.q"] == pytest.approx(-105.0 * G / 5e4)


def test_user_states_come_to_rest_too():
    """A controller that integrates until a mass hangs at its target."""
    m = sb.Model("controlled")
    m.body("mass", joints="T3", mass=2.0)
    m.state("effort", 0.0)(lambda view, p: 50.0 * (0.3 - view.q["mass"]))
    m.joint_force("mass")(lambda q, qd, p: p.effort - 20.0 * q - 30.0 * qd)
    found = equilibrium(m)
    assert found.states["mass.q"] == pytest.approx(0.3)
    assert found.states["effort"] == pytest.approx(2.0 * G + 6.0)
    assert found.stable


def brick():
    """A brick on four springs, turned and lifted at the start."""
    m = sb.Model("brick")
    start = sb.Joint("brick", "free", q0=(0.0, 0.0, 0.3, 0.8, 0.36, 0.48, 0.0))
    body = m.body("brick", joints=[start], mass=10.0, inertia=(0.3, 0.4, 0.5))
    for i, (x, y) in enumerate(((0.5, 0.4), (-0.5, 0.4), (-0.5, -0.4), (0.5, -0.4))):
        hook, eye = m.ground.point(f"hook{i}", (1.6 * x, 1.6 * y, 1.0)), body.point(f"eye{i}", (x, y, 0.1))
        m.link(f"spring{i}", hook, eye)(lambda length, rate, p: 400.0 * (length - 0.4) + 20.0 * rate)
    return m


def test_a_free_body_comes_level():
    found = equilibrium(brick())
    assert found.states["brick.qw"] == pytest.approx(1.0)
    assert found.x[4:7] == pytest.approx([0.0, 0.0, 0.0], abs=1e-10)
    z = found.states["brick.z"] + 0.1
    length = np.sqrt(0.3**2 + 0.24**2 + (1.0 - z) ** 2)
    assert 4 * 400.0 * (length - 0.4) * (1.0 - z) / length == pytest.approx(10.0 * G)
    assert len(found.eigenvalues) == 12
    assert found.stable


def test_what_cannot_be_found_is_said_with_numbers_and_a_cure():
    stone = sb.Model("stone")
    stone.body("stone", joints="T3", mass=1.0)
    with pytest.raises(sb.DivergenceError, match=r"rate of stone.qd is still -9.81 .*1 equations for 1 unknowns"):
        equilibrium(stone)
    with pytest.raises(sb.DivergenceError, match=r"cart.qd is still -3 .*1 equations for 0 unknowns \(free 1 inputs"):
        equilibrium(cart(), steady={"cart.qd": 2.0})
    with pytest.raises(sb.ModelError, match=r"1 equations for 2 unknowns \(hold 1 more"):
        equilibrium(cart(), free_inputs=["push"])
    with pytest.raises(sb.ModelError, match=r"a part of an orientation .*brick.qw, brick.qx"):
        equilibrium(brick(), hold=["brick.qw"])
    with pytest.raises(sb.ModelError, match=r"crank.qd: no steady motion"):
        equilibrium(machines.model("slider-crank"), steady={"crank.qd": 10.0}, free_inputs=["torque"])
    for wrong in ({"steady": {"x": 1.0}}, {"free_inputs": ["x"]}, {"hold": ["x"]}, {"drifting": ["x"]}):
        with pytest.raises(sb.ModelError, match=r"x: unknown .*(states|velocities|inputs) are (cart|push)"):
            equilibrium(cart(), **wrong)


def run_command(command, *arguments):
    parser = argparse.ArgumentParser()
    command.options(parser)
    return command.run(parser.parse_args(list(arguments)))


def test_the_commands():
    said = run_command(
        equilibrium_command, "four-bar", "--free", "torque", "--steady", "crank.q=-0.5", "--set", "friction=0.1"
    )
    assert said["states"][0] == {"state": "crank.q", "value": -0.5}
    assert said["residual"] < 1e-9
    said = run_command(assemble_command, "four-bar")
    assert said["open_before"] > 1e-5
    assert said["open_after"] < 1e-12
    assert (said["independent"], said["degrees_of_freedom"], said["redundant"]) == (["crank"], 1, 0)
    assert run_command(assemble_command, "arm6")["equations"] == 0


def test_wide_systems_are_linearised_along_directions(monkeypatch):
    """The same equilibrium and eigenvalues, and no Jacobian is written out for them."""
    s = sb.system(machines.model("quarter-car"))
    usual = sb.equilibrium(s)
    monkeypatch.setattr(type(s), "is_wide", True)
    monkeypatch.setattr("symbody.stepping.rates_jacobian.rates_jacobian", None)
    found = sb.equilibrium(s)
    np.testing.assert_allclose(found.x, usual.x, atol=1e-9)
    np.testing.assert_allclose(found.eigenvalues, usual.eigenvalues, rtol=1e-9)
    assert usual.stable
    assert found.stable
