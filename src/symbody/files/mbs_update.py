"""Write a model into the XML tree of a .mbs file; only changed parts are touched."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, takewhile

from symbody.errors import ModelError
from symbody.files.mbs_tags import BASE, FLAGS, INERTIA, NEW, ORDER, PLANAR, body_word, nature, truth
from symbody.files.safe_file import FilePath, naming
from symbody.files.safe_xml import XmlDocument, number, xml_text
from symbody.model.body import ORIGIN, QUATERNION, Body, Joint
from symbody.model.components import Cut, ForceSite, Link, Sensor
from symbody.model.every_law import every_law
from symbody.model.formula import Number, evaluate
from symbody.model.law import dropped
from symbody.model.model import Model
from symbody.output_file import write_text

CURE = "save the model as .yaml"

_RANK = {tag: rank for rank, tag in enumerate(ORDER)}
_Marks = dict[str, list[Sensor | ForceSite]]


def write_mbs(model: Model, path: FilePath, laws: str = "refuse") -> None:
    """Write a .mbs file. Formulas become numbers. What the format does not support raises ModelError.

    The format has no laws, states, constraints and signals: they raise ModelError, or are left out with `laws="drop"`.
    """
    with naming(path):
        write_text(path, mbs_text(model, laws))


def mbs_text(model: Model, laws: str = "refuse") -> str:
    """The text of the file, unchanged where the model agrees with the file that it comes from; see `write_mbs`."""
    _refuse_inexpressible(model)
    if not dropped(laws):
        _refuse_laws(model)
    return xml_text(_document(model))


def _document(model: Model) -> XmlDocument:
    """The file that the model comes from, updated; or a new one."""
    if isinstance(model.source, XmlDocument):
        document = copy.deepcopy(model.source)
        _update(document.root, model)
        return document
    root = ET.Element("mbsDescR7")
    for tag in ("mbsname", "base", "bodytree", "x3D"):
        ET.SubElement(root, tag)
    _update(root, model)
    ET.indent(root)
    return XmlDocument(root)


def _refuse_inexpressible(model: Model) -> None:
    for body in chain((model.ground,), model.bodies.values()):
        if body.name == BASE:
            cure = f"rename the body, or {CURE}"
            raise ModelError(
                f"the name '{BASE}' is reserved for the ground in .mbs files", element=f"bodies.{body.name}", cure=cure
            )
        if body.looks:
            raise ModelError(".mbs files do not support meshes", element=f"bodies.{body.name}.looks", cure=CURE)
        for joint in body.joints:
            if joint.type in QUATERNION:
                where, cure = f"bodies.{body.name}.joints.{joint.name}", f"use R1 R2 R3 joints, or {CURE}"
                raise ModelError(f".mbs files do not support '{joint.type}' joints", element=where, cure=cure)
            if joint.armature != 0:
                where = f"bodies.{body.name}.joints.{joint.name}.armature"
                raise ModelError(".mbs files do not support armatures", element=where, cure=CURE)
        for point in body.points.values():
            if any(evaluate(angle, model.values) != 0 for angle in point.rotation):
                raise ModelError(".mbs files do not support rotated points", element=f"{point.path}", cure=CURE)
    for cut in model.cuts.values():
        if cut.kind not in ("ball", "rod", "solid", *PLANAR.values()):
            raise ModelError(f".mbs files do not support {cut.kind} cuts", element=f"cuts.{cut.name}", cure=CURE)
    for name in model.rolling_contacts:
        raise ModelError(".mbs files do not support rolling contacts", element=f"rolling_contacts.{name}", cure=CURE)


def _refuse_laws(model: Model) -> None:
    for family, name, law, _ in every_law(model):
        if law is not None:
            cure = f'{CURE}, or leave out the laws: write_mbs(model, path, laws="drop")'
            raise ModelError(".mbs files do not support laws", element=f"{family}.{name}", cure=cure)
    for name in model.circuits:
        raise ModelError(".mbs files do not support circuits", element=f"circuits.{name}", cure=CURE)


def _update(root: ET.Element, model: Model) -> None:
    values = model.values
    marks: _Marks = defaultdict(list)  # sensors and force sites, by their point
    every: list[Sensor | ForceSite] = [*model.sensors.values(), *model.force_sites.values()]
    for mark in every:
        marks[model.point_at(mark.point).path].append(mark)
    _set_text(_child(root, "mbsname", 1), model.name)
    base = _child(root, "base", 1)
    _set_vector(base, "gravity", model.gravity, values, 2)
    _set_points(base, model.ground, marks, values, 2)
    tree = _child(root, "bodytree", 1)
    elements = _family(tree, ("body",), "bodyname", [("body", name) for name in model.bodies], 2)
    for element, body in zip(elements, model.bodies.values(), strict=True):
        _set_body(element, body, marks, values)
    if model.cuts or root.find("cuts") is not None:
        cuts = _child(root, "cuts", 1)
        wanted = [(_cut_tag(cut), cut.name) for cut in model.cuts.values()]
        elements = _family(cuts, ("ball", "rod", "solid"), "name", wanted, 2)
        for element, cut in zip(elements, model.cuts.values(), strict=True):
            _set_cut(element, cut, values)
    if model.links or root.find("links") is not None:
        links = _child(root, "links", 1)
        elements = _family(links, ("link",), "name", [("link", name) for name in model.links], 2)
        for element, link in zip(elements, model.links.values(), strict=True):
            _set_ends(element, link)


def _set_body(element: ET.Element, body: Body, marks: _Marks, values: dict[str, float]) -> None:
    _set_place(_child(element, "parent", 3), body.on, 4)
    joints = _family(element, ("joint",), "jointname", [("joint", joint.name) for joint in body.joints], 3)
    for child, joint in zip(joints, body.joints, strict=True):
        _set_joint(child, joint, values)
    _set_number(element, "mass", body.mass, values, 3)
    _set_vector(element, "com", body.com, values, 3)
    _set_numbers(element, "inertia", INERTIA, body.inertia, values, 3)
    _set_points(element, body, marks, values, 3)


def _set_joint(element: ET.Element, joint: Joint, values: dict[str, float]) -> None:
    _set_text(_child(element, "type", 4), joint.type)
    if nature((element.findtext("nature") or "").strip()) != joint.nature:
        _child(element, "nature", 4).text = joint.nature
    _set_numbers(element, "initialvalue", ("q", "qd"), (joint.q0[0], joint.v0[0]), values, 4)


def _set_points(element: ET.Element, body: Body, marks: _Marks, values: dict[str, float], depth: int) -> None:
    titles = [(child.findtext("pointname") or "").strip() for child in element.iterfind("point")]
    place = {name: i for i, name in enumerate(titles)}
    points = [p for p in body.points.values() if p.name != ORIGIN or p.name in place or marks.get(p.path)]
    points.sort(key=lambda point: place.get(point.name, len(place)))  # their order has no meaning: keep the file's
    children = _family(element, ("point",), "pointname", [("point", point.name) for point in points], depth)
    for child, point in zip(children, points, strict=True):
        _set_numbers(child, "coordinates", "xyz", point.position, values, depth + 1)
        _set_marks(child, marks[point.path], depth + 1)


def _set_marks(element: ET.Element, marks: Sequence[Sensor | ForceSite], depth: int) -> None:
    sites = [("extforce", mark.name) for mark in marks if isinstance(mark, ForceSite)]
    _family(element, ("extforce",), None, sites, depth)
    sensors = [mark for mark in marks if isinstance(mark, Sensor)]
    children = _family(element, ("sensor",), None, [("sensor", sensor.name) for sensor in sensors], depth)
    for child, sensor in zip(children, sensors, strict=True):
        for flag, quantity in FLAGS.items():
            if truth(child.get(flag), f"sensors.{sensor.name}") != (quantity in sensor.quantities):
                child.set(flag, "true" if quantity in sensor.quantities else "false")


def _cut_tag(cut: Cut) -> str:
    return next((tag for tag, kind in PLANAR.items() if kind == cut.kind), cut.kind)


def _set_cut(element: ET.Element, cut: Cut, values: dict[str, float]) -> None:
    _set_ends(element, cut)
    if cut.length is not None:
        _set_number(element, "length", cut.length, values, 3)
    present = element.find("ignore")
    written = set() if present is None else {child.tag for child in present}
    ignored = {"xyz"[cut.axis - 1]} if cut.kind in PLANAR.values() else set()
    if written != ignored:
        if present is not None:
            _remove(element, present)
        for axis in ignored:
            _child(_child(element, "ignore", 3), axis, 4)


def _set_ends(element: ET.Element, ends: Cut | Link) -> None:
    _set_place(_child(element, "endpoint1", 3), ends.a, 4)
    _set_place(_child(element, "endpoint2", 3), ends.b, 4)


def _set_place(element: ET.Element, path: str, depth: int) -> None:
    body, _, point = path.rpartition(".") if "." in path else (path, "", ORIGIN)
    _set_text(_child(element, "bodyname", depth), body_word(body))
    if ((element.findtext("pointname") or "").strip() or ORIGIN) != point:
        _child(element, "pointname", depth).text = point


def _set_text(element: ET.Element, text: str) -> None:
    if (element.text or "").strip() != text:
        element.text = text


def _set_vector(element: ET.Element, tag: str, vector: Iterable[Number], values: dict[str, float], depth: int) -> None:
    numbers = list(vector)
    holder = element.find(tag)
    if holder is None:
        if not any(evaluate(value, values) for value in numbers):
            return
        holder = _child(element, tag, depth)
    _set_numbers(holder, "coordinates", "xyz", numbers, values, depth + 1)


def _set_numbers(
    element: ET.Element, tag: str, names: Iterable[str], numbers: Iterable[Number], values: dict[str, float], depth: int
) -> None:
    pairs = list(zip(names, numbers, strict=True))
    holder = element.find(tag)
    if holder is None:
        if not any(evaluate(value, values) for _, value in pairs):
            return  # missing numbers are 0
        holder = _child(element, tag, depth)
    for name, value in pairs:
        _set_number(holder, name, value, values, depth + 1)


def _set_number(element: ET.Element, tag: str, value: Number, values: dict[str, float], depth: int) -> None:
    wanted = float(evaluate(value, values))
    if number(element.findtext(tag), tag) != wanted:  # an unchanged number keeps its digits
        _child(element, tag, depth).text = repr(wanted)


def _family(
    parent: ET.Element, tags: Sequence[str], key: str | None, wanted: Sequence[tuple[str, str]], depth: int
) -> list[ET.Element]:
    """The children of these tags, changed to the wanted ones, by name (an attribute without `key`) and in order."""

    def name(child: ET.Element) -> str:
        return ((child.findtext(key) if key else child.get("name")) or "").strip()

    present = {(child.tag, name(child)): child for child in parent if child.tag in tags}
    for identity in present.keys() - set(wanted):
        _remove(parent, present[identity])
    family = []
    for tag, title in wanted:
        child = present.get((tag, title))
        if child is None:
            child = ET.fromstring(NEW[tag])
            if key:
                _child(child, key, depth).text = title
            else:
                child.set("name", title)
            _insert(parent, child, depth)
        family.append(child)
    slots = [i for i, child in enumerate(parent) if child.tag in tags]
    if [parent[i] for i in slots] != family:
        tails = [parent[i].tail for i in slots]
        for i, child, tail in zip(slots, family, tails, strict=True):
            parent[i], child.tail = child, tail
    return family


def _child(parent: ET.Element, tag: str, depth: int) -> ET.Element:
    """The child of this tag, added in its usual place if it is missing."""
    child = parent.find(tag)
    if child is None:
        child = ET.Element(tag)
        _insert(parent, child, depth)
    return child


def _insert(parent: ET.Element, child: ET.Element, depth: int) -> None:
    """Insert a new child in its usual place, with the same indentation as its siblings."""
    rank = _RANK[child.tag]
    index = len(parent)
    while index and _RANK.get(str(parent[index - 1].tag), len(ORDER)) > rank:
        index -= 1
    if index == 0:  # after the first comments
        index = sum(1 for _ in takewhile(lambda other: not isinstance(other.tag, str), parent))
    margin = "\n" + "  " * depth
    ET.indent(child, level=depth)
    if index == len(parent):
        child.tail = margin[:-2]
        if len(parent):
            parent[-1].tail = margin
        else:
            parent.text = margin
    else:
        child.tail = margin
    parent.insert(index, child)


def _remove(parent: ET.Element, child: ET.Element) -> None:
    index = list(parent).index(child)
    if index:  # the text after the last child is the indentation of the closing tag
        parent[index - 1].tail = child.tail if index == len(parent) - 1 else parent[index - 1].tail
    elif len(parent) == 1:
        parent.text = None
    parent.remove(child)
