"""Laws of every kind and on every path: traced, as formulas, called back in Python, in C; states; constraints."""

import math

import numpy as np
import pytest
from scipy.integrate import trapezoid
from test_constrained import four_bar

import symbody as sb
from symbody.model.law import FormulaLaw

SPRING = "static double half(double x) { return 0.5*x; }\ndouble spring(double length, double rate, double k, double c)"
SPRING += "\n{\n    return 2.0*half(k*(length - 1.0)) + c*rate;\n}\n"


def oscillator(law):
    """2 kg on a spring below a hook."""
    m = sb.Model("oscillator", gravity=(0, 0, 0))
    m.parameter("k", 50.0)
    m.parameter("c", 1.5)
    m.ground.point("hook", (0, 0, 1.0))
    m.body("mass", joints=[sb.Joint("mass", "T3", q0=(-0.2,))], mass=2.0)
    m.link("spring", "ground.hook", "mass")(law)
    return m


def spring(length, rate, p):
    return p.k * (length - 1.0) + p.c * rate


WAYS = {
    "traced": spring,
    "python": sb.numeric(spring),
    "c": sb.c_law("spring", SPRING, "k", "c"),
    "formula": FormulaLaw(("k*(length - 1) + c*rate",), ("length", "rate")),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_spring_on_every_path_is_the_same_spring(way):
    s = sb.system(oscillator(WAYS[way]), outputs=["mass.q", "spring.tension"])
    assert s.laws == {"links.spring": "traced" if way == "formula" else way}
    assert ("slow" in repr(s)) == (way == "python")
    run = sb.simulate(s, 1.0, 1e-3)
    decay, omega = 1.5 / 4, np.sqrt(25 - (1.5 / 4) ** 2)
    expected = -0.2 * np.exp(-decay * run.t) * (np.cos(omega * run.t) + decay / omega * np.sin(omega * run.t))
    np.testing.assert_allclose(run["mass.q"], expected, atol=1e-9)
    assert run["spring.tension"][0] == pytest.approx(10.0)
    exact = s.linear(0.0, s.x0)
    np.testing.assert_allclose(exact.A, [[0, 1], [-25, -0.75]], atol=1e-8)
    np.testing.assert_allclose(exact.P[1], [0.1, 0.0], atol=1e-8)
    s.parameters["k"] = 0.0
    np.testing.assert_allclose(s.rates(0.0, s.x0), [0, 0], atol=1e-12)


def test_two_links_may_share_one_law_in_c():
    m = oscillator(WAYS["c"])
    m.link("second", "ground.hook", "mass")(WAYS["c"])
    assert sb.system(m).rates(0.0, np.array([-0.2, 0.0]))[1] == pytest.approx(10.0)


def test_a_site_in_python_and_traced():
    """A stone thrown against the air: drag by v|v|, and a torque that turns it."""

    def air(at, p):
        speed = sb.functions.hypot(*at.velocity) if not isinstance(at.velocity[0], float) else math.hypot(*at.velocity)
        return [*(-p.drag * speed * v for v in at.velocity), *(-0.1 * w for w in at.omega)]

    runs = []
    for law in (air, sb.numeric(air)):
        m = sb.Model("stone")
        m.parameter("drag", 0.05)
        start = sb.Joint("stone", "free", v0=(3.0, 1.0, 4.0, 0.5, 1.0, -0.5))
        m.body("stone", joints=[start], mass=1.2, inertia=(0.02, 0.03, 0.04))
        m.force_site("air", "stone")(law)
        runs.append(sb.simulate(m, 0.5, 1e-2, outputs=["*"]))
    np.testing.assert_allclose(runs[0].values, runs[1].values, atol=1e-12)
    assert runs[0].values[-1, runs[0].names.index("energy.kinetic")] > 0
    work = -sum(trapezoid(runs[0][f"air.force.{a}"] * runs[0][f"stone.v{a}"], runs[0].t) for a in "xyz")
    assert work > 0.1


def test_a_table_as_a_law_and_its_slope():
    xs, ys = (0.9, 1.0, 1.1, 1.3), (-8.0, 0.0, 3.0, 12.0)
    s = sb.system(oscillator(lambda length, rate, p: sb.functions.table(length, xs, ys)), outputs=["spring.tension"])
    for q in (-0.25, -0.05, 0.05):
        assert s.observe(0.0, np.array([q, 0.0]))[0] == pytest.approx(np.interp(1.0 - q, xs, ys))
    assert s.linear(0.0, np.array([-0.2, 0.0])).A[1, 0] == pytest.approx(-45.0 / 2)


def test_a_map_of_two_arguments():
    lengths, rates = (0.5, 1.0, 1.5), (-1.0, 1.0)
    force = ((-10.0, -5.0), (-1.0, 1.0), (8.0, 12.0))
    m = oscillator(lambda length, rate, p: sb.functions.table2(length, rate, lengths, rates, force))
    s = sb.system(m, outputs=["spring.tension"])
    assert s.observe(0.0, np.array([-0.25, -0.5]))[0] == pytest.approx(
        0.5 * (1 / 4 * -1 + 3 / 4 * 1) + 0.5 * (1 / 4 * 8 + 3 / 4 * 12)
    )


def test_a_gear_as_a_constraint_is_one_heavier_wheel():
    """Two wheels by ratio 3: the inertia of the second counts nine times; the multiplier is what it takes."""
    m = sb.Model("gear", gravity=(0, 0, 0))
    m.parameter("ratio", 3.0)
    m.body("wheel", joints="R3", mass=1.0, inertia=(1, 1, 0.2))
    m.body("pinion", joints="R3", mass=1.0, inertia=(1, 1, 0.05))
    m.constraint("mesh")(lambda s, p: s.q["pinion"] - p.ratio * s.q["wheel"])
    s = sb.system(m, inputs=["wheel.Q"], independent=["wheel"], outputs=["*"])
    values = s.at(0.0, s.x0, np.array([1.3]))
    assert values["wheel.qdd"] == pytest.approx(1.3 / (0.2 + 9 * 0.05))
    assert values["mesh.lambda"] == pytest.approx(0.05 * values["pinion.qdd"])
    s.parameters["ratio"] = 2.0
    assert s.at(0.0, s.x0, np.array([1.3]))["wheel.qdd"] == pytest.approx(1.3 / (0.2 + 4 * 0.05))


@pytest.mark.parametrize("closure", ["partitioning", "augmented", "penalty"])
def test_a_constraint_over_points_is_the_rod_that_it_writes(closure):
    """The loop of a four-bar as a law over points, instead of a cut: the same motion."""
    plain = four_bar("planar-ball")
    m = four_bar("planar-ball")
    m.cuts.clear()

    @m.constraint("loop", count=2)
    def loop(s, p):
        a, b = s.point("coupler.tip").position, s.point("rocker.tip").position
        return a[0] - b[0], a[2] - b[2]

    for joint, q in zip(m.joints(), sb.assemble(plain), strict=True):
        joint.q0 = (float(q),)
    own, cut = sb.simulate(m, 0.3, 1e-3, closure=closure), sb.simulate(plain, 0.3, 1e-3, closure=closure)
    np.testing.assert_allclose(own.q, cut.q, atol=1e-8)


def test_a_constraint_over_a_quaternion():
    """A free body whose point is held by a constraint swings as a body on a ball joint."""
    held, free = sb.Model("held"), sb.Model("free")
    inertia, spin = (0.1, 0.2, 0.15), (0.3, -0.2, 2.0)
    held.body("top", joints=[sb.Joint("top", "ball", v0=spin)], mass=2.0, com=(0, 0.1, 0.3), inertia=inertia)
    joint = sb.Joint("top", "free", v0=(0.0, 0.0, 0.0, *spin))
    free.body("top", joints=[joint], mass=2.0, com=(0, 0.1, 0.3), inertia=inertia)
    free.constraint("pivot", count=3)(lambda s, p: s.point("top").position)
    a, b = sb.simulate(held, 0.5, 1e-3), sb.simulate(free, 0.5, 1e-3)
    np.testing.assert_allclose(b.q[:, 3:], a.q, atol=1e-9)


def test_a_state_of_the_users_own_follows_its_equation():
    """A first-order lag driven by an input through a law, and a signal made of it."""
    m = oscillator(lambda length, rate, p: 0.0)
    m.input("command", 1.0)
    m.state("filtered", start=0.5)(lambda s, p: 4.0 * (p.command - p.filtered))
    m.signal("both", count=2)(lambda s, p: (p.filtered + s.q["mass"], s.length("spring") * p.t))
    s = sb.system(m)
    assert s.states[-1] == "filtered"
    run = sb.simulate(s, 1.0, 1e-3)
    np.testing.assert_allclose(run["filtered"], 1 - 0.5 * np.exp(-4 * run.t), atol=1e-10)
    np.testing.assert_allclose(run["both.1"], run["filtered"] - 0.2, atol=1e-10)
    np.testing.assert_allclose(run["both.2"], 1.2 * run.t, atol=1e-10)


def test_a_numeric_state_and_signal_see_coordinates_and_names():
    m = oscillator(lambda length, rate, p: 0.0)
    m.state("count")(sb.numeric(lambda s, p: 1.0 if s.q["mass"] < 0 else 0.0))
    m.signal("seen")(sb.numeric(lambda s, p: s.q["mass"] + p.k + p.count))
    run = sb.simulate(m, 0.5, 1e-2)
    np.testing.assert_allclose(run["count"], run.t, atol=1e-12)
    np.testing.assert_allclose(run["seen"], 49.8 + run.t, atol=1e-12)


def test_a_driven_trajectory_has_exact_derivatives_and_the_power_it_takes():
    m = sb.Model("arm")
    m.parameter("swing", 0.7)
    m.body("arm", joints=[sb.Joint("arm", "R2", "driven")], mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.2, 0.1))
    m.trajectory("arm")(lambda t, p: p.swing * sb.functions.tanh(t))
    run = sb.simulate(m, 1.0, 1e-3, outputs=["*"])
    slope = 0.7 / np.cosh(run.t) ** 2
    np.testing.assert_allclose(run["arm.qd"], slope, atol=1e-12)
    np.testing.assert_allclose(run["arm.qdd"], -2 * np.tanh(run.t) * slope, atol=1e-12)
    energy = run["energy.kinetic"] + run["energy.potential"]
    work = np.concatenate([[0], np.cumsum(np.diff(run.t) * (run["arm.effort"] * slope)[:-1])])
    np.testing.assert_allclose(energy - energy[0], work, atol=5e-3)
    inverse = sb.compile(m, "inverse")(*(run[f"arm.{k}"][500:501] for k in ("q", "qd", "qdd")))
    assert run["arm.effort"][500] == pytest.approx(inverse[0])


