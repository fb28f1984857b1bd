"""Checks that a hydraulic circuit is complete and possible. Each problem names the element and a cure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from symbody.errors import ModelError
from symbody.model.circuit import LAMINAR, Circuit
from symbody.model.circuit_elements import (
    Boundary,
    CheckValve,
    Cylinder,
    Element,
    Hose,
    Pump,
    ReliefValve,
    SealFriction,
    Throttle,
    Valve,
    Volume,
)
from symbody.model.formula import evaluate, is_name
from symbody.model.tree import carrier
from symbody.suggestions import did_you_mean

if TYPE_CHECKING:
    from symbody.model.model import Model

_NAME_CURE = "use letters, digits and _"
PASSING = (Throttle, Valve, CheckValve, ReliefValve, Pump)  # elements that oil flows through


def circuit_problems(model: Model) -> Iterator[ModelError]:
    """The problems that make the circuits of a model unusable."""
    seen: dict[str, str] = {}
    values = model.values
    for key, circuit in model.circuits.items():
        where, net = f"circuits.{key}", _net(circuit)
        yield from _named(key, circuit.name, where)
        yield from _numbers(circuit, where, values)
        if circuit.laminar not in LAMINAR:
            yield ModelError(
                f"unknown laminar law '{circuit.laminar}'", element=where, cure=f"use {' or '.join(LAMINAR)}"
            )
        yield from _clashes(model, circuit, where)
        for name, element in circuit.elements.items():
            here = f"{where}.{name}"
            if name in seen:
                yield ModelError(
                    f"circuit '{seen[name]}' also has an element '{name}'", element=here, cure="rename one of them"
                )
            seen[name] = key
            yield from _named(name, element.name, here)
            wrong = list(_numbers(element, here, values))
            yield from wrong
            yield from _ports(net, element, here)
            yield from _commands(model, element, here)
            if isinstance(element, Cylinder):
                yield from _ends(model, element, here)
            if not wrong:
                yield from _rod(element, here, values)
                yield from _volume(net, element, here, values)


def _clashes(model: Model, circuit: Circuit, where: str) -> Iterator[ModelError]:
    """The names of a circuit's states and parameters must not be in use."""
    for name in (*circuit.parameters, *circuit.states):
        for family in (model.parameters, model.inputs, model.states):
            if name in family:
                problem = f"it adds the name '{name}', which the model already uses"
                yield ModelError(problem, element=where, cure="rename one of them")


def circuit_warnings(model: Model) -> Iterator[str]:
    """Circuits that are allowed but probably a mistake; only for circuits without problems."""
    for circuit in model.circuits.values():
        relieved = {valve.a for valve in circuit.of(ReliefValve)} | {b.name for b in circuit.of(Boundary)}
        for pump in circuit.of(Pump):
            if pump.outlet not in relieved:
                yield f"circuits.{circuit.name}.{pump.name}: no relief valve at '{pump.outlet}' limits its pressure"


def connected(circuit: Circuit, kinds: tuple[type[Element], ...]) -> list[set[str]]:
    """Groups of nodes that elements of these kinds connect."""
    leader = {node.name: node.name for node in circuit.of(Boundary, Volume)}

    def lead(node: str) -> str:
        while leader[node] != node:
            leader[node] = node = leader[leader[node]]
        return node

    for element in circuit.of(*kinds):
        first, *others = [lead(node) for node in element.ports.values() if node in leader] or [""]
        leader |= dict.fromkeys(others, first)
    groups: dict[str, set[str]] = {}
    for node in leader:
        groups.setdefault(lead(node), set()).add(node)
    return list(groups.values())


def _named(key: str, name: str, where: str) -> Iterator[ModelError]:
    if not is_name(key):
        yield ModelError(f"'{key}' cannot be a name here", element=where, cure=_NAME_CURE)
    elif key != name:
        yield ModelError(f"stored under '{key}' but named '{name}'", element=where, cure="use one name")


