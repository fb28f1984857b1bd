# ruff: noqa: E501  lines of XML
"""MJCF against MuJoCo itself: mass matrix, bias force and accelerations of the same file at the same state.

Tests of mjcf_file.py, mjcf_document.py, mjcf_inertia.py, mjcf_actuators.py, mjcf_tendons.py, mjcf_equality.py,
mjcf_joints.py, mjcf_keyframe.py and mjcf_names.py.
"""

import warnings
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody.errors import DroppedWarning, ModelError

QUIET = '<option><flag contact="disable" limit="disable" frictionloss="disable"/></option>'


def written(folder, text, name="model.xml"):
    path = folder / name
    path.write_text(text)
    return path


def mjcf(body, more="", compiler='<compiler angle="radian"/>'):
    return f'<mujoco model="test">{compiler}{QUIET}<worldbody>{body}</worldbody>{more}</mujoco>'


def load(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedWarning)
        return sb.load(path, **options)


BALL = '<geom type="sphere" size="0.1" mass="0.7" pos="0.1 0.2 -0.1"/>'
MODELS = {
    "pendulum of degrees": '<mujoco><worldbody><body name="a" pos="0 0 1" euler="30 20 -50"><joint name="j" axis="0 1 0"/>'
    '<geom type="capsule" fromto="0 0 0 0.3 0.1 -0.5" size="0.04"/></body></worldbody></mujoco>',
    "joints that do not meet": mjcf(
        '<body name="a" pos="0.1 0.2 0.3" quat="0.8 0.1 -0.3 0.4">'
        '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" axis="1 2 -1" pos="0.1 -0.2 0.05"/>'
        '<joint name="z" axis="0 0 -1" pos="-0.1 0 0.3"/><geom type="box" size="0.1 0.2 0.05" pos="0.05 0 0"/>'
        '<body name="b" pos="0 0.4 0" axisangle="1 1 0 0.7"><joint name="w" axis="0 1 0"/>'
        '<geom type="cylinder" size="0.05 0.3" euler="0.3 0.4 0.5"/></body></body>'
    ),
    "joints that meet": mjcf(
        '<body name="a"><joint name="x" axis="1 0 0"/><joint name="y" axis="0 1 0"/><joint name="z" axis="0 0 1"/>'
        '<geom type="ellipsoid" size="0.1 0.2 0.3" pos="0.2 0 0.1"/></body>'
    ),
    "free and ball": mjcf(
        '<body name="a" pos="0.3 -0.1 1.2" quat="0.9 0.2 0.1 -0.3"><freejoint name="root"/>'
        '<geom type="box" size="0.2 0.1 0.05"/><body name="b" pos="0.2 0 0" euler="0.2 0 1">'
        '<joint name="ball" type="ball" pos="0.02 0.01 0" damping="0.3"/><geom type="capsule" size="0.03 0.2" pos="0.2 0 0"/>'
        '<body name="c" xyaxes="0 1 0 -1 0 0.2" pos="0.4 0 0"><joint name="h" axis="0 0 1"/><geom size="0.06"/></body>'
        "</body></body>"
    ),
    "inertials": mjcf(
        '<body name="a"><inertial mass="2" pos="0.1 0 0.2" quat="1 0.2 0 0.4" diaginertia="0.1 0.2 0.25"/>'
        '<joint name="j" axis="0 1 0" armature="0.3"/><geom type="box" size="9 9 9"/><body name="b" pos="0 0 0.5">'
        '<inertial mass="1" pos="0 0.1 0" fullinertia="0.1 0.12 0.15 0.01 -0.02 0.005"/>'
        '<joint name="s" type="slide" axis="1 1 0" armature="0.7"/><body name="c" zaxis="1 0 1"><joint name="k"/>'
        '<inertial mass="0.5" pos="0.2 0 0" diaginertia="0.01 0.01 0.01"/></body></body></body>'
    ),
    "defaults and frames": '<mujoco><compiler angle="degree" eulerseq="ZYX" inertiafromgeom="true" boundmass="0.5"'
    ' boundinertia="0.02" balanceinertia="true" settotalmass="7"/>'
    + QUIET
    + '<default><joint damping="0.2" axis="1 0 0"/><geom density="500"/><default class="arm"><geom type="capsule" size="0.05"/>'
    '<joint axis="0 1 0" stiffness="3" springref="20"/><default class="hand"><joint damping="0.7"/></default></default></default>'
    '<worldbody><body name="a" euler="10 20 30"><joint name="j"/><geom size="0.2"/><frame pos="0.1 0 0.2" euler="0 40 0">'
    '<geom type="box" size="0.1 0.1 0.4"/><body name="b" childclass="arm" pos="0 0.3 0"><joint name="k"/>'
    '<geom fromto="0 0 0 0 0 -0.6"/><body name="c" pos="0 0 -0.6"><joint name="l" class="hand"/>'
    '<geom fromto="0 0 0 0.4 0 0"/></body></body></frame><body name="d" pos="0 -0.3 0"><joint name="m" type="slide"/>'
    '<geom size="0.01"/></body></body></worldbody></mujoco>',
    "springs of a shifted joint": mjcf(
        '<body name="a"><joint name="j" axis="0 1 0" ref="0.4" springref="0.9" stiffness="5" damping="0.5"/>'
        + BALL
        + '<body name="b" pos="0.3 0 0"><joint name="s" type="slide" axis="1 0 0" ref="-0.2" stiffness="40" damping="2"/>'
        + BALL
        + "</body></body>"
    ),
    "actuators": mjcf(
        '<body name="a"><joint name="j" axis="0 1 0" ref="0.1"/>' + BALL + '<body name="b" pos="0.3 0 0">'
        '<joint name="k" axis="1 0 0"/>'
        + BALL
        + '<body name="c" pos="0 0.3 0"><joint name="s" type="slide" axis="0 1 1"/>'
        + BALL
        + '<site name="thruster" pos="0.1 0 0.2" euler="0.3 0.2 0.1"/></body></body></body>',
        "<default><position kp='20'/></default><actuator><motor name='m' joint='j' gear='3' ctrlrange='-0.5 0.5'/>"
        "<position name='p' joint='k' kv='0.7' forcerange='-2 3'/><velocity name='v' joint='s' kv='4' gear='-2'/>"
        "<general name='g' joint='k' gainprm='2' biastype='affine' biasprm='0.3 -4 -0.2' gear='0.5'/>"
        "<general name='h' joint='s' gaintype='affine' gainprm='1 0.5 0.2'/><damper name='d' joint='j' kv='0.8' ctrlrange='0 1'/>"
        "<motor name='f' site='thruster' gear='0.1 0.2 1 0 0.05 -0.3'/></actuator>",
    ),
    "an actuator that feels the speed of a site": mjcf(
        '<body name="a"><joint name="j" axis="0 1 0"/>'
        + BALL
        + '<body name="b" pos="0.3 0 0"><joint name="k" axis="1 0 0.3"/>'
        + BALL
        + '<site name="s" pos="0.1 0.2 0" euler="0.3 0.5 0.7"/></body></body>',
        '<actuator><general name="x" site="s" gear="1 2 3 0.4 0.5 0.6" gaintype="affine" gainprm="2 0 -0.5" biastype="affine"'
        ' biasprm="0.3 0 -0.7"/><velocity name="v" site="s" kv="2"/></actuator>',
    ),
    "bodies that gravity pulls less": mjcf(
        '<body name="a" gravcomp="1"><joint name="j" axis="0 1 0"/>'
        + BALL
        + '<body name="b" pos="0.3 0 0" gravcomp="0.4">'
        '<joint name="k" axis="1 0 0" pos="0.1 0 0.2"/>' + BALL + "</body></body>",
        compiler='<compiler angle="radian" settotalmass="3"/>',
    ),
    "laws that flags switch off": mjcf(
        '<body name="a"><joint name="j" axis="0 1 0" damping="3" stiffness="4" frictionloss="2"/>'
        + BALL
        + '<body name="b" pos="0.3 0 0"><joint name="k" axis="1 0 0"/>'
        + BALL
        + "</body></body>",
        '<option><flag spring="disable" damper="disable" clampctrl="disable"/></option>'
        "<tendon><fixed name='both' stiffness='3' damping='0.4'><joint joint='j' coef='0.5'/><joint joint='k' coef='-2'/></fixed></tendon>"
        "<actuator><motor name='m' joint='j' ctrlrange='-0.1 0.1'/></actuator>",
    ),
    "actuators by names that formulas use": mjcf(
        '<body name="a"><joint name="j" axis="0 1 0"/>'
        + BALL
        + '<site name="s" pos="0.1 0 0.2" euler="0.3 0.2 0.1"/></body>',
        "<actuator><motor name='x' site='s' gear='1 2 0 0 0 0.3'/><motor name='sin' joint='j'/><motor name='lambda' joint='j'/>"
        "<motor name='length' joint='j'/></actuator>",
    ),
    "ranges that actuators inherit": mjcf(
        '<body name="a"><joint name="j" axis="0 1 0" ref="0.3" range="-0.2 0.7"/>' + BALL + "</body>",
        "<actuator><position name='p' joint='j' kp='30' inheritrange='0.5'/></actuator>",
    ),
    "actuators that a joint bounds": mjcf(
        '<body name="a"><joint name="j" axis="0 1 0" actuatorfrcrange="-0.5 0.7"/>' + BALL + "</body>",
        "<actuator><motor name='m' joint='j' gear='-3'/></actuator>",
    ),
    "actuators whose class is of another kind": mjcf(
        '<body name="a"><joint name="j" axis="0 1 0"/>' + BALL + "</body>",
        "<default><general gainprm='9' biastype='affine' biasprm='1 -3 -100' gear='2'/></default><actuator>"
        "<position name='p' joint='j' kp='30'/><velocity name='v' joint='j'/><motor name='m' joint='j'/>"
        "<general name='g' joint='j' biasprm='2'/><cylinder name='c' joint='j'/></actuator>",
    ),
    "damping by ratios": mjcf(
        '<body name="a"><joint name="j" axis="0 1 0" armature="0.1"/>' + BALL + '<body name="b" pos="0.3 0 0.1">'
        '<joint name="k" axis="1 0 0" springdamper="0.3 0.8" springref="0.2"/><joint name="s" type="slide" axis="0 1 1"/>'
        + BALL
        + "</body></body>",
        "<tendon><fixed name='t'><joint joint='j' coef='0.5'/><joint joint='k' coef='-2'/></fixed></tendon><actuator>"
        "<position name='p' joint='j' kp='30' dampratio='0.7' gear='3'/><position name='q' tendon='t' kp='3' dampratio='1'/>"
        "<general name='g' joint='s' gainprm='4' biastype='affine' biasprm='0 -4 1'/></actuator>",
    ),
    "muscles": mjcf(
        '<site name="wall" pos="0.5 0 0.4"/><body name="a"><joint name="j" axis="0 1 0"/>'
        + BALL
        + '<site name="tip" pos="0.3 0 0.1"/><body name="b" pos="0.3 0 0"><joint name="k" axis="1 0 0"/>'
        + BALL
        + "</body></body>",
        "<tendon><spatial name='rope'><site site='wall'/><site site='tip'/></spatial></tendon>"
        "<default><muscle scale='90' lmax='1.4'/></default><actuator><muscle name='m' joint='j' lengthrange='-1.5 1.2'/>"
        "<muscle name='n' tendon='rope' lengthrange='0.1 0.9' force='70' range='0.6 1.3' fvmax='1.4'/></actuator>",
    ),
    "copies": mjcf(
        '<body name="a"><joint name="q" axis="0 1 0"/>'
        + BALL
        + '<replicate count="3" offset="0.1 0.2 0" euler="0 0.3 0.5"'
        ' sep="-"><body name="b" pos="0.5 0 0"><joint name="j" axis="1 0 0"/>' + BALL + "</body></replicate></body>"
        '<replicate count="2" offset="0 2 0"><replicate count="2" offset="0 0 1" sep="x"><body name="c"><joint name="k"'
        ' axis="0 1 0"/>' + BALL + "</body></replicate></replicate>",
        "<tendon><fixed name='t' stiffness='2'><joint joint='j' coef='2'/><joint joint='q' coef='1'/></fixed></tendon>"
        "<actuator><motor name='m' joint='j' gear='3'/><motor name='n' joint='q'/><motor name='p' tendon='t'/></actuator>",
    ),
    "tendons": mjcf(
        '<site name="wall" pos="0.5 0 0.4"/><body name="a"><joint name="j" axis="0 1 0" ref="0.3"/>'
        + BALL
        + '<site name="tip" pos="0.3 0 0.1"/><body name="b" pos="0.3 0 0"><joint name="k" axis="1 0 0"/>'
        + BALL
        + "</body></body>",
        "<tendon><fixed name='both' stiffness='3' damping='0.4'><joint joint='j' coef='0.5'/><joint joint='k' coef='-2'/></fixed>"
        "<spatial name='rope' stiffness='30' damping='2' springlength='0.1'><site site='wall'/><site site='tip'/></spatial>"
        "<spatial name='as placed' stiffness='20'><site site='wall'/><site site='tip'/></spatial>"
        "<spatial name='slack' stiffness='20' springlength='0.2 5'><site site='wall'/><site site='tip'/></spatial></tendon>"
        "<actuator><motor name='pull' tendon='both' gear='2'/><motor name='reel' tendon='rope' gear='-1'/>"
        "<position name='hold' tendon='both' kp='3'/></actuator>",
    ),
}


