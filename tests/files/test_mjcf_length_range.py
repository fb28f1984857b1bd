# ruff: noqa: E501  lines of XML
"""Length ranges of muscles against those that MuJoCo's compiler finds, and the motion behind them.

Tests of mjcf_length_range.py and tree_motion.py.
"""

import warnings

import numpy as np
import pytest

import symbody as sb
from symbody.files.mjcf_document import read_document
from symbody.files.mjcf_file import read_parts
from symbody.files.tree_motion import equations, frames

SHORT = 'timestep="0.01" inttotal="1" interval="0.2" tolrange="10"'
MUSCLES = '<muscle name="m" joint="j"/><muscle name="n" tendon="t"/><muscle name="o" tendon="p" gear="-2"/><muscle name="q" joint="k" gear="3" lengthrange="0 1" force="9" tausmooth="0.2"/>'


def arm(options=SHORT, joint="", tendon="", more="", option="", muscles=MUSCLES):
    return (
        f'<mujoco><compiler angle="radian"><lengthrange {options}/></compiler><option {option}/><worldbody><body name="a"><joint name="j" axis="0 1 0" range="-1 1.2" {joint}/>'
        '<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/><site name="s" pos="0.2 0 0.05"/><body name="b" pos="0.3 0 0"><joint name="k" axis="0 1 0" range="-0.5 2" ref="0.1"/>'
        '<joint name="l" type="slide" axis="1 0 0.2" range="-0.05 0.05" solreflimit="-3000 -50"/><geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.03"/><site name="u" pos="0.1 0 0.04"/>'
        f'{more}</body></body></worldbody><tendon><fixed name="t" {tendon}><joint joint="j" coef="0.05"/><joint joint="k" coef="-0.03"/></fixed><spatial name="p"><site site="s"/><site site="u"/></spatial></tendon>'
        f"<actuator>{muscles}</actuator></mujoco>"
    )


def read(folder, text):
    path = folder / "model.xml"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return path, read_parts(read_document(path))


CASES = {
    "limits of joints": {},
    "a stiff gear": {"joint": 'armature="0.2" damping="3" stiffness="5" margin="0.05" solreflimit="0.1 0.5" solimplimit="0.5 0.8 0.1 0.3 4"'},
    "limits of a tendon": {"tendon": 'range="-0.01 0.02"', "options": f'{SHORT} maxforce="3" accel="50" timeconst="0.3"'},
    "ranges of the limits": {"tendon": 'range="-0.01 0.02"', "options": f'{SHORT} uselimit="true"'},
    "ranges of the file are not used": {"options": f'{SHORT} useexisting="false"', "option": 'integrator="implicitfast"'},
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_length_ranges_are_those_of_mujoco(case, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path, reading = read(tmp_path, arm(**CASES[case]))
    theirs = mujoco.MjModel.from_xml_path(str(path))
    for k, ours in enumerate(reading.names.actuators):
        assert ours.lengthrange == pytest.approx(tuple(theirs.actuator_lengthrange[k]), rel=1e-9, abs=1e-10)


@pytest.mark.slow
def test_muscles_without_a_length_range_have_the_numbers_of_mujoco(tmp_path):
    """Fields and accelerations; 3 s of motion in steps of 10 ms."""
    pytest.importorskip("mujoco")
    from symbody_bench.validate.corpus_mujoco import mujoco_error, mujoco_fields

    path, reading = read(tmp_path, arm(options='inttotal="3" interval="0.5" tolrange="1"'))
    assert [str(one) for one in mujoco_fields(path)] == []
    assert mujoco_error(reading.model, path) < 1e-7


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"options": 'mode="none"'}, "it has no length range"),
        ({"options": 'timestep="1e-9"'}, "too long"),
        ({"options": SHORT.replace('tolrange="10"', 'tolrange="0"')}, "does not converge"),
        ({"option": 'integrator="implicit"'}, "implicit"),
        ({"tendon": 'armature="1"'}, "inertia of tendons"),
        ({"more": '<body name="c"><joint type="ball"/><geom size="0.1"/></body>'}, "ball joints"),
    ],
)
def test_a_muscle_whose_length_range_cannot_be_found_is_reported(change, why, tmp_path):
    _, reading = read(tmp_path, arm(**change))
    said = {one.where: one.why for one in reading.model.dropped if one.what == "actuator muscle"}
    assert set(said) == {"m", "n", "o"}
    assert all(why in reason for reason in said.values())
    (rate,) = reading.model.states["q_activation"].law.texts
    assert "0.2" in rate


def test_mass_matrix_and_bias_are_those_of_the_equations(tmp_path):
    _, reading = read(tmp_path, arm(muscles=""))
    model, rng = reading.model, np.random.default_rng(0)
    model.gravity = (0.0, 0.0, 0.0)
    q, v = rng.uniform(-1, 1, (2, 4, model.nv))
    M, c = equations(model, frames(model, q, v))
    mass, bias = (sb.compile(model, what, backend="python") for what in ("mass", "bias"))
    for k in range(4):
        np.testing.assert_allclose(M[k], mass(q[k]), atol=1e-13)
        np.testing.assert_allclose(c[k], bias(q[k], v[k]), atol=1e-13)
