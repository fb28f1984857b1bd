"""Sensitivities against closed solutions, against differences of rebuilt models, and against conserved energy.

Tests of analysis/sensitivity.py, system/sensitivity.py, system/sensitivity_formula.py, system/sensitivity_slopes.py,
system/sensitivity_start.py.
"""

import argparse

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.analysis.sensitivity import finite_differences, sensitivity, sensitivity_system
from symbody.cli import sensitivity as command
from symbody.expr.graph import evaluate, symbols
from symbody.expr.node import parameter, variable
from symbody.expr.node_table import fresh_graph
from symbody.system.sensitivity import Objective
from symbody.system.sensitivity_slopes import by_jacobian, directional
from symbody.system.sensitivity_start import start, started
from symbody.system.trace import trace


def oscillator():
    """m ẍ = −k x from x = start: x = start·cos ωt."""
    m = sb.Model("oscillator", gravity=(0, 0, 0))
    m.parameter("k", 9.0)
    m.body("cart", joints=[sb.Joint("cart", "T1", q0=(m.parameter("start", 0.3),))], mass=4.0)
    m.joint_force("cart")(lambda q, qd, p: -p.k * q)
    return m


def pendulum():
    m = sb.Model("pendulum")
    length = m.parameter("length", 0.5)
    m.parameter("friction", 0.05)
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=(2.0 * length,))], mass=1.0, com=(0, 0, -length))
    m.joint_force("arm")(lambda q, qd, p: -p.friction * qd)
    return m


def drag_link():
    """Both cranks go all the way round, so that the order of the loop's pivots changes on the way."""
    m = sb.Model("drag-link")
    m.parameter("rocker_length", 0.48)
    pivot = m.ground.point("pivot", (0.2, 0, 0))
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(0.1,), v0=(12.0,))], mass=1.0, com=(0.25, 0, 0))
    coupler = m.body("coupler", crank.point("tip", (0.5, 0, 0)), [sb.Joint("coupler", "R2", q0=(1.0,))], mass=2.0)
    rocker = m.body("rocker", pivot, [sb.Joint("rocker", "R2", q0=(0.9,))], mass=1.5, com=(0.3, 0, 0))
    m.cut("loop", "ball", coupler.point("tip", (0.45, 0, 0)), rocker.point("tip", ("rocker_length", 0, 0)))
    return m


def test_an_oscillator_as_the_textbook_has_it():
    found = sensitivity(oscillator(), Objective("cart.q**2", final="cart.q"), until=2.0, dt=1e-3, outputs=["cart.q"])
    t, w, x0 = found.run.t, 1.5, 0.3
    np.testing.assert_allclose(found.of("cart.q", "k"), -x0 * np.sin(w * t) * t / (2 * 4.0 * w), atol=1e-10)
    np.testing.assert_allclose(found.of("cart.q", "start"), np.cos(w * t), atol=1e-10)

    def psi(w, x0, end=2.0):
        return x0**2 * (end / 2 + np.sin(2 * w * end) / (4 * w)) + x0 * np.cos(w * end)

    assert found.value == pytest.approx(psi(w, x0), abs=1e-9)
    step = 1e-6
    by_k = (psi(np.sqrt((9 + step) / 4), x0) - psi(np.sqrt((9 - step) / 4), x0)) / (2 * step)
    by_start = (psi(w, x0 + step) - psi(w, x0 - step)) / (2 * step)
    assert found.gradient == pytest.approx({"k": by_k, "start": by_start}, abs=1e-8)