def compared(path, ours, tries=3, actuated=True):
    """Largest differences of M, c and q̈ from MuJoCo, each by the size of what is compared."""
    mujoco = pytest.importorskip("mujoco")
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS | mujoco.mjtDisableBit.mjDSBL_EQUALITY
    data = mujoco.MjData(theirs)
    rng = np.random.default_rng(7)
    assert (ours.nq, ours.nv) == (theirs.nq, theirs.nv)
    shift = np.zeros(ours.nq)
    for j in range(theirs.njnt):
        if int(theirs.jnt_type[j]) in map(int, (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)):
            shift[theirs.jnt_qposadr[j]] = theirs.qpos0[theirs.jnt_qposadr[j]]
    mass, bias = sb.compile(ours, "mass"), sb.compile(ours, "bias")
    s = sb.system(ours, outputs=[])
    for name in s.parameters:
        if name.endswith("_friction"):  # a constraint in MuJoCo, which is off
            s.parameters[name] = 0.0
    worst = np.zeros(3)
    for _ in range(tries):
        data.qpos[:] = theirs.qpos0 + rng.uniform(-1, 1, theirs.nq)
        mujoco.mj_normalizeQuat(theirs, data.qpos)
        data.qvel[:] = rng.uniform(-2, 2, theirs.nv)
        data.ctrl[:] = rng.uniform(-1, 1, theirs.nu) if actuated else 0.0
        data.act[:] = rng.uniform(0, 1, theirs.na)
        mujoco.mj_forward(theirs, data)
        M = np.zeros((theirs.nv, theirs.nv))
        mujoco.mj_fullM(theirs, data, M)
        q, v = data.qpos - shift, data.qvel.copy()
        a = s.rates(0.0, np.concatenate([q, v, data.act]), data.ctrl[: len(s.inputs)].copy())
        a = a[ours.nq : ours.nq + ours.nv]
        for k, (one, other) in enumerate(((mass(q), M), (bias(q, v), data.qfrc_bias), (a, data.qacc))):
            worst[k] = max(worst[k], np.abs(one - other).max() / max(np.abs(other).max(), 1e-3))
    return worst


