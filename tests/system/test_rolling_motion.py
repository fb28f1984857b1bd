"""Rolling and knife edges against motions known in closed form, in all closures and by all methods (rolling.py)."""

import math
from functools import cache

import numpy as np
import pytest
from rolling_models import ACROSS, ALONG, MASS, RADIUS, G, ball_on_turntable, disc, sled, wheel_on_slope
from scipy.integrate import solve_ivp

import symbody as sb

CLOSURES = ("partitioning", "penalty", "augmented")
TIGHT = sb.Newton(tolerance=1e-10)


@cache
def system(model=disc, closure="partitioning", **options):
    return sb.system(model(**options), closure=closure, outputs=["*"])


def steps_of(closure):
    """A method that suits a closure, and a step."""
    return {"method": sb.FixedStep("trapezoidal", newton=TIGHT)} if closure == "augmented" else {"method": "rk4"}


def disc_rates(t, y):
    """Euler's equations of a rolling disc in axes along heading, axle and upwards in its plane (derived by hand)."""
    _, _, yaw, lean, w1, w2, w3 = y
    A, C, mr2 = ACROSS, ALONG, MASS * RADIUS**2
    vx, vy = RADIUS * w2, -RADIUS * w1 * math.cos(lean)  # of the centre: forward, and sideways in the plane
    return [
        vx * math.cos(yaw) - vy * math.sin(yaw),
        vx * math.sin(yaw) + vy * math.cos(yaw),
        w3 / math.cos(lean),
        w1,
        ((C + mr2) * w2 * w3 - A * w3**2 * math.tan(lean) + MASS * G * RADIUS * math.sin(lean)) / (A + mr2),
        -mr2 * w1 * w3 / (C + mr2),
        w1 * w3 * math.tan(lean) - C / A * w1 * w2,
    ]


def disc_start(lean=0.2, yaw_rate=1.0, lean_rate=0.0, spin=8.0):
    w2, w3 = yaw_rate * math.sin(lean) + spin, yaw_rate * math.cos(lean)
    return [0.0, 0.0, 0.0, lean, lean_rate, w2, w3]


@pytest.mark.parametrize(("closure", "far"), [("partitioning", 1e-8), ("penalty", 2e-6), ("augmented", 1e-4)])
def test_a_disc_rolls_as_eulers_equations_say(closure, far):
    run = sb.simulate(system(closure=closure), until=1.0, dt=1e-3, **steps_of(closure))
    known = solve_ivp(disc_rates, (0.0, 1.0), disc_start(), rtol=1e-11, atol=1e-11).y[:, -1]
    found = [run[name][-1] for name in ("x.q", "y.q", "yaw.q", "lean.q", "lean.qd")]
    assert found == pytest.approx(known[:5], abs=far)
    energy = run["energy.kinetic"] + run["energy.potential"]
    assert np.ptp(energy) < 10 * far
    assert sb.velocity_violation(run).max() < {"partitioning": 1e-13, "penalty": 1e-6, "augmented": 1e-9}[closure]


@pytest.mark.parametrize(
    ("method", "dt", "far"),
    [
        ("rodas4", 2e-3, 1e-7),
        ("trapezoidal", 1e-3, 1e-4),
        ("generalised-alpha", 1e-3, 1e-4),
        ("radau", None, 1e-4),
        ("semi-implicit", 1e-4, 2e-3),
    ],
)
def test_every_kind_of_step_takes_it(method, dt, far):
    run = sb.simulate(system(), until=0.5, method=method, **({"dt": dt} if dt else {}))
    known = solve_ivp(disc_rates, (0.0, 0.5), disc_start(), rtol=1e-11, atol=1e-11).y[:, -1]
    assert [run[name][-1] for name in ("x.q", "y.q", "yaw.q", "lean.q")] == pytest.approx(known[:4], abs=far)


def test_penalty_with_implicit_steps_is_right_without_being_asked():
    """The stiffness of the loops multiplies the last correction of Newton's method: it stops later here."""
    run = sb.simulate(system(closure="penalty"), until=0.5, dt=1e-3, method="trapezoidal")
    known = solve_ivp(disc_rates, (0.0, 0.5), disc_start(), rtol=1e-11, atol=1e-11).y[:, -1]
    assert [run[name][-1] for name in ("x.q", "y.q", "yaw.q", "lean.q")] == pytest.approx(known[:4], abs=1e-4)