def _numbers(holder: Any, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    """Numbers must be finite and within the bounds of their fields. Optional numbers may be missing."""
    for f in fields(holder):
        given = getattr(holder, f.name)
        if "unit" not in f.metadata or (given is None and f.default is None):
            continue
        here = f"{where}.{f.name}"
        try:
            value = evaluate(given, values)
        except ModelError as error:
            error.element = here
            yield error
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            yield ModelError(
                f"{value!r} is not a finite number", element=here, cure=f"use a number in {f.metadata['unit']}"
            )
        elif value <= f.metadata.get("above", -math.inf):
            yield ModelError(f"{f.name} is {value:g}", element=here, cure=f"use more than {f.metadata['above']:g}")
        elif value < f.metadata.get("least", -math.inf):
            yield ModelError(f"{f.name} is {value:g}", element=here, cure=f"use {f.metadata['least']:g} or more")


@dataclass(frozen=True)
class _Net:
    """The nodes of a circuit, in order, and which have oil from a hose or cylinder, a flow, or a fixed pressure."""

    nodes: dict[str, None]
    filled: set[str]
    passed: set[str]
    fixed: set[str]  # by a tank, a source or a start value, also through other nodes


def _net(circuit: Circuit) -> _Net:
    nodes = dict.fromkeys(node.name for node in circuit.of(Boundary, Volume))
    given = {b.name for b in circuit.of(Boundary)} | {v.name for v in circuit.of(Volume) if v.start is not None}
    fixed = {node for group in connected(circuit, PASSING) if group & given for node in group}
    return _Net(nodes, _nodes(circuit, Hose, Cylinder), _nodes(circuit, Cylinder, *PASSING), fixed)


def _ports(net: _Net, element: Element, where: str) -> Iterator[ModelError]:
    taken: dict[str, str] = {}
    for port, node in element.ports.items():
        if node not in net.nodes:
            cure = did_you_mean(node, net.nodes, "nodes")
            yield ModelError(f"unknown node '{node}'", element=f"{where}.{port}", cure=cure)
        if node in taken and isinstance(element, PASSING):
            problem = f"ports '{taken[node]}' and '{port}' are both at node '{node}'"
            yield ModelError(problem, element=where, cure="connect different nodes")
        taken[node] = port


def _commands(model: Model, element: Element, where: str) -> Iterator[ModelError]:
    command = getattr(element, "command", None)
    if command is None or (command == "" and isinstance(element, Pump)):
        return
    here = f"{where}.command"
    if not (isinstance(command, str) and is_name(command)):
        yield ModelError(f"'{command}' cannot be an input's name", element=here, cure=_NAME_CURE)
    elif command in model.parameters or (command in model.states and not isinstance(element, Pump)):
        yield ModelError(f"'{command}' is a parameter or a state", element=here, cure="use the name of an input")


def _ends(model: Model, cylinder: Cylinder, where: str) -> Iterator[ModelError]:
    ends = {"a": str(cylinder.a), "b": str(cylinder.b)}
    for end, path in ends.items():
        try:
            model.point_at(path)
        except ModelError as error:
            yield ModelError(f"unknown point '{path}'", element=f"{where}.{end}", cure=error.cure)
    if carrier(ends["a"]) == carrier(ends["b"]):
        yield ModelError("both ends are on one body", element=where, cure="connect two different bodies")
    if not isinstance(cylinder.friction, SealFriction | None):
        cure = "use a law of symbody.elements, such as LuGre()"
        yield ModelError(f"{cylinder.friction!r:.60} is not a friction law", element=f"{where}.friction", cure=cure)
    if cylinder.name in model.links:
        yield ModelError("a link already has this name", element=where, cure="rename one of them")


def _rod(element: Element, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    if isinstance(element, Cylinder):
        bore, rod = (evaluate(x, values) for x in (element.bore, element.rod_diameter))
        if not rod < bore:
            yield ModelError(
                f"the rod ({rod:g} m) does not fit in the bore ({bore:g} m)", element=where, cure="use a thinner rod"
            )


def _volume(net: _Net, volume: Element, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    """A volume needs compressible oil, a flow in or out, and something that fixes its pressure."""
    if not isinstance(volume, Volume):
        return
    if volume.name not in net.filled and not evaluate(volume.size, values) > 0:
        yield ModelError("the volume has no oil", element=where, cure="set its size, or connect a hose")
    if volume.name not in net.passed:
        yield ModelError("nothing flows in or out", element=where, cure="connect an element, or remove the volume")
    elif volume.name not in net.fixed:
        cure = "set its start, or connect it to a tank or source"
        yield ModelError("nothing fixes its pressure", element=where, cure=cure)


def _nodes(circuit: Circuit, *kinds: type[Element]) -> set[str]:
    """Nodes that elements of these kinds connect to."""
    return {node for element in circuit.of(*kinds) for node in element.ports.values()}
