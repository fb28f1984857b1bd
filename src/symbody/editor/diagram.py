"""The diagram of a model as data: nodes for bodies, forces, sensors, circuits; edges for joints, cuts and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypedDict

from symbody.model.body import GROUND, ORIGIN
from symbody.model.circuit_elements import Cylinder
from symbody.model.formula import Number
from symbody.model.law import FormulaLaw
from symbody.model.model import Model
from symbody.model.tree import carrier

_JOINT = re.compile(r"\bqd?\(\s*[\"']([^\"']+)[\"']\s*\)")


class JointMark(TypedDict):
    """A joint as a symbol on an edge."""

    name: str
    type: str
    nature: str


class DiagramNode(TypedDict):
    """A symbol: a body, the ground, a force site, a sensor, a constraint, a part of a circuit."""

    id: str
    kind: str
    name: str
    path: list[str]  # in the data of the file
    points: list[str]
    detail: str  # a short text below the name


class DiagramEdge(TypedDict):
    """A connection between two nodes: the joints of a body, a cut, a link, or the mark of a sensor."""

    id: str
    kind: str
    name: str
    path: list[str]
    a: str  # nodes
    b: str
    at: tuple[str, str]  # points there
    joints: list[JointMark]
    detail: str


class Diagram(TypedDict):
    """Nodes and edges in the order of the file."""

    nodes: list[DiagramNode]
    edges: list[DiagramEdge]


def diagram(model: Model) -> Diagram:
    """The drawing of a model. Edges to bodies that do not exist are left out; the check reports them."""
    nodes = [
        _node(GROUND, "ground", GROUND, [GROUND], points=[*model.ground.points]),
        *(
            _node(
                f"bodies.{name}",
                "body",
                name,
                ["bodies", name],
                points=[*body.points],
                detail=f"{_short(body.mass)} kg" if body.mass != 0 else "",
            )
            for name, body in model.bodies.items()
        ),
        *_marks(model),
        *_circuit_nodes(model),
    ]
    known = {node["id"] for node in nodes}
    return {"nodes": nodes, "edges": [e for e in _edges(model) if e["a"] in known and e["b"] in known]}


def _node(
    id: str, kind: str, name: str, path: list[str], *, points: list[str] | None = None, detail: str = ""
) -> DiagramNode:
    return {"id": id, "kind": kind, "name": name, "path": path, "points": points or [], "detail": detail}


def _edge(
    id: str, kind: str, name: str, path: list[str], ends: tuple[str, str], at: tuple[str, str] = ("", ""),
    joints: list[JointMark] | None = None, detail: str = "",
) -> DiagramEdge:  # fmt: skip
    a, b = ends
    return {
        "id": id, "kind": kind, "name": name, "path": path, "a": a, "b": b, "at": at, "joints": joints or [],
        "detail": detail,
    }  # fmt: skip


def _body(point: str) -> str:
    """The node of the body that a point belongs to."""
    name = carrier(point)
    return GROUND if name == GROUND else f"bodies.{name}"


def _point(path: str) -> str:
    return path.rpartition(".")[2] if "." in path else ORIGIN


def _marks(model: Model) -> Iterator[DiagramNode]:
    for name in model.force_sites:
        yield _node(f"force_sites.{name}", "force", name, ["force_sites", name])
    for name in model.sensors:
        yield _node(f"sensors.{name}", "sensor", name, ["sensors", name])
    for family in ("couplings", "constraints", "nonholonomic_constraints"):
        for name in getattr(model, family):
            yield _node(f"{family}.{name}", "constraint", name, [family, name])
    for family in ("states", "signals", "inputs", "limits"):
        for name in getattr(model, family):
            yield _node(f"{family}.{name}", family.removesuffix("s"), name, [family, name])


def _edges(model: Model) -> Iterator[DiagramEdge]:
    for name, body in model.bodies.items():
        joints: list[JointMark] = [{"name": j.name, "type": j.type, "nature": j.nature} for j in body.joints]
        ends, at = (_body(body.on), f"bodies.{name}"), (_point(body.on), ORIGIN)
        yield _edge(f"joints.{name}", "joints", name, ["bodies", name], ends, at, joints)
    pairs: list[tuple[str, str, str, str, str, str]] = [
        *(("cuts", "cut", cut.name, cut.a, cut.b, cut.kind) for cut in model.cuts.values()),
        *(("links", "link", link.name, link.a, link.b, "") for link in model.links.values()),
        *(("interactions", "interaction", pair.name, pair.a, pair.b, "") for pair in model.interactions.values()),
        *(("rolling_contacts", "rolling", c.name, c.point, c.plane, c.kind) for c in model.rolling_contacts.values()),
    ]
    for family, kind, name, a, b, detail in pairs:
        ends, at = (_body(a), _body(b)), (_point(a), _point(b))
        yield _edge(f"{family}.{name}", kind, name, [family, name], ends, at, detail=detail)
    marks: list[tuple[str, str, str]] = [
        *(("force_sites", name, site.point) for name, site in model.force_sites.items()),
        *(("sensors", name, sensor.point) for name, sensor in model.sensors.items()),
    ]
    for family, name, point in marks:
        ends = (_body(point), f"{family}.{name}")
        yield _edge(f"{family}.{name}.at", "mark", name, [family, name], ends, (_point(point), ""))
    yield from _law_edges(model)
    yield from _circuit_edges(model)


def _law_edges(model: Model) -> Iterator[DiagramEdge]:
    """From bodies to the constraints and couplings of their joints."""
    owner = {joint.name: f"bodies.{name}" for name, body in model.bodies.items() for joint in body.joints}
    families: dict[str, Any] = {
        "couplings": model.couplings,
        "constraints": model.constraints,
        "nonholonomic_constraints": model.nonholonomic_constraints,
    }
    for family, members in families.items():
        for name, member in members.items():
            named = [*getattr(member, "joints", ())]
            if isinstance(member.law, FormulaLaw):
                texts = (*member.law.texts, *(text for _, text in member.law.lets))
                named += [found for text in texts for found in _JOINT.findall(text)]
            for body in dict.fromkeys(owner[joint] for joint in named if joint in owner):
                node = f"{family}.{name}"
                yield _edge(f"{node}.{body}", "mark", name, [family, name], (body, node))


def _circuit_nodes(model: Model) -> Iterator[DiagramNode]:
    for circuit in model.circuits.values():
        for element in circuit.elements.values():
            path = ["circuits", circuit.name]
            kind, id = type(element).__name__.lower(), f"circuits.{circuit.name}.{element.name}"
            yield _node(id, kind, element.name, path, detail=kind)


def _circuit_edges(model: Model) -> Iterator[DiagramEdge]:
    for circuit in model.circuits.values():
        start = f"circuits.{circuit.name}"
        for element in circuit.elements.values():
            own, path = f"{start}.{element.name}", ["circuits", circuit.name]
            for port, node in element.ports.items():
                yield _edge(f"{own}.{port}", "pipe", node, path, (f"{start}.{node}", own), ("", port))
            if isinstance(element, Cylinder):
                for end in ("a", "b"):
                    point = getattr(element, end)
                    point = point if isinstance(point, str) else point.path
                    yield _edge(f"{own}.{end}", "rod", element.name, path, (_body(point), own), (_point(point), end))


def _short(number: Number) -> str:
    return f"{number:g}" if isinstance(number, int | float) else str(number)
