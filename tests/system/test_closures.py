"""Every closure and both formulations give the same motion, each to the order of its integrator."""

import numpy as np
import pytest
from test_constrained import four_bar, spatial_slider

import symbody as sb
from symbody import machines
from symbody.stepping.fixed_step import StepSettings
from symbody.stepping.registry import suited_fixed
from symbody.stepping.start_state import start_state
from symbody.system.motion_names import acceleration_names
from symbody_bench.validate.multipliers import reference

CLOSED = {
    "four-bar, redundant hinge": lambda: four_bar("revolute"),
    "spatial slider": spatial_slider,
    **{
        name: machines.entry(name).model
        for name in ("slider-crank", "four-bar", "quarter-car", "double-wishbone", "stewart")
    },
}
UNTIL = 0.2
INSTANTS = 20


@pytest.fixture(scope="module")
def exact():
    """Motions by partitioning with small steps, once for each model."""
    known = {}

    def motion(name):
        if name not in known:
            dt = 5e-5
            known[name] = sb.simulate(CLOSED[name](), UNTIL, dt, every=UNTIL / INSTANTS).q
        return known[name]

    return motion


def errors(name, exact, steps, **options):
    """Largest deviation of the motion for each step."""
    s = sb.system(CLOSED[name](), **options)
    found = []
    for dt in steps:
        run = sb.simulate(s, UNTIL, dt, every=UNTIL / INSTANTS)
        found.append(np.abs(run.q - exact(name)).max())
    gap = np.abs(sb.compile(s.model, "constraints")(run.q).h).max()
    return found, gap


@pytest.mark.parametrize("name", CLOSED)
def test_the_augmented_lagrangian_is_of_second_order_and_holds_the_loops(name, exact):
    (coarse, fine), gap = errors(name, exact, (2e-3, 1e-3), closure="augmented")
    assert coarse / fine == pytest.approx(4.0, rel=0.15)
    assert fine < 2e-4
    assert gap < 1e-9


@pytest.mark.parametrize("name", CLOSED)
def test_the_penalty_keeps_near_the_exact_motion(name, exact):
    (error,), gap = errors(name, exact, (1e-3,), closure="penalty")
    assert error < 2e-6
    assert gap < 1e-6


@pytest.mark.parametrize("name", CLOSED)
def test_the_semi_recursive_formulation_gives_the_same_numbers(name, exact):
    model = CLOSED[name]()
    one, other = (sb.system(model, formulation=f) for f in ("recursive", "semi-recursive"))
    x = one.x0.copy()
    x[len(one.layout.coordinates) :] += 0.3
    np.testing.assert_allclose(one.rates(0.0, x), other.rates(0.0, x), rtol=1e-8, atol=1e-8)
    assert errors(name, exact, (1e-3,), formulation="semi-recursive")[0][0] < 2e-6


def test_closures_and_formulations_combine():
    model = machines.model("four-bar")
    ways = [{"closure": c, "formulation": f} for c in ("augmented", "penalty") for f in ("recursive", "semi-recursive")]
    runs = [sb.simulate(model, 0.1, 1e-3, **way).q for way in ways]
    np.testing.assert_allclose(runs[0], runs[1], atol=1e-9)
    np.testing.assert_allclose(runs[2], runs[3], atol=1e-9)


def test_user_states_and_driven_joints_in_the_augmented_closure():
    """A driven crank and a filter behind the rocker: the same as with partitioning."""

    def build():
        m = four_bar(driven=True)
        m.trajectory("crank")(lambda t, p: -1.2 + 0.5 * t + 0.2 * sb.functions.tanh(t))
        m.state("lag", start=0.1)(lambda s, p: 8.0 * (s.q["rocker"] - p.lag) + 0.1 * s.qd["rocker"])
        m.body("pendulum", m.bodies["rocker"]["tip"], "R2", mass=0.4, com=(0.1, 0, 0.05), inertia=(1e-3, 2e-3, 1e-3))
        return m

    reference = sb.simulate(build(), 0.4, 1e-4, every=0.001)
    for dt, bound in ((2e-3, 1e-4), (1e-3, 2.5e-5)):
        run = sb.simulate(build(), 0.4, dt, closure="augmented")
        step = round(dt / 1e-3)
        np.testing.assert_allclose(run.q, reference.q[::step], atol=bound)
        np.testing.assert_allclose(run["lag"], reference["lag"][::step], atol=bound)