@pytest.mark.parametrize("name", MODELS)
def test_moves_as_in_mujoco(name, tmp_path):
    path = written(tmp_path, MODELS[name])
    assert compared(path, load(path)).max() < 1e-9


def test_joints_in_one_frame_become_one_sequence(tmp_path):
    meeting, apart = (load(written(tmp_path, MODELS[f"joints that {how}meet"])) for how in ("", "do not "))
    assert [joint.type for joint in meeting.bodies["a"].joints] == ["R1", "R2", "R3"]
    assert list(meeting.bodies) == ["a"]
    assert len(apart.bodies) > 2
    assert apart.coordinates == ["x", "y", "z", "w"]


def test_equalities_are_kept_as_mujoco_keeps_stiff_ones(tmp_path):
    """At rest, where soft constraints are met, accelerations agree as far as MuJoCo's stay soft."""
    mujoco = pytest.importorskip("mujoco")
    stiff = 'solref="0.004 1" solimp="0.99999 0.99999 0.001"'
    text = mjcf(
        '<body name="a"><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>'
        '<body name="b" pos="0 0 0.3"><joint name="k" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.6 0 0.1" size="0.02"/>'
        '</body></body><body name="c" pos="0.6 0 0"><joint name="l" axis="0 1 0"/>'
        '<geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.02"/></body>'
        '<body name="d" pos="0 1 0"><joint name="m" axis="0 1 0"/>' + BALL + '</body><body name="e" pos="0 2 0">'
        '<joint name="n" axis="1 0 0"/>' + BALL + "</body>",
        f'<equality><connect name="pin" body1="b" body2="c" anchor="0.6 0 0.1" {stiff}/>'
        f'<joint name="gear" joint1="n" joint2="m" polycoef="0 -2 0.5 0 0" {stiff}/></equality>',
    )
    path = written(tmp_path, text)
    ours, theirs = load(path), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    assert {cut.kind for cut in ours.cuts.values()} == {"ball"}
    s = sb.system(ours, outputs=["*.q", "*.qdd"])
    run = s.at(0.0, s.x0)
    expected = dict(zip("jklmn", data.qacc, strict=True))
    for joint in "jklmn":
        assert run[f"{joint}.qdd"] == pytest.approx(expected[joint], rel=2e-3, abs=2e-3)
    moved = sb.simulate(s, until=0.5, dt=1e-3)
    m, n = moved["m.q"], moved["n.q"]
    np.testing.assert_allclose(n, -2 * m + 0.5 * m**2, atol=1e-7)
    assert np.ptp(m) > 0.1


