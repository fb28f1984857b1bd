"""Damping, friction, efforts and limits of joints from files: they act as their equations say, and energy adds up.

Tests of joint_laws.py, joint_limits.py and dropped.py.
"""

import math

import numpy as np
import pytest
from test_urdf_file import joint, link, robot

import symbody as sb
from symbody.errors import DroppedWarning, LimitError, ModelError
from symbody.model.dropped import Dropped, dropped_table

DYNAMICS = '<dynamics damping="0.4" friction="0.3"/>'


def rotor(folder, dynamics="", limit="", kind="revolute", **options):
    """One link that turns about a vertical axis through its centre of mass: gravity does nothing."""
    made = joint("j", kind, "base", "l", axis="0 0 1").replace("</joint>", f"{dynamics}</joint>")
    if limit:
        made = made.replace('<limit lower="-3" upper="3" effort="1" velocity="1"/>', limit)
    inertia = '<inertia ixx="1" iyy="1" izz="2" ixy="0" ixz="0" iyz="0"/>'
    body = f'<link name="l"><inertial><mass value="1"/>{inertia}</inertial></link>'
    path = folder / "robot.urdf"
    path.write_text(robot(link("base"), body, made))
    return sb.load(path, **options)


def test_damping_and_friction_slow_a_rotor_down(tmp_path):
    """I ω̇ = −c ω − F tanh(ω/v₀): at 3 rad/s, and the account of what is lost."""
    m = rotor(tmp_path, DYNAMICS)
    s = sb.system(m)
    assert s.rates(0.0, np.array([0.0, 3.0]))[1] == pytest.approx(-(0.4 * 3 + 0.3) / 2)
    assert s.rates(0.0, np.array([0.0, -3.0]))[1] == pytest.approx((0.4 * 3 + 0.3) / 2)
    s.parameters["j_friction"] = 0.0  # live
    assert s.rates(0.0, np.array([0.0, 3.0]))[1] == pytest.approx(-0.4 * 3 / 2)
    run = sb.simulate(s, until=1.0, dt=1e-3, x0=np.array([0.0, 3.0]))
    assert run["j.qd"][-1] == pytest.approx(3 * math.exp(-0.2), rel=1e-6)
    balance = sb.energy_balance(run, elements=["j.passive"])
    assert balance.drift < 1e-6 * balance.lost[-1]


def test_efforts_bound_what_is_given(tmp_path):
    m = rotor(tmp_path, limit='<limit effort="5" velocity="0"/>')
    (made,) = m.joints()
    assert (made.limits.effort, made.limits.velocity, made.limits.bounded) == (5.0, math.inf, False)
    s = sb.system(m, inputs=["j.Q"])
    for given, acting in ((3.0, 3.0), (50.0, 5.0), (-50.0, -5.0)):
        assert s.rates(0.0, np.zeros(2), np.array([given]))[1] == pytest.approx(acting / 2)


def test_limits_are_told_unless_they_act(tmp_path):
    m = rotor(tmp_path)
    assert (m.bodies["l"].joints[0].limits.lower, m.couplings) == (-3.0, {})
    assert any("position limits that have no effect" in note for note in m.notes)
    assert not rotor(tmp_path, limits="stop").notes
    with pytest.raises(ModelError, match="limits='bounce'"):
        rotor(tmp_path, limits="bounce")


def test_a_stop_throws_back_and_loses_energy(tmp_path):
    m = rotor(tmp_path, limits="stop", limit='<limit lower="-0.5" upper="0.5" effort="20" velocity="9"/>')
    s = sb.system(m)
    run = sb.simulate(s, until=1.5, dt=2e-4, x0=np.array([0.0, 1.0]))
    assert 0.5 < run["j.q"].max() < 0.6
    assert run["j.q"].min() < 0.0
    assert abs(run["j.qd"][-1]) < 0.99
    balance = sb.energy_balance(run, elements=["j.stops"])
    assert balance.lost[-1] > 0.01
    assert balance.drift < 1e-4 * balance.lost[-1]


def test_a_run_ends_at_a_limit(tmp_path):
    m = rotor(tmp_path, limits="end", limit='<limit lower="0" upper="0.5" effort="20" velocity="9"/>')
    with pytest.raises(LimitError, match="upper") as ended:
        sb.simulate(sb.system(m), until=2.0, dt=1e-3, x0=np.array([0.0, 1.0]))
    assert ended.value.time == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize("dynamics", ['<dynamics damping="-1"/>', '<dynamics friction="much"/>'])
def test_what_no_joint_has_is_dropped_and_told(dynamics, tmp_path):
    with pytest.warns(DroppedWarning, match="0 or more"):
        m = rotor(tmp_path, dynamics)
    assert m.couplings == {}


def test_limits_and_armature_survive_a_file(tmp_path):
    m = rotor(tmp_path, DYNAMICS, limits="stop")
    m.bodies["l"].joints[0].armature = 0.25
    sb.save(m, tmp_path / "m.yaml")
    again = sb.load(tmp_path / "m.yaml")
    assert again.bodies["l"].joints == m.bodies["l"].joints
    assert again.couplings.keys() == m.couplings.keys()
    x = np.array([3.1, -2.0])
    np.testing.assert_allclose(sb.system(again).rates(0.0, x), sb.system(m).rates(0.0, x))
    drive = sb.Model("drive")
    drive.body("rotor", joints=[sb.Joint("rotor", "R3", armature=0.5)])
    with pytest.raises(ModelError, match="armatures"):
        sb.save(drive, tmp_path / "m.mbs")


@pytest.mark.parametrize(
    ("limits", "message"),
    [("{lower: 2, upper: 1}", "lower limit"), ("{effort: 0}", "above 0"), ("{lower: L}", "plain number")],
)
def test_limits_that_cannot_be_meant_are_refused(limits, message, tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text(
        "symbody: 1\nname: m\nparameters: {L: 1}\n"
        f"bodies: {{a: {{joints: [{{type: R1, limits: {limits}}}], mass: 1}}}}\n"
    )
    with pytest.raises(ModelError, match=message):
        sb.load(path)


def test_the_table_has_one_row_for_one_reason():
    rows = dropped_table([Dropped("sensor", "a", "why"), Dropped("sensor", "b", "why"), Dropped("plugin", "c", "why")])
    assert rows.count("\n") == 1
    assert "a and 1 more" in rows
