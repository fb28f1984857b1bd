# ruff: noqa: E501  lines of XML
"""Actuators of MJCF with defaults of any kind, against the actuators that MuJoCo compiles.

Tests of mjcf_general.py, mjcf_derived.py, mjcf_muscle.py, mjcf_numbers.py and mass_matrix.py.
"""

import random

import numpy as np
import pytest

import symbody as sb
from symbody.files.mass_matrix import mass_matrix, moving_columns
from symbody.files.mjcf_numbers import merged

OWN = {
    "position": {"kp": "7", "kv": "2", "dampratio": "0.5", "timeconst": "0.3"},
    "intvelocity": {"kp": "7", "kv": "2"},
    "velocity": {"kv": "3"},
    "damper": {"kv": "4"},
    "cylinder": {"area": "2", "diameter": "3", "bias": "1 2 3", "timeconst": "0.4"},
    "muscle": {"timeconst": "0.1 0.2", "range": "0.6 1.2", "force": "30", "scale": "90", "lmin": "0.4", "fvmax": "1.4"},
    "motor": {},
    "general": {"gainprm": "5 6 7", "biasprm": "1 -5 -3", "dynprm": "0.7 0.8", "gaintype": "affine", "biastype": "affine", "dyntype": "filter"},
}  # fmt: skip
SHARED = {"gear": "2 3", "ctrlrange": "0 1", "forcerange": "-5 5", "actrange": "-1 1", "forcelimited": "true"}


def element(rng, kind, **more):
    chosen = {key: value for key, value in OWN[kind].items() if rng.random() < 0.4}
    if "dampratio" in chosen:
        chosen.pop("kv", None)
    chosen |= {key: value for key, value in SHARED.items() if rng.random() < 0.2} | more
    written = " ".join(f'{key}="{value}"' for key, value in chosen.items())
    return f"<{kind} {written}/>"


def random_model(rng):
    """A joint with one actuator, in a class within another class, each with an actuator of its own kind."""
    outer, inner = (element(rng, rng.choice(list(OWN))) for _ in range(2))
    kind = rng.choice(list(OWN))
    needed = {"intvelocity": {"actrange": "-1 1"}, "damper": {"ctrlrange": "0 1"}}.get(kind, {})
    classed = {"class": "c"} if rng.random() < 0.6 else {}
    acting = element(rng, kind, name="x", joint="j", lengthrange="-1 1", **needed, **classed)
    return (
        f'<mujoco><default>{outer}<default class="c">{inner if rng.random() < 0.7 else ""}</default></default><worldbody>'
        f'<body name="b"><joint name="j"/><geom size="0.1"/></body></worldbody><actuator>{acting}</actuator></mujoco>'
    )


def test_random_actuators_have_the_numbers_of_mujoco(tmp_path):
    pytest.importorskip("mujoco")
    from symbody_bench.validate.corpus_mujoco import NotCompared, mujoco_fields

    rng, compared, path = random.Random(4), 0, tmp_path / "model.xml"
    for _ in range(40):
        path.write_text(random_model(rng))
        try:
            found = mujoco_fields(path)
        except (NotCompared, sb.ModelError):  # such as a damper with a negative range
            continue
        compared += 1
        assert [str(one) for one in found] == [], path.read_text()
    assert compared > 12


def test_an_element_may_write_the_first_numbers_only():
    assert merged({"gainprm": "1 2 3", "axis": "1 0 0"}, {"gainprm": "7", "axis": "0 0 1"}) == {
        "gainprm": "7 2 3",
        "axis": "0 0 1",
    }


def test_a_lift_keeps_the_damping_of_its_class(tmp_path):
    """100 N s/m of a general default, on a position servo."""
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><default><general biastype="affine" biasprm="0 0 -100"/></default><worldbody><body name="b"><joint name="j" '
        'type="slide"/><geom size="0.1"/></body></worldbody><actuator><position name="lift" joint="j" kp="2000"/></actuator></mujoco>'
    )
    assert sb.load(path).parameters["lift_kv"].value == 100.0


def test_the_mass_matrix_is_that_of_the_equations(tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><worldbody><body name="a" pos="0 0 1" euler="30 20 10"><freejoint/><geom type="box" size="0.1 0.2 0.3"/><body name="b" '
        'pos="0.2 0 0"><joint name="j" axis="1 2 0" armature="0.3"/><joint name="s" type="slide" axis="0 1 1"/><geom size="0.1" pos="0 0.1 0"/>'
        '<body name="c" pos="0 0 0.4"><joint type="ball"/><geom size="0.1" pos="0.1 0 0"/></body></body></body></worldbody></mujoco>'
    )
    model = sb.load(path)
    q = np.concatenate([(*joint.q0[:3], 1, 0, 0, 0) if joint.type == "free" else joint.q0 for joint in model.joints()])
    expected = np.asarray(sb.compile(model, "mass", backend="python")(q))
    np.testing.assert_allclose(mass_matrix(model, moving_columns(model)), expected, atol=1e-12)