def test_steady_turn_of_a_disc_and_what_the_ground_gives():
    """(C + mr²) ω₂ω₃ − A ω₃² tan φ + m g r sin φ = 0 with φ̇ = 0: the disc stays on its circle."""
    lean, yaw_rate = 0.3, -2.0
    w3 = yaw_rate * math.cos(lean)
    w2 = (ACROSS * w3 * math.tan(lean) - MASS * G * RADIUS * math.sin(lean) / w3) / (ALONG + MASS * RADIUS**2)
    s = system(lean=lean, yaw_rate=yaw_rate, spin=w2 - yaw_rate * math.sin(lean))
    run = sb.simulate(s, until=2.0, dt=1e-3, every=0.1)
    assert run["lean.q"] == pytest.approx(np.full(len(run), lean), abs=1e-9)
    assert run["spin.qd"] == pytest.approx(np.full(len(run), run["spin.qd"][0]), abs=1e-8)
    circle = RADIUS * w2 / yaw_rate  # of the centre
    assert np.hypot(run["x.q"], run["y.q"] - circle) == pytest.approx(np.full(len(run), abs(circle)), abs=1e-8)
    assert run["contact.force.z"] == pytest.approx(np.full(len(run), MASS * G), abs=1e-6)
    inwards = np.hypot(run["contact.force.x"], run["contact.force.y"])
    assert inwards == pytest.approx(np.full(len(run), MASS * yaw_rate**2 * abs(circle)), abs=1e-6)


def test_a_turned_disc_needs_no_other_coordinates():
    """However it turns, the velocities of its slides stay those that follow: no pivot comes near zero."""
    run = sb.simulate(system(lean=0.05, yaw_rate=6.0, spin=1.0), until=3.0, dt=1e-3, every=0.1)
    assert abs(run["yaw.q"][-1]) > 2 * math.pi


@pytest.mark.parametrize("kind", ["wheel", "ball"])
@pytest.mark.parametrize("closure", CLOSURES)
def test_a_wheel_rolls_down_a_slope(kind, closure):
    """a = g sin α/(1 + J/mr²); what holds it back is m g sin α J/(J + mr²). Sideways nothing can move: redundant."""
    s = system(wheel_on_slope, closure, kind=kind)
    run = sb.simulate(s, until=0.5, dt=1e-3, **steps_of(closure))
    a = G * math.sin(0.3) / (1 + ALONG / (MASS * RADIUS**2))
    assert run["along.q"] == pytest.approx(0.5 * a * run.t**2, abs=1e-6)
    held = MASS * G * math.sin(0.3) * ALONG / (ALONG + MASS * RADIUS**2)
    force = [run[f"contact.force.{x}"][-1] for x in "xyz"]
    n = MASS * G * math.cos(0.3)
    along, normal = (math.cos(0.3), 0.0, -math.sin(0.3)), (math.sin(0.3), 0.0, math.cos(0.3))
    assert force == pytest.approx([n * normal[k] - held * along[k] for k in range(3)], abs=2e-4)
    assert run["contact.contact.z"][-1] == pytest.approx(-math.sin(0.3) * run["along.q"][-1], abs=1e-6)
    assert run["off.reaction.force.z"][-1] == pytest.approx(0.0, abs=1e-3)  # the joint only follows


def test_a_ball_on_a_turntable_goes_in_a_circle():
    """Of a homogeneous ball on a table turning with Ω the centre turns with 2Ω/7 (Earnshaw): v̇ = 2/7 Ω × v."""
    s = system(ball_on_turntable)
    run = sb.simulate(s, until=2.0, dt=2e-3)
    v = run["ball.vx"] + 1j * run["ball.vy"]
    assert v == pytest.approx((0.2 + 0.4j) * np.exp(1j * 2 / 7 * 3.0 * run.t), abs=1e-7)
    assert sb.velocity_violation(run).max() < 1e-12


@pytest.mark.parametrize("by_law", [False, True])
@pytest.mark.parametrize("closure", CLOSURES)
def test_a_knife_edge_on_a_slope_goes_along_a_cycloid(closure, by_law):
    """x = g sin α/2ω² sin² ωt,  y = g sin α/2ω² (ωt − ½ sin 2ωt) (Neimark and Fufaev)."""
    s = system(sled, closure, v0=(0.0, 0.0, 1.0), angle=0.3, by_law=by_law)
    run = sb.simulate(s, until=2.5, dt=1e-3, repartition=True, **steps_of(closure))
    c = G * math.sin(0.3) / 2
    found = run["x.q"], run["y.q"]
    known = c * np.sin(run.t) ** 2, c * (run.t - 0.5 * np.sin(2 * run.t))
    assert np.array(found) == pytest.approx(np.array(known), abs=3e-6 if closure == "augmented" else 1e-6)
    side = (
        run["blade.lambda"]
        if by_law
        else np.cos(run["heading.q"]) * run["blade.force.y"]
        - np.sin(run["heading.q"]) * (run["blade.force.x"] * math.cos(0.3) - run["blade.force.z"] * math.sin(0.3))
    )
    assert side == pytest.approx(3.0 * 2 * G * math.sin(0.3) * np.sin(run.t), abs=2e-3)