def test_a_coupling_of_joints_is_what_mujocos_approaches(tmp_path):
    """Two fingers that move together. MuJoCo's equality is soft: its impedance is at most 0.9999, so that accelerations
    differ by about 1e-4 of those of the fingers. With MuJoCo's own M and J, an exact constraint gives ours."""
    mujoco = pytest.importorskip("mujoco")
    body = '<body name="a"><joint name="j" axis="0 1 0"/>' + BALL
    body += "".join(
        f'<body name="{name}" pos="0 0 {z}"><joint name="{name}" type="slide" axis="1 0 0.3"/>{BALL}</body>'
        for name, z in (("l", 0.3), ("r", 0.4))
    )
    more = '<equality><joint joint1="l" joint2="r" polycoef="0 -1 0 0 0"/></equality><actuator><position name="x" joint="r" kp="30"/></actuator>'
    path = written(tmp_path, mjcf(body + "</body>", more))
    s = sb.system(load(path), outputs=[], backend="python")
    ours = dict(zip(s.states, s.rates(0.0, s.x0, [0.3]), strict=True))
    a = np.array([ours["j.qd"], ours["r.qd"]])
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data, errors = mujoco.MjData(theirs), []
    for impedance in (0.99, 0.9999):
        theirs.eq_solimp[:, :2] = impedance
        data.ctrl[:] = 0.3
        mujoco.mj_forward(theirs, data)
        errors.append(np.abs(data.qacc[[0, 2]] - a).max() / np.abs(a).max())
    assert 1e-6 < errors[1] == pytest.approx(errors[0] / 100, rel=0.1)
    M, J = np.zeros((3, 3)), np.array(data.efc_J).reshape(1, 3)
    mujoco.mj_fullM(theirs, data, M)
    exact = np.linalg.solve(np.block([[M, J.T], [J, np.zeros((1, 1))]]), np.append(M @ data.qacc_smooth, 0.0))
    np.testing.assert_allclose(a, exact[[0, 2]], rtol=1e-10)


