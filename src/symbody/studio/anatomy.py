"""The parts of a model as a page lists them: bodies on bodies, their joints, and which numbers belong to which part."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from symbody.model.formula import Formula, names_in
from symbody.model.model import Body, Joint, Model
from symbody.system.motion_names import joint_channels
from symbody.visual.geometry import Geometry

Array = np.ndarray


@dataclass(frozen=True)
class JointCard:
    """A joint: its kind, its nature, and the channels of its coordinates, velocities, effort and force."""

    name: str
    type: str
    nature: str
    channels: tuple[str, ...]


@dataclass(frozen=True)
class BodyCard:
    """A body: its frame, that of the body which carries it, its joints, and the dials of numbers that belong to it."""

    name: str
    frame: int
    on: int
    joints: tuple[JointCard, ...]
    dials: tuple[str, ...]

    @property
    def channels(self) -> list[str]:
        """Of all its joints, one after the other."""
        return [name for joint in self.joints for name in joint.channels]

    @property
    def row(self) -> dict[str, Any]:
        """As `frontend/src/contract.ts` has it."""
        return asdict(self)


def anatomy(model: Model, channels: Collection[str], dials: Collection[str]) -> list[BodyCard]:
    """A card for each body, in the order of their frames; of joints the channels that are known."""
    frames, owned = Geometry(model).frames, _attached(model)
    return [
        BodyCard(
            body.name,
            frames[body.name],
            frames[model.point_at(body.on).body],
            tuple(_joint_card(joint, channels) for joint in body.joints),
            tuple(name for name in dials if _belongs(name, body, owned[body.name])),
        )
        for body in model.bodies.values()
    ]


def body_numbers(model: Model, name: str, parameters: Mapping[str, float]) -> Array:
    """Mass (kg), centre of mass (m, body frame) and inertia about it (kg m²: xx yy zz xy xz yz), as they are now."""
    g, body = Geometry(model, parameters), model.bodies[name]
    E = g.inertia(body)
    return np.array([g.mass(body), *g.com(body), *np.diag(E), E[0, 1], E[0, 2], E[1, 2]])


def _joint_card(joint: Joint, channels: Collection[str]) -> JointCard:
    forces = [f"{name}.{kind}" for name in joint.velocities for kind in ("effort", "Q")]
    wanted = [name for name in (*joint_channels(joint), *forces) if name in channels]
    return JointCard(joint.name, joint.type, joint.nature, tuple(wanted))


def _attached(model: Model) -> dict[str, set[str]]:
    """By body, the names of links, sites, contacts and cuts that act on it."""
    found: dict[str, set[str]] = {name: set() for name in (model.ground.name, *model.bodies)}
    pairs = [*model.links.values(), *model.interactions.values(), *model.cuts.values()]
    ends = [(x.name, (x.a, x.b)) for x in pairs] + [(s.name, (s.point,)) for s in model.force_sites.values()]
    ends += [(c.name, (c.point,)) for c in model.rolling_contacts.values()]
    for name, paths in ends:
        for path in paths:
            found[model.point_at(path).body].add(name)
    return found


def _belongs(parameter: str, body: Body, attached: Collection[str]) -> bool:
    """Whether a number is one of a body's own, or is named after it, a joint of it or what acts on it."""
    points = [x for point in body.points.values() for x in (*point.position, *point.rotation)]
    own: Sequence[object] = (body.mass, *body.com, *body.inertia, *points, *(x for j in body.joints for x in j.q0))
    if any(isinstance(x, Formula) and parameter in names_in(x.text) for x in own):
        return True
    owners = (body.name, *(joint.name for joint in body.joints), *attached)
    return any(parameter.startswith((f"{owner}.", f"{owner.replace('.', '_')}_")) for owner in owners)
