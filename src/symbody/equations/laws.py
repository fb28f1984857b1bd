"""User laws in the graph: the motion that they read, and the forces that they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace
from typing import Any

from symbody.equations.forces import Applied, link_lines
from symbody.equations.kinematics import Pose, pose_at, poses
from symbody.equations.law_values import values_of
from symbody.equations.newton_euler import Wrench
from symbody.equations.tree import Frame, Tree
from symbody.errors import ModelError
from symbody.expr.node import ZERO, Expr
from symbody.expr.node_table import section
from symbody.expr.vector import Vec, cross, dot, zeros
from symbody.model.body import QUATERNION
from symbody.model.law import ARGUMENTS, Law
from symbody.suggestions import did_you_mean


class ByJoint(Mapping[str, Any]):
    """Coordinates or velocities by name."""

    def __init__(self, names: Sequence[str], values: Sequence[Any], kind: str):
        self._values = dict(zip(names, values, strict=True))
        self._kind = kind

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            cure = did_you_mean(name, self._values, "names")
            raise ModelError(f"its law uses the unknown {self._kind} '{name}'", cure=cure)
        return self._values[name]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True)
class At:
    """The motion of a point in the ground frame for a law: plain lists of expressions or floats."""

    position: list[Any]
    rotation: list[list[Any]]
    velocity: list[Any]
    omega: list[Any]

    @property
    def numbers(self) -> list[Any]:
        """Eighteen numbers, as formulas name them: position, rotation by rows, velocity, angular velocity."""
        return [*self.position, *(x for row in self.rotation for x in row), *self.velocity, *self.omega]


@dataclass(frozen=True)
class MotionView:
    """The motion of the system for laws of states, constraints and signals."""

    tree: Tree
    all_poses: list[Pose]
    q: ByJoint
    qd: ByJoint

    def formula_scope(self) -> tuple[dict[str, Expr], dict[str, Any]]:
        """Functions for a formula: q("joint"), length("link"), x("body.point") and the like."""
        point = cache(lambda path: self.point(path).numbers)
        places = {name: lambda path, i=i: point(path)[i] for i, name in enumerate(ARGUMENTS["force_sites"])}
        joints = {"q": self.q.__getitem__, "qd": self.qd.__getitem__}
        return {}, {**joints, "length": self.length, "rate": self.rate, **places}

    def point(self, path: str) -> At:
        """The motion of a point, such as "wheel.contact"."""
        return _at(pose_at(self.tree.place(path), self.all_poses))

    def length(self, link: str) -> Expr:
        """The length of a link (m)."""
        return self._line(link)[0]

    def rate(self, link: str) -> Expr:
        """The rate of a link's length (m/s)."""
        return self._line(link)[1]

    def _line(self, name: str) -> tuple[Expr, Expr]:
        links = list(self.tree.model.links)
        if name not in links:
            raise ModelError(f"its law uses the unknown link '{name}'", cure=did_you_mean(name, links, "links"))
        _, _, d, length, rate = link_lines(self.tree, self.all_poses)[links.index(name)]
        return length, dot(d, rate) / length


def view_of(tree: Tree, all_poses: list[Pose] | None = None) -> MotionView:
    """The motion for laws."""
    q, v = zeros(tree.model.nq), zeros(tree.nv)
    for f in tree.frames:
        q[f.place : f.place + len(f.q)] = f.q
        v[f.index : f.index + len(f.v)] = f.v
    names = tree.model.coordinates, tree.model.velocities
    known = poses(tree) if all_poses is None else all_poses
    return MotionView(tree, known, ByJoint(names[0], q, "coordinate"), ByJoint(names[1], v, "velocity"))


def _at(pose: Pose) -> At:
    return At(list(pose.P), [list(row) for row in pose.R], list(pose.v), list(pose.omega))


@dataclass
class Forces:
    """The results of laws of links, sites and joints: applied forces, joint forces, and the values by element."""

    applied: list[Applied] = field(default_factory=list)
    joints: dict[int, Expr] = field(default_factory=dict)  # by degree of freedom
    tensions: dict[str, Expr] = field(default_factory=dict)
    sites: dict[str, Wrench] = field(default_factory=dict)  # ground frame
    pairs: dict[str, Wrench] = field(default_factory=dict)  # on the second point, ground frame
    couplings: dict[str, Vec] = field(default_factory=dict)  # a force for each joint


