"""What a system is before it is traced: coordinates, names and start, found once and never changed."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.system.definition import PENALTY, define
from symbody.system.options import SystemOptions
from symbody.system.system import system_of


def test_a_definition_holds_names_and_start_and_cannot_be_changed():
    d = define(machines.model("four-bar"), SystemOptions(), ["crank.q"])
    assert d.states == ["crank.q", "crank.qd"]
    assert len(d.partition.dependent) == len(d.guess0) == 2
    with pytest.raises(FrozenInstanceError):
        d.wanted = None
    s = system_of(d)
    assert s.outputs == ["crank.q"]
    np.testing.assert_array_equal(s.x0, d.x0)


def test_a_definition_from_a_given_start_keeps_it():
    s = sb.system(machines.model("four-bar"))
    q, v = s.motion(0.0, s.x0 + np.array([0.4, 2.0]))
    d = define(s.model, s.options, start=(q, v, np.zeros(0)))
    at = dict(zip(d.states, d.x0, strict=True))
    joints = {f"{name}.q": x for name, x in zip(s.model.coordinates, q, strict=True)}
    assert all(at[name] == pytest.approx(x, abs=1e-12) for name, x in joints.items() if name in at)


def test_the_penalty_factor_is_found_from_the_masses_unless_it_is_given():
    m = machines.model("four-bar")
    found, given = (define(m, SystemOptions("penalty", alpha=alpha)) for alpha in (0.0, 123.0))
    assert found.options.alpha == PENALTY * found.largest_mass > 0.0
    assert (found.asked.alpha, found.alpha_given) == (0.0, False)
    assert (given.options.alpha, given.asked.alpha, given.alpha_given) == (123.0, 123.0, True)
    assert not found.state_partition.dependent  # x holds every coordinate


def test_another_process_makes_the_same_system_of_it():
    d = define(machines.open("four-bar"), SystemOptions())
    one, other = system_of(d), system_of(pickle.loads(pickle.dumps(d)))
    np.testing.assert_allclose(one.rates(0.0, one.x0), other.rates(0.0, other.x0), rtol=1e-12)


def four_bar(**velocities: float) -> sb.Model:
    """A four-bar whose coupler and rocker are named dependent, with initial velocities."""
    m = machines.model("four-bar")
    for joint in m.joints():
        joint.v0 = (velocities.get(joint.name, 0.0),)
    return m


def test_a_velocity_given_at_a_joint_that_is_named_dependent_is_kept():
    """The other joints follow from the loops, as J q̇ = 0 says at the assembled position."""
    s = sb.system(four_bar(rocker=3.0))
    assert s.states == ["rocker.q", "rocker.qd"]
    q, v = s.motion(0.0, s.x0)
    assert v[2] == 3.0
    assert np.abs(sb.compile(s.model, "constraints")(q).J @ v).max() < 1e-14
    again = sb.system(four_bar(**dict(zip(s.model.velocities, v, strict=True))))
    assert again.states == ["crank.q", "crank.qd"]  # now that all are given, the named ones are dependent
    assert again.motion(0.0, again.x0)[1] == pytest.approx(v, rel=1e-12)


def test_several_velocities_that_agree_are_kept():
    s = sb.system(four_bar(rocker=3.0))
    _, coupler, rocker = s.motion(0.0, s.x0)[1]
    two = sb.system(four_bar(coupler=coupler, rocker=rocker))
    assert two.motion(0.0, two.x0)[1] == pytest.approx(s.motion(0.0, s.x0)[1], rel=1e-12)


def test_velocities_that_cannot_be_together_are_refused_with_both_numbers():
    with pytest.raises(
        sb.ModelError, match=r"velocity -?\d+ contradicts the loops, which require .* with (rocker|crank) at"
    ):
        sb.system(four_bar(crank=1.0, rocker=30.0))
    with pytest.raises(sb.ModelError, match="require 0 with all others at rest") as caught:
        sb.system(four_bar(rocker=3.0), independent=["crank"])
    assert "make rocker independent" in caught.value.cure
    kept = sb.system(four_bar(rocker=3.0), independent=["rocker"])
    assert kept.x0[1] == 3.0


def test_initial_positions_of_independent_joints_are_kept():
    """Loops are closed by the joints named dependent, whatever is chosen as independent later."""
    m = machines.model("four-bar")
    for joint, shift in zip(m.joints(), (0.0, 0.05, -0.07), strict=True):
        joint.q0 = (joint.q0[0] + shift,)
    q = sb.assemble(m)
    assert q[0] == sb.system(m).x0[0] == -1.0
    assert np.abs(sb.compile(m, "constraints")(q).h).max() < 1e-12
    assert sb.system(m, independent=["rocker"]).x0[0] == q[2]


def test_where_the_dependent_joints_cannot_close_the_loops_all_move():
    m = machines.model("slider-crank")
    for joint in m.joints():
        joint.nature = "independent"
    next(iter(m.joints())).nature = "dependent"  # one unknown, two equations
    q = sb.assemble(m)
    assert np.abs(sb.compile(m, "constraints")(q).h).max() < 1e-12


def test_a_singular_start_is_told_by_joints_of_the_loop():
    """Two bars stretched between two pins, and a body that falls beside them, which is first in the order."""
    m = sb.Model("stretched")
    m.body("stone", joints="free", mass=1.0, inertia=0.1)
    crank = m.body("crank", joints="R2", mass=1.0, inertia=0.1)
    bar = m.body("bar", on=crank.point("end", (1.0, 0.0, 0.0)), joints="R2", mass=1.0, inertia=0.1)
    m.cut("pin", "ball", bar.point("end", (1.0, 0.0, 0.0)), m.ground.point("pin", (2.0, 0.0, 0.0)))
    with pytest.raises(sb.SingularityError, match=r"singular position of the loops\. They determine crank") as told:
        sb.system(m, backend="python")
    assert "stone" not in str(told.value)
