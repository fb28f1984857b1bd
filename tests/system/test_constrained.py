"""The closed system in one function, against the equations with multipliers solved as one large linear system.

Tests of equations/constrained.py, equations/closed.py.
"""

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.equations.closed import first_guess, given_coordinates
from symbody.equations.compile import compile_constrained
from symbody.errors import AssemblyError, SingularityError
from symbody.system.assembly import assemble
from symbody.system.partition import partition


def four_bar(kind="ball", driven=False):
    """Crank 0.3 m, coupler 0.8 m, rocker 0.6 m on a base of 0.7 m, hinges about axis 2; the coupler's tip is cut."""
    m = sb.Model("four-bar")
    nature = "driven" if driven else "independent"
    m.ground.point("pivot", (0.7, 0, 0))
    crank = m.body(
        "crank",
        joints=[sb.Joint("crank", "R2", nature, q0=(-1.2,))],
        mass=1.0,
        com=(0.15, 0, 0),
        inertia=(0.01, 0.02, 0.02),
    )
    coupler = m.body(
        "coupler",
        crank.point("tip", (0.3, 0, 0)),
        [sb.Joint("coupler", "R2", q0=(0.6,))],
        mass=2.0,
        com=(0.4, 0, 0.05),
        inertia=(0.01, 0.1, 0.1),
    )
    rocker = m.body(
        "rocker",
        "ground.pivot",
        [sb.Joint("rocker", "R2", q0=(-1.4,))],
        mass=1.5,
        com=(0.3, 0, 0),
        inertia=(0.01, 0.05, 0.05),
    )
    m.cut("loop", kind, coupler.point("tip", (0.8, 0, 0)), rocker.point("tip", (0.6, 0, 0)), axis=2)
    return m


def spatial_slider():
    """A crank about axis 1 and a slider along axis 1, joined by a rod with ball ends: one cut of each end's kind."""
    m = sb.Model("spatial-slider")
    crank = m.body(
        "crank", joints=[sb.Joint("crank", "R1", q0=(0.4,))], mass=1.0, com=(0, 0.1, 0), inertia=(0.02, 0.01, 0.01)
    )
    slider = m.body("slider", joints=[sb.Joint("slider", "T1", q0=(0.5,))], mass=2.0, inertia=(0.01, 0.01, 0.01))
    m.cut("rod", "rod", crank.point("pin", (0.1, 0.2, 0)), slider, length=0.6)
    return m


