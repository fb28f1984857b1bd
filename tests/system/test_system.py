"""The System: names, evaluation, live parameters, inputs, and exact derivatives of everything through the loops.

Tests of trace.py, programs.py, channels.py, options.py, definition.py, functions.py.
"""

import numpy as np
import pytest
from test_constrained import MODELS, closed_state

import symbody as sb
from symbody import machines
from symbody.equations.closed import first_guess, given_coordinates
from symbody.equations.compile import compile_constrained
from symbody.system.motion_names import acceleration_names

FILED = {one.name: one.model for one in machines.entries() if one.file}
LARGE = ("hexapod", "quarter car", "car", "attenuator", "crash")
EVERY = {name: make for name, make in {**MODELS, **FILED}.items() if name not in LARGE}


def away(s, rng, far=0.02):
    """A state near the start, with velocities; quaternions of unit length."""
    x = s.x0 + far * rng.normal(size=len(s.x0))
    for q, _ in s.quaternions:
        x[q : q + 4] /= np.linalg.norm(x[q : q + 4])
    return x


def test_names_and_values_of_a_four_bar():
    s = sb.system(machines.model("four-bar"), outputs=["*"])
    assert s.states == ["crank.q", "crank.qd"]
    assert s.inputs == ["torque"]
    assert {"crank.q", "rocker.qdd", "crank.Q", "loop.force.x", "crank.reaction.force.z", "energy.kinetic"} <= {
        *s.outputs
    }
    assert s.laws == {"joint_forces.crank": "traced"}
    assert s.at(0.0, s.x0, np.array([0.7]))["crank.Q"] == pytest.approx(0.7)
    assert "four-bar: 2 states, 1 inputs" in repr(s)


@pytest.mark.parametrize("name", MODELS)
def test_rates_are_those_of_the_constrained_function(name):
    model = MODELS[name]()
    model.links.clear()
    model.force_sites.clear()
    s = sb.system(model, outputs=["*"])
    q, parts, ud = closed_state(model, np.random.default_rng(3))
    f = compile_constrained(model, parts)
    found = f(q[given_coordinates(model, parts)], ud, np.zeros(model.nv), first_guess(model, parts, q))
    x = np.r_[q[s.layout.coordinates], ud]
    rates = s.rates(0.0, x)
    scale = np.abs(found.udd).max()
    np.testing.assert_allclose(rates[len(s.layout.coordinates) :], found.udd, atol=1e-10 * scale)
    values = s.at(0.0, x)
    np.testing.assert_allclose(
        [values[n] for n in acceleration_names(model)], found.qdd, atol=1e-9 * np.abs(found.qdd).max()
    )


CASES = [("partitioning", name) for name in EVERY] + [("penalty", name) for name in ("four-bar", "quarter-car")]


@pytest.mark.parametrize(("closure", "name"), CASES)
def test_derivatives_are_those_of_differences(closure, name):
    model = EVERY[name]()
    more = ["*.tension", "*.force.*"] if name == "quarter-car" else []
    outputs = ["energy.*"] if name == "stewart" else ["*.q", "*.qd*", "energy.*", *more]
    s = sb.system(model, closure=closure, inputs=[f"{model.velocities[0]}.Q"], outputs=outputs, alpha=100.0)
    rng = np.random.default_rng(11)
    x, u = away(s, rng), s.u0 + 0.1 * rng.normal(size=len(s.u0))
    exact = s.linear(0.3, x, u)

    def both():
        return np.r_[s.rates(0.3, x, u), s.observe(0.3, x, u)]

    def slopes(vector, step):
        columns = []
        for k in range(len(vector)):
            middle = vector[k]
            vector[k] = middle + step
            above = both()
            vector[k] = middle - step
            columns.append((above - both()) / (2 * step))
            vector[k] = middle
        return np.array(columns).reshape(len(vector), -1).T

    n = len(x)
    for (f, y), vector in (((exact.A, exact.C), x), ((exact.B, exact.D), u)):
        found = slopes(vector, 1e-6)
        scale = 1 + np.abs(found).max(axis=1, keepdims=True)
        np.testing.assert_allclose(f / scale[:n], found[:n] / scale[:n], atol=2e-6)
        np.testing.assert_allclose(y / scale[n:], found[n:] / scale[n:], atol=2e-6)
    for k, (name, value) in enumerate(list(s.parameters.items())):
        step = 1e-6 * (abs(value) or 1.0)
        s.parameters[name] = value + step
        above = both()
        s.parameters[name] = value - step
        found = (above - both()) / (2 * step)
        s.parameters[name] = value
        whole = np.r_[exact.P[:, k], exact.S[:, k]]
        rounding = 1e-14 * np.abs(above).max() / step
        np.testing.assert_allclose(whole, found, atol=3e-6 * (1 + np.abs(found).max()) + rounding)


