"""The semi-recursive formulation gives the numbers of the recursive engine, by a way of its own."""

from dataclasses import replace

import numpy as np
import pytest
from programs import run

from symbody.analysis.random_states import random_state
from symbody.codegen.program import Input, Output, Program
from symbody.equations.composite import mass_matrix
from symbody.equations.functions import GenerationOptions, input_sizes, make_program, vector_output
from symbody.equations.lumping import lumped
from symbody.equations.newton_euler import inverse_dynamics
from symbody.equations.semi_recursive import motions, semi_recursive
from symbody.equations.tree import build_tree
from symbody.expr.node import ZERO, const, sin
from symbody.expr.node_table import fresh_graph
from symbody.model.model import Model
from symbody_bench.random_trees import random_tree


def program(model, outputs, live="named", change=lambda tree: tree):
    """What `outputs` makes of the model's tree, as a program over q, qd and the loads."""
    with fresh_graph():
        tree = change(build_tree(model, live))
        inputs = {name: Input(size) for name, size in input_sizes(model).items()}
        return Program("test", "test", "", inputs, outputs(tree), dict(tree.live))


def as_outputs(M, c):
    return {"M": Output((len(c), len(c)), tuple(x for row in M for x in row)), "c": vector_output(c)}


def semi(tree):
    return as_outputs(*semi_recursive(tree))


def engine(tree):
    return as_outputs(mass_matrix(tree), inverse_dynamics(tree, accelerations=False))


def velocities(tree):
    found = motions(tree)
    return {name: Output((len(found), 6), tuple(x for m in found for x in getattr(m, name))) for name in ("Z", "Zdot")}


def state_of(model, seed):
    """A random state with loads on all bodies."""
    rng = np.random.default_rng(seed)
    q, v, _ = random_state(model, rng)
    n = 3 * len(model.bodies)
    return {"q": q, "qd": v, "frc": rng.normal(0, 5, n), "trq": rng.normal(0, 5, n)}


def assert_same(found, expected):
    for name in ("M", "c"):
        scale = max(1e-300, np.abs(expected[name]).max(initial=0.0))
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-10 * scale)


def excavator():
    """A slide on a turned point, two branches, a wrist without mass, a welded tool, live lengths and masses."""
    m = Model("excavator", gravity=(0.3, -0.2, -9.81))
    length, mass = m.parameter("length", 1.7), m.parameter("mass", 3.0)
    rail = m.ground.point("rail", (5.0, -2.0, 0.5), (0.4, -0.3, 1.1))
    car = m.body("car", rail, "T1 R3", 4.0, (0.1, 0.2, 0.3), (0.5, 0.6, 0.7, 0.01, 0.02, 0.03))
    boom = m.body("boom", car.point("foot", (0.2, 0, 0.4)), "R2", mass, (0.5 * length, 0, 0.1), (0.1, 0.8, 0.8))
    wrist = m.body("wrist", boom.point("tip", (length, 0, 0), (0.2, 0, 0)), "R1 T3")
    hand = m.body("hand", wrist.point("seat", (0, 0.1, 0), (0, 0.7, 0)), "R2", 0.5 * mass, (0, 0.1, 0.2), (0.1,) * 3)
    m.body("tool", hand.point("flange", (0.1, 0.2, 0.3), (0.5, 0.6, 0.7)), "", 1.0, (0.1, 0, 0.3), (0.05,) * 3)
    m.body("mast", car.point("roof", (0, 0, 1), (0, 0.3, 0)), "ball T2", 2.0, (0, 0.1, 0.6), (0.2, 0.3, 0.1))
    return m


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_random_trees_agree_with_the_engine(seed, floating):
    rng = np.random.default_rng(700 + seed)
    model = random_tree(rng, joints=int(rng.integers(3, 13)), floating=floating)
    state = state_of(model, seed)
    assert_same(run(program(model, semi), **state), run(make_program(model, "dynamics"), **state))


@pytest.mark.parametrize("kinds", [("R1", "R2", "R3"), ("T1", "T2", "T3"), ("ball",), ("free",), ("massless", "weld")])
def test_each_kind_of_joint_agrees(kinds):
    model = random_tree(np.random.default_rng(17), joints=5, kinds=kinds)
    state = state_of(model, 3)
    assert_same(run(program(model, semi), **state), run(make_program(model, "dynamics"), **state))