def hexapod():
    """A platform on six legs, each a universal joint, a slide and a ball cut: free body and six loops."""
    m = sb.Model("hexapod")
    place = sb.Joint("platform", "free", q0=(0, 0, 1.0, 1, 0, 0, 0))
    platform = m.body("platform", joints=[place], mass=20.0, inertia=(1.0, 1.0, 1.8))
    for i in range(6):
        a, b = (np.pi / 3 * (i // 2 * 2) + s for s in ((0.2, 0.9)[i % 2], (-0.1, 1.2)[i % 2]))
        foot, top = np.array([np.cos(a), np.sin(a), 0]), np.array([0.6 * np.cos(b), 0.6 * np.sin(b), 0])
        d = top + np.array([0, 0, 1.0]) - foot
        q1 = np.arctan2(-d[1], d[2])
        q2 = np.arctan2(d[0], np.hypot(d[1], d[2]))
        m.ground.point(f"foot{i}", foot)
        joints = [sb.Joint(f"leg{i}.R1", "R1", "dependent", (q1,)), sb.Joint(f"leg{i}.R2", "R2", "dependent", (q2,))]
        tube = m.body(f"leg{i}", f"ground.foot{i}", joints, mass=1.0, com=(0, 0, 0.3), inertia=(0.05, 0.05, 0.01))
        slide = [sb.Joint(f"rod{i}", "T3", "dependent", (float(np.linalg.norm(d)),))]
        rod = m.body(f"rod{i}", tube, slide, mass=0.5, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.002))
        m.cut(f"ball{i}", "ball", rod, platform.point(f"top{i}", top))
    return m


MODELS = {
    "four-bar": four_bar,
    "four-bar, hinge": lambda: four_bar("revolute"),
    "four-bar, plane": lambda: four_bar("planar-ball"),
    "spatial slider": spatial_slider,
    "hexapod": hexapod,
    "quarter car": lambda: machines.open("quarter-car"),
}


def closed_state(model, rng):
    """A closed position, its partition, and random velocities of the given coordinates."""
    q = assemble(model)
    parts = partition(model, q)
    return q, parts, rng.normal(size=len(parts.given))


def with_multipliers(model, q, qd, Q, driven=(), push=()):
    """q̈, λ, driven efforts from [M −Jᵀ −Dᵀ; J 0 0; D 0 0]; minimum norm where equations are redundant."""
    M, c = sb.compile(model, "dynamics")(q, qd)
    J = sb.compile(model, "constraints")(q).J
    bias = sb.compile(model, "constraint_bias")(q, qd)
    D = np.eye(model.nv)[list(driven)]
    A = np.block([[M, -J.T, -D.T], [J, np.zeros((len(J), len(J) + len(D)))], [D, np.zeros((len(D), len(J) + len(D)))]])
    x = np.linalg.lstsq(A, np.concatenate([Q - c, -bias, push]), rcond=None)[0]
    return x[: model.nv], J.T @ x[model.nv : model.nv + len(J)], x[model.nv + len(J) :]


@pytest.mark.parametrize("name", MODELS)
def test_accelerations_and_constraint_forces(name):
    model = MODELS[name]()
    rng = np.random.default_rng(7)
    q, parts, ud = closed_state(model, rng)
    u, guess = q[given_coordinates(model, parts)], first_guess(model, parts, q)
    Q = rng.normal(size=model.nv)
    f = compile_constrained(model, parts, live="all")
    found = f(u, ud, Q, guess + 0.01 * rng.normal(size=len(guess)))
    np.testing.assert_allclose(found.q, q, atol=1e-10)
    J = sb.compile(model, "constraints")(found.q).J
    np.testing.assert_allclose(J @ found.qd, 0, atol=1e-9)
    qdd, forces, _ = with_multipliers(model, found.q, found.qd, Q)
    scale = max(1.0, np.abs(qdd).max())
    np.testing.assert_allclose(found.qdd, qdd, atol=1e-8 * scale)
    np.testing.assert_allclose(found.udd, qdd[list(parts.free)], atol=1e-8 * scale)
    np.testing.assert_allclose(J[list(parts.rows)].T @ found.lam, forces, atol=1e-7 * max(1.0, np.abs(forces).max()))


def test_driven_joint_and_the_effort_it_needs():
    model = four_bar(driven=True)
    rng = np.random.default_rng(8)
    q, parts, ud = closed_state(model, rng)
    assert parts.free == ()
    assert parts.driven == (0,)
    u, guess = q[given_coordinates(model, parts)], first_guess(model, parts, q)
    found = compile_constrained(model, parts)(u, ud, np.zeros(3), guess, add=np.array([2.5]))
    qdd, _, effort = with_multipliers(model, q, found.qd, np.zeros(3), parts.driven, [2.5])
    np.testing.assert_allclose(found.qdd, qdd, rtol=1e-9)
    np.testing.assert_allclose(found.Qd, effort, rtol=1e-9)


def test_redundant_equations_are_left_out():
    parts = {kind: partition(m, assemble(m)) for kind in ("ball", "revolute", "planar-ball") for m in (four_bar(kind),)}
    assert {kind: len(p.rows) for kind, p in parts.items()} == {"ball": 2, "revolute": 2, "planar-ball": 2}
    assert all(len(p.free) == 1 for p in parts.values())


def test_a_loop_that_cannot_close_is_named_with_its_gap():
    m = four_bar()
    m.ground.points["pivot"].position = (5.0, 0.0, 0.0)
    with pytest.raises(AssemblyError, match="'loop' stays open by 3"):
        assemble(m)


def test_equations_that_the_other_joints_cannot_satisfy_are_refused():
    m = four_bar()
    with pytest.raises(SingularityError, match="only 1 can be satisfied with crank, coupler independent"):
        partition(m, assemble(m), independent=["crank", "coupler"])


def test_a_jump_out_of_reach_shows_as_nan():
    model = four_bar()
    q = assemble(model)
    parts = partition(model, q)
    model.ground.points["pivot"].position = (5.0, 0.0, 0.0)
    u, guess = q[given_coordinates(model, parts)], first_guess(model, parts, q)
    found = compile_constrained(model, parts)(u, np.zeros(1), np.zeros(3), guess)
    assert np.isnan(found.udd).all()


def test_a_free_joint_without_inertia_is_named():
    m = four_bar()
    m.body("ghost", m.bodies["rocker"], "R1")
    with pytest.raises(sb.ModelError, match="ghost"):
        compile_constrained(m, partition(m, assemble(m)))
