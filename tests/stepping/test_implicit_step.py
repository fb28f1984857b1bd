"""Implicit steps of positions and states together, against fine explicit ones and against what theory says of them."""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.stepping.fixed_step import StepSettings
from symbody.stepping.newton import TANGENTS, Newton
from symbody.stepping.registry import FIXED
from symbody.stepping.start_state import start_state
from symbody.stepping.step_equations import newton_program

METHODS = [name for name, method in FIXED.items() if method.newton]
CLOSURES = ("partitioning", "augmented", "penalty")


def charged() -> sb.Model:
    """A slider-crank whose spring's rest length a state drives: mechanics and state push each other."""
    m = machines.model("slider-crank")
    body = next(reversed(m.bodies.values()))
    m.ground.point("anchor", (0.1, 0.0, 0.3))
    m.parameter("stiff", 300.0)
    m.link("spring", "ground.anchor", body)(lambda length, rate, p: p.stiff * (length - p.rest))

    @m.state("rest", start=0.2)
    def rest(s, p):
        return 40.0 * (s.length("spring") - p.rest) + 0.05 * s.rate("spring")

    return m


@pytest.mark.parametrize("closure", CLOSURES)
@pytest.mark.parametrize("method", METHODS)
def test_second_order_in_the_step(closure, method):
    fine = sb.simulate(charged(), 0.4, 1e-5, every=0.4, outputs=["*.q", "rest"])
    s = sb.system(charged(), closure=closure, outputs=["*.q", "rest"], omega=200.0)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        run = sb.simulate(s, 0.4, dt, method=sb.FixedStep(method, newton=Newton(tolerance=1e-10)))
        errors.append(np.abs(run.values[-1] - fine.values[-1]).max())
    if closure != "penalty":  # whose violation has an error of its own
        assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.35)
        assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.35)
    assert errors[-1] < 2e-3


@pytest.mark.parametrize("closure", CLOSURES)
@pytest.mark.parametrize("tangent", TANGENTS)
def test_the_tangent_does_not_change_the_motion(closure, tangent):
    if (closure, tangent) == ("augmented", "kept"):
        pytest.skip("refused: the projections need the tangent of the end")
    s = sb.system(charged(), closure=closure, outputs=["*.q", "rest"])
    exact = sb.simulate(s, 0.2, 1e-3, method=sb.FixedStep("trapezoidal", newton=Newton(tolerance=1e-9)))
    other = sb.simulate(
        s, 0.2, 1e-3, method=sb.FixedStep("trapezoidal", newton=Newton(tolerance=1e-9, tangent=tangent))
    )
    np.testing.assert_allclose(other.values, exact.values, atol=2e-7)
    if tangent == "numerical":
        assert exact.meta["iterations_mean"] <= other.meta["iterations_mean"]


@pytest.mark.parametrize("name", ["stewart", "quarter-car", "arm6", "bricard"])
def test_the_correction_is_newtons_own(name):
    """S⁻¹r of generated code against a tangent by differences over the same residual, at a random trial."""
    s = sb.system(machines.model(name), closure="augmented" if name == "bricard" else "partitioning")
    run = sb.simulate(s, 0.02, 1e-3, method=sb.FixedStep("trapezoidal", newton=Newton(tolerance=1e-9)))
    numerical = sb.simulate(
        s, 0.02, 1e-3, method=sb.FixedStep("trapezoidal", newton=Newton(tolerance=1e-9, tangent="numerical"))
    )
    np.testing.assert_allclose(run.q, numerical.q, atol=1e-7)
    assert run.meta["iterations_max"] <= 4


def test_quaternions_turn_as_they_should():
    """A free top: the trapezoidal rule keeps the quaternion's length and comes to the fine motion."""
    m = sb.Model("top", gravity=(0, 0, 0))
    body = m.body("top", m.ground, "free", mass=1.0, inertia=(0.1, 0.2, 0.35))
    body.joints[0].v0 = (0.0, 0.0, 0.0, 3.0, 0.1, -2.0)
    fine = sb.simulate(m, 1.0, 1e-4, every=1.0)
    run = sb.simulate(m, 1.0, 1e-3, method="trapezoidal", every=1.0)
    np.testing.assert_allclose(run.q[-1], fine.q[-1], atol=2e-5)


def test_a_small_spectral_radius_damps_what_is_too_fast():
    m = sb.Model("stiff")
    m.body("mass", m.ground, "T1", mass=1.0)
    next(m.joints()).q0 = (1e-3,)
    m.joint_force("mass")(lambda q, qd, p: -1e12 * q)
    kept = sb.simulate(m, 0.1, 1e-3, method="trapezoidal")
    damped = sb.simulate(m, 0.1, 1e-3, method=sb.FixedStep("generalised-alpha", newton=Newton(rho=0.0)))
    assert np.abs(kept["mass.q"][-10:]).max() > 1e-4
    assert np.abs(damped["mass.q"][-10:]).max() < 1e-9