def test_weld_keeps_two_bodies_together(tmp_path):
    text = mjcf(
        f'<body name="a"><freejoint/>{BALL}</body><body name="b" pos="0.3 0.1 0" euler="0.1 0.2 0.3"><freejoint name="f"/>'
        f"{BALL}</body>",
        '<equality><weld body1="a" body2="b"/></equality>',
    )
    m = load(written(tmp_path, text))
    (cut,) = m.cuts.values()
    assert cut.kind == "solid"
    x = dict(zip(m.coordinates, sb.assemble(m).q if hasattr(sb.assemble(m), "q") else sb.assemble(m), strict=True))
    assert x["f.x"] == pytest.approx(0.3)


def test_a_keyframe_is_where_it_starts(tmp_path):
    text = mjcf(
        '<body name="a"><joint name="j" axis="0 1 0" ref="0.1"/>' + BALL + "</body>",
        '<actuator><motor name="m" joint="j"/></actuator><keyframe><key name="home" qpos="0.5" qvel="-1" ctrl="0.3"/></keyframe>',
    )
    path = written(tmp_path, text)
    m = load(path, keyframe="home")
    (joint,) = m.joints()
    assert (joint.q0, joint.v0, m.inputs["m"].value) == ((0.4,), (-1.0,), 0.3)
    assert any("home" in note for note in load(path).notes)
    with pytest.raises(ModelError, match="unknown keyframe 'hom'"):
        load(path, keyframe="hom")


