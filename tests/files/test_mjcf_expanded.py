"""MJCF files that MuJoCo expands (mjcf_expanded.py): bodies, positions and masses are MuJoCo's own."""

import numpy as np
import pytest

import symbody as sb

BEADS = """<mujoco model="beads">
  <worldbody>
    <body name="frame" pos="0 1 0"><joint type="hinge" axis="0 1 0"/><geom size=".1"/>
      <replicate count="3" offset="0.2 0 0" euler="0 0 20">
        <body name="bead" pos="0 0 0.1"><joint type="slide" axis="1 0 0"/><joint type="ball"/><geom size=".05"/></body>
      </replicate>
    </body>
  </worldbody>
</mujoco>"""


def test_copies_have_mujocos_places_and_masses(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    file = tmp_path / "beads.xml"
    file.write_text(BEADS)
    m = sb.load(file, reader="mujoco")
    assert len(m.bodies) == 4
    theirs = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(theirs)
    rng = np.random.default_rng(1)
    qd = rng.normal(size=theirs.nv)
    mujoco.mj_integratePos(theirs, data.qpos, qd, 0.3)
    mujoco.mj_forward(theirs, data)
    assert (m.nq, m.nv) == (theirs.nq, theirs.nv)
    ours = sb.compile(m, "kinematics")(np.array(data.qpos), np.zeros(m.nv))
    for k, name in enumerate(m.bodies):
        number = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, name)
        assert number >= 0
        np.testing.assert_allclose(ours.position[k], data.xpos[number], atol=1e-6)
    total = sb.compile(m, "centroidal")(np.array(data.qpos), np.zeros(m.nv), np.zeros(m.nv))
    assert total.mass == pytest.approx(theirs.body_subtreemass[0], rel=1e-6)
    np.testing.assert_allclose(total.com, data.subtree_com[0], atol=1e-6)


def test_a_composite_names_the_reader(tmp_path):
    file = tmp_path / "cable.xml"
    file.write_text(BEADS.replace("<worldbody>", '<worldbody><composite type="cable" count="6 1 1"/>'))
    with pytest.warns(sb.DroppedWarning, match="reader='mujoco'"):
        sb.load(file)


def test_bad_readers_and_files_are_named(tmp_path):
    file = tmp_path / "m.xml"
    file.write_text(BEADS)
    with pytest.raises(sb.ModelError, match="unknown reader 'drake'"):
        sb.load(file, reader="drake")
    pytest.importorskip("mujoco")
    file.write_text("<mujoco><worldbody><geom/></worldbody></mujoco>")
    with pytest.raises(sb.ModelError, match="MuJoCo cannot read it"):
        sb.load(file, reader="mujoco")
