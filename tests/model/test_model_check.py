"""Every way a model can be impossible is named, with the element and a cure.

check.py, number_check.py, inertia_check.py, reference_check.py.
"""

import math

import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.model import Body, Formula, Joint, Model, Point, check, warnings
from symbody.model.body import Parameter
from symbody.model.check import problems
from symbody.model.components import Cut


def pendulum() -> Model:
    m = Model("pendulum")
    arm = m.body("arm", joints="R2", mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    arm.point("tip", (0, 0, -1))
    m.sensor("tip", arm["tip"])
    return m


def test_a_sound_model_has_no_problems():
    m = pendulum()
    assert problems(m) == []
    assert warnings(m) == []


def _no_name(m):
    m.name = " "


def _twice_named(m):
    m.body("other", joints=[Joint("arm", "R1")])


def _coordinate_taken(m):
    m.body("float", joints=[Joint("f", "free")])
    m.body("other", joints=[Joint("f.x", "R1")])


def _misfiled(m):
    m.bodies["leg"] = m.bodies.pop("arm")


def _bad_name(m):
    m.body("a.b")


def _ground_name(m):
    m.bodies["ground"] = Body("ground", "ground.origin")


def _bad_parameter(m):
    m.parameters["pi"] = Parameter("pi", 3.0)


def _nan_parameter(m):
    m.parameter("k", math.nan)


def _missing_parent(m):
    m.bodies["arm"].on = "ground.rail"


def _cycle(m):
    m.bodies["arm"].on = "leg.origin"
    m.bodies["leg"] = Body("leg", "arm.tip")


def _unknown_type(m):
    m.bodies["arm"].joints[0].type = "R4"


def _unknown_nature(m):
    m.bodies["arm"].joints[0].nature = "forced"


def _short_q0(m):
    m.bodies["arm"].joints[0].q0 = (0.0, 1.0)


def _long_quaternion(m):
    m.body("top", joints=[Joint("top", "ball")]).joints[0].q0 = (1.0, 0.1, 0.0, 0.0)


def _nan(m):
    m.bodies["arm"].com = (0.0, math.nan, 0.0)


def _not_a_number(m):
    m.bodies["arm"].mass = "heavy"


def _unknown_parameter(m):
    m.bodies["arm"].mass = Formula("m1")


def _division_by_zero(m):
    m.bodies["arm"].mass = Formula("1/(2-2)")


def _endless_formula(m):
    m.bodies["arm"].mass = Formula("1" * 1000)


def _negative_mass(m):
    m.bodies["arm"].mass = -1.0


def _impossible_inertia(m):
    m.bodies["arm"].inertia = (0.1, 0.1, 0.1, 0.2, 0.0, 0.0)


def _moved_origin(m):
    m.bodies["arm"].point("origin", (0, 0, 1))


def _foreign_point(m):
    m.bodies["arm"].points["x"] = Point("leg", "x")


def _link_to_itself(m):
    m.link("spring", "arm.tip", "arm.tip")


def _dangling_link(m):
    m.link("spring", "arm.tip", "ground").b = "ground.hook"


def _cut_on_one_body(m):
    m.cut("loop", "ball", "arm.tip", "arm")


def _unknown_cut(m):
    m.cuts["loop"] = Cut("loop", "glue", "arm.tip", "ground.origin")


def _rod_without_length(m):
    m.cuts["loop"] = Cut("loop", "rod", "arm.tip", "ground.origin")


def _rod_of_no_length(m):
    m.cuts["loop"] = Cut("loop", "rod", "arm.tip", "ground.origin", length=0.0)


def _ball_with_length(m):
    m.cuts["loop"] = Cut("loop", "ball", "arm.tip", "ground.origin", length=1.0)


def _fourth_axis(m):
    m.cuts["loop"] = Cut("loop", "revolute", "arm.tip", "ground.origin", axis=4)


def _lost_site(m):
    m.force_site("push", "arm.tip").point = "arm.end"


def _unknown_quantity(m):
    m.sensor("s", "arm.tip", ("colour",))


@pytest.mark.parametrize(
    ("spoil", "element", "says"),
    [
        (_no_name, "name", "name"),
        (_twice_named, "bodies.other.joints.arm", "already has the name"),
        (_coordinate_taken, "bodies.other.joints.f.x", "already has the name"),
        (_misfiled, "bodies.leg", "stored under"),
        (_bad_name, "bodies.a.b", "cannot be a name"),
        (_ground_name, "bodies.ground", "fixed body"),
        (_bad_parameter, "parameters.pi", "parameter's name"),
        (_nan_parameter, "parameters.k", "not finite"),
        (_missing_parent, "bodies.arm.on", "unknown point 'ground.rail'"),
        (_cycle, "bodies.arm.on", "circle"),
        (_unknown_type, "bodies.arm.joints.arm", "joint type 'R4'"),
        (_unknown_nature, "bodies.arm.joints.arm", "nature 'forced'"),
        (_short_q0, "bodies.arm.joints.arm.q0", "2 numbers instead of 1"),
        (_long_quaternion, "bodies.top.joints.top.q0", "length 1.00499"),
        (_nan, "bodies.arm.com", "not finite"),
        (_not_a_number, "bodies.arm.mass", "not a number"),
        (_unknown_parameter, "bodies.arm.mass", "unknown parameter 'm1'"),
        (_division_by_zero, "bodies.arm.mass", "divides by zero"),
        (_endless_formula, "bodies.arm.mass", "overflows"),
        (_negative_mass, "bodies.arm.mass", "mass is -1"),
        (_impossible_inertia, "bodies.arm.inertia", "principal moment of -0.1"),
        (_moved_origin, "bodies.arm.points.origin", "not at the body frame"),
        (_foreign_point, "bodies.arm.points.x", "belongs to body 'leg'"),
        (_link_to_itself, "links.spring", "same point"),
        (_dangling_link, "links.spring", "unknown point 'ground.hook'"),
        (_cut_on_one_body, "cuts.loop", "one body"),
        (_unknown_cut, "cuts.loop", "kind of cut 'glue'"),
        (_rod_without_length, "cuts.loop.length", "rod has no length"),
        (_rod_of_no_length, "cuts.loop.length", "rod's length is 0"),
        (_ball_with_length, "cuts.loop.length", "no length"),
        (_fourth_axis, "cuts.loop.axis", "unknown axis 4"),
        (_lost_site, "force_sites.push", "unknown point 'arm.end'"),
        (_unknown_quantity, "sensors.s.quantities", "quantity 'colour'"),
    ],
)
def test_each_problem_names_element_and_cure(spoil, element, says):
    m = pendulum()
    m.file = "model.yaml"
    spoil(m)
    with pytest.raises(ModelError) as caught:
        check(m)
    listed = problems(m)
    error = next(error for error in listed if error.element == element and says in error.problem)
    assert error.cure
    assert error.file == "model.yaml"
    assert "model.yaml" in str(caught.value)


def test_the_first_problem_tells_how_many_more():
    m = pendulum()
    m.bodies["arm"].mass = -1.0
    m.bodies["arm"].on = "nowhere"
    m.gravity = (0.0, math.inf, 0.0)
    with pytest.raises(ModelError, match="2 more problems"):
        check(m)


def test_ten_thousand_bodies_in_one_chain_need_no_recursion():
    m = Model("chain")
    place = m.ground["origin"]
    for i in range(10_000):
        place = m.body(f"b{i}", place, "R2", 1.0, (0, 0, -0.5), (0.1, 0.1, 0.01)).point("tip", (0, 0, -1))
    assert problems(m) == []
    assert warnings(m) == []


def test_odd_but_usable_models_get_warnings():
    m = pendulum()
    m.bodies["arm"].inertia = (0.01, 0.0, 0.0, 0.0, 0.0, 0.0)
    m.body("end", "arm.tip", "R1")
    m.body("tool", "end")  # part of the same massless end: reported once
    m.body("cover", "arm.tip")  # welded: carries no freedom
    assert problems(m) == []
    inertia, end = warnings(m)
    assert inertia.startswith("bodies.arm.inertia")
    assert end.startswith("bodies.end:")


def test_lengths_like_millimetres_and_angles_like_degrees_are_warned_about():
    m = sb.Model("arm")
    arm = m.body(
        "arm", joints=[sb.Joint("arm", "R2", q0=(90.0,))], mass=1.0, com=(0, 0, -250.0), inertia=(0.1, 0.1, 0.1)
    )
    arm.point("tip", (0, 0, -500.0))
    said = sb.warnings(m)
    assert [sentence.split(":")[0] for sentence in said] == [
        "bodies.arm.com", "bodies.arm.points.tip", "bodies.arm.joints.arm"
    ]  # fmt: skip
    assert "mm?" in said[0]
    assert "degrees?" in said[2]
    arm.com, arm.joints[0].q0 = (0, 0, -0.25), (1.57,)
    arm.points["tip"].position = (0, 0, -0.5)
    assert sb.warnings(m) == []


def test_limits_that_are_a_pair_are_refused():
    m = sb.Model("arm")
    with pytest.raises(sb.ModelError, match="limits are a tuple"):
        m.body("arm", joints=[sb.Joint("arm", "R2", limits=(-1.0, 1.0))], mass=1.0, inertia=(0.1, 0.1, 0.1))