def test_what_a_keyframe_and_a_free_joint_mean_otherwise_is_told(tmp_path):
    text = mjcf(
        f'<body name="a"><freejoint name="f" align="true"/>{BALL}</body><body name="b"><joint name="j"/>{BALL}</body>',
        '<actuator><general name="g" joint="j" dyntype="filter" dynprm="0.1"/></actuator>'
        '<keyframe><key name="k" act="0.5"/></keyframe>',
    )
    with pytest.warns(DroppedWarning, match="align"):
        m = sb.load(written(tmp_path, text), keyframe="k")
    assert {"align", "act"} <= {one.what for one in m.dropped}


def test_dry_friction_and_limits_are_read(tmp_path):
    body = '<body name="a"><joint name="j" axis="0 1 0" frictionloss="2" range="-30 60"/>' + BALL + "</body>"
    m = load(written(tmp_path, mjcf(body, compiler="").replace(QUIET, "")), limits="stop")
    (joint,) = m.joints()
    assert (joint.limits.lower, joint.limits.upper) == pytest.approx((np.radians(-30), np.radians(60)))
    assert {"j.passive", "j.stops"} <= set(m.couplings)
    assert m.parameters["j_friction"].value == 2.0


def test_what_is_dropped_is_listed_once_and_told(tmp_path):
    text = mjcf(
        f'<geom type="plane" size="1 1 1"/><body name="a"><joint name="j"/>{BALL}</body>',
        '<sensor><jointpos joint="j"/></sensor><tendon><spatial name="r"><site site="s"/><geom geom="g"/><site site="s"/>'
        '</spatial></tendon><actuator><muscle name="m" joint="j"/><motor name="n" tendon="r"/></actuator>',
    )
    path = written(tmp_path, text.replace(QUIET, ""))
    with pytest.warns(DroppedWarning, match="muscle") as told:
        m = sb.load(path)
    assert len(told) == 1
    whats = {one.what for one in m.dropped}
    assert {"tendon spatial", "actuator muscle", "actuator", "contact of geoms", "sensor jointpos"} <= whats
    assert "sensor" not in str(told[0].message)  # nothing that the motion would feel


def test_general_actuators_of_other_laws_are_told(tmp_path):
    body = f'<body name="a"><joint name="j"/>{BALL}</body>'
    more = '<actuator><general name="g" joint="j" {}/><motor name="m" joint="j"/></actuator>'
    for law in ('gaintype="muscle"', 'biastype="user"'):
        with pytest.warns(DroppedWarning, match="actuator general"):
            m = sb.load(written(tmp_path, mjcf(body, more.format(law))))
        assert list(m.inputs) == ["m"]