CASES = {
    "pendulum": (pendulum, lambda s, p: s.qd["arm"] * s.qd["arm"] + p.length * p.t, {}),
    "four-bar": (machines.entry("four-bar").model, lambda s, p: s.qd["rocker"] * s.qd["rocker"], {"torque": 0.02}),
    "quarter-car": (
        machines.entry("quarter-car").model,
        lambda s, p: s.rate("strut") * s.rate("strut"),
        {"road": 0.01},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_differences_of_rebuilt_models(name):
    """Along a random direction in all parameters: two models built anew, their cost a state that is integrated."""
    make, law, inputs = CASES[name]
    until, dt = 0.4, 1e-3
    found = sensitivity(make(), law, until=until, dt=dt, inputs=inputs)
    rng = np.random.default_rng(4)
    direction = {p: (abs(x.value) or 1.0) * rng.uniform(0.5, 1.0) for p, x in make().parameters.items()}

    def cost(step):
        m = make()
        for p, d in direction.items():
            m.parameters[p].value += step * d
        m.state("cost")(law)
        free = [m.velocities[i] for i in found.run.system.layout.velocities]
        return sb.simulate(m, until, dt, inputs=inputs, outputs=["cost"], independent=free)["cost"][-1]

    step = 1e-5
    slope = (cost(step) - cost(-step)) / (2 * step)
    assert set(found.gradient) == set(direction)
    along = sum(found.gradient[p] * d for p, d in direction.items())
    scale = sum(abs(found.gradient[p] * d) for p, d in direction.items())
    assert abs(along - slope) < 1e-6 * scale
    assert abs(along) > 1e-3 * scale


def test_differences_of_whole_runs_agree_with_each_parameter():
    s = sensitivity_system(
        machines.model("four-bar"), {"speed": Objective("crank.qd**2"), "end": Objective(final="rocker.q")}
    )
    exact = sensitivity(s, until=0.3, dt=1e-3, inputs={"torque": 0.02})
    by_hand = finite_differences(s, 0.3, 1e-3, inputs={"torque": 0.02})
    for objective, gradient in exact.gradients.items():
        scale = max(map(abs, gradient.values()))
        assert gradient == pytest.approx(by_hand[objective], rel=1e-6, abs=1e-7 * scale)
    again = sensitivity(s, until=0.3, dt=1e-3, inputs={"torque": 0.02})
    assert again.gradients == exact.gradients  # nothing was left changed
    moved = sensitivity(s, until=0.3, dt=1e-3, inputs={"torque": 0.02}, values={"coupler_length": 0.26})
    assert moved.values["speed"] != exact.values["speed"]
    assert any("(chosen)" in note for note in s.notes)


def test_both_ways_to_the_derivative_are_one_number():
    system = sb.system(machines.model("four-bar"))
    with fresh_graph():
        traced = trace(system.model, system.definition.state_partition, system.options)
        parameters = [parameter(p) for p in ("coupler_length", "density")]
        S = [[variable(f"S[{2 * j + i}]") for i in range(2)] for j in range(2)]
        ways = [way(traced, traced.rates, parameters, S) for way in (directional, by_jacobian)]
        flat = [[x for column in way for x in column] for way in ways]
        rng = np.random.default_rng(1)
        values = {x.value: rng.uniform(0.2, 1.0) for x in symbols([*flat[0], *flat[1]])}
        np.testing.assert_allclose(*(evaluate(way, values) for way in flat), rtol=1e-10)


def test_energy_stays_constant_in_its_sensitivities_over_a_change_of_pivots():
    energies = ["energy.kinetic", "energy.potential"]
    s = sensitivity_system(drag_link(), {}, outputs=[*energies, "crank.q"])
    found = sensitivity(s, until=0.6, dt=5e-4)
    assert found.run["crank.q"][-1] - found.run["crank.q"][0] > 2 * np.pi
    assert found.run.system.base is not s.base  # it went on in another order
    total = sum(found.of(name, "rocker_length") for name in energies)
    assert np.abs(found.of(energies[0], "rocker_length")).max() > 1.0
    np.testing.assert_allclose(total, total[0], atol=1e-5)


def test_the_start_follows_the_parameters():
    """However far from closed it is, the derivative of the assembled start is that of its differences."""
    m = sb.Model("held")
    length, lean = m.parameter("length", 0.5), m.parameter("lean", 0.2)
    body = m.body("body", joints=[sb.Joint("ball", "ball")], mass=1.0, com=(0, 0, 0.3), inertia=(0.1, 0.1, 0.1))
    side = m.body("side", joints=[sb.Joint("slide", "T1", q0=(lean,))], mass=1.0)
    m.cut("rod", "rod", side, body.point("top", (0.1, 0, 0.4)), length=length)
    s = sb.system(m)
    exact = start(s, ["length", "lean"])
    np.testing.assert_allclose(exact.x, s.x0, atol=1e-13)
    for j, (name, value) in enumerate({"length": 0.5, "lean": 0.2}.items()):
        ends = []
        for side_step in (1e-5, -1e-5):
            with started(s, {name: value + side_step}) as other:
                ends.append(other.x0)
        np.testing.assert_allclose(exact.dx[:, j], (ends[0] - ends[1]) / 2e-5, atol=1e-8)
        assert np.abs(exact.dx[:7, j]).max() > 0.1
    with started(s, {"length": 0.45, "lean": 0.3}) as other:
        moved = other.x0
    assert s.parameters["length"] == 0.5
    m.parameters["length"].value, m.parameters["lean"].value = 0.45, 0.3
    np.testing.assert_allclose(moved, sb.system(m).x0, atol=1e-12)


def test_what_cannot_be_done_is_refused_with_the_cure():
    m = oscillator()
    with pytest.raises(sb.ModelError, match="k, start"):
        sensitivity(m, "cart.q", ["stiffness"])
    with pytest.raises(sb.ModelError, match=r"cart\.q"):
        sensitivity(m, "cartt.q**2")
    with pytest.raises(sb.ModelError, match="partitioning"):
        sensitivity(m, "cart.q", closure="penalty")
    with pytest.raises(sb.ModelError, match="every"):
        sensitivity(m, "cart.q", until=1.0, dt=0.1, every=3)


def test_the_command_prints_a_gradient():
    parser = argparse.ArgumentParser()
    command.options(parser)
    arguments = parser.parse_args(
        ["four-bar", "--integral", "crank.qd**2", "--parameter", "density", "--until", "0.1", "--set", "torque=0.02"]
    )
    arguments.json = True
    said = command.run(arguments)
    (row,) = said["gradient"]
    exact = sensitivity(machines.model("four-bar"), "crank.qd**2", ["density"], 0.1, 1e-3, inputs={"torque": 0.02})
    assert row["derivative"] == pytest.approx(exact.gradient["density"])
    assert said["objective"] == pytest.approx(exact.value)
    with pytest.raises(sb.ModelError, match="no objective"):
        command.run(argparse.Namespace(**{**vars(arguments), "integral": None}))
