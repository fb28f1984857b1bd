"""MJCF files of MuJoCo, read only: bodies with any number of joints, masses of geoms, and what ties and drives them.

Coordinates are MuJoCo's, in its order, less a joint's `ref`; a free joint has the same position and quaternion. What
has no place in a model of ours (contact, sensors, flexible things …) is listed.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from symbody.errors import ModelError
from symbody.model.body import GROUND, Joint
from symbody.model.file_tree import (
    Seat,
    add_mass,
    free_name,
    ground_seat,
    hang,
    mark,
    matrix_quaternion,
    new_body,
    vector,
    weld,
)
from symbody.model.joint_laws import act_on_limits, lift
from symbody.model.mjcf_actuators import add_actuators
from symbody.model.mjcf_document import Attributes, MjcfDocument, read_document, real, reals, truth
from symbody.model.mjcf_equality import add_equalities
from symbody.model.mjcf_inertia import MassPart, bounded, geom_kind, geom_mass, together, written_mass
from symbody.model.mjcf_joints import add_laws, angle
from symbody.model.mjcf_keyframe import start_from
from symbody.model.mjcf_meshes import MjcfMeshes
from symbody.model.mjcf_names import MjcfNames
from symbody.model.mjcf_shapes import collides, geom_shapes, is_shown
from symbody.model.mjcf_tendons import add_tendons
from symbody.model.model import Model
from symbody.model.placement import AT_HOME, Placement, compose
from symbody.model.safe_file import FilePath, naming
from symbody.model.urdf_file import clean_name

GRAVITY = (0.0, 0.0, -9.81)
_KINDS = {"hinge": "R", "slide": "T", "ball": "ball", "free": "free"}
_UNREAD = {  # sections that a model of ours has no place for: whether the motion feels it, and why
    "deformable": (True, "bodies are rigid"),
    "extension": (True, "plugins are code of others"),
    "sensor": (False, "every coordinate is an output; add sensors with m.sensor"),
    "contact": (False, "geoms do not touch each other here"),
    "custom": (False, "data of others"),
}
_UNMAPPED = {
    "composite": "made of many parts by MuJoCo",
    "flexcomp": "bodies are rigid",
    "replicate": "copies are not made here",
    "attach": "other models are not attached here",
    "plugin": "plugins are code of others",
}


def read_mjcf(
    path: FilePath,
    limits: str = "ignore",
    keyframe: str | None = None,
    packages: Mapping[str, FilePath] | None = None,
) -> Model:
    """The model in an MJCF file; keyframe: the name of a pose of the file to start from.

    packages: folders from which includes may come, besides the file's own.
    """
    with naming(path):
        document = read_document(path, packages)
        model = mjcf_model(document, keyframe)
        act_on_limits(model, limits)
    model.file = os.fspath(path)
    return model


def mjcf_model(document: MjcfDocument, keyframe: str | None = None) -> Model:
    """The model of a document."""
    name = (document.root.get("model") or "").strip()
    model = Model(name if name.isprintable() and name else "mujoco")
    _read_options(model, document)
    tree = _Tree(model, document)
    for world in document.root.iterfind("worldbody"):
        tree.read(world)
    tree.settle()
    tree.looks()
    if not model.bodies:
        raise ModelError("no bodies", element="worldbody", cure="put a <body> into <worldbody>")
    if "equality" not in document.disabled:
        add_equalities(model, document, tree.names)
    tendons = add_tendons(model, document, tree.names)
    if "actuation" not in document.disabled:
        add_actuators(model, document, tree.names, tendons)
    start_from(model, document, keyframe, tree.names)
    _list_unread(document, tree)
    model.dropped = document.dropped
    return model


def _read_options(model: Model, document: MjcfDocument) -> None:
    gravity: tuple[float, ...] = GRAVITY
    for option in document.root.iterfind("option"):
        gravity = reals(option.attrib, "gravity", "option", gravity)
        for what in ("density", "viscosity", "wind", "magnetic"):
            if any(reals(option.attrib, what, "option", (0.0,) * 3)) and what != "magnetic":
                document.drop(what, "option", "there is no air or water around bodies")
    if "gravity" in document.disabled:
        gravity = (0.0, 0.0, 0.0)
    x, y, z = gravity
    model.gravity = (x, y, z)


@dataclass
class _Waiting:
    """A body that is still to be read: where it hangs, and where it is in the world at the start."""

    element: ET.Element
    seat: Seat
    pose: Placement  # of its parent's frame, or of a <frame> in it, in the seat's
    world: Placement  # of the same, in the world
    childclass: str


@dataclass
class _Tree:
    """The bodies of a document, read in its order without recursion."""

    model: Model
    document: MjcfDocument
    names: MjcfNames = field(default_factory=MjcfNames)
    masses: dict[str, tuple[Seat, MassPart]] = field(default_factory=dict)
    geoms: dict[str, list[tuple[Attributes, Seat, Placement]]] = field(default_factory=dict)
    lifted: list[tuple[Seat, float]] = field(default_factory=list)  # `gravcomp` of bodies
    contacts: int = 0

    def __post_init__(self) -> None:
        self.meshes = MjcfMeshes(self.document)

    def read(self, world: ET.Element) -> None:
        """All bodies of a <worldbody>, depth first."""
        ground = ground_seat(self.model)
        self.names.bodies["world"] = (ground, AT_HOME)
        waiting = self._parts(world, _Waiting(world, ground, AT_HOME, AT_HOME, world.get("childclass") or ""))
        while waiting:
            waiting += self._body(waiting.pop())

    def _body(self, at: _Waiting) -> list[_Waiting]:
        element, document = at.element, self.document
        name = clean_name(element.get("name") or f"body{len(self.names.bodies)}")
        childclass = element.get("childclass") or at.childclass
        own = document.pose(element.attrib, name)
        world = compose(at.world, own)
        joints = [j for j in element if j.tag in ("joint", "freejoint")]
        seat = self._joints(joints, name, compose(at.pose, own), at.seat, world, childclass)
        self.names.bodies[(element.get("name") or name).strip()] = (seat, world)
        if share := real(element.attrib, "gravcomp", name):
            self.lifted.append((seat, share))
        if truth(element.attrib, "mocap", False):
            document.drop("mocap", name, "it stays where it is")
        mark(seat)
        below = self._parts(element, _Waiting(element, seat, AT_HOME, world, childclass))
        self._mass(element, seat, name, childclass)
        return below

    def _joints(
        self, joints: list[ET.Element], name: str, pose: Placement, seat: Seat, world: Placement, childclass: str
    ) -> Seat:
        """The joints of a body in a row, each with a frame of its own where they do not meet."""
        new_body(self.model, name)
        if not joints:
            return weld(self.model, seat, name, pose)
        further = False
        for k, element in enumerate(joints):
            bare = element.tag == "freejoint"  # which takes no defaults
            attributes = dict(element.attrib) if bare else self.document.attributes(element, childclass)
            kind = "free" if bare else attributes.get("type", "hinge")
            if kind not in _KINDS:
                raise ModelError(f"unknown joint type '{kind[:40]}'", element=name, cure=f"use {', '.join(_KINDS)}")
            title = clean_name(element.get("name") or (name if len(joints) == 1 else f"{name}.{k + 1}"), dots=True)
            joint = Joint(title, _KINDS[kind])
            last = k == len(joints) - 1
            own = name if last else free_name(f"{name}_{title}", {*self.model.bodies, name})
            if kind == "free":
                seat = self._free(joint, name, seat, world, len(joints))
            else:
                axis = reals(attributes, "axis", title, (0.0, 0.0, 1.0), 3)
                anchor = reals(attributes, "pos", title, (0.0, 0.0, 0.0), 3)
                seat = hang(self.model, seat, own, AT_HOME if further else pose, joint, axis, anchor, further)
            further = True
            ref, spring = (angle(self.document, kind, attributes, key, title) for key in ("ref", "springref"))
            self.names.add_joint(element.get("name") or title, joint, ref, spring)
            add_laws(self.model, self.document, self.names, seat, joint, kind, attributes)
        return seat

    def _free(self, joint: Joint, name: str, seat: Seat, world: Placement, count: int) -> Seat:
        """A free body is placed by its coordinates, from the ground's origin, as in MuJoCo."""
        if count > 1 or seat.body.name != GROUND:
            raise ModelError(
                "a free joint that is not alone on a body of the world", element=joint.name, cure="move it"
            )
        joint.q0 = (*vector(world[1]), *matrix_quaternion(world[0]))
        joint.v0 = (0.0,) * 6
        return hang(self.model, ground_seat(self.model), name, AT_HOME, joint, (), (0.0, 0.0, 0.0))

    def _parts(self, element: ET.Element, at: _Waiting) -> list[_Waiting]:
        """Sites of a body as points, its bodies to be read, and what is left out; the last body comes first."""
        waiting: list[_Waiting] = []
        for part, frame, childclass in self._framed(element, at.childclass):
            tag = str(part.tag)
            if tag == "body":
                waiting.append(_Waiting(part, at.seat, frame, compose(at.world, frame), childclass))
            elif tag == "site":
                self._site(part, at, frame, childclass)
            elif tag == "geom":
                geom = self.document.attributes(part, childclass)
                self.contacts += collides(geom)
                self.geoms.setdefault(at.seat.body.name, []).append((geom, at.seat, frame))
            elif tag in _UNMAPPED:
                self.document.drop(tag, part.get("name") or at.seat.body.name, _UNMAPPED[tag])
        return waiting[::-1]

    def _framed(
        self, element: ET.Element, childclass: str, pose: Placement = AT_HOME
    ) -> Iterator[tuple[ET.Element, Placement, str]]:
        """What stands in a body, or in the frames in it, with the pose of the frame."""
        for part in element:
            if part.tag == "frame":
                inner = compose(pose, self.document.pose(part.attrib, part.get("name") or "frame"))
                yield from self._framed(part, part.get("childclass") or childclass, inner)
            elif isinstance(part.tag, str):
                yield part, pose, childclass

    def looks(self) -> None:
        """Shapes of bodies: of the groups that are shown, if any are, and meshes that do not collide before others."""
        for body, geoms in self.geoms.items():
            shown = [one for one in geoms if is_shown(one[0], body)] or geoms
            seen = [one for one in shown if geom_kind(one[0]) == "mesh" and not collides(one[0])]
            chosen = [one for one in shown if not (seen and collides(one[0]))]
            parts = (geom_shapes(self.document, self.meshes, geom, at, seat.at, body) for geom, seat, at in chosen)
            if made := [shape for part in parts for shape in part]:
                self.model.shapes[body] = made

    def _site(self, element: ET.Element, at: _Waiting, frame: Placement, childclass: str) -> None:
        attributes = self.document.attributes(element, childclass)
        name = element.get("name") or f"site{len(self.names.sites)}"
        pose = compose(frame, self.document.pose(attributes, name))
        self.names.sites[name] = at.seat.point(name, pose).path

    def _mass(self, element: ET.Element, seat: Seat, name: str, childclass: str) -> None:
        """As written, or of the geoms, as the compiler's setting says."""
        document, inertial = self.document, element.find("inertial")
        rule = document.compiler.get("inertiafromgeom", "auto")
        if rule == "true" or (rule != "false" and inertial is None):
            low, high = reals(document.compiler, "inertiagrouprange", "compiler", (0.0, 5.0))
            found = []
            for part, frame, usual in self._framed(element, childclass):
                if part.tag != "geom":
                    continue
                geom = document.attributes(part, usual)
                if low <= real(geom, "group", name) <= high and (one := geom_mass(document, self.meshes, geom, name)):
                    rotation, position = frame
                    turned = rotation @ one.inertia @ rotation.T
                    found.append(MassPart(one.mass, position + rotation @ one.com, turned))
            part_mass = together(found)
        else:
            part_mass = written_mass(document, inertial, name) if inertial is not None else together(())
        self.masses[seat.body.name] = (seat, bounded(document, part_mass))

    def settle(self) -> None:
        """Give bodies their masses, scaled where the file gives the sum of them."""
        total = real(self.document.compiler, "settotalmass", "compiler", -1.0)
        heavy = sum(part.mass for _, part in self.masses.values())
        scale = total / heavy if total > 0 and heavy > 0 else 1.0
        for seat, part in self.masses.values():
            add_mass(seat, scale * part.mass, part.com, scale * part.inertia)
        for seat, share in self.lifted:
            lift(self.model, seat.body, share)


def _list_unread(document: MjcfDocument, tree: _Tree) -> None:
    for tag, (matters, why) in _UNREAD.items():
        for part in document.section(tag):
            document.drop(f"{tag} {part.tag}", part.get("name") or "", why, matters)
    if tree.contacts and "contact" not in document.disabled:
        document.drop("contact of geoms", f"{tree.contacts} geoms", "attach contacts with symbody.elements")
