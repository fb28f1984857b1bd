"""Default shapes of a model: solids for bodies, cylinders for joints, rods, springs and markers, as plain data.

A body is the hull of its points; a body without points is the homogeneous solid of the same inertia.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbody.files.mesh import Array, Mesh
from symbody.model.body import GROUND, ORIGIN, Body
from symbody.model.model import Model
from symbody.visual.geometry import Geometry, RecordingGeometry, bar_radius, equivalent_solid, floats, nearest_place
from symbody.visual.primitives import ball, box, coil, cylinder, hull, marker, ram
from symbody.visual.scene import (
    COIL,
    SCENERY,
    Label,
    Look,
    Part,
    Scene,
    Span,
    StretchedLook,
    along,
    beam,
    placed,
    transform,
)

COLOURS = ("#3f7cac", "#e07a3f", "#5b9a57", "#c8553d", "#8268a6", "#c9a227", "#4aa3a2", "#b5657d", "#7a8b99", "#94684e")
STEEL, DARK, LIGHT, EARTH, SPRING, CUT = "#78828d", "#23282e", "#f4f5f6", "#8a9199", "#3d8f6e", "#b3402f"
TRIAD = ("#d0453e", "#3f9c4b", "#3d6fd0")  # axes 1 2 3
HULL = "hull "  # prefix of the names of hull meshes
GLASS = 0.3  # opacity of transparent solids
Axes = Sequence[tuple[Array, str]]  # transforms of unit cylinders, and their colours
BULKY = 4.0  # from this many radii of a bar a solid hides what is behind it


def scene(
    model: Model,
    parameters: Mapping[str, float] | None = None,
    looks: Mapping[str, Sequence[Look]] | None = None,
    scenery: Sequence[Look] = (),
    unit: float | None = None,
) -> Scene:
    """The scene of a model; `looks` by body replace the solids derived from points and inertia.

    scenery: looks on the ground that the camera ignores. unit: radius of the bars (m), to keep it from another scene.
    """
    return _drawn(Geometry(model, parameters), looks or {}, scenery, unit)


def geometry_parameters(model: Model) -> set[str]:
    """Names of the numbers that the shapes of a model depend on."""
    g = RecordingGeometry(model)
    _drawn(g, {}, (), None)
    return g.asked - {""}


def _drawn(g: Geometry, looks: Mapping[str, Sequence[Look]], scenery: Sequence[Look], unit: float | None) -> Scene:
    model = g.model
    gravity = g.vector(model.gravity, "gravity")
    up = -gravity / np.linalg.norm(gravity) if np.any(gravity) else np.eye(3)[2]
    made = Scene(up, unit or bar_radius(g))
    dark, light = marker()
    made.meshes |= {"ball": ball(), "bead": ball(1), "cylinder": cylinder(), "box": box(), COIL: coil(), "ram": ram()}
    made.meshes |= {"dark": dark, "light": light}
    shared: dict[int, str] = {}
    axes = _triad(0.22 * made.unit, 6 * made.unit)
    for k, body in enumerate(model.bodies.values()):
        colour = COLOURS[k % len(COLOURS)]
        if body.name in looks:
            _add_looks(made, g, shared, body.name, looks[body.name], colour)
        elif not _add_rolling(made, g, body, colour) or len(g.points(body)) > 1:
            _add_body(made, g, body, colour)
        _add_mass(made, g, body, colour, axes)
        _add_joints(made, g, body)
        _add_label(made, g, body)
    _add_ground(made, g)
    _add_cuts(made, g)
    _add_links(made, g)
    _add_signs(made, g)
    _add_looks(made, g, shared, GROUND, [*looks.get(GROUND, ()), *scenery], EARTH, SCENERY)
    return made


# -- bodies -----------------------------------------------------------------------------------------------------------


def _add_body(made: Scene, g: Geometry, body: Body, colour: str) -> None:
    """A hull of the points; with a single point, the solid of the same inertia on a bar from the origin."""
    frame, points = g.frames[body.name], g.points(body)
    if len(points) > 1:
        _add_hull(made, body.name, frame, points, made.unit, colour)
        return
    com, solid = g.com(body), equivalent_solid(g.mass(body), g.inertia(body))
    away = np.linalg.norm(com - points[0])
    if solid is not None and solid[1].max() < 40 * made.unit:
        shape, place = solid
        across = np.sort(np.linalg.norm(place, axis=0))[1]
        opacity = GLASS if across > BULKY * made.unit else 1.0
        made.parts.append(Part(shape, frame, _centred(shape, place, com), colour, "body", opacity))
        if away > np.linalg.norm(place, axis=0).max():
            _add_hull(made, body.name, frame, np.array([points[0], com]), 0.5 * made.unit, colour)
    elif away > made.unit:
        _add_hull(made, body.name, frame, np.array([points[0], com]), made.unit, colour)
    elif g.mass(body) > 0:
        made.parts.append(Part("box", frame, placed(com, size=3.2 * made.unit), colour, "body"))


def _add_rolling(made: Scene, g: Geometry, body: Body, colour: str) -> bool:
    """Discs and balls of rolling bodies with their radius; return whether the body has any."""
    contacts = [
        c for c in g.model.rolling_contacts.values() if c.touches and g.model.point_at(c.point).body == body.name
    ]
    for contact in contacts:
        radius, tube = (g.number(getattr(contact, key), f"{contact.name}.{key}") for key in ("radius", "tube"))
        frame, at = g.place(contact.point)
        axis, width = g.rotation(g.model.point_at(contact.point))[:, contact.axis - 1], max(2 * tube, 0.1 * radius)
        disc = along(axis, at - 0.5 * width * axis, radius, width)
        shape, place = ("ball", placed(at, size=radius)) if contact.kind == "ball" else ("cylinder", disc)
        made.parts.append(Part(shape, frame, place, colour, "body", GLASS))
    return bool(contacts)


def _add_looks(
    made: Scene, g: Geometry, shared: dict[int, str], name: str, looks: Sequence[Look], colour: str, role: str = "body"
) -> None:
    """Add the looks of a body. shared: names of meshes in the scene by identity; a mesh is stored once."""
    frame = g.frames[name]
    for k, look in enumerate(looks):
        if isinstance(look, StretchedLook):
            frames, shade = (frame, g.frames[look.other]), look.colour or colour
            made.spans.append(Span(str(look.mesh), frames, look.place, look.radius, shade, role, look.material))
            continue
        mesh = look.mesh if isinstance(look.mesh, str) else shared.setdefault(id(look.mesh), f"look {k} {name}")
        if isinstance(look.mesh, Mesh):
            made.meshes[mesh] = look.mesh
        paint = look.colour or ("#ffffff" if look.texture else colour)
        made.parts.append(Part(mesh, frame, look.place, paint, role, look.opacity, look.material, look.texture))


def _add_hull(made: Scene, name: str, frame: int, points: Array, radius: float, colour: str) -> None:
    solid = len(points) > 3 and np.linalg.matrix_rank(points[1:] - points[0], tol=2 * radius) > 2
    made.meshes[HULL + name] = hull(points, radius)
    made.parts.append(Part(HULL + name, frame, placed(), colour, "body", GLASS if solid else 1.0))


def _centred(shape: str, place: Array, at: Array) -> Array:
    """The transform of a solid about a point; the cylinder's mesh has its base at the origin."""
    return transform(place, at - place[:, 2] / 2 if shape == "cylinder" else at)