def test_files_of_other_folders_are_included_where_the_user_names_them(tmp_path):
    for folder in ("here", "parts"):
        (tmp_path / folder).mkdir()
    written(
        tmp_path / "parts", f'<mujocoinclude><body name="b"><joint name="k"/>{BALL}</body></mujocoinclude>', "b.xml"
    )
    text = '<mujoco><worldbody><include file="../parts/b.xml"/></worldbody></mujoco>'
    path = written(tmp_path / "here", text)
    with pytest.raises(ModelError, match="packages="):
        load(path)
    assert load(path, packages={"parts": tmp_path / "parts"}).coordinates == ["k"]


def test_ranges_that_cannot_be_used_are_reported(tmp_path):
    text = mjcf(
        f'<body name="a"><joint name="j" range="-1 1" actuatorfrcrange="-5 5"/>{BALL}</body>',
        '<tendon><fixed name="t" actuatorfrcrange="-1 1"><joint joint="j" coef="1"/></fixed></tendon>'
        '<actuator><motor joint="j"/><position name="i" tendon="t" kp="10" inheritrange="0.9"/></actuator>',
    )
    with pytest.warns(DroppedWarning, match="inheritrange"):
        m = sb.load(written(tmp_path, text))
    assert {one.where for one in m.dropped if one.what == "actuatorfrcrange"} == {"j", "t"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "starts with <mujoco>"),
        ("<mujoco/>", "no bodies"),
        ("<mujoco><worldbody><body><joint type='screw'/></body></worldbody></mujoco>", "unknown joint type"),
        ("<mujoco><worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>", "no direction"),
        (
            "<mujoco><worldbody><body><geom type='mesh' mesh='m'/><joint/></body></worldbody></mujoco>",
            "unknown mesh 'm'",
        ),
        ("<mujoco><worldbody><body pos='1 2'/></worldbody></mujoco>", "3 numbers"),
        ("<mujoco><worldbody><body quat='0 0 0 0'/></worldbody></mujoco>", "no length"),
        ("<mujoco><worldbody><body name='a'/><body name='a'/></worldbody></mujoco>", "already has this name"),
        ("<mujoco><worldbody><body><geom class='x' size='1'/></body></worldbody></mujoco>", "unknown default class"),
        ("<mujoco><include file='../other.xml'/><worldbody><body/></worldbody></mujoco>", "outside the model's folder"),
        ("<mujoco><include file='model.xml'/><worldbody><body/></worldbody></mujoco>", "nested more than"),
        ("<mujoco><compiler eulerseq='xx'/><worldbody><body/></worldbody></mujoco>", "eulerseq"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, message, tmp_path):
    with pytest.raises(ModelError, match=message):
        load(written(tmp_path, text))


def test_files_may_include_others_of_their_folder(tmp_path):
    (tmp_path / "parts").mkdir()
    written(
        tmp_path / "parts", f'<mujocoinclude><body name="b"><joint name="k"/>{BALL}</body></mujocoinclude>', "b.xml"
    )
    m = load(written(tmp_path, '<mujoco><worldbody><include file="parts/b.xml"/></worldbody></mujoco>'))
    assert m.coordinates == ["k"]


# -- public models -----------------------------------------------------------------------------------------------------


def public():
    """MJCF files of installed packages, whole models among them."""
    found = []
    for package in ("gymnasium", "dm_control"):
        try:
            files = metadata.files(package) or []
        except metadata.PackageNotFoundError:
            continue
        found += [Path(str(file.locate())) for file in files if file.suffix == ".xml"]
    return [path for path in found if path.is_file() and "<worldbody" in path.read_text(errors="replace")]


@pytest.mark.slow
@pytest.mark.parametrize("path", public(), ids=lambda path: path.stem)
def test_public_models_move_as_in_mujoco_or_are_refused(path):
    try:
        m = load(path)
    except ModelError:
        pytest.skip("refused")
    if any(one.what in ("composite", "flexcomp", "replicate", "attach", "actuator", "density", "viscosity")
           for one in m.dropped):  # fmt: skip
        pytest.skip("not all of it is in the model")
    assert compared(path, m, tries=1).max() < 1e-6
