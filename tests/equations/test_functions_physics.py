"""Properties that need no other engine: identities, balances, and formulas known in closed form.

Tests of kinematics.py, newton_euler.py, energy.py, forces.py, regressor.py.
"""

import numpy as np
import pytest
from programs import run

from symbody.analysis.random_states import random_state
from symbody.equations.functions import FUNCTIONS, GenerationOptions, make_program
from symbody.errors import ModelError
from symbody.model.model import Model
from symbody_bench.random_trees import random_tree


@pytest.fixture(params=range(6))
def tree(request):
    rng = np.random.default_rng(100 + request.param)
    model = random_tree(rng, joints=int(rng.integers(3, 15)))
    bodies = list(model.bodies.values())
    model.link("spring", bodies[0], bodies[-1]) if len(bodies) > 1 else model.link("spring", model.ground, bodies[0])
    model.force_site("push", bodies[-1])
    return model, *random_state(model, rng), rng


def numbers(model, function, point="", **inputs):
    return run(make_program(model, function, GenerationOptions(point=point)), **inputs)


def test_pendulum_in_closed_form():
    m = Model("pendulum")
    m.body("arm", joints="R2", mass=2.0, com=(0, 0, -0.5), inertia=(0.3, 0.2, 0.1))
    q, qd, qdd = [0.4], [1.1], [-0.7]
    Q = numbers(m, "inverse", q=q, qd=qd, qdd=qdd)["Q"]
    assert pytest.approx((0.2 + 2 * 0.25) * qdd[0] + 2 * 9.81 * 0.5 * np.sin(q[0]), rel=1e-14) == Q
    energy = numbers(m, "energy", q=q, qd=qd)
    assert energy["kinetic"] == pytest.approx(0.5 * 0.7 * qd[0] ** 2)
    assert energy["potential"] == pytest.approx(-2 * 9.81 * 0.5 * np.cos(q[0]))


def test_external_loads_act_at_the_centre_of_mass(tree):
    model, q, v, a, rng = tree
    loads = {"frc": rng.normal(size=3 * len(model.bodies)), "trq": rng.normal(size=3 * len(model.bodies))}
    change = (
        numbers(model, "inverse", q=q, qd=v, qdd=a, **loads)["Q"] - numbers(model, "inverse", q=q, qd=v, qdd=a)["Q"]
    )
    expected = np.zeros(model.nv)
    for i, body in enumerate(model.bodies.values()):
        from symbody.model.formula import evaluate

        com = [evaluate(c, model.values) for c in body.com]
        path = body.point(f"com{i}", com).path
        at = numbers(model, "point", point=path, q=q)
        R, J = at["rotation"], at["jacobian"]
        expected -= J[:3].T @ (R @ loads["frc"][3 * i : 3 * i + 3]) + J[3:].T @ (R @ loads["trq"][3 * i : 3 * i + 3])
    np.testing.assert_allclose(change, expected, atol=1e-10 * max(1, np.abs(expected).max()))


def test_power_of_the_inverse_dynamics_is_the_change_of_energy(tree):
    """dE/dt = q̇·Q along the motion, by central differences."""
    model, q, v, a, _ = tree
    h = 1e-6
    rate = make_program(model, "rates")

    def energy(s):
        moved = q + s * run(rate, q=q, qd=v + 0.5 * s * a)["q_dot"]
        e = numbers(model, "energy", q=moved, qd=v + s * a)
        return e["kinetic"] + e["potential"]

    power = v @ numbers(model, "inverse", q=q, qd=v, qdd=a)["Q"]
    assert (energy(h) - energy(-h)) / (2 * h) == pytest.approx(power, rel=1e-5, abs=1e-4)


def test_accelerations_are_the_change_of_velocities(tree):
    model, q, v, a, _ = tree
    h = 1e-6
    path = list(model.bodies.values())[-1]["origin"].path
    rate = make_program(model, "rates")

    def motion(s):
        return numbers(
            model, "point", point=path, q=q + s * run(rate, q=q, qd=v + 0.5 * s * a)["q_dot"], qd=v + s * a, qdd=a
        )

    here, after, before = motion(0.0), motion(h), motion(-h)
    for rate_name, name in (("velocity", "position"), ("acceleration", "velocity"), ("omega_dot", "omega")):
        difference = (after[name] - before[name]) / (2 * h)
        np.testing.assert_allclose(here[rate_name], difference, rtol=1e-5, atol=1e-4 * max(1, np.abs(difference).max()))


