"""The .mbs files of ROBOTRAN (XML). Parts that we do not use (graphics, user models, comments) are kept when saving."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import TypeVar

from symbody.errors import ModelError
from symbody.files.mbs_tags import BASE, FLAGS, INERTIA, PLANAR, body_word, nature, truth
from symbody.files.mbs_update import write_mbs
from symbody.files.safe_file import FilePath, naming
from symbody.files.safe_xml import XmlDocument, number, read_xml
from symbody.model.body import GROUND, ORIGIN, Body, Joint, Point
from symbody.model.components import Cut, ForceSite, Link, Sensor
from symbody.model.formula import Vector
from symbody.model.model import Model

__all__ = ["read_mbs", "write_mbs"]

T = TypeVar("T")


def read_mbs(path: FilePath) -> Model:
    """Read a .mbs file. Missing numbers are 0."""
    with naming(path):
        model = _model(read_xml(path))
    model.file = os.fspath(path)
    return model


def _model(document: XmlDocument) -> Model:
    root = document.root
    if root.tag != "mbsDescR7":
        raise ModelError(f"the root element is <{root.tag}>", cure="use a .mbs file, which starts with <mbsDescR7>")
    model = Model(_text(root, "mbsname") or "model", gravity=(0.0, 0.0, 0.0), source=document)
    base = root.find("base")
    if base is not None:
        model.gravity = _vector(base.find("gravity"), "gravity")
        _read_points(model, model.ground, base, "ground")
    bodies: dict[str, Body] = {}
    for element in root.iterfind("bodytree/body"):
        body = _body(model, element)
        _add(bodies, body.name, body, "bodies")
    model.bodies = bodies
    for element in root.iterfind("cuts/*"):
        if isinstance(element.tag, str):
            cut = _cut(element)
            _add(model.cuts, cut.name, cut, "cuts")
    for element in root.iterfind("links/*"):
        if element.tag == "link":
            name = _required(element, "name", "links")
            _add(model.links, name, Link(name, *_ends(element, f"links.{name}")), "links")
        elif isinstance(element.tag, str):
            cure = "use a link, or a force site at each end"
            raise ModelError(f"<{element.tag}> is not supported", element="links", cure=cure)
    return model


def _body(model: Model, element: ET.Element) -> Body:
    name = _required(element, "bodyname", "bodies")
    where = f"bodies.{name}"
    if name in (BASE, GROUND):
        raise ModelError(
            f"a moving body is named '{name}'", element=where, cure="rename it: this name is reserved for the ground"
        )
    parent = element.find("parent")
    if parent is None:
        raise ModelError("<parent> is missing", element=where, cure="add the body and the point that carry it")
    body = Body(name, on=_place(parent, f"{where}.on"), mass=number(_text(element, "mass"), f"{where}.mass"))
    body.joints = [_joint(joint, where) for joint in element.iterfind("joint")]
    body.com = _vector(element.find("com"), f"{where}.com")
    xx, yy, zz, xy, xz, yz = (number(_text(element, f"inertia/{ij}"), f"{where}.inertia") for ij in INERTIA)
    body.inertia = (xx, yy, zz, xy, xz, yz)
    _read_points(model, body, element, where)
    return body


def _joint(element: ET.Element, where: str) -> Joint:
    name = _required(element, "jointname", f"{where}.joints")
    where = f"{where}.joints.{name}"
    q0 = number(_text(element, "initialvalue/q"), f"{where}.q0")
    v0 = number(_text(element, "initialvalue/qd"), f"{where}.v0")
    return Joint(name, _required(element, "type", where), nature(_text(element, "nature")), (q0,), (v0,))


def _read_points(model: Model, body: Body, element: ET.Element, where: str) -> None:
    read: dict[str, Point] = {}
    for child in element.iterfind("point"):
        name = _required(child, "pointname", f"{where}.points")
        point = Point(body.name, name, _vector(child, f"{where}.points.{name}"))
        _add(read, name, point, f"{where}.points")
        for mark in child.iterfind("sensor"):
            title = _named(mark, f"{where}.points.{name}")
            _add(model.sensors, title, Sensor(title, point.path, tuple(_sensed(mark, f"sensors.{title}"))), "sensors")
        for mark in child.iterfind("extforce"):
            title = _named(mark, f"{where}.points.{name}")
            _add(model.force_sites, title, ForceSite(title, point.path), "force_sites")
    body.points.update(read)


def _sensed(element: ET.Element, where: str) -> Iterator[str]:
    for flag, quantity in FLAGS.items():
        if truth(element.get(flag), f"{where}.{flag}"):
            yield quantity


def _cut(element: ET.Element) -> Cut:
    name = _required(element, "name", "cuts")
    where = f"cuts.{name}"
    if element.tag not in ("ball", "rod", "solid"):
        cure = "use a ball, rod or solid cut"
        raise ModelError(f"unknown kind of cut <{element.tag}>", element=where, cure=cure)
    cut = Cut(name, element.tag, *_ends(element, where))
    if element.tag == "rod":
        cut.length = number(_text(element, "length"), f"{where}.length")
    ignored = [axis for axis, letter in enumerate("xyz", 1) if element.find(f"ignore/{letter}") is not None]
    if ignored:
        if len(ignored) > 1 or element.tag not in PLANAR:
            raise ModelError(
                "the cut ignores several axes", element=where, cure="a ball or solid cut may ignore one axis"
            )
        cut.kind, cut.axis = PLANAR[element.tag], ignored[0]
    return cut


def _ends(element: ET.Element, where: str) -> tuple[str, str]:
    ends = [element.find(tag) for tag in ("endpoint1", "endpoint2")]
    for end, tag in zip(ends, ("endpoint1", "endpoint2"), strict=True):
        if end is None:
            raise ModelError(f"<{tag}> is missing", element=where, cure="add the body and the point there")
    a, b = (_place(end, where) for end in ends if end is not None)
    return a, b


def _place(element: ET.Element, where: str) -> str:
    body = _required(element, "bodyname", where)
    return f"{body_word(body)}.{_text(element, 'pointname') or ORIGIN}"


def _vector(element: ET.Element | None, where: str) -> Vector:
    """The <coordinates> inside an element; missing ones are 0."""
    if element is None:
        return 0.0, 0.0, 0.0
    x, y, z = (number(_text(element, f"coordinates/{axis}"), where) for axis in "xyz")
    return x, y, z


def _text(element: ET.Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _required(element: ET.Element, tag: str, where: str) -> str:
    text = _text(element, tag)
    if not text:
        raise ModelError(f"a <{element.tag}> has no <{tag}>", element=where, cure=f"add <{tag}>…</{tag}>")
    return text


def _named(element: ET.Element, where: str) -> str:
    name = (element.get("name") or "").strip()
    if not name:
        raise ModelError(f"a <{element.tag}> has no name", element=where, cure='add name="…"')
    return name


def _add(family: dict[str, T], name: str, element: T, where: str) -> None:
    if name in family:
        raise ModelError("another element already has this name", element=f"{where}.{name}", cure="rename one of them")
    family[name] = element
