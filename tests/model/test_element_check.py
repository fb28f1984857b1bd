"""Mistakes in one element raise where the element is added, with its place and a cure."""

import warnings

import pytest

import symbody as sb
from symbody.model import Formula


def test_a_body_is_checked_when_it_is_added() -> None:
    m = sb.Model("m")
    with pytest.raises(sb.ModelError, match=r"bodies.arm.mass: expected one number, got \[1, 2\]"):
        m.body("arm", joints="R2", mass=[1, 2])  # type: ignore[arg-type]
    with pytest.raises(sb.ModelError, match=r"bodies.arm.mass: nan is not finite"):
        m.body("arm", joints="R2", mass=float("nan"))
    with pytest.raises(sb.ModelError, match=r"bodies.arm.com: expected three numbers, got 2"):
        m.body("arm", joints="R2", mass=1.0, com=(0.0, 1.0))
    with pytest.raises(sb.ModelError, match="unknown joint type 'R9'"):
        m.body("arm", joints="R9", mass=1.0)
    with pytest.raises(sb.ModelError, match="2 numbers instead of 1"):
        m.body("arm", joints=[sb.Joint("arm", "R2", q0=(0.1, 0.2))], mass=1.0)
    assert not m.bodies, "a refused body is not in the model"


def test_formulas_may_use_parameters_that_are_added_later() -> None:
    m = sb.Model("m")
    m.body("arm", joints="R2", mass=Formula("weight"), com=(0, 0, Formula("-length / 2")))
    for name in ("weight", "length"):
        m.parameter(name, 1.0)
    sb.check(m)


def test_a_cut_is_checked_when_it_is_added() -> None:
    m = sb.Model("m")
    arm = m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5))
    tip = arm.point("tip", (0, 0, -1))
    with pytest.raises(sb.ModelError, match="unknown kind of cut 'bell'"):
        m.cut("loop", "bell", "ground", tip)
    with pytest.raises(sb.ModelError, match="the rod has no length"):
        m.cut("loop", "rod", "ground", tip)
    with pytest.raises(sb.ModelError, match="unknown axis 4"):
        m.cut("loop", "revolute", "ground", tip, axis=4)
    with pytest.raises(sb.ModelError, match="unknown option 'lenght'"):
        m.cut("loop", "rod", "ground", tip, lenght=1.0)
    assert not m.cuts


def test_a_parameter_is_checked_when_it_is_added_and_may_have_a_unit() -> None:
    m = sb.Model("m")
    with pytest.raises(sb.ModelError, match=r"k: expected one number, got \[1, 2\]"):
        m.parameter("k", [1, 2])  # type: ignore[arg-type]
    with pytest.raises(sb.ModelError, match="k: 'soft' is not a number with a unit"):
        m.parameter("k", "soft")
    with pytest.raises(sb.ModelError, match="cannot be a parameter's name"):
        m.parameter("k 1", 1.0)
    with pytest.raises(sb.ModelError, match="'20 mm' is not in N/m"):
        m.parameter("k", "20 mm", "N/m")
    m.parameter("k", "20 N/mm", "N/m")
    m.input("pressure", "3 bar", "Pa")
    assert m.values["k"] == pytest.approx(20e3, rel=1e-15)
    assert m.inputs["pressure"].value == pytest.approx(3e5, rel=1e-15)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"com": (0, 0, -150)}, "in mm"),
        ({"com": (0, 0, -50), "inertia": 0.01}, "in mm"),
        ({"com": (0, 0, -0.05), "inertia": 1e4}, "kg mm²"),
    ],
)
def test_numbers_in_millimetres_get_a_warning(numbers: dict[str, float], said: str) -> None:
    with pytest.warns(sb.SizeWarning, match=said):
        sb.Model("m").body("arm", joints="R2", mass=1.0, **numbers)  # type: ignore[arg-type]


def test_degrees_and_far_points_get_a_warning_at_their_line() -> None:
    m = sb.Model("m")
    with pytest.warns(sb.SizeWarning, match="90 rad .is this angle in degrees") as caught:
        arm = m.body("arm", joints=[sb.Joint("arm", "R2", q0=90)], mass=1.0)
    assert caught[0].filename == __file__
    with pytest.warns(sb.SizeWarning, match="250 m from the body's origin") as caught:
        arm.point("tip", (250, 0, 0))
    assert caught[0].filename == __file__


def test_usual_machines_get_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", sb.SizeWarning)
        sb.Model("bob").body("bob", joints="R2", mass=1.0, com=(0, 0, -20.0))
        sb.Model("boom").body("boom", joints="R2", mass=900.0, com=(30.0, 0, 0), inertia=(9e3, 3e5, 3e5))
        for name in ("crane", "car", "piano", "stewart", "platform"):
            sb.machines.open(name)
