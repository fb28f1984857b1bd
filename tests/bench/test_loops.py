"""Closed loops against engines that know nothing of coordinate partitioning: Pinocchio, MuJoCo, and a textbook."""

import shutil

import numpy as np
import pytest
from closed_models import (
    ASIDE,
    LENGTH,
    RADIUS,
    TRANSLATED,
    five_bar,
    four_bar,
    quarter_car,
    seven_hinges,
    slider_crank,
    spatial_slider,
    stewart,
)
from scipy.integrate import solve_ivp

import symbody as sb
from symbody_bench import loops_peers
from symbody_bench.clock import BuildError, call_compiled
from symbody_bench.loops import FUNCTIONS, closed_states, closed_system, compile_function, inputs
from symbody_bench.loops_cpp import cpp_functions, cpp_inputs
from symbody_bench.loops_lapack import numeric_functions
from symbody_bench.loops_mujoco import to_mujoco_loops
from symbody_bench.loops_pinocchio import to_pinocchio_loops
from symbody_bench.models import by_name

EXACT = 1e-9  # of the largest component; both engines solve the same equations
FACTORS = 1e-7  # what numeric_closure.c leaves by taking the factors of its last step, not of the closed position
# MuJoCo's constraints give way by a compliance of 1e-12/kg, and pull back what assembling left open: some 1e-9 in all.
SOFT = 1e-7
STATES = 5


def close(found, wanted, tolerance):
    assert np.abs(found - wanted).max() <= tolerance * max(1.0, np.abs(wanted).max())


def random_states(system, seed=0):
    return closed_states(system, np.random.default_rng(seed), STATES)


def need(tool):
    if not shutil.which(tool):
        pytest.skip(f"no {tool} on this machine")


@pytest.mark.parametrize("name", TRANSLATED)
def test_accelerations_as_of_pinocchio(name):
    pytest.importorskip("pinocchio")
    model = TRANSLATED[name]()
    system, peer = closed_system(model), to_pinocchio_loops(model)
    f = compile_function(system, "constrained")
    for state in random_states(system):
        found = f(*inputs(system, "constrained", state, before=1e-3))
        close(found.q, state.q, EXACT)
        close(found.qd, state.v, EXACT)
        close(found.qdd, peer.direct(state.q, state.v, state.Q), EXACT)


@pytest.mark.parametrize("name", TRANSLATED)
def test_accelerations_as_of_mujoco(name):
    pytest.importorskip("mujoco")
    model = TRANSLATED[name]()
    system, peer = closed_system(model), to_mujoco_loops(model)
    f = compile_function(system, "constrained")
    # MuJoCo leaves out J̇q̇ of rods, which it has as tendons: those are compared at rest
    moving = 0.0 if any(cut.kind == "rod" for cut in model.cuts.values()) else 1.0
    for state in random_states(system):
        u, ud, Q, guess = inputs(system, "constrained", state)
        close(f(u, moving * ud, Q, guess).qdd, peer.direct(state.q, moving * state.v, state.Q), SOFT)


@pytest.mark.parametrize("name", TRANSLATED)
def test_efforts_give_pinocchio_the_wanted_accelerations(name):
    pytest.importorskip("pinocchio")
    model = TRANSLATED[name]()
    system, peer = closed_system(model), to_pinocchio_loops(model)
    f = compile_function(system, "closed_inverse")
    for state in random_states(system):
        efforts = np.zeros(model.nv)
        efforts[system.actuated] = f(*inputs(system, "closed_inverse", state, before=1e-3)).phi
        close(peer.direct(state.q, state.v, efforts), state.a, EXACT)