def test_regressors_times_parameters_are_inverse_dynamics_and_energy(tree):
    from symbody_bench.numeric import inertial

    model, q, v, a, _ = tree
    Y = numbers(model, "regressor", q=q, qd=v, qdd=a)["Y"]
    h = numbers(model, "energy_regressor", q=q, qd=v)["h"]
    energy = numbers(model, "energy", q=q, qd=v)
    delta = []
    for body in model.bodies.values():
        m, c, inertia = inertial(model, body)
        about_origin = inertia + m * (np.dot(c, c) * np.eye(3) - np.outer(c, c))
        delta += [
            m,
            *(m * np.asarray(c)),
            *np.diag(about_origin),
            about_origin[0, 1],
            about_origin[0, 2],
            about_origin[1, 2],
        ]
    Q = numbers(model, "inverse", q=q, qd=v, qdd=a)["Q"]
    np.testing.assert_allclose(Y @ delta, Q, atol=1e-9 * max(1, np.abs(Q).max()))
    total = energy["kinetic"] + energy["potential"]
    np.testing.assert_allclose(h @ delta, total, atol=1e-9 * max(1, abs(total)))


def test_reaction_of_the_ground_balances_momentum(tree):
    """Force of the ground on the system = d/dt(momentum) − weight: checked against six locked joints under the base."""
    model, q, v, a, _ = tree
    found = numbers(model, "reaction", q=q, qd=v, qdd=a)
    carried = Model("carried", model.gravity, model.parameters, links={}, cuts={})
    base = carried.body("base", joints="T1 T2 T3 R1 R2 R3")
    for point in model.ground.points.values():
        base.point(point.name, point.position, point.rotation)
    for body in model.bodies.values():
        on = "base" + body.on.removeprefix("ground") if body.on.startswith("ground.") else body.on
        carried.bodies[body.name] = type(body)(
            body.name, on, body.joints, body.mass, body.com, body.inertia, body.points
        )
    still = np.zeros(6)
    Q = numbers(carried, "inverse", q=np.r_[still, q], qd=np.r_[still, v], qdd=np.r_[still, a])["Q"][:6]
    scale = max(1, np.abs(Q).max())
    np.testing.assert_allclose(found["force"], Q[:3], atol=1e-10 * scale)
    np.testing.assert_allclose(found["torque"], Q[3:], atol=1e-10 * scale)


def test_links_and_sites_project_by_virtual_power(tree):
    """q̇·Q = −tension × rate of length; q̇·Q = F·v + T·ω."""
    model, q, v, _, rng = tree
    tension = [3.7]
    link = numbers(model, "links", q=q, qd=v)
    Q = numbers(model, "link_forces", q=q, Z=tension)["Q"]
    assert v @ Q == pytest.approx(-tension[0] * link["rate"][0], rel=1e-9, abs=1e-9)
    F, T = rng.normal(size=3), rng.normal(size=3)
    at = numbers(model, "point", point=model.force_sites["push"].point, q=q, qd=v)
    Q = numbers(model, "site_forces", q=q, F=F, T=T)["Q"]
    assert v @ Q == pytest.approx(F @ at["velocity"] + T @ at["omega"], rel=1e-9, abs=1e-9)


def test_every_number_may_stay_live(tree):
    model, q, v, a, _ = tree
    fixed = run(make_program(model, "inverse", GenerationOptions(live="none")), q=q, qd=v, qdd=a)["Q"]
    program = make_program(model, "inverse", GenerationOptions(live="all"))
    np.testing.assert_allclose(run(program, q=q, qd=v, qdd=a)["Q"], fixed, atol=1e-10 * max(1, np.abs(fixed).max()))
    heavy = {name: 2 * value for name, value in program.parameters.items() if ".mass" in name or ".inertia" in name}
    assert "gravity.z" in program.parameters
    if len(heavy) == 7 * len(model.bodies):
        np.testing.assert_allclose(run(program, heavy, q=q, qd=v, qdd=a)["Q"], 2 * fixed, atol=1e-9)


def test_a_joint_without_inertia_is_named():
    m = Model("ghost")
    m.body("arm", joints="R2", mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1))
    m.body("ghost", on="arm", joints="R3")
    with pytest.raises(ModelError, match="ghost"):
        make_program(m, "direct")


def test_unknown_functions_and_missing_points_are_explained():
    m = Model("m")
    m.body("arm", joints="R2", mass=1.0)
    with pytest.raises(ModelError, match="did you mean inverse"):
        make_program(m, "invers")
    with pytest.raises(ModelError, match="point="):
        make_program(m, "jacobian")
    with pytest.raises(ModelError, match="sensors"):
        make_program(m, "sensors")


def test_the_cheaper_form_of_direct_dynamics_is_chosen_and_reported():
    m = Model("arm")
    place = m.ground
    for i in range(4):
        body = m.body(f"b{i}", place, ("R2", "R3")[i % 2], mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.3))
        place = body.point("tip", (0.2, 0, 0))
    program = make_program(m, "direct")
    costs = {note.split(":")[0]: int(note.split()[1]) for note in program.notes}
    assert set(costs) == {"order-n", "factorised"}
    assert program.operations.total == min(costs.values())


def test_every_function_is_listed_with_its_units_or_equation():
    assert all(spec.summary for spec in FUNCTIONS.values())
