"""`attach` of MJCF: a body, a frame or the world of another model, with everything that refers to it.

Names get a prefix. The elements keep the defaults and the compiler settings of their own file. Tendons, equalities and
actuators follow those of the first file, unless they refer to a part that is not attached.
Source: MuJoCo documentation, "XML Reference: attach"; models that MuJoCo 4.0 compiled.
"""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from symbody.errors import ModelError
from symbody.files.mjcf_document import ATTACHED, MAIN, MjcfDocument, allowed_file, read_allowed
from symbody.files.mjcf_keyframe import keep_keyframes
from symbody.files.mjcf_numbers import Attributes, reals
from symbody.files.mjcf_replicate import REFERENCES, expand_replicates
from symbody.files.read_budget import check_level
from symbody.files.safe_file import naming
from symbody.suggestions import did_you_mean

GRAVITY = (0.0, 0.0, -9.81)
_PREFIXED = (*REFERENCES, "name", "class", "childclass", "mesh", "material", "hfield", "texture")
_KINDS = ("joint", "body", "site", "tendon", "geom")  # of references: `joint1` and `jointinparent` name a joint
_WHOLE, _REFERRING = ("asset", "deformable", "extension"), ("tendon", "equality", "actuator")
_UNNAMED = "MuJoCo Model"
_OPTIONS = "the options of the first file apply, as in MuJoCo"
_NOT_ATTACHED = "it refers to a part that is not attached, as in MuJoCo"


def expand_attachments(document: MjcfDocument, level: int = 1) -> None:
    """Replace every <attach> of the bodies by a frame with the parts of the other model."""
    check_level(level)
    found = [(parent, part) for world in document.root.iterfind("worldbody") for parent, part in _attachments(world)]
    models = _Models(document, level) if found else None
    for parent, part in found:
        assert models is not None
        other = models.read(part.get("model", ""))
        prefix, number = part.get("prefix", ""), str(len(document.attached) + 1)
        _add_settings(document, other, number)
        top = _top(other, part)
        _add_defaults(document, other, prefix)
        keep_keyframes(document, other, prefix)
        frame = ET.Element("frame", {"childclass": prefix + MAIN, ATTACHED: number})
        frame.extend(_taken(document, one, prefix, number) for one in top)
        parent[list(parent).index(part)] = frame
        _add_sections(document, other, top, prefix, number)
        if document.settings.compiler.get("conflict") == "merge":
            _merge_options(document, other)
        elif other.root.find("option") is not None:
            document.drop("option", part.get("model", ""), _OPTIONS, matters=False)


def _attachments(world: ET.Element) -> Iterator[tuple[ET.Element, ET.Element]]:
    for parent in world.iter():
        for part in parent:
            if part.tag == "attach":
                yield parent, part


@dataclass
class _Models:
    """The models of a document by name, each read once."""

    document: MjcfDocument
    level: int
    _read: dict[Path, MjcfDocument] = field(default_factory=dict)
    _files: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for element in self.document.section("asset"):
            if element.tag == "model":
                folder = self.document.settings_of(element.attrib).folder
                path = allowed_file(element.get("file", ""), folder, self.document.allowed)
                self._files[element.get("name") or self._of(path).root.get("model") or _UNNAMED] = path

    def read(self, name: str) -> MjcfDocument:
        """The document of a model, with its own attachments and replicates."""
        if name not in self._files:
            cure = did_you_mean(name, self._files, "models")
            raise ModelError(f"unknown model '{name[:80]}'", element="attach", cure=cure)
        return self._of(self._files[name])

    def _of(self, path: Path) -> MjcfDocument:
        if path not in self._read:
            with naming(path):
                other = read_allowed(path, self.document.allowed, self.document.budget)
                expand_attachments(other, self.level + 1)
                expand_replicates(other)
            self.document.dropped += other.dropped
            self._read[path] = other
        return self._read[path]


def _add_settings(document: MjcfDocument, other: MjcfDocument, number: str) -> None:
    """The settings of a model, and of the models that are attached to it."""
    document.attached[number] = other.settings
    document.attached |= {f"{number}.{key}": settings for key, settings in other.attached.items()}


