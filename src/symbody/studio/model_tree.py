"""The tree of a model for the page: bodies on bodies, their joints, and the dials that belong to each part."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from symbody.model.body import Body, Joint
from symbody.model.formula import Formula, names_in
from symbody.model.law import CLaw, FormulaLaw, Law, NumericLaw
from symbody.model.model import Model
from symbody.system.motion_names import joint_channels
from symbody.visual.geometry import Geometry

Array = np.ndarray


@dataclass(frozen=True)
class JointCard:
    """A joint: its type, its nature, and the channels of its coordinates, velocities, effort and force."""

    name: str
    type: str
    nature: str
    channels: tuple[str, ...]


@dataclass(frozen=True)
class BodyCard:
    """A body: its frame, the frame of the body that carries it, its joints and its dials."""

    name: str
    frame: int
    on: int
    joints: tuple[JointCard, ...]
    dials: tuple[str, ...]

    @property
    def channels(self) -> list[str]:
        """The channels of all its joints."""
        return [name for joint in self.joints for name in joint.channels]

    @property
    def row(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def anatomy(model: Model, channels: Collection[str], dials: Collection[str]) -> list[BodyCard]:
    """A card for each body, in the order of their frames; joints have the channels that are known."""
    frames, acting = Geometry(model).frames, _acting(model)
    return [
        BodyCard(
            body.name,
            frames[body.name],
            frames[model.point_at(body.on).body],
            tuple(_joint_card(joint, channels) for joint in body.joints),
            tuple(name for name in dials if _belongs(name, body, acting[body.name])),
        )
        for body in model.bodies.values()
    ]


def body_numbers(model: Model, name: str, parameters: Mapping[str, float]) -> Array:
    """Mass (kg), centre of mass (m, body frame) and inertia about it (kg m²: xx yy zz xy xz yz), by parameters."""
    g, body = Geometry(model, parameters), model.bodies[name]
    E = g.inertia(body)
    return np.array([g.mass(body), *g.com(body), *np.diag(E), E[0, 1], E[0, 2], E[1, 2]])


def _joint_card(joint: Joint, channels: Collection[str]) -> JointCard:
    forces = [f"{name}.{kind}" for name in joint.velocities for kind in ("effort", "Q")]
    wanted = [name for name in (*joint_channels(joint), *forces) if name in channels]
    return JointCard(joint.name, joint.type, joint.nature, tuple(wanted))


def _acting(model: Model) -> dict[str, dict[str, Law | None]]:
    """By body, the elements that act on it: joints, links, sites, contacts and cuts, with their laws."""
    found: dict[str, dict[str, Law | None]] = {name: {} for name in (model.ground.name, *model.bodies)}
    acting: list[tuple[str, Law | None, list[str]]] = [(x.name, x.law, [x.a, x.b]) for x in model.links.values()]
    acting += [(x.name, x.law, [x.a, x.b]) for x in model.interactions.values()]
    acting += [(x.name, x.law, [x.point]) for x in model.force_sites.values()]
    acting += [(x.name, None, [x.a, x.b]) for x in model.cuts.values()]
    acting += [(x.name, None, [x.point]) for x in model.rolling_contacts.values()]
    for name, law, paths in acting:
        for path in paths:
            found[model.point_at(path).body][name] = law
    for body in model.bodies.values():
        laws = model.trajectories | model.joint_laws
        found[body.name] |= {joint.name: laws.get(joint.name) for joint in body.joints}
    return found


def _belongs(parameter: str, body: Body, acting: Mapping[str, Law | None]) -> bool:
    """Whether a parameter occurs in a body or in a law that acts on it, or is named after one of them."""
    points = [x for point in body.points.values() for x in (*point.position, *point.rotation)]
    own: Sequence[object] = (body.mass, *body.com, *body.inertia, *points, *(x for j in body.joints for x in j.q0))
    if any(isinstance(x, Formula) and parameter in names_in(x.text) for x in own):
        return True
    named = any(parameter.startswith((f"{x}.", f"{x.replace('.', '_')}_")) for x in (body.name, *acting))
    return named or any(parameter in _mentioned(law) for law in acting.values())


def _mentioned(law: Law | None) -> set[str]:
    """Names in a law: of its formulas, of its C, or in the code of its Python function."""
    match law:
        case FormulaLaw(texts, _, lets):
            return set[str]().union(*(names_in(text) for text in (*texts, *(text for _, text in lets))))
        case CLaw():
            return set(law.names)
        case NumericLaw(function):
            return _mentioned(function)
    code = getattr(law, "__code__", None)
    return {*code.co_names, *(x for x in code.co_consts if isinstance(x, str))} if code else set()