def test_without_leave_a_knife_edge_ends_before_its_coordinates_fail():
    s = system(sled, v0=(0.0, 0.0, 1.0), angle=0.3)
    with pytest.raises(sb.SingularityError, match="repartition=True"):
        sb.simulate(s, until=2.5, dt=1e-3)


@pytest.mark.parametrize("closure", CLOSURES)
def test_chaplygins_sleigh(closure):
    """u̇ = aω², ω̇ = −m a u ω/(I + ma²): u = U tanh(aUt/b² + c), ω = U/b sech(…), b² = (I + ma²)/m."""
    a, u0, w0 = 0.2, -0.5, 1.0
    s = system(sled, closure, com=a, v0=(u0, 0.0, w0))
    run = sb.simulate(s, until=4.0, dt=1e-3, repartition=True, **steps_of(closure))
    b2 = (0.5 + 3.0 * a**2) / 3.0
    U = math.sqrt(u0**2 + b2 * w0**2)
    grown = a * U / b2 * run.t + math.atanh(u0 / U)
    along = np.cos(run["heading.q"]) * run["x.qd"] + np.sin(run["heading.q"]) * run["y.qd"]
    assert along == pytest.approx(U * np.tanh(grown), abs=1e-5)
    assert run["heading.qd"] == pytest.approx(U / math.sqrt(b2) / np.cosh(grown), abs=1e-5)


def test_a_belt_moves_what_rolls_on_it():
    """ẋ − r θ̇ = v: a law with a part that does not depend on velocities; from rest the wheel starts to spin."""
    m = sb.Model("belt")
    m.parameter("belt", 0.7, "m/s")
    m.body("wheel", joints=[sb.Joint("x", "T1"), sb.Joint("spin", "R2")], mass=1.0, inertia=(0.1, 0.1, 0.1))

    @m.nonholonomic("belt")
    def belt(s, p):
        return s.qd["x"] - RADIUS * s.qd["spin"] - p.belt

    for closure in ("partitioning", "penalty"):
        s = sb.system(m, closure=closure, independent=["x"])
        run = sb.simulate(s, until=0.2, dt=1e-2)
        assert run.meta["energy"]["drift"] < 1e-6
        assert run["spin.qd"] == pytest.approx(np.full(len(run), -0.7 / RADIUS), abs=1e-6)
        assert run["spin.q"][-1] == pytest.approx(-0.2 * 0.7 / RADIUS, abs=1e-6)


def slopes_by_differences(f, x, h=1e-6):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))]).T


@pytest.mark.parametrize(
    ("model", "closure"), [(disc, "partitioning"), (disc, "penalty"), (ball_on_turntable, "partitioning")]
)
def test_derivatives_are_those_of_the_rates(model, closure):
    s = system(model, closure)
    rng = np.random.default_rng(3)
    x = s.x0 + 0.1 * rng.standard_normal(len(s.x0))
    if closure == "penalty":
        x = s.x0
    A = s.linear(0.3, x).A
    numeric = slopes_by_differences(lambda z: s.rates(0.3, z), x)
    assert np.abs(A - numeric).max() < 1e-6 * np.abs(A).max()


def test_sensitivity_of_a_wheel_on_a_slope():
    """s = ½ g sin α t²/(1 + J/mr²): ds/dJ by hand."""
    s = sb.system(wheel_on_slope())
    found = sb.sensitivity(s, {"way": sb.Objective(final="along.q")}, ["J"], until=0.5, dt=1e-3)
    mr2 = MASS * RADIUS**2
    exact = -0.5 * G * math.sin(0.3) * 0.25 / mr2 / (1 + ALONG / mr2) ** 2
    assert found.gradient["J"] == pytest.approx(exact, rel=1e-8)


def test_a_stepper_goes_where_a_simulation_goes():
    s = system()
    run = sb.simulate(s, until=0.1, dt=1e-3)
    stepper = sb.stepper(s, dt=1e-3)
    x = s.x0
    for _ in range(100):
        x = stepper.step(x)
    assert s.observe(0.1, x) == pytest.approx(run.values[-1], abs=1e-12)
