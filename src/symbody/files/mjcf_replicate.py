"""`replicate` of MJCF: copies of the elements in it, each in a frame that is moved and turned further than the last.

Names of copy k end with the separator and k, with as many digits as the number of copies has. Actuators, tendons and
equalities that refer to a copied name are copied, too, after the others.
"""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET

import numpy as np

from symbody.errors import ModelError
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_keyframe import without_keyframes
from symbody.files.mjcf_numbers import real, reals

REFERENCES = (
    *("joint", "jointinparent", "joint1", "joint2", "body", "body1", "body2", "site", "site1", "site2", "tendon"),
    *("tendon1", "tendon2", "refsite", "cranksite", "slidersite", "geom", "sidesite", "objname"),
)
_NONE_TO_COPIES = "between a copy and another element, where MuJoCo has none either"
_LOOK = 6  # steps of the budget, for an element that may refer to a copy
_REFERRING = ("tendon", "actuator", "equality", "sensor")


def expand_replicates(document: MjcfDocument) -> None:
    """Replace every <replicate> of the bodies by frames with its copies, the innermost first."""
    for world in document.root.iterfind("worldbody"):
        while found := _innermost(document, world):
            parent, element = found
            count, each = int(real(element.attrib, "count", "replicate")), sum(1 for _ in element.iter())
            if count < 1:
                raise ModelError(f"replicate has count={count}", element="replicate", cure="give a count from 1 on")
            document.budget.spend("elements", count * each)
            copies, suffixes, names = _copies(document, element, count)
            at = list(parent).index(element)
            parent.remove(element)
            for k, frame in enumerate(copies):
                parent.insert(at + k, frame)
            _copy_referring(document, names, suffixes)


def _innermost(document: MjcfDocument, element: ET.Element) -> tuple[ET.Element, ET.Element] | None:
    """A <replicate> without another one in it, and the element that contains it."""
    for parent in element.iter():
        document.budget.spend("steps", 1 + len(parent))
        for child in parent:
            if child.tag == "replicate" and child.find(".//replicate") is None:
                return parent, child
    return None


def _copies(document: MjcfDocument, element: ET.Element, count: int) -> tuple[list[ET.Element], list[str], set[str]]:
    """The frames of the copies, their suffixes, and the names that are copied."""
    sep = element.get("sep", "")
    offset = np.array(reals(element.attrib, "offset", "replicate", (0.0, 0.0, 0.0)))
    angles = np.array(reals(element.attrib, "euler", "replicate", (0.0, 0.0, 0.0)))
    names = {name for part in element.iter() if part is not element and (name := part.get("name"))}
    position, frames, suffixes = np.zeros(3), list[ET.Element](), list[str]()
    for k in range(count):
        suffixes.append(f"{sep}{k:0{len(str(count))}d}")
        turned = " ".join(map(repr, (k * angles).tolist()))  # the angles grow, not the rotation, as in MuJoCo
        frame = ET.Element("frame", {"pos": " ".join(map(repr, position.tolist())), "euler": turned})
        for part in element:
            frame.append(_renamed(part, suffixes[-1], k > 0))
        frames.append(frame)
        position = position + document.rotation({"euler": turned}, "replicate") @ offset
    return frames, suffixes, names


def _renamed(element: ET.Element, suffix: str, again: bool) -> ET.Element:
    """A copy; again: it is not the first one."""
    made = copy.deepcopy(element)
    if again:
        without_keyframes(made)
    for part in made.iter():
        if name := part.get("name"):
            part.set("name", f"{name}{suffix}")
    return made


def _copy_referring(document: MjcfDocument, names: set[str], suffixes: list[str]) -> None:
    """Copy what refers to the copied names; like MuJoCo, without equalities between a copy and another element."""
    for tag in _REFERRING:
        for section in document.root.iterfind(tag):
            document.budget.spend("steps", _LOOK * sum(1 for _ in section.iter()))
            found = [part for part in section if isinstance(part.tag, str) and _refers(part, names)]
            copied = set(found)
            section[:] = [part for part in section if part not in copied]
            if tag == "tendon":  # actuators pull it
                names = names | {name for element in found if (name := element.get("name"))}
            if tag == "equality":
                found = _among_copies(document, found, names | {"world"})
            document.budget.spend("elements", len(suffixes) * sum(1 for one in found for _ in one.iter()))
            section.extend(
                [_referring(element, names, suffix, k > 0) for k, suffix in enumerate(suffixes) for element in found]
            )


def _refers(element: ET.Element, names: set[str]) -> bool:
    return any(value in names and key in REFERENCES for part in element.iter() for key, value in part.attrib.items())


def _among_copies(document: MjcfDocument, equalities: list[ET.Element], names: set[str]) -> list[ET.Element]:
    """The equalities all of whose references are to copied names, or to the world; the others are dropped."""
    kept = list[ET.Element]()
    for element in equalities:
        if all(element.get(key) in names for key in REFERENCES if key in element.attrib):
            kept.append(element)
        else:
            document.drop(f"equality {element.tag}", element.get("name") or "", _NONE_TO_COPIES, False)
    return kept


def _referring(element: ET.Element, names: set[str], suffix: str, again: bool) -> ET.Element:
    made = _renamed(element, suffix, again)
    for part in made.iter():
        for key, value in part.attrib.items():
            if value in names and key in REFERENCES:
                part.set(key, f"{value}{suffix}")
    return made
