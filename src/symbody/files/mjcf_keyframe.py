"""Keyframes of MJCF: poses of the file from which a run can start.

A keyframe of an attached model is kept on the joints and actuators of that model, by its name with the prefix, as in
MuJoCo: parts that are attached take it along, and joints without a value keep their own start. So a keyframe also
applies to parts that the same file attaches later, and only to the first copy of a `replicate`.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from symbody.errors import ModelError
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_names import MjcfNames
from symbody.files.mjcf_numbers import reals
from symbody.files.safe_xml import number
from symbody.model.body import Joint
from symbody.model.model import Model

KEPT = "keyframe "  # begins attributes that no file can write: "keyframe qpos NAME"
_SIZES = {"free": (7, 6), "ball": (4, 3)}  # coordinates and velocities of a joint; 1 and 1 of others


@dataclass(frozen=True)
class Keyframe:
    """MuJoCo's coordinates and velocities by joint, where they are given, and controls by actuator."""

    q: dict[str, tuple[float, ...]]
    v: dict[str, tuple[float, ...]]
    controls: tuple[float, ...]


def keyframe_names(document: MjcfDocument) -> list[str]:
    """Names of all keyframes: of the file, then of attached models."""
    own = [key.get("name") or f"key{k}" for k, key in enumerate(document.section("keyframe"))]
    return [*own, *(name for name in document.keyframes if name not in own)]


def keyframe_of(name: str, model: Model, document: MjcfDocument, names: MjcfNames) -> Keyframe:
    """A keyframe by name."""
    own = {key.get("name") or f"key{k}": key for k, key in enumerate(document.section("keyframe"))}
    if name not in own and name not in document.keyframes:
        cure = f"the keyframes are {', '.join(keyframe_names(document)) or 'none'}"
        raise ModelError(f"unknown keyframe '{name[:80]}'", element="options", cure=cure)
    joints, actuators = list(model.joints()), document.section("actuator")
    document.budget.spend("steps", len(joints) + len(actuators))
    if name not in own:
        q, v = ([_kept(names.kept.get(j.name, {}), kind, name) for j in joints] for kind in ("qpos", "qvel"))
        controls = [_kept(element.attrib, "ctrl", name) or (0.0,) for element in actuators]
        return Keyframe(_unit(joints, q), _given(joints, v), tuple(value for one in controls for value in one))
    key = own[name].attrib
    if any(reals(key, "act", name, (0.0,) * len(actuators))):
        _drop_activations(document, name)
    return Keyframe(
        _unit(joints, _shared(key, "qpos", name, [joint.nq for joint in joints])),
        _given(joints, _shared(key, "qvel", name, [joint.nv for joint in joints])),
        reals(key, "ctrl", name, (0.0,) * len(actuators)),
    )


def start_from(model: Model, document: MjcfDocument, keyframe: str | None, names: MjcfNames) -> None:
    """Start from a keyframe: coordinates, velocities and controls."""
    if keyframe is None:
        if keys := keyframe_names(document):
            listed = ", ".join(keys[:8])
            model.notes.append(f'the file has keyframes to start from: {listed} (load with keyframe="{keys[0]}")')
        return
    found = keyframe_of(keyframe, model, document, names)
    for joint in model.joints():
        if q := found.q.get(joint.name):
            joint.q0 = q if joint.nq > 1 else (q[0] - names.references[joint.name],)
        joint.v0 = found.v.get(joint.name, joint.v0)
    for name, value in zip(names.controls, found.controls, strict=False):
        if name:
            model.inputs[name].value = value


def keep_keyframes(document: MjcfDocument, other: MjcfDocument, prefix: str) -> None:
    """Keep the keyframes of a model that is attached on its joints and actuators."""
    keys, joints, actuators = other.section("keyframe"), list(_joints(other)), other.section("actuator")
    document.budget.spend("steps", len(keys) * (len(joints) + len(actuators)))
    known = {key.get("name") for key in document.section("keyframe")} | {*document.keyframes}
    for key in keys:
        name = prefix + key.get("name", "")
        if name in known:
            cure = "give each attached model a prefix of its own"
            raise ModelError(f"two keyframes are named '{name[:80]}'", element="attach", cure=cure)
        for kind, owners, sizes in (
            ("qpos", [one for one, _, _ in joints], [nq for _, nq, _ in joints]),
            ("qvel", [one for one, _, _ in joints], [nv for _, _, nv in joints]),
            ("ctrl", actuators, [1] * len(actuators)),
        ):
            for owner, values in zip(owners, _shared(key.attrib, kind, name, sizes), strict=True):
                if values:
                    owner.set(f"{KEPT}{kind} {name}", " ".join(map(repr, values)))
        if any(number(word, name) for word in key.get("act", "").split()):
            _drop_activations(document, name)
        document.keyframes.append(name)
    document.keyframes += [name for name in other.keyframes if name not in known]  # without a prefix, as in MuJoCo


def without_keyframes(element: ET.Element) -> None:
    """Remove what `keep_keyframes` added: a copy that is not the first has its own start."""
    for part in element.iter():
        for key in [key for key in part.attrib if key.startswith(KEPT)]:
            del part.attrib[key]


def _drop_activations(document: MjcfDocument, name: str) -> None:
    document.drop("act", name, "activations start at 0: set the states NAME_activation")


def _given(joints: Sequence[Joint], values: Sequence[tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    return {joint.name: own for joint, own in zip(joints, values, strict=True) if own}


def _unit(joints: Sequence[Joint], values: Sequence[tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    """Coordinates by joint, with unit quaternions."""
    found = _given(joints, values)
    for name, q in found.items():
        if len(q) > 1:
            size = math.hypot(*q[-4:])
            found[name] = (*q[:-4], *(x / size for x in q[-4:])) if size else (*q[:-4], 1.0, 0.0, 0.0, 0.0)
    return found


def _kept(attributes: dict[str, str], kind: str, name: str) -> tuple[float, ...]:
    return tuple(map(float, attributes.get(f"{KEPT}{kind} {name}", "").split()))


def _shared(attributes: dict[str, str], kind: str, where: str, sizes: Sequence[int]) -> list[tuple[float, ...]]:
    """The numbers of an attribute for parts with so many each; none for parts after its end, as in MuJoCo."""
    values = reals(attributes, kind, where, (math.inf,) * sum(sizes))
    ends = list(accumulate(sizes, initial=0))
    shares = [values[a:b] for a, b in pairwise(ends)]
    return [share if math.inf not in share else () for share in shares]


def _joints(document: MjcfDocument) -> Iterator[tuple[ET.Element, int, int]]:
    """Joints in the order of MuJoCo's coordinates, with their numbers of coordinates and velocities."""
    waiting = [(world, "") for world in reversed(document.root.findall("worldbody"))]
    while waiting:
        element, above = waiting.pop()
        childclass = element.get("childclass", above)
        for part in element:
            if part.tag == "freejoint":
                yield part, *_SIZES["free"]
            elif part.tag == "joint":
                yield part, *_SIZES.get(document.attributes(part, childclass).get("type", ""), (1, 1))
        waiting += [(part, childclass) for part in reversed(element) if part.tag in ("body", "frame")]