def test_forces_in_the_ball_joints_as_of_pinocchio():
    """λ acts on the second end of a cut, in the ground frame; Pinocchio's force on the first, in that point's frame."""
    pytest.importorskip("pinocchio")
    model = stewart()
    system, peer = closed_system(model), to_pinocchio_loops(model)
    f = compile_function(system, "constrained")
    for state in random_states(system):
        lam = np.empty(18)
        lam[list(system.partition.rows)] = f(*inputs(system, "constrained", state)).lam
        peer.direct(state.q, state.v, state.Q)
        turns = [peer.tree.point_rotation(state.q, cut.a) for cut in model.cuts.values()]
        close(-lam.reshape(6, 3), np.array([R @ force for R, force in zip(turns, peer.forces(), strict=True)]), EXACT)


def test_rod_as_in_a_textbook():
    """The slide's place is a function s(θ) of the crank's angle: (I + m s'²) θ̈ + m s's'' θ̇² = Q + s'Qs − weight."""
    system = closed_system(spatial_slider())
    f = compile_function(system, "constrained")
    (y, z), r = ASIDE, RADIUS
    for state in random_states(system):
        angle, rate = state.q[0], state.v[0]
        sine, cosine = np.sin(angle), np.cos(angle)
        reach = np.sqrt(LENGTH**2 - (r * cosine - y) ** 2 - (r * sine - z) ** 2)
        first = r * (z * cosine - y * sine) / reach
        second = (-r * (y * cosine + z * sine) - first**2) / reach
        assert state.q[1] == pytest.approx(0.1 + reach, abs=1e-11)
        push = state.Q[0] + first * state.Q[1] - 9.81 * 0.1 * cosine - 2.0 * first * second * rate**2
        turn = push / (0.02 + 0.1**2 + 2.0 * first**2)
        wanted = np.array([turn, first * turn + second * rate**2])
        close(f(*inputs(system, "constrained", state)).qdd, wanted, EXACT)


def moving(model, **velocities):
    """The model with initial velocities of some joints."""
    for joint in model.joints():
        joint.v0 = velocities.get(joint.name, joint.v0)
    return model


