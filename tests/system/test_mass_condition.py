"""Motions that no mass resists are refused by name, in closed systems as in trees; nothing else is."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.cli import main
from symbody.errors import MassWarning
from symbody.system.assembly import assemble
from symbody.system.mass_condition import SINGULAR_MASS, WEAK_MASS, mass_at, mass_warnings, weakest_motion
from symbody_bench.validate.multipliers import frames, mass_and_bias
from symbody_bench.validate.random_mechanisms import random_mechanism


def four_bar_on_two_hinges(between: float = 0.0, nature: str = "independent") -> sb.Model:
    """A four-bar whose crank turns on a ring, which turns about the same axis; between: the ring's inertia."""
    m = sb.Model("two-hinges", gravity=(0, 0, -9.81))
    ring = m.body("ring", joints=[sb.Joint("ring", "R2", nature)], inertia=(0, between, 0))
    bar = {"mass": 0.4, "com": (0.15, 0, 0), "inertia": (0, 3e-3, 0)}
    crank = m.body("crank", ring, [sb.Joint("crank", "R2", q0=(-1.1,))], **bar)
    coupler = m.body("coupler", crank.point("end", (0.2, 0, 0)), "R2", **bar)
    rocker = m.body("rocker", m.ground.point("pivot", (0.4, 0, 0)), [sb.Joint("rocker", "R2", q0=(-1.4,))], **bar)
    m.cut("loop", "planar-ball", coupler.point("end", (0.5, 0, 0)), rocker.point("end", (0.35, 0, 0)), axis=2)
    return m


@pytest.mark.parametrize("closure", ["partitioning", "penalty"])
def test_two_coaxial_hinges_under_a_loop_are_refused_by_name(closure):
    with pytest.raises(sb.ModelError, match="nothing resists a motion of these joints together") as caught:
        sb.system(four_bar_on_two_hinges(), closure=closure)
    assert caught.value.element == "ring, crank"
    assert "ring" in caught.value.cure
    assert "lock" in caught.value.cure


def test_the_same_pair_is_refused_in_a_tree_whose_axes_only_look_different():
    m = sb.Model("turned")
    ring = m.body("ring", joints="R1")
    turned = ring.point("turned", (0, 0, 0), rotation=(0, 0, -np.pi / 2))  # its second axis is the ring's first
    m.body("disc", turned, "R2", mass=1.0, com=(0, 0, 0.3), inertia=(0.1, 0.1, 0.1))
    with pytest.raises(sb.ModelError, match="nothing resists") as caught:
        sb.system(m)
    assert caught.value.element == "ring, disc"


@pytest.mark.parametrize("nature", ["locked", "driven"])
def test_a_pair_of_which_one_is_held_is_sound(nature):
    m = four_bar_on_two_hinges(nature=nature)
    if nature == "driven":
        m.trajectory("ring")(lambda t, p: 0.1 * t)
    s = sb.system(m)
    assert np.all(np.isfinite(s.rates(0.0, s.x0)))
    assert len(s.partition.free) == 1


def test_a_light_ring_is_allowed_and_warned_about():
    m = four_bar_on_two_hinges(between=1e-12)
    weak = weakest_motion(m, assemble(m))
    assert SINGULAR_MASS < weak.share < WEAK_MASS
    assert weak.joints == ("ring", "crank")
    assert weak.bodies == ("ring", "crank")
    for _ in range(2):  # also if the compiled functions are kept
        with pytest.warns(MassWarning, match=r"ring, crank: hardly anything resists .* errors of about"):
            s = sb.system(m)
    assert np.all(np.isfinite(s.rates(0.0, s.x0)))
    assert len(mass_warnings(m)) == 1
    assert f"{weak.share:.1e}" in mass_warnings(m)[0]
    assert mass_warnings(four_bar_on_two_hinges(between=1e-6)) == []


