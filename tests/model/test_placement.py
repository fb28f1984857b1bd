"""Numbers of a model's tree: places of bodies, inertias of what is welded together, and what `check` makes of them."""

import numpy as np
import pytest

from symbody.equations.compile import compile
from symbody.errors import ModelError
from symbody.files import load, save
from symbody.model import Joint, Model, check
from symbody.model.placement import placements, welded_inertias

NEGATIVE = (0.0564204, 0.0521042, 0.021185, 7.26322e-05, -0.0575115, -3.39086e-05)  # of a public file


def welded(inertia, mass=20.0) -> Model:
    m = Model("welded")
    base = m.body("base", joints="R3", mass=mass, com=(0.1, 0.0, 0.2), inertia=(0.5, 0.6, 0.7))
    seat = base.point("seat", (0.3, -0.1, 0.4), (0.2, -0.5, 1.0))
    m.body("part", seat, mass=0.5, com=(0.0, 0.1, 0.0), inertia=inertia)
    return m


def test_places_are_those_of_the_kinematics():
    m = Model("chain")
    first = m.body("a", joints="R1 T2", mass=1.0)
    m.body("b", first.point("p", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), joints="R3 T1", mass=1.0)
    q = np.array([0.3, -0.2, 1.1, 0.4])
    found = compile(m, "kinematics")(q, np.zeros(4))
    ours = placements(m, dict(zip(m.coordinates, q.tolist(), strict=True)))
    np.testing.assert_allclose(np.reshape(found.position, (2, 3)), [ours[name][1] for name in "ab"], atol=1e-14)
    np.testing.assert_allclose(np.reshape(found.rotation, (2, 3, 3)), [ours[name][0] for name in "ab"], atol=1e-14)


def test_the_inertia_of_a_weld_is_what_the_hinge_feels():
    """About the hinge's axis: the mass matrix of one degree of freedom is I_zz + m d² of the whole."""
    m = welded((0.02, 0.03, 0.04, 0.001, 0.002, 0.003))
    root, whole = welded_inertias(m)["part"]
    assert root == "base"
    at = placements(m, {})["part"]
    centres = [np.array(m.bodies["base"].com), at[1] + at[0] @ np.array(m.bodies["part"].com)]
    centre = (20.0 * centres[0] + 0.5 * centres[1]) / 20.5
    felt = compile(m, "mass", loads=False)(np.zeros(1))[0, 0]
    assert whole[2, 2] + 20.5 * (centre[0] ** 2 + centre[1] ** 2) == pytest.approx(felt, rel=1e-12)


def test_a_negative_moment_of_a_welded_part_is_judged_with_the_whole():
    check(welded(NEGATIVE))
    with pytest.raises(ModelError, match="principal moment of -"):
        check(welded(tuple(100 * x for x in NEGATIVE)))
    m = welded(NEGATIVE)
    m.bodies["part"].joints = [Joint("part", "R1")]
    with pytest.raises(ModelError, match="principal moment of -") as caught:
        check(m)
    assert caught.value.element == "bodies.part.inertia"


def test_moments_negative_by_rounding_pass():
    m = welded((0.1, 0.1, 0.0))
    m.bodies["part"].joints = [Joint("part", "R1")]
    m.bodies["part"].inertia = (0.1, 0.1, -9e-7, 0.0, 0.0, 0.0)
    check(m)
    m.bodies["part"].inertia = (0.1, 0.1, -2e-6, 0.0, 0.0, 0.0)
    with pytest.raises(ModelError, match="principal moment"):
        check(m)


def test_moments_can_be_taken_as_given(tmp_path):
    m = welded(tuple(100 * x for x in NEGATIVE))
    m.inertia_as_given = True
    save(m, tmp_path / "m.yaml")
    with pytest.raises(ModelError, match='inertia="as given"'):
        load(tmp_path / "m.yaml")
    assert load(tmp_path / "m.yaml", inertia="as given").bodies == m.bodies
    with pytest.raises(ModelError, match="use 'possible' or 'as given'"):
        load(tmp_path / "m.yaml", inertia="whatever")