def _add_mass(made: Scene, g: Geometry, body: Body, colour: str, axes: Axes) -> None:
    """The symbol of the centre of mass, the solid of the same inertia about it, and the axes of the body."""
    frame, com = g.frames[body.name], g.com(body)
    if g.mass(body) <= 0:
        return
    for mesh, shade in (("dark", DARK), ("light", LIGHT)):
        made.parts.append(Part(mesh, frame, placed(com, size=1.3 * made.unit), shade, "mass"))
    solid = equivalent_solid(g.mass(body), g.inertia(body))
    if solid is not None:
        shape, place = solid
        made.parts.append(Part(shape, frame, _centred(shape, place, com), colour, "inertia", 0.35))
    foot = nearest_place(g.points(body), com)
    if np.linalg.norm(com - foot) > 2 * made.unit:
        stem = along(com - foot, foot, 0.2 * made.unit, float(np.linalg.norm(com - foot)))
        made.parts.append(Part("cylinder", frame, stem, DARK, "mass"))
    made.parts += [Part("cylinder", frame, axis, shade, "axes") for axis, shade in axes]


def _triad(radius: float, length: float) -> Axes:
    """Cylinders along the axes of a frame, and their colours."""
    return [(along(axis, np.zeros(3), radius, length), shade) for axis, shade in zip(np.eye(3), TRIAD, strict=True)]


def _add_label(made: Scene, g: Geometry, body: Body) -> None:
    points = g.points(body)
    made.labels.append(Label(body.name, g.frames[body.name], points.mean(axis=0) if len(points) > 1 else g.com(body)))


# -- joints -----------------------------------------------------------------------------------------------------------