def test_a_machine_with_everything_agrees_while_its_numbers_change():
    model, state = excavator(), state_of(excavator(), 5)
    named, found = make_program(model, "dynamics"), program(model, semi)
    for values in ({}, {"length": 2.3, "mass": 11.0}, {"mass": 0.0}):
        assert_same(run(found, values, **state), run(named, values, **state))
    every = make_program(model, "dynamics", GenerationOptions(live="all"))
    heavier = {name: 1.3 * x for name, x in every.parameters.items()}
    assert_same(run(program(model, semi, "all"), heavier, **state), run(every, heavier, **state))


def test_external_loads_alone():
    """Without gravity and at rest, c is what the loads ask of the joints."""
    model = excavator()
    model.gravity = (0.0, 0.0, 0.0)
    state = state_of(model, 8) | {"qd": np.zeros(model.nv)}
    expected = run(make_program(model, "dynamics"), **state)
    assert np.abs(expected["c"]).min() > 1e-3
    assert_same(run(program(model, semi), **state), expected)


def test_no_mass_is_needed_where_there_is_a_first_moment():
    """A lumped chain of hinges has no masses at all, only first and second moments."""
    model, state = excavator(), state_of(excavator(), 6)
    with fresh_graph():
        assert any(
            f.inertia.m.value == 0.0 and any(x is not ZERO for x in f.inertia.ms)
            for f in lumped(build_tree(model)).frames
        )
    assert_same(run(program(model, semi, change=lumped), **state), run(make_program(model, "dynamics"), **state))


def test_coordinates_may_be_expressions():
    """With q = sin 2x and q̇ = 3 y in the frames: as with those values given."""
    model, state = excavator(), state_of(excavator(), 7)

    def expressed(tree):
        frames = [
            replace(f, q=[sin(const(2.0) * x) for x in f.q], v=[const(3.0) * x for x in f.v]) for f in tree.frames
        ]
        return replace(tree, frames=frames)

    given = state | {"q": np.arcsin(state["q"]) / 2, "qd": state["qd"] / 3}
    found = run(program(model, semi, change=expressed), **given)
    assert_same(found, run(make_program(model, "dynamics"), **state))
    assert_same(found, run(program(model, engine, change=expressed), **given))


@pytest.mark.parametrize("seed", range(4))
def test_accelerations_are_the_change_of_velocities(seed):
    """Ż = d/dt[ṡ; ω] + [ω × ṡ; 0] along a motion: with q̈ = a, T Rd a + T Ṙd q̇; by complex steps, so to all digits."""
    rng = np.random.default_rng(40 + seed)
    model = random_tree(rng, joints=7, floating=seed % 2 == 1)
    q, v, a = random_state(model, rng)
    at, h = program(model, velocities), 1e-30
    rates = run(make_program(model, "rates"), q=q, qd=v)["q_dot"]
    here, pushed = run(at, q=q, qd=v), run(at, q=q, qd=a)
    moved = run(at, q=q + 1j * h * rates, qd=v + 1j * h * a)["Z"].imag / h
    s, w = here["Z"][:, :3], here["Z"][:, 3:]
    moved[:, :3] += np.cross(w, s)
    np.testing.assert_allclose(here["Zdot"] + pushed["Z"], moved, rtol=0, atol=1e-12 * np.abs(moved).max())


def test_velocities_are_those_of_the_origin():
    """Z = [v − ω × r; ω] of the kinematics in the ground frame."""
    model = excavator()
    state = state_of(model, 9)
    at = run(make_program(model, "kinematics"), q=state["q"], qd=state["qd"])
    Z = run(program(model, velocities), **state)["Z"]
    with fresh_graph():
        frames = {name: place.frame for name, place in build_tree(model).places.items()}
    for i, name in enumerate(model.bodies):
        expected = np.r_[at["velocity"][i] - np.cross(at["omega"][i], at["position"][i]), at["omega"][i]]
        np.testing.assert_allclose(Z[frames[name]], expected, atol=1e-12)


def test_branches_do_not_meet_in_the_mass_matrix():
    """Blocks of Tᵀ M̄ T off the paths to the root are zeros of the graph, not small numbers."""
    M = program(excavator(), semi).outputs["M"]
    boom_to_hand, mast = range(2, 6), range(6, 10)
    for i in boom_to_hand:
        for j in mast:
            assert M.elements[10 * i + j] is ZERO
            assert M.elements[10 * j + i] is ZERO
