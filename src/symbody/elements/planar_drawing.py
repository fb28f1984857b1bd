"""A planar mechanism from its drawing: bodies on hinges and slides in the plane x–z, discs in contact with faces.

A drawing is data in mm, g, N and ms, at rest, as YAML files have it; `visual/planar_contacts.py` draws the same data.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from math import atan2, hypot
from typing import Any

from symbody.elements.attach import on_joint
from symbody.elements.contact import sphere_on_segment
from symbody.elements.contact_laws import Contact, Felt, HuntCrossley
from symbody.elements.contact_shapes import Segment
from symbody.elements.friction_static import Coulomb
from symbody.model.body import GROUND, Body, Joint, Point
from symbody.model.formula import Number
from symbody.model.model import Model

MM, GRAM, MS = 1e-3, 1e-3, 1e-3
TURNING, SLIDING = 0.05, 5e-3  # rad/s, m/s: speed of full friction

Drawing = Mapping[str, Any]
Place = Sequence[float]  # x, z (mm)


def add_planar_bodies(m: Model, bodies: Drawing, driven: str, live: Container[str] = ()) -> None:
    """Bodies on hinges about y, or on slides along z (`joint: T3`); each joint has the name of its body.

    Parameters
    ----------
    m : Model
    bodies : mapping
        By name: `carrier`, `hinge` and `mass`; optional `joint`, `centre` of mass, `gyration` radius, `friction` and
        `viscous` friction of the hinge (N m, N).
    driven : str
        Body whose motion is given.
    live : container of str
        Bodies whose masses are parameters NAME_mass.
    """
    for name, body in bodies.items():
        given, kind = body["mass"] * GRAM, body.get("joint", "R2")
        mass: Number = m.parameter(f"{name}_mass", given, "kg") if name in live else given
        about_y = mass * (body.get("gyration", 0.0) * MM) ** 2
        hinge = planar_point(m, bodies, body["carrier"], name, body["hinge"])
        joint = Joint(name, kind, "driven" if name == driven else "independent")
        centre = _relative(bodies, name, body.get("centre", body["hinge"]))
        m.body(name, hinge, [joint], mass, centre, inertia=(0.0, about_y, about_y))
        if "friction" in body:
            speed = TURNING if kind == "R2" else SLIDING
            on_joint(m, f"{name}_pin", name, Coulomb(Fc=body["friction"], v0=speed, sigma2=body.get("viscous", 0.0)))


def add_planar_contacts(m: Model, contacts: Drawing, bodies: Drawing, heights: Mapping[str, Number]) -> None:
    """Contacts of discs with straight faces.

    Parameters
    ----------
    m : Model
    contacts : mapping
        By name: `disc` (body, centre, radius), `face` (body, from, to), the coefficient of friction `rub`, and the
        numbers of `pad_law`.
    bodies : mapping
        As in `add_planar_bodies`.
    heights : mapping
        By contact: its part on the ground is raised by this (m).
    """
    for name, contact in contacts.items():
        (of_disc, middle, radius), (of_face, begin, end) = contact["disc"], contact["face"]
        height, along = heights.get(name, 0.0), (end[0] - begin[0], end[1] - begin[1])
        disc = planar_point(m, bodies, of_disc, f"{name}_disc", middle, height)
        turned = (0.0, -atan2(along[1], along[0]), 0.0)
        face = planar_point(m, bodies, of_face, f"{name}_face", begin, height, turned)
        rough = Coulomb(Fc=contact["rub"], v0=SLIDING, sigma2=0.0) if contact["rub"] else None
        bar = Segment(hypot(*along) * MM)
        sphere_on_segment(m, name, disc, radius * MM, face, bar, law=pad_law(contact), friction=rough)


def pad_law(contact: Drawing) -> Contact:
    """Felt with `hysteresis` and `relaxation`, or a pad with `damping`; under a slow `load` both yield by `depth`."""
    exponent = contact["exponent"]
    stiffness = contact["load"] / (contact["depth"] * MM) ** exponent
    if "hysteresis" not in contact:
        return HuntCrossley(stiffness=stiffness, damping=contact["damping"], exponent=exponent)
    return Felt(
        stiffness=stiffness / (1.0 - contact["hysteresis"]),
        exponent=exponent,
        hysteresis=contact["hysteresis"],
        relaxation=contact["relaxation"] * MS,
    )


def planar_point(
    m: Model, bodies: Drawing, body: str, name: str, place: Place, height: Number = 0.0, turned: Place = (0.0, 0.0, 0.0)
) -> Point:
    """A point of a body at a place of the drawing; a point on the ground is raised by a height (m)."""
    x, y, z = _relative(bodies, body, place)
    owner: Body = m.ground if body == GROUND else m.bodies[body]
    return owner.point(name, (x, y, z + height if body == GROUND else z), turned)


def _relative(bodies: Drawing, body: str, place: Place) -> tuple[float, float, float]:
    """A place of the drawing relative to the hinge of a body (m)."""
    x, z = (0.0, 0.0) if body == GROUND else bodies[body]["hinge"]
    return (place[0] - x) * MM, 0.0, (place[1] - z) * MM