def _add_joints(made: Scene, g: Geometry, body: Body) -> None:
    """Cylinders along the axes of hinges, rails and sleeves for slides, balls; nothing for free coordinates."""
    if floats(body) or not body.joints:
        return
    seat = g.model.point_at(body.on)
    on, foot, turned = g.frames[seat.body], g.position(seat), g.rotation(seat)
    frame, r = g.frames[body.name], made.unit
    kinds = [joint.type for joint in body.joints]
    if any(kind == "ball" for kind in kinds) or (all(kind[0] == "R" for kind in kinds) and len(kinds) == 3):
        made.parts.append(Part("ball", frame, placed(size=1.7 * r), STEEL, "joint"))
        return
    slid = False
    for k, joint in enumerate(body.joints):
        axis = np.eye(3)[int(joint.type[1]) - 1]
        first, last = k == 0, k == len(body.joints) - 1
        if joint.type[0] == "T":
            slid = True
            made.spans.append(Span("cylinder", (on, frame), np.array([foot, np.zeros(3)]), 0.45 * r, STEEL, "joint"))
            if first:
                made.parts.append(Part("box", on, beam(turned @ axis, foot, 2.2 * r, 3.4 * r), STEEL, "joint"))
        elif last and (slid or first or len(body.joints) < 3):  # at the origin, or before the first slide
            made.parts.append(Part("cylinder", frame, _hinge(axis, np.zeros(3), r), STEEL, "joint"))
        elif first:
            made.parts.append(Part("cylinder", on, _hinge(turned @ axis, foot, r), STEEL, "joint"))
        else:
            made.parts.append(Part("ball", on, placed(foot, size=1.7 * r), STEEL, "joint"))


def _hinge(axis: Array, at: Array, r: float) -> Array:
    return along(axis, at - 1.9 * r * axis, 1.35 * r, 3.8 * r)


# -- ground, cuts, links, signs ---------------------------------------------------------------------------------------


def _add_ground(made: Scene, g: Geometry) -> None:
    """Balls where something is attached to the ground, and the axes of its frame."""
    r = made.unit
    used = {b.on for b in g.model.bodies.values() if not floats(b)}
    used |= {end for cut in g.model.cuts.values() for end in (cut.a, cut.b)}
    used |= {end for link in g.model.links.values() for end in (link.a, link.b)}
    for point in g.model.ground.points.values():
        if point.path in used:
            made.parts.append(Part("ball", 0, placed(g.position(point), size=1.15 * r), EARTH, "ground"))
    made.parts += [Part("cylinder", 0, axis, shade, "axes") for axis, shade in _triad(0.3 * r, 8 * r)]


def _add_cuts(made: Scene, g: Geometry) -> None:
    """Rods between their ends; for other cuts a ball, a pin along the axis, or a block."""
    r = made.unit
    for cut in g.model.cuts.values():
        (a, at_a), (b, at_b) = g.place(cut.a), g.place(cut.b)
        if cut.kind == "rod":
            made.spans.append(Span("cylinder", (a, b), np.array([at_a, at_b]), 0.6 * r, DARK, "cut"))
            made.parts += [Part("ball", f, placed(at, size=1.1 * r), STEEL, "cut") for f, at in ((a, at_a), (b, at_b))]
        elif cut.kind in ("revolute", "planar-ball"):
            axis = g.rotation(g.model.point_at(cut.b))[:, cut.axis - 1]
            made.parts.append(Part("cylinder", b, _hinge(axis, at_b, r), CUT, "cut"))
        elif cut.kind in ("solid", "planar-solid"):
            made.parts.append(Part("box", b, placed(at_b, size=2.6 * r), CUT, "cut"))
        else:
            made.parts.append(Part("ball", b, placed(at_b, size=1.6 * r), CUT, "cut"))


def _add_links(made: Scene, g: Geometry) -> None:
    """Hydraulic cylinders, and springs for all other links; a stop inside a cylinder is not seen."""
    rams = {(one.a, one.b) for name, one in g.model.links.items() if f"{name}.piston_chamber" in g.model.limits}
    for link in g.model.links.values():
        if (link.a, link.b) in rams and f"{link.name}.piston_chamber" not in g.model.limits:
            continue
        (a, at_a), (b, at_b) = g.place(link.a), g.place(link.b)
        ends = np.array([at_a, at_b])
        if f"{link.name}.piston_chamber" in g.model.limits:
            made.spans.append(Span("ram", (a, b), ends, 1.1 * made.unit, EARTH, "link"))
            continue
        made.spans.append(Span(COIL, (a, b), ends, 1.9 * made.unit, SPRING, "link"))
        made.spans.append(Span("cylinder", (a, b), ends, 0.3 * made.unit, STEEL, "link"))


def _add_signs(made: Scene, g: Geometry) -> None:
    """Small balls at points that are not inside a solid."""
    inside = {p.frame for p in made.parts if p.mesh.startswith(HULL) and p.opacity == 1.0}
    for body in (g.model.ground, *g.model.bodies.values()):
        for point in body.points.values():
            if g.frames[body.name] not in inside and (point.name != ORIGIN or body.name != GROUND):
                place = placed(g.position(point), size=0.55 * made.unit)
                made.parts.append(Part("bead", g.frames[body.name], place, DARK, "point"))
