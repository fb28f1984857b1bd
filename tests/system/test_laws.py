"""Laws traced into the equations: oscillators of the textbook, a suspension that comes to rest, live parameters.

Tests of equations/laws.py.
"""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.equations.compile import compile


def oscillator():
    """2 kg on a spring of 50 N/m and a damper of 1.5 N s/m, hanging 1 m below a hook, 0.2 m beyond its free length."""
    m = sb.Model("oscillator", gravity=(0, 0, 0))
    m.parameter("k", 50.0)
    m.parameter("c", 1.5)
    m.ground.point("hook", (0, 0, 1.0))
    m.body("mass", joints=[sb.Joint("mass", "T3", q0=(-0.2,))], mass=2.0)

    @m.link("spring", "ground.hook", "mass")
    def spring(length, rate, p):
        return p.k * (length - 1.0) + p.c * rate

    return m


def test_damped_oscillation_is_that_of_the_textbook():
    motion = sb.simulate(oscillator(), 3.0, 1e-3)
    decay, omega = 1.5 / 4, np.sqrt(25 - (1.5 / 4) ** 2)
    expected = -0.2 * np.exp(-decay * motion.t) * (np.cos(omega * motion.t) + decay / omega * np.sin(omega * motion.t))
    np.testing.assert_allclose(motion.q[:, 0], expected, atol=1e-9)


def test_parameters_of_laws_are_live_without_compiling_again():
    system = sb.system(oscillator())
    system.parameters.update({"k": 0.0, "c": 0.0})
    np.testing.assert_array_equal(sb.simulate(system, 0.5, 1e-3)["mass.q"], -0.2)


def test_a_strut_brings_the_quarter_car_to_rest_on_its_tyre():
    m = machines.open("quarter-car")
    run = sb.simulate(m, 8.0, 1e-3, every=0.1, outputs=["*.q", "*.qd", "tyre.force.z"])
    assert np.abs(run.qd[-1]).max() < 1e-6
    weight = 9.81 * sum(float(b.mass) for b in m.bodies.values())
    assert run["tyre.force.z"][-1] == pytest.approx(weight, rel=1e-6)
    assert np.abs(sb.compile(m, "constraints")(run.q).h).max() < 1e-10


def test_laws_are_joint_forces():
    m = sb.Model("chain")
    m.parameter("k", 3.0)
    place = m.ground
    for i in range(4):
        body = m.body(f"b{i}", place, ("R2", "R3")[i % 2], mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.3))
        place = body.point("tip", (0.2, 0, 0))
        m.joint_force(f"b{i}")(lambda q, qd, p: -p.k * q - 0.1 * qd)
    m.link("cable", "ground.origin", place)(lambda length, rate, p: p.k * length * length)
    q, v = np.array([0.1, 0.5, -0.3, 0.8]), np.array([1.0, -2.0, 0.5, 0.3])
    tension = 3.0 * compile(m, "links")(q, v).length ** 2
    Q = compile(m, "link_forces")(q, tension) - 3.0 * q - 0.1 * v
    accelerations = sb.system(m).rates(0.0, np.r_[q, v])[4:]
    np.testing.assert_allclose(accelerations, compile(m, "direct")(q, v, Q), rtol=1e-10)


def test_laws_that_cannot_be_traced_or_ask_for_what_is_not_there_are_named():
    m = oscillator()
    m.links["spring"](lambda length, rate, p: p.kk * length)
    with pytest.raises(sb.ModelError, match="did you mean k"):
        sb.simulate(m, 0.1, 0.01)
    m.links["spring"](lambda length, rate, p: length if length > 1 else 0.0)
    with pytest.raises(sb.ModelError, match="where"):
        sb.simulate(m, 0.1, 0.01)
    m = oscillator()
    m.joint_force("nobody")(lambda q, qd, p: q)
    with pytest.raises(sb.ModelError, match="nobody"):
        sb.simulate(m, 0.1, 0.01)