def test_an_exception_in_a_callback_reaches_the_user_as_it_was():
    def late(length, rate, p):
        if p.t > 0.05:
            raise RuntimeError("the strut has come off")
        return 0.0

    with pytest.raises(RuntimeError, match="come off"):
        sb.simulate(oscillator(sb.numeric(late)), 0.1, 1e-3)


def test_laws_that_give_what_they_must_not_are_refused_before_anything_runs():
    cases = {
        "gives 2 values, not 1": lambda length, rate, p: (1.0, 2.0),
        "gives nan for every motion": lambda length, rate, p: float("nan"),
        "gives nan at the start": lambda length, rate, p: sb.functions.log(1.0 - length),
        "gives 2 values": sb.numeric(lambda length, rate, p: (1.0, 2.0)),
        "links.spring|spring.tension": sb.numeric(lambda length, rate, p: math.nan),
        "cannot be traced.*numeric": lambda length, rate, p: length if length > 1 else 0.0,
        "did you mean k": lambda length, rate, p: p.kk,
    }
    for words, law in cases.items():
        with pytest.raises((sb.ModelError, ValueError), match=words):
            sb.system(oscillator(law))
    m = oscillator(spring)
    m.force_site("push", "mass")(lambda at, p: (1.0, 2.0))
    with pytest.raises(sb.ModelError, match="3 or 6"):
        sb.system(m)
    m = oscillator(spring)
    m.constraint("odd")(lambda s, p: s.qd["mass"])
    with pytest.raises(sb.ModelError, match="velocities"):
        sb.system(m)
    m = oscillator(spring)
    m.state("lonely")
    with pytest.raises(sb.ModelError, match="lonely"):
        sb.system(m)


