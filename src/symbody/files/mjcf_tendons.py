"""Tendons of MJCF: fixed ones as couplings of joints, spatial ones between two sites as links."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from symbody.files.file_tree import free_name
from symbody.files.joint_laws import FRICTION_SPEED, add_account, add_coupling, add_parameter, shared_parameter
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_length_range import SoftLimit, soft_limit
from symbody.files.mjcf_names import MjcfNames
from symbody.files.mjcf_numbers import Attributes, real, reals, truth
from symbody.model.components import Link
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.model import Model
from symbody.model.placement import Placement, compose, placement, placements

Placed = Callable[[], dict[str, Placement] | None]  # None: free bodies make it unknown


@dataclass
class Tendon:
    """A tendon that actuators can pull: joints with their coefficients, or a link of the model."""

    name: str
    joints: dict[str, float]
    length: str  # a formula (m, rad)
    rate: str
    rest: float | None  # its length with all joint springs at rest; None if unknown
    link: str = ""
    limit: SoftLimit | None = None  # of its length
    stiffness: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    slack: tuple[float, float] | None = None  # the spring's shortest and longest length at rest


def add_tendons(model: Model, document: MjcfDocument, names: MjcfNames) -> list[tuple[str, Tendon | None]]:
    """Add all supported tendons; returns their names, in the order of the file, with None for those left out."""
    found: list[tuple[str, Tendon | None]] = []
    named = {element.get("name") for element in document.section("tendon")}
    free = any(joint.nq > 1 for joint in model.joints())
    # once for all tendons, which move no body
    placed = cache(lambda: None if free else placements(model, names.springs))
    for k, element in enumerate(document.section("tendon")):
        title = element.get("name") or free_name(f"tendon{k + 1}", named)
        attributes = document.attributes(element, kind="tendon")
        if element.tag == "fixed":
            tendon = _fixed(model, document, names, element, title)
        else:
            tendon = _spatial(model, document, names, element, title, placed)
        found.append((title, tendon))
        if tendon is not None:
            _pull(model, document, tendon, attributes, title)
    return found


def _fixed(model: Model, document: MjcfDocument, names: MjcfNames, element: ET.Element, title: str) -> Tendon | None:
    """L = Σ cᵢ qᵢ."""
    joints: dict[str, float] = {}
    lengths, rates, rest = [], [], 0.0
    for part in element.iterfind("joint"):
        joint = names.joint(part.get("joint", ""), title)
        if joint.nq > 1:
            document.drop("tendon fixed", title, "not supported for a joint with several coordinates")
            return None
        c = real(part.attrib, "coef", title, 1.0)
        joints[joint.name] = joints.get(joint.name, 0.0) + c
        rest += c * (names.references[joint.name] + names.springs[joint.name])
        lengths.append(f"({c!r})*{names.coordinate(joint)}")
        rates.append(f'({c!r})*qd("{joint.name}")')
    if not joints:
        document.drop("tendon fixed", title, "it has no joints")
        return None
    length, rate = f"({' + '.join(lengths)})", f"({' + '.join(rates)})"
    return Tendon(free_name(title, model.couplings), joints, length, rate, rest)


def _spatial(
    model: Model, document: MjcfDocument, names: MjcfNames, element: ET.Element, title: str, placed: Placed
) -> Tendon | None:
    """The line between two sites. Paths over more sites are not supported. placed: bodies with all springs at rest."""
    parts = [part for part in element if isinstance(part.tag, str)]
    if [part.tag for part in parts] != ["site", "site"]:
        document.drop("tendon spatial", title, "only straight lines between two sites are supported")
        return None
    a, b = (names.site(part.get("site", ""), title) for part in parts)
    name = free_name(title, model.links)
    model.links[name] = Link(name, a, b, law=FormulaLaw(("0",), ARGUMENTS["links"]))
    return Tendon(name, {}, "length", "rate", _distance(model, placed, a, b), name)


def _distance(model: Model, placed: Placed, a: str, b: str) -> float | None:
    """Distance of two points (m) with all joint springs at rest; None if free bodies make it unknown."""
    if (bodies := placed()) is None:
        return None
    here, there = (compose(bodies[p.body], placement(p, {}))[1] for p in map(model.point_at, (a, b)))
    return float(np.linalg.norm(there - here))


def _pull(model: Model, document: MjcfDocument, tendon: Tendon, attributes: Attributes, title: str) -> None:
    """T = k (L − L₀) + c L̇ + F tanh(L̇/v₀), slack between the two rest lengths."""
    autolimits = document.settings_of(attributes).autolimits
    limited = truth(attributes, "limited", autolimits and "range" in attributes)
    if limited and "range" in attributes:
        low, high = reals(attributes, "range", title, (0.0, 0.0))
        tendon.limit = soft_limit(attributes, low, high, title) if low < high else None
        document.drop("range", title, "limits of tendons are not supported")
    if "actuatorfrcrange" in attributes and truth(attributes, "actuatorfrclimited", autolimits):
        document.drop("actuatorfrcrange", title, "it bounds the sum of several actuators: set forcerange of each")
    if real(attributes, "armature", title):
        document.drop("armature", title, "inertia of tendons is not supported")
    if any(reals(attributes, "springyield", title, (0.0,) * 5)):
        document.drop("springyield", title, "plastic springs are not supported")
    stiffness = document.number(attributes, "stiffness", title, "spring")
    damping = document.number(attributes, "damping", title, "damper")
    friction = document.number(attributes, "frictionloss", title, "frictionloss")
    lost, resisting, stored = [], [], ""
    if damping:
        lost.append(f"{add_parameter(model, f'{title}_damping', damping)}*{tendon.rate}")
    if friction:
        speed = shared_parameter(model, "friction_speed", FRICTION_SPEED)
        lost.append(f"{add_parameter(model, f'{title}_friction', friction)}*tanh({tendon.rate}/{speed})")
    if stiffness:
        low, high = reals(attributes, "springlength", title, (-1.0, -1.0))
        if low < 0 and tendon.rest is None:
            document.drop("stiffness", title, "set its springlength, which free bodies leave unknown")
            stiffness = 0.0
        elif low < 0:
            low = high = tendon.rest or 0.0
        high = max(low, high)  # one number is both
    if stiffness:
        tendon.slack = low, high
        k = add_parameter(model, f"{title}_stiffness", stiffness)
        rest = add_parameter(model, f"{title}_length", low)
        stretch = f"({tendon.length} - {rest})"
        if high > low:
            longest = add_parameter(model, f"{title}_longest", high)
            stretch = f"(max({tendon.length} - {longest}, 0) + min({tendon.length} - {rest}, 0))"
        resisting.append(f"{k}*{stretch}")
        stored = f"0.5*{k}*{stretch}**2"
    tendon.stiffness, tendon.damping, tendon.friction = stiffness, damping, friction
    total = " + ".join(resisting + lost)
    if not total:
        return
    if tendon.link:
        model.links[tendon.link].law = FormulaLaw((total,), ARGUMENTS["links"])
        return
    texts = [f"-({c!r})*({total})" for c in tendon.joints.values()]
    add_coupling(model, tendon.name, tuple(tendon.joints), *texts)
    add_account(model, tendon.name, stored, f"({' + '.join(lost)})*{tendon.rate}" if lost else "")