def _top(other: MjcfDocument, part: ET.Element) -> Sequence[ET.Element]:
    """What is attached: a body or a frame by name, or all elements of the world."""
    for tag in ("body", "frame"):
        if name := part.get(tag):
            everything = (one for world in other.root.iterfind("worldbody") for one in world.iter(tag))
            found = {one.get("name", ""): one for one in everything}
            if name not in found:
                cure = did_you_mean(name, found, f"names of <{tag}>")
                raise ModelError(f"the attached model has no {tag} '{name[:80]}'", element="attach", cure=cure)
            return [found[name]]
    return other.section("worldbody")


def _taken(document: MjcfDocument, element: ET.Element, prefix: str, number: str) -> ET.Element:
    """A copy of an element with prefixed names."""
    made = copy.deepcopy(element)
    for part in made.iter():
        document.budget.spend("elements")
        document.budget.spend("steps", len(part.attrib))
        part.attrib = _prefixed(part.attrib, prefix)
        inner = part.get(ATTACHED)
        part.set(ATTACHED, f"{number}.{inner}" if inner else number)
    return made


def _prefixed(attributes: Attributes, prefix: str) -> Attributes:
    return {
        key: f"{prefix}{value.strip()}" if key in _PREFIXED and value != "world" else value
        for key, value in attributes.items()
    }


def _add_defaults(document: MjcfDocument, other: MjcfDocument, prefix: str) -> None:
    """Default classes of another model, with prefixed names. Its main class has one, too."""
    names = {MAIN, *other.defaults}
    if again := [name for name in names if prefix + name in document.defaults]:
        cure = "give each attached model a prefix of its own"
        raise ModelError(f"two default classes are named '{prefix + again[0]}'", element="attach", cure=cure)
    for name in names:
        usual, acting = other.defaults.get(name, {}), other.actuators.get(name, ())
        document.budget.spend("steps", sum(map(len, (*usual.values(), *acting))))
        document.defaults[prefix + name] = {tag: _prefixed(each, prefix) for tag, each in usual.items()}
        document.actuators[prefix + name] = tuple(_prefixed(each, prefix) for each in acting)


def _add_sections(
    document: MjcfDocument, other: MjcfDocument, top: Sequence[ET.Element], prefix: str, number: str
) -> None:
    """Assets of another model, and the tendons, equalities and actuators of the attached parts."""
    names: dict[str, set[str]] = {kind: set() for kind in _KINDS}
    for one in (part for element in top for part in element.iter()):
        kind = "joint" if one.tag == "freejoint" else str(one.tag)
        if kind in names:
            names[kind].add(one.get("name", ""))
    names["body"].add("world")
    for tag in (*_WHOLE, *_REFERRING):
        section = ET.SubElement(document.root, tag)
        for element in other.section(tag):
            if tag in _REFERRING and not _refers_only_to(element, names):
                document.drop(f"{tag} {element.tag}", element.get("name") or "", _NOT_ATTACHED, matters=False)
            elif element.tag != "model":
                taken = _taken(document, element, prefix, number)
                taken.set("class", taken.get("class") or prefix + MAIN)
                section.append(taken)
                if tag == "tendon":
                    names["tendon"].add(element.get("name", ""))


def _refers_only_to(element: ET.Element, names: dict[str, set[str]]) -> bool:
    references = [(key, part.get(key, "")) for part in element.iter() for key in REFERENCES if key in part.attrib]
    kinds = ((next((kind for kind in _KINDS if kind in key), ""), name.strip()) for key, name in references)
    return all(name in names[kind] for kind, name in kinds if kind)


def _merge_options(document: MjcfDocument, other: MjcfDocument) -> None:
    """With conflict="merge", options of another model apply where the first file has MuJoCo's own values."""
    document.disabled |= other.disabled
    written = {key: value for option in document.root.iterfind("option") for key, value in option.attrib.items()}
    if reals(written, "gravity", "option", GRAVITY) == GRAVITY:
        written.pop("gravity", None)
    for option in other.root.iterfind("option"):
        document.root.append(ET.Element("option", {k: v for k, v in option.attrib.items() if k not in written}))