def test_a_gimbal_that_starts_locked_is_told_from_one_that_is_singular_everywhere():
    def gimbal(middle):
        m = sb.Model("gimbal")
        m.body("top", joints="R1 R2 R3", mass=1.0, inertia=(0.1, 0.1, 0.2))
        list(m.joints())[1].q0 = (middle,)
        return m

    assert np.all(np.isfinite(sb.system(gimbal(1.0)).x0))
    with pytest.raises(sb.SingularityError, match=r"not at positions near it .*ball joint"):
        sb.system(gimbal(np.pi / 2))


def test_units_do_not_matter():
    """λ of the double pendulum is that of its own proportions: 1 − cos²/… of two rods, whatever their size."""
    shares = []
    for size in (1e-4, 1.0, 1e4):
        m = sb.Model("rods")
        upper = m.body("upper", joints="R2", mass=size**3, com=(size, 0, 0))
        m.body("lower", upper.point("end", (size, 0, 0)), "R2", mass=size**3, com=(size, 0, 0))
        shares.append(weakest_motion(m, np.array([0.0, np.pi / 2])).share)
    # at right angles M = m l² [[3, 1], [1, 1]], scaled [[1, 1/√3], [1/√3, 1]]
    assert shares == pytest.approx([1 - 1 / np.sqrt(3)] * 3, rel=1e-12)


@pytest.mark.parametrize("name", machines.names())
def test_no_machine_is_near(name):
    m = machines.open(name)
    weak = weakest_motion(m, assemble(m))
    assert weak is None or weak.share > 1e-4


def test_the_numbers_are_those_of_an_independent_mass_matrix():
    m = machines.model("stewart")
    q = assemble(m)
    M = mass_and_bias(m, frames(m, q, np.zeros(m.nv)))[0]
    assert mass_at(m, q) == pytest.approx(M, rel=1e-12, abs=1e-12 * np.abs(M).max())


def test_a_start_that_was_found_sound_is_not_checked_again(monkeypatch):
    """Of a second start with the same numbers nothing is evaluated; with other numbers it is."""
    m = four_bar_on_two_hinges(between=1e-3)
    m.parameter("extra", 1.0, "kg")
    sb.system(m)
    checked = []
    functions = import_module("symbody.system.functions")
    monkeypatch.setattr(functions, "check_mass", lambda model, q: checked.append(model.name))
    sb.system(m)
    assert checked == []
    m.parameters["extra"].value = 2.0
    sb.system(m)
    assert checked == ["two-hinges"]


def test_the_command_check_warns_with_the_number(tmp_path, capsys):
    path = tmp_path / "hinges.yaml"
    sb.save(four_bar_on_two_hinges(between=1e-12), path)
    assert main(["check", str(path)]) == 0
    assert "ring, crank: hardly anything resists a motion of these joints together" in capsys.readouterr().out
    sb.save(four_bar_on_two_hinges(between=1e-3), path)
    assert main(["check", str(path)]) == 0
    assert "resists" not in capsys.readouterr().out


def test_loops_that_do_not_close_are_a_warning():
    m = four_bar_on_two_hinges()
    m.cuts["loop"] = replace(m.cuts["loop"], a="coupler.far")
    m.bodies["coupler"].point("far", (50.0, 0, 0))
    assert "stays open" in mass_warnings(m)[0]


def rates_with_a_light_body(number: int, mass: float) -> np.ndarray:
    """Rates at the start of a random closed mechanism whose last body has this mass, and inertia in proportion."""
    model = random_mechanism(5, number).model
    body = list(model.bodies.values())[-1]
    body.inertia = tuple(x * mass / body.mass for x in body.inertia)
    body.mass = mass
    s = sb.system(model)
    return s.rates(0.0, s.x0)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 5, 7, 8, 9, 10, 12, 13])
def test_a_body_of_1e_14_kg_in_a_loop_keeps_the_digits(number):
    """ẋ(m) = a + b m for small m: ẋ(1e-14) follows from ẋ(1e-9) and ẋ(1e-10)."""
    light, lighter, lightest = (rates_with_a_light_body(number, mass) for mass in (1e-9, 1e-10, 1e-14))
    expected = lighter + (lighter - light) * (1e-10 - 1e-14) / (1e-9 - 1e-10)
    np.testing.assert_allclose(lightest, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