MOTIONS = {
    "five-bar": lambda: moving(five_bar(), left=(2.0,), right=(-1.0,)),
    "seven hinges": lambda: moving(seven_hinges()),
    "slider-crank": lambda: moving(slider_crank(), crank=(4.0,)),
    "quarter-car": lambda: moving(quarter_car(), heave=(2.0,), travel=(0.3,)),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_motion_as_of_pinocchio(name):
    """Half a second, Pinocchio's accelerations integrated to ten digits."""
    pytest.importorskip("pinocchio")
    model = MOTIONS[name]()
    motion = sb.simulate(model, 0.5, 5e-4)
    peer, still, n = to_pinocchio_loops(model), np.zeros(model.nv), model.nv

    def slope(t, y):
        return np.concatenate([y[n:], peer.direct(y[:n], y[n:], still)])

    start = np.concatenate([motion.q[0], motion.qd[0]])
    there = solve_ivp(slope, (0.0, 0.5), start, "DOP853", rtol=1e-10, atol=1e-11).y[:, -1]
    assert np.abs(motion.q[-1] - motion.q[0]).max() > 0.1
    np.testing.assert_allclose(there[:n], motion.q[-1], atol=1e-7)
    np.testing.assert_allclose(there[n:], motion.qd[-1], atol=1e-6)


def thrown_stewart():
    """A platform that is thrown up and comes back within half a second."""
    return moving(stewart(), platform=(0.3, -0.2, 2.4, 0.5, -0.4, 0.6))


def mujoco_motion(model, motion, until, dt, recovery):
    """Where MuJoCo, with its integrator of fourth order, arrives from the beginning of a motion."""
    mujoco = pytest.importorskip("mujoco")
    peer = to_mujoco_loops(model, recovery=recovery)
    peer.model.opt.integrator, peer.model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, dt
    peer.set(motion.q[0], motion.qd[0])
    mujoco.mj_step(peer.model, peer.data, round(until / dt))
    q = np.empty(model.nq)
    q[peer.q_order] = peer.data.qpos
    return q, peer.back(np.array(peer.data.qvel))


@pytest.mark.parametrize("make", [four_bar, thrown_stewart])
def test_motion_as_of_mujoco(make):
    model = make()
    motion = sb.simulate(model, 0.5, 1e-3)
    q, v = mujoco_motion(model, motion, 0.5, 5e-4, recovery=0.02)
    np.testing.assert_allclose(q, motion.q[-1], atol=1e-6)
    np.testing.assert_allclose(v, motion.qd[-1], atol=1e-5)


def test_motion_of_the_rod_as_of_mujoco():
    """A time constant of 0.2 ms lets the rod stretch by 4e-8 s² times J̇q̇, which stands for what MuJoCo leaves out."""
    model = moving(spatial_slider(), crank=(3.0,))
    motion = sb.simulate(model, 0.5, 1e-3)
    q, v = mujoco_motion(model, motion, 0.5, 2e-5, recovery=2e-4)
    np.testing.assert_allclose(q, motion.q[-1], atol=1e-5)
    np.testing.assert_allclose(v, motion.qd[-1], atol=1e-4)


@pytest.mark.parametrize("plain", [False, True], ids=["LAPACK", "plain"])
@pytest.mark.parametrize("name", ["stewart", "quarter-car", "five-bar"])
def test_numerical_closure_computes_the_same(name, plain):
    need("cc")
    system = closed_system(TRANSLATED[name]())
    functions = numeric_functions(system, plain)
    for function in FUNCTIONS:
        f = compile_function(system, function)
        sizes = [int(np.prod(shape)) for shape in f.signature.outputs.values()]
        for state in random_states(system):
            given = inputs(system, function, state, before=1e-3)
            for found, wanted in zip(call_compiled(functions[function], given, sizes), f(*given), strict=True):
                if wanted.size:
                    close(found, wanted, FACTORS)


@pytest.mark.minutes
@pytest.mark.slow  # the first time, g++ needs minutes for Pinocchio's templates
@pytest.mark.parametrize("freeflyer", [False, True])
@pytest.mark.parametrize("name", ["stewart", "quarter-car"])
def test_pinocchio_cpp_computes_the_same(name, freeflyer):
    pytest.importorskip("pinocchio")
    need("g++")
    system = closed_system(by_name(name))
    peer = to_pinocchio_loops(system.model, freeflyer)
    try:
        functions = cpp_functions(system, peer)
    except BuildError as error:
        pytest.skip(str(error))
    for state in random_states(system):
        efforts = compile_function(system, "closed_inverse")(*inputs(system, "closed_inverse", state)).phi
        given = cpp_inputs(system, peer, "closed_inverse", state)
        (found,) = call_compiled(functions["closed_inverse"], given, [len(efforts)])
        close(found, efforts, EXACT)
        if freeflyer and system.model.nq > system.model.nv:  # accelerations in other frames
            continue
        accelerations = compile_function(system, "constrained")(*inputs(system, "constrained", state)).qdd
        given = cpp_inputs(system, peer, "constrained", state)
        found, _ = call_compiled(functions["constrained"], given, [peer.tree.model.nv, peer.rows])
        close(peer.tree.back(found)[: system.model.nv], accelerations, EXACT)


def test_a_cut_without_translation_is_a_note():
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    planar = four_bar("planar-ball")
    for peer, functions in ((loops_peers.pinocchio_cpp, FUNCTIONS), (loops_peers.mujoco_c, FUNCTIONS)):
        results = peer(planar)
        assert [r.function for r in results] == list(functions)
        assert all(r.us_per_call is None and "cut loop" in r.note for r in results)


def test_the_guess_is_one_step_behind():
    system = closed_system(four_bar())
    (state, *_) = random_states(system)
    *same, guess = inputs(system, "constrained", state, before=1e-3)
    *_, closed = inputs(system, "constrained", state)
    assert 1e-5 < np.abs(guess - closed).max() < 1e-2
    constraints = sb.compile(system.model, "constraints")(state.q)
    assert np.abs(constraints.h).max() < 1e-11
    assert np.abs(constraints.J @ state.v).max() < 1e-11
    assert len(same) == 3