def test_a_parameter_is_live_in_all_functions():
    """A four-bar with another coupler, and one whose parameter was set: the same numbers, nothing compiled."""
    s = sb.system(machines.model("four-bar"))
    before = s.linear(0.0, s.x0)
    s.parameters["coupler_length"] = 0.26
    other = machines.model("four-bar")
    other.parameters["coupler_length"].value = 0.26
    t = sb.system(other)
    for a, b in zip(s.linear(0.0, s.x0), t.linear(0.0, s.x0), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    assert not np.allclose(before.A, s.linear(0.0, s.x0).A)
    np.testing.assert_allclose(s.observe(0.0, s.x0), t.observe(0.0, s.x0), rtol=1e-10, atol=1e-12)
    with pytest.raises(KeyError, match="coupler_length"):
        s.parameters["coupler"] = 1.0


def test_inputs_drive_a_measured_joint_and_push_a_site():
    m = machines.model("four-bar")
    next(j for j in m.joints() if j.name == "crank").nature = "driven"
    m.force_site("push", m.bodies["rocker"])
    s = sb.system(m, inputs=["crank.q", "push.force"], outputs=["crank.*", "rocker.q"])
    assert s.inputs == [
        "torque",
        "crank.q",
        "crank.qd",
        "crank.qdd",
        *(f"push.{k}.{a}" for k in ("force", "torque") for a in "xyz"),
    ]
    assert s.states == []
    u = s.u0.copy()
    assert u[1] == -1.0
    u[1:4] = -0.9, 2.0, 1.0
    free = s.at(0.0, s.x0, u)
    assert free["crank.qd"] == 2.0
    u[8] = 1.0  # a torque about axis 2 on the rocker is taken by the crank: power balance
    pushed = s.at(0.0, s.x0, u)
    rate = sb.system(m, inputs=["crank.q", "push.force"], outputs=["rocker.qd"]).at(0.0, s.x0, u)["rocker.qd"]
    assert pushed["crank.effort"] - free["crank.effort"] == pytest.approx(-rate / 2.0)


def test_a_chosen_independent_joint():
    s = sb.system(machines.model("four-bar"), independent=["rocker"])
    assert s.states == ["rocker.q", "rocker.qd"]
    with pytest.raises(sb.ModelError, match="nobody"):
        sb.system(machines.model("four-bar"), independent=["nobody"])
    with pytest.raises(sb.SingularityError, match="choose other joints"):
        sb.system(machines.model("four-bar"), independent=["rocker", "coupler"])


def test_what_cannot_be_asked_for_is_refused_with_the_cure():
    m = machines.model("four-bar")
    for options, words in (
        ({"outputs": ["crnk.q"]}, "crank.q"), ({"inputs": ["crank.q"]}, "driven"),
        ({"inputs": ["nobody.Q"]}, "JOINT.Q"),
        ({"closure": "magic"}, "augmented"), ({"formulation": "magic"}, "semi-recursive"),
        ({"inputs": ["crank.Q", "crank.Q"]}, "twice"),
    ):  # fmt: skip
        with pytest.raises(sb.ModelError, match=words):
            sb.system(m, **options)
