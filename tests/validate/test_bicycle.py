"""The bicycle against the numbers that Meijaard, Papadopoulos, Ruina and Schwab printed (bicycle.py)."""

import math
from functools import cache

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody_bench.validate.bicycle import (
    CAPSIZE,
    TABLE,
    WEAVE,
    critical_speeds,
    lateral_matrix,
    matrices,
    paired,
    settling_error,
    tabled,
)

MASS, WHEELBASE, G = 94.0, 1.02, 9.81


@cache
def bicycle(closure="partitioning", outputs=None, **start):
    return sb.system(machines.model("bicycle", **start), closure=closure, outputs=outputs)


def steady(s, v):
    return sb.equilibrium(s, steady={"rear_wheel.qd": v / 0.3})


def test_the_formulas_give_the_printed_matrices():
    """Equations 5.3: M, C₁, K₀, K₂ as printed, to their digits."""
    printed = {
        "M": [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]],
        "C1": [[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]],
        "K0": [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]],
        "K2": [[0.0, 76.59734589573222], [0.0, 2.65431523794604]],
    }
    for name, known in printed.items():
        np.testing.assert_allclose(getattr(matrices(), name), known, rtol=0, atol=5e-14)


@pytest.mark.parametrize("v", TABLE)
def test_eigenvalues_are_those_of_the_table(v):
    found = np.linalg.eigvals(lateral_matrix(bicycle(), v))
    assert paired(found, tabled(v)) == pytest.approx(tabled(v), abs=1e-12)


def test_the_lateral_motion_is_theirs():
    """Element by element: lean is counted alike, steer to the other side."""
    sides = np.diag([1.0, -1.0, 1.0, -1.0])
    for v in (0.0, 2.5, 7.0):
        ours, theirs = lateral_matrix(bicycle(), v), matrices().state_matrix(v)
        assert sides @ ours @ sides == pytest.approx(theirs, abs=1e-11)


def test_weave_and_capsize_speeds():
    assert critical_speeds(bicycle()) == pytest.approx([WEAVE, CAPSIZE], abs=1e-12)


@pytest.mark.parametrize(("v", "stable"), [(4.0, False), (4.28, False), (4.30, True), (6.02, True), (6.03, False)])
def test_it_is_stable_between_them(v, stable):
    s = bicycle()
    assert steady(s, v).stable == stable


def test_modes_name_what_moves():
    modes = sb.modal(bicycle(), steady(bicycle(), 5.0))
    (weave,) = [k for k, mode in enumerate(modes.modes) if mode.kind == "oscillation"]
    assert modes[weave].eigenvalue == pytest.approx(-0.77534188219585 + 4.46486771378823j, abs=1e-9)
    assert modes._moving(weave) == ["steer.q", "lean.q"]
    whole = modes.whole(weave)
    # the rear contact does not move sideways: δẏ = v δψ, and the heading turns by (v δ + c δ̇) cos λ/w
    assert modes[weave].eigenvalue * whole["y.qd"] == pytest.approx(
        5.0 * whole["yaw.qd"] - modes[weave].eigenvalue * whole["lean.qd"] * 0.3, abs=1e-9
    )
    turned = (5.0 + 0.08 * modes[weave].eigenvalue) * whole["steer.qd"] * math.cos(math.pi / 10) / WHEELBASE
    assert modes[weave].eigenvalue * whole["yaw.qd"] == pytest.approx(turned, abs=1e-9)


def test_a_small_disturbance_dies_out_as_the_linear_equations_say():
    assert settling_error()[0] < 1e-7


def test_the_whole_motion_after_a_push():
    """At 4.6 m/s with 0.5 rad/s of lean rate: upright again, and faster, for no energy is lost (their figure 4)."""
    run = sb.simulate(bicycle(speed=4.6, lean_rate=0.5), until=12.0, dt=2e-3, every=0.02)
    energy = run["energy.kinetic"] + run["energy.potential"]
    assert np.ptp(energy) < 1e-7
    assert abs(run["lean.q"][-1]) < 0.02
    kinetic = 0.5 * run["rear_wheel.qd"][-1] ** 2 * 0.09 * (MASS + 0.12 / 0.09 + 0.28 / 0.35**2)
    assert run["energy.kinetic"][-1] == pytest.approx(kinetic, rel=1e-3)
    assert 0.3 * run["rear_wheel.qd"][-1] > 4.6 + 0.02
    assert sb.velocity_violation(run).max() < 1e-12


def test_what_the_wheels_carry():
    """Moments about the rear contact; and what the axles transmit is the load less the wheel's weight."""
    found = bicycle(outputs=("*",)).at(0.0, steady(bicycle(), 5.0).x)
    front = (85 * 0.3 + 4 * 0.9 + 3 * WHEELBASE) / WHEELBASE * G
    assert found["front_contact.force.z"] == pytest.approx(front, abs=1e-9)
    assert found["rear_contact.force.z"] == pytest.approx(MASS * G - front, abs=1e-9)
    assert abs(found["front_wheel.reaction.force.z"]) == pytest.approx(front - 3 * G, abs=1e-9)
    assert found["ground.reaction.force.z"] == pytest.approx(MASS * G, abs=1e-9)
    assert found["front_contact.contact.x"] == pytest.approx(WHEELBASE, abs=1e-12)


@pytest.mark.parametrize(("closure", "options"), [("penalty", {}), ("augmented", {"method": "trapezoidal"})])
def test_other_closures_ride_alike(closure, options):
    exact = sb.simulate(bicycle(speed=4.6, lean_rate=0.5), until=1.0, dt=1e-3)
    run = sb.simulate(bicycle(closure, speed=4.6, lean_rate=0.5), until=1.0, dt=1e-3, **options)
    for name in ("lean.q", "steer.q", "y.q", "yaw.q"):
        assert run[name] == pytest.approx(exact[name], abs=1e-4), name
    assert sb.velocity_violation(run).max() < 1e-5


def test_the_penalty_closure_has_the_same_eigenvalues():
    """Over all coordinates there are more of them; those of the four lateral ones are among them."""
    s = bicycle("penalty", outputs=("lean.q",))
    values = np.linalg.eigvals(s.linear(0.0, s.x0).A)
    for known in tabled(5.0):
        assert np.abs(values - known).min() < 1e-4
