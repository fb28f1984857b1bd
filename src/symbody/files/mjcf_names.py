"""The parts that were read from an MJCF file, by the names that its other sections use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from symbody.errors import ModelError
from symbody.files.file_tree import Seat
from symbody.files.mjcf_general import MjcfActuator
from symbody.files.mjcf_length_range import SoftLimit
from symbody.files.mjcf_numbers import Attributes
from symbody.model.body import Joint
from symbody.model.placement import Placement
from symbody.suggestions import nearest

T = TypeVar("T")


@dataclass
class MjcfNames:
    """Bodies with their initial placement in the world, joints, sites and inputs, by their names in the file."""

    bodies: dict[str, tuple[Seat, Placement]] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    references: dict[str, float] = field(default_factory=dict)  # `ref` of a joint, by our name
    kept: dict[str, Attributes] = field(default_factory=dict)  # of a joint, with keyframes of attached models
    springs: dict[str, float] = field(default_factory=dict)  # our coordinate at rest of its spring, `springref` − `ref`
    force_ranges: dict[str, tuple[float, float]] = field(default_factory=dict)  # of a joint's actuators, by our name
    soft_limits: dict[str, SoftLimit] = field(default_factory=dict)  # in MuJoCo's coordinate, by our name
    tuned: dict[str, tuple[float, float, float]] = field(default_factory=dict)  # `springdamper` and friction of a joint
    sites: dict[str, str] = field(default_factory=dict)  # paths of points
    controls: list[str] = field(default_factory=list)  # inputs in the order of the actuators; "" if left out

    equalities: list[tuple[str, str]] = field(default_factory=list)  # kind and name, in the order of the file
    actuators: list[MjcfActuator] = field(default_factory=list)  # in the order of the file

    def add_joint(self, name: str, joint: Joint, reference: float, spring: float) -> None:
        self.joints[name.strip()] = joint
        self.references[joint.name], self.springs[joint.name] = reference, spring - reference

    def body(self, name: str, where: str) -> tuple[Seat, Placement]:
        return known(self.bodies, name, "body", where)

    def joint(self, name: str, where: str) -> Joint:
        return known(self.joints, name, "joint", where)

    def site(self, name: str, where: str) -> str:
        return known(self.sites, name, "site", where)

    def coordinate(self, joint: Joint) -> str:
        """MuJoCo's coordinate of an elementary joint, as a formula of our coordinate."""
        ref = self.references[joint.name]
        return f'(q("{joint.name}") + {ref!r})' if ref else f'q("{joint.name}")'


def known(family: dict[str, T], name: str, kind: str, where: str) -> T:
    """An entry by name. Raises ModelError with suggestions if there is none."""
    if name.strip() not in family:
        near = " or ".join(nearest(name, family, 3))
        cure = f"did you mean {near}?" if near else "correct the name"
        raise ModelError(f"unknown {kind} '{name[:80]}'", element=where, cure=cure)
    return family[name.strip()]