def test_redundant_equations_do_no_harm_to_closures_that_keep_them_all():
    models = [four_bar(kind) for kind in ("planar-ball", "revolute")]
    start = sb.assemble(models[0])
    for model in models:
        for joint, q in zip(model.joints(), start, strict=True):
            joint.q0 = (float(q),)
    plain, redundant = (sb.simulate(model, 0.2, 1e-3, closure="augmented").q for model in models)
    np.testing.assert_allclose(plain, redundant, atol=1e-9)


@pytest.mark.parametrize("make", [four_bar, machines.entry("quarter-car").model])
def test_forces_in_the_cut_are_the_same_by_all_closures(make):
    model = make()
    ways = [sb.system(model, closure=c, outputs=["*.force.*"]) for c in ("partitioning", "penalty", "augmented")]
    cuts = [i for i, n in enumerate(ways[0].outputs) if n.split(".")[0] in model.cuts]
    one, *others = (s.observe(0.0, s.x0) for s in ways)
    for other in others:
        np.testing.assert_allclose(one[cuts], other[cuts], atol=1e-5 * np.abs(one[cuts]).max())


def work_of_laws(run):
    """∫ of the power of links, sites, joint forces over time: tension shortens, forces push."""
    model, power = run.model, 0.0
    for name in model.links:
        power = power - run[f"{name}.tension"] * run[f"{name}.rate"]
    for name in model.joint_laws:
        power = power + run[f"{name}.Q"] * run[f"{name}.qd"]
    for site in model.force_sites:
        power = power + sum(run[f"{site}.force.{a}"] * run[f"wheel_centre.velocity.{a}"] for a in "xyz")
    return np.r_[0.0, np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))]


@pytest.mark.parametrize("closure", ["partitioning", "augmented", "penalty"])
@pytest.mark.parametrize("name", ["four-bar", "quarter-car", "stewart"])
def test_the_energy_balance_closes(name, closure):
    """What the energy gains is what springs, dampers, tyre and motors give, with inputs that change."""
    model = CLOSED[name]()
    inputs = {n: (lambda t, k=k: 0.01 * (k + 1) * t) for k, n in enumerate(model.inputs)}
    run = sb.simulate(model, 0.2, 2e-4, closure=closure, outputs=["*"], inputs=inputs)
    energy = run["energy.kinetic"] + run["energy.potential"]
    gained = energy - energy[0]
    np.testing.assert_allclose(gained, work_of_laws(run), atol=1e-4 * run["energy.kinetic"].max())


def test_a_moving_platform_takes_few_iterations_in_the_augmented_closure():
    """Too much stiffness of the loops drowns the digits of the motion, and Newton's method no longer ends."""
    model = machines.model("stewart")
    next(j for j in model.joints() if j.name == "platform").v0 = (0.5,) * 6
    s = sb.system(model, closure="augmented", outputs=["energy.kinetic"])
    steps = suited_fixed(s).steps(start_state(s), StepSettings(1e-3, s.u0[None]))
    steps.run(1000, 1000)
    assert steps.done == 1000
    assert steps.most <= 5


@pytest.mark.parametrize(("angle", "penalty", "augmented"), [(-0.1, 1e-6, 1e-11), (-0.01, 1e-4, 1e-7)])
def test_the_augmented_closure_squares_the_error_of_the_penalty_near_a_singular_position(angle, penalty, augmented):
    """A parallelogram that is nearly flat, against the multiplier equations."""
    m = sb.Model("parallelogram", gravity=(0, 0, -9.81))
    bar = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0, 1 / 12, 1 / 12)}
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(angle,), v0=(3.0,))], **bar)
    beam = m.body("beam", crank.point("tip", (1, 0, 0)), [sb.Joint("beam", "R2", q0=(-angle,))], mass=1.0)
    other = m.body("other", m.ground.point("foot", (2, 0, 0)), [sb.Joint("other", "R2", q0=(angle,))], **bar)
    m.cut("pin", "planar-ball", beam.point("pin", (2, 0, 0)), other.point("tip", (1, 0, 0)), axis=2)
    for closure, tolerance in (("penalty", penalty), ("augmented", augmented)):
        s = sb.system(m, closure=closure, outputs=acceleration_names(m))
        exact = reference(m, s.x0[:3], s.x0[3:]).qdd
        assert np.abs(s.observe(0.0, s.x0) - exact).max() < tolerance * np.abs(exact).max()