def test_a_law_that_turns_to_nan_on_the_way_is_named_with_its_time():
    m = oscillator(lambda length, rate, p: sb.functions.log(1.0 - p.t))
    with pytest.raises(sb.DivergenceError, match=r"spring.tension gives") as caught:
        sb.simulate(m, 2.0, 1e-2)
    assert 0.9 < caught.value.time <= 1.01
    assert len(caught.value.state) > 90


def test_a_law_that_asks_for_what_there_is_not_is_named_and_nothing_far_is_proposed():
    m = sb.Model("plain")
    m.body("slide", joints="T1", mass=1.0)
    m.joint_force("slide")(lambda q, qd, p: p.stifness * q)
    said = r"^joint_forces\.slide: its law uses the unknown name 'stifness' \(add it [^?]*\)$"
    with pytest.raises(sb.ModelError, match=said):
        sb.system(m)


def test_a_law_that_cannot_be_traced_tells_its_line():
    def law(q, qd, p):
        raise ValueError("my own mistake")

    m = sb.Model("plain")
    m.body("slide", joints="T1", mass=1.0)
    m.joint_force("slide")(law)
    line = law.__code__.co_firstlineno + 1
    with pytest.raises(sb.ModelError, match=rf"cannot be traced, at test_user_laws\.py:{line}: my own mistake \("):
        sb.system(m)