def law_effects(tree: Tree, names: Mapping[str, Expr], all_poses: list[Pose]) -> Forces:
    """The laws of links, sites and joints at a motion. The tree must be the original one: links are on its points."""
    made = Forces()
    lines = link_lines(tree, all_poses) if any(link.law for link in tree.model.links.values()) else []
    for link, (tail, head, d, length, rate) in zip(tree.model.links.values(), lines, strict=False):
        if link.law is not None:
            section(f"law of {link.name}")
            line = (length, dot(d, rate) / length)
            tension = values_of(link.law, f"links.{link.name}", (1,), line, names, line)[0]
            made.tensions[link.name] = tension
            pull = tension / length * d
            made.applied += [(tail, pull, zeros()), (head, -pull, zeros())]
    for site in tree.model.force_sites.values():
        if site.law is not None:
            section(f"law of {site.name}")
            place = tree.place(site.point)
            at = _at(pose_at(place, all_poses))
            values = values_of(site.law, f"force_sites.{site.name}", (3, 6), (at,), names, at.numbers, rebuilt_at)
            made.sites[site.name] = force, torque = _wrench(values)
            made.applied.append((place, force, torque))
    for pair in tree.model.interactions.values():
        if pair.law is not None:
            section(f"law of {pair.name}")
            first, second = tree.place(pair.a), tree.place(pair.b)
            at_a, at_b = pose_at(first, all_poses), pose_at(second, all_poses)
            both = _at(at_a), _at(at_b)
            numbers = [x for at in both for x in at.numbers]
            values = values_of(pair.law, f"interactions.{pair.name}", (3, 6), both, names, numbers, rebuilt_pair)
            made.pairs[pair.name] = force, torque = _wrench(values)
            made.applied += [(second, force, torque), (first, *reaction(force, torque, at_b.P - at_a.P))]
    for joint, law in tree.model.joint_laws.items():
        f = _elementary(tree, joint)
        section(f"law of {joint}")
        motion = (f.q[0], f.v[0])
        made.joints[f.index] = values_of(law, f"joint_forces.{joint}", (1,), motion, names, motion)[0]
    view = view_of(tree, all_poses) if tree.model.couplings else None
    for coupling in tree.model.couplings.values():
        if coupling.law is not None and view is not None:
            section(f"law of {coupling.name}")
            where, count = f"couplings.{coupling.name}", len(coupling.joints)
            made.couplings[coupling.name] = motion_values(coupling.law, where, count, view, names)
            for joint, Q in zip(coupling.joints, made.couplings[coupling.name], strict=True):
                i = _elementary(tree, joint).index
                made.joints[i] = made.joints.get(i, ZERO) + Q
    return made


def _wrench(values: Vec) -> Wrench:
    """Force and torque from the three or six values of a law."""
    force, torque = Vec(values[:3]), Vec(values[3:])
    return force, torque or zeros()


def reaction(force: Vec, torque: Vec, r: Vec) -> Wrench:
    """The opposite of a force and torque, about a point from which their place is at r."""
    back = -force
    return back, -torque + cross(r, back)


def _elementary(tree: Tree, joint: str) -> Frame:
    """The frame of an elementary joint that a law acts on."""
    f = next((f for f in tree.frames if f.name == joint), None)
    if f is None or any(j.name == joint and j.type in QUATERNION for j in tree.model.joints()):
        raise ModelError("a law acts on an unknown joint", element=joint, cure="use the name of an elementary joint")
    return f


def rebuilt_pair(*x: Any) -> tuple[At, At]:
    """Two points from the numbers of both, one after the other."""
    return *rebuilt_at(*x[:18]), *rebuilt_at(*x[18:])


def rebuilt_at(*x: Any) -> tuple[At]:
    """A point from its `numbers`, as the one argument of a law."""
    rotation = [list(x[3 + 3 * i : 6 + 3 * i]) for i in range(3)]
    position, velocity, omega = (list(x[i : i + 3]) for i in (0, 12, 15))
    return (At(position, rotation, velocity, omega),)


def motion_values(law: Law, where: str, count: int, view: MotionView, names: Mapping[str, Expr]) -> Vec:
    """The values of a law over the whole motion (state, constraint, signal).

    Outside the graph it gets q and qd only.
    """
    nq = len(view.q)
    coordinates, velocities = list(view.q), list(view.qd)

    def rebuild(*x: float) -> tuple[Any]:
        q = ByJoint(coordinates, x[:nq], "coordinate")
        return (SimpleNamespace(q=q, qd=ByJoint(velocities, x[nq:], "velocity")),)

    numbers = [*view.q.values(), *view.qd.values()]
    return values_of(law, where, (count,), (view,), names, numbers, rebuild)
