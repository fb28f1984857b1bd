"""Mechanisms with loops that other engines can build, too: one for each kind of cut that has a translation."""

import numpy as np
from scipy.spatial.transform import Rotation

import symbody as sb
from symbody_bench.models import by_name


def rod(model, name, on, angle, length, mass, across=0.0):
    """A hinged bar about axis 2 along its axis 1, its mass a little aside, and a point at its end."""
    inertia = (0.01, mass * length**2 / 12, mass * length**2 / 12)
    body = model.body(name, on, [sb.Joint(name, "R2", q0=(angle,))], mass, (length / 2, 0, across), inertia)
    body.point("tip", (length, 0, 0))
    return body


def four_bar(kind="ball"):
    """Crank 0.3 m, coupler 0.8 m, rocker 0.6 m on a base of 0.7 m; the loop moves in a plane."""
    m = sb.Model("four-bar")
    m.ground.point("pivot", (0.7, 0, 0))
    crank = rod(m, "crank", None, -1.2, 0.3, 1.0)
    coupler = rod(m, "coupler", crank["tip"], 0.6, 0.8, 2.0, 0.05)
    rocker = rod(m, "rocker", "ground.pivot", -1.4, 0.6, 1.5)
    m.cut("loop", kind, coupler["tip"], rocker["tip"], axis=2)
    return m


def five_bar():
    """Two cranks on the ground carry two arms that meet: two degrees of freedom."""
    m = sb.Model("five-bar")
    m.ground.point("pivot", (0.4, 0, 0))
    left = rod(m, "left_arm", rod(m, "left", None, -2.2, 0.3, 0.8)["tip"], 1.4, 0.5, 0.6, 0.02)
    right = rod(m, "right_arm", rod(m, "right", "ground.pivot", -0.9, 0.3, 0.8)["tip"], -1.4, 0.5, 0.6)
    m.cut("loop", "ball", left["tip"], right["tip"])
    return m


def slider_crank():
    """A crank, a rod and a slide, whose hinge is cut."""
    m = sb.Model("slider-crank")
    crank = rod(m, "crank", None, -0.8, 0.2, 1.0)
    link = rod(m, "link", crank["tip"], 1.0, 0.6, 0.7, 0.03)
    slide = m.body("slide", joints=[sb.Joint("slide", "T1", q0=(0.7,))], mass=2.0, inertia=(0.01, 0.01, 0.01))
    m.cut("loop", "revolute", link["tip"], slide, axis=2)
    return m


def seven_hinges():
    """Seven hinges in space, the last link welded to the ground: six equations, none redundant."""
    m, rng = sb.Model("seven-hinges"), np.random.default_rng(3)
    body, angles = m.ground, rng.uniform(-0.5, 0.5, 7)
    for i, angle in enumerate(angles):
        seat = body.point("seat", 0.4 * rng.uniform(-1, 1, 3), rng.uniform(-2, 2, 3))
        joint = sb.Joint(f"hinge{i}", "R3", q0=(angle,))
        body = m.body(f"link{i}", seat, [joint], 1.0, 0.2 * rng.uniform(-1, 1, 3), rng.uniform(0.02, 0.03, 3))
    end = body.point("end", (0.2, 0.1, 0.3), (0.4, -0.3, 0.7))
    found = sb.compile(m, "point", point=end.path)(angles, np.zeros(7), np.zeros(7))
    m.cut("weld", "solid", end, m.ground.point("anchor", found.position, _angles(found.rotation)))
    return m


def _angles(rotation):
    return Rotation.from_matrix(np.reshape(rotation, (3, 3))).as_euler("xyz")


LENGTH, RADIUS, ASIDE = (
    0.6,
    0.2,
    (0.15, 0.1),
)  # m: rod, its pin on the crank, and the slide's line beside the crank's axis


def spatial_slider():
    """A crank about axis 1 moves a slide along a line beside that axis, by a rod with ball joints at both ends."""
    m = sb.Model("spatial-slider")
    crank = m.body(
        "crank", joints=[sb.Joint("crank", "R1", q0=(0.4,))], mass=1.0, com=(0, 0.1, 0), inertia=(0.02, 0.01, 0.01)
    )
    line = m.ground.point("line", (0, *ASIDE))
    slide = m.body("slide", line, [sb.Joint("slide", "T1", q0=(0.7,))], mass=2.0, inertia=(0.01, 0.01, 0.01))
    m.cut("rod", "rod", crank.point("pin", (0.1, RADIUS, 0)), slide, length=LENGTH)
    return m


def bare(model):
    """The mechanism alone, without the forces that laws give."""
    model.joint_laws.clear()
    model.links.clear()
    model.force_sites.clear()
    return model


def stewart():
    """A platform on six legs, from its file: eighteen equations of ball joints, none redundant."""
    return bare(by_name("stewart"))


def quarter_car():
    """A wheel on five rods, from its file."""
    return bare(by_name("quarter-car"))


# The kinds of cut are: ball (redundant in a plane, and not), revolute, solid, rod.
TRANSLATED = {
    "four-bar": four_bar,
    "four-bar, hinge": lambda: four_bar("revolute"),
    "five-bar": five_bar,
    "slider-crank": slider_crank,
    "seven hinges": seven_hinges,
    "spatial slider": spatial_slider,
    "stewart": lambda: by_name("stewart"),
    "quarter-car": quarter_car,
}
