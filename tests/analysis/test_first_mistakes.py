"""Mistakes of the first hour with `simulate`, `system` and the bridges: they work, or the error has a cure."""

import numpy as np
import pytest

import symbody as sb
from symbody.bridges import to_casadi


def driven_arm() -> sb.Model:
    m = sb.Model("arm")
    m.input("torque", unit="N m")
    m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5), inertia=0.1)
    m.joint_force("arm")(lambda q, qd, p: p.torque)
    return m


def test_times_may_have_units() -> None:
    s = sb.system(driven_arm())
    plain = sb.simulate(s, 0.2, 1e-3, every=0.01)
    for until, dt, every in (("200 ms", "1ms", "10 ms"), ("0.2s", "1000 µs", "0.01")):
        run = sb.simulate(s, until, dt, every=every)
        assert np.array_equal(run.t, plain.t)
        assert np.array_equal(run.values, plain.values)
    with pytest.raises(sb.ModelError, match="until: '1kg' is not in s"):
        sb.simulate(s, "1kg", 1e-3)
    with pytest.raises(sb.ModelError, match="dt: 'fast' is not a number with a unit"):
        sb.simulate(s, 1.0, "fast")
    with pytest.raises(sb.ModelError, match="dt: unknown unit 'msec'"):
        sb.simulate(s, 1.0, "1 msec")


def test_a_span_of_times_is_explained() -> None:
    with pytest.raises(
        sb.ModelError, match=r"until: expected the end \(s\), got \(0, 10\) \(write start=0, until=10\)"
    ):
        sb.simulate(driven_arm(), (0, 10), 1e-3)  # type: ignore[arg-type]


@pytest.mark.parametrize("dt", [1e-2, None])
def test_an_input_function_returns_one_number(dt: float | None) -> None:
    s = sb.system(driven_arm())
    with pytest.raises(sb.ModelError, match=r"torque: its function returns array\(\[1., 2.\]\) at t = 0 s"):
        sb.simulate(s, 0.1, dt, inputs={"torque": lambda t: np.array([1.0, 2.0])})
    with pytest.raises(sb.ModelError, match=r"torque: its function returns None at t = 0 s .*add `return`"):
        sb.simulate(s, 0.1, dt, inputs={"torque": lambda t: None})
    of_one = sb.simulate(s, 0.1, dt, inputs={"torque": lambda t: np.array([1.0])})
    assert np.array_equal(of_one.values, sb.simulate(s, 0.1, dt, inputs={"torque": lambda t: 1.0}).values)


def test_a_law_without_return() -> None:
    for mark in (lambda law: law, sb.numeric):
        m = sb.Model("arm")
        m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5), inertia=0.1)

        @m.joint_force("arm")
        @mark
        def spring(q, qd, p):  # type: ignore[no-untyped-def]
            -3.0 * q

        with pytest.raises(sb.ModelError, match=r"joint_forces.arm: its law returns nothing .*`return`"):
            sb.simulate(m, 0.1, 1e-2)


def test_one_name_may_be_given_instead_of_a_list() -> None:
    s = sb.system(driven_arm(), outputs="arm.q", inputs="arm.Q", independent="arm")
    assert s.outputs == ["arm.q"]
    assert s.inputs == ["torque", "arm.Q"]


@pytest.mark.parametrize(("name", "ours"), [("ode45", "rk45"), ("ode15s", "bdf"), ("Newmark", "generalised-alpha")])
def test_methods_of_other_tools_are_translated(name: str, ours: str) -> None:
    with pytest.raises(sb.ModelError, match=rf"unknown method '{name}' \(use {ours}\)"):
        sb.simulate(driven_arm(), 1.0, 1e-2, method=name)


def test_a_bridge_needs_a_system() -> None:
    pytest.importorskip("casadi")
    with pytest.raises(sb.ModelError, match=r"expected a System or a compiled Function, got a Model .*sb.system\(m\)"):
        to_casadi(driven_arm())  # type: ignore[arg-type]


def hose(volume: float) -> sb.Model:
    """A small volume between two orifices: its time constant is far below a millisecond."""
    m = sb.Model("hose")
    m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5), inertia=0.1)
    c = m.circuit("oil")
    supply, tank, between = c.source("P", 10e6), c.tank("T"), c.volume("hose", volume)
    c.throttle("inlet", supply, between, 1e-6)
    c.throttle("outlet", between, tank, 1e-6)
    return m


def test_an_explicit_step_too_large_for_oil_is_named() -> None:
    s = sb.system(hose(1e-6))
    with pytest.raises(sb.SymbodyError, match=r"step of 0.001 s is too large for rk4.*implicit method rodas4"):
        sb.simulate(s, 0.1, 1e-3)
    run = sb.simulate(s, 0.1, 1e-3, method="rodas4")
    assert run["hose_p"][-1] == pytest.approx(5e6, rel=0.03), "two equal orifices halve the pressure"