def volumes(n: int) -> sb.Model:
    """A piston before a chain of n volumes, each flowing into the next."""
    m = sb.Model("chain of volumes")
    m.body("piston", m.ground, "T1", mass=10.0)
    m.joint_force("piston")(lambda q, qd, p: -1e-3 * p.p0 - 5.0 * qd)
    for k in range(n):

        @m.state(f"p{k}", start=1e5, scale=1e5)
        def pressure(s, p, k=k):
            inflow = p[f"p{k - 1}"] - p[f"p{k}"] if k else 1e9 * s.qd["piston"]
            out = p[f"p{k}"] - (p[f"p{k + 1}"] if k + 1 < n else 0.0)
            return 10.0 * (inflow - out)

    return m


def test_cost_grows_with_the_couplings_not_with_their_cube():
    def operations(n: int) -> int:
        s = sb.system(volumes(n), outputs=["piston.q"])
        return s.function("newton", newton_program).operations.total

    # one run: counted operations
    assert operations(96) < 9 * operations(12)


def test_tolerances_go_by_the_scale_of_a_state():
    coarse = sb.simulate(volumes(3), 0.05, 1e-3, method=sb.FixedStep("trapezoidal", newton=Newton(tolerance=1e-2)))
    fine = sb.simulate(volumes(3), 0.05, 1e-3, method=sb.FixedStep("trapezoidal", newton=Newton(tolerance=1e-10)))
    assert coarse.meta["iterations_mean"] <= fine.meta["iterations_mean"]
    np.testing.assert_allclose(coarse["p2"], fine["p2"], atol=1e3)


def test_a_cap_takes_the_step_as_it_is_and_counts_it():
    s = sb.system(charged())
    patient = StepSettings(1e-2, s.u0[None], newton=Newton(1e-13, limit=1, strict=False))
    steps = FIXED["trapezoidal"].steps(start_state(s), patient)
    steps.run(50)
    assert (steps.done, steps.most, steps.capped) == (50, 1, 50)
    hasty = StepSettings(1e-2, s.u0[None], newton=Newton(1e-13, limit=1))
    strict = FIXED["trapezoidal"].steps(start_state(s), hasty)
    strict.run(50)
    assert strict.done == 0


def test_numbers_out_of_range_are_refused():
    for wrong in ({"tangent": "rough"}, {"tolerance": 0.0}, {"limit": 0}, {"rho": 1.5}):
        with pytest.raises(sb.ModelError):
            Newton(**wrong)
    with pytest.raises(sb.ModelError, match="kept tangent"):
        sb.simulate(
            machines.model("four-bar"),
            0.01,
            1e-3,
            method=sb.FixedStep(newton=Newton(tangent="kept")),
            closure="augmented",
        )
    with pytest.raises(sb.ModelError, match="augmented"):
        sb.simulate(machines.model("four-bar"), 0.01, 1e-3, closure="augmented", method="rodas4")


# -- limits and inputs -----------------------------------------------------------------------------------------------


def falling() -> sb.Model:
    m = sb.Model("falling")
    m.body("stone", m.ground, "T3", mass=1.0)
    m.input("push")
    m.joint_force("stone")(lambda q, qd, p: p.push)
    m.limit("stone.height")(lambda s, p: s.q["stone"] + 1.0)
    return m


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "rodas4", "trapezoidal"])
@pytest.mark.parametrize("backend", ["c", "python"])
def test_a_limit_ends_the_run_and_says_which(method, backend):
    if backend == "python" and method == "trapezoidal":
        pytest.skip("steps in C only")
    with pytest.raises(sb.LimitError, match=r"stone.height .* at t = 0.452") as caught:
        sb.simulate(falling(), 1.0, 1e-3, method=method, backend=backend)
    assert caught.value.limit == "stone.height"
    assert caught.value.value == pytest.approx(0.0, abs=6e-3)
    assert caught.value.state.t[-1] == pytest.approx(0.452)


@pytest.mark.parametrize("method", ["rk4", "trapezoidal"])
def test_an_input_that_is_no_number_is_named_and_what_was_computed_is_kept(method):
    push = np.zeros(300)
    push[100:] = np.nan
    with pytest.raises(sb.DivergenceError, match=r"input push .* nan at t = 0.1 s") as caught:
        sb.simulate(falling(), 0.2, 1e-3, method=method, inputs={"push": push})
    assert caught.value.time == pytest.approx(0.1)
    assert len(caught.value.state.t) >= 98
