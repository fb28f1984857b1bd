"""Conversion of hydraulic circuits to laws of the model: states, inputs, links, parameters, signals, limits."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

from symbody.elements.accumulators import add_accumulator
from symbody.elements.cylinders import add_cylinder
from symbody.elements.element import Motion, Named, account, declared
from symbody.elements.network import Law, Network, Space, add_boundary, add_pressure
from symbody.elements.orifices import check_valve_flow, relief_flow, throttle_flow, valve_flows
from symbody.expr.functions import clip
from symbody.model.circuit import Circuit, spool_state
from symbody.model.circuit_check import circuit_problems
from symbody.model.circuit_elements import (
    Accumulator,
    Boundary,
    CheckValve,
    Cylinder,
    Element,
    Hose,
    Pump,
    ReliefValve,
    Throttle,
    Valve,
    Volume,
)
from symbody.model.formula import evaluate
from symbody.model.model import Model

PASSAGES: dict[type[Element], Callable[..., Any]] = {  # flow from a to b of element, pressure drop and oil
    Throttle: throttle_flow,
    CheckValve: check_valve_flow,
    ReliefValve: relief_flow,
}


def with_circuits(model: Model) -> Model:
    """A copy of the model whose circuits are converted to laws; a model without circuits is returned unchanged."""
    for problem in circuit_problems(model):
        raise problem
    if not model.circuits:
        return model
    m = copy(model)
    m.circuits = {}
    for family in ("parameters", "inputs", "states", "links", "signals", "limits"):
        setattr(m, family, dict(getattr(m, family)))
    for circuit in model.circuits.values():
        add_circuit(m, circuit)
    return m


def add_circuit(m: Model, circuit: Circuit) -> None:
    """Add the laws of one circuit: first the elements, then the nodes between them."""
    network = Network(m, circuit)
    for element in circuit.elements.values():
        if not isinstance(element, Boundary):
            ADD[type(element)](network, element)
    for volume in circuit.of(Volume):
        add_pressure(network, volume)
    for boundary in circuit.of(Boundary):
        add_boundary(network, boundary)


def add_volume(network: Network, volume: Volume) -> None:
    """Add a node's own oil volume (m³)."""
    own = declared(network.model, volume.name, replace(volume, start=None))
    network.spaces.append(Space(volume.name, lambda s, p: own(p).size, wall=lambda p: own(p).wall))


def add_hose(network: Network, hose: Hose) -> None:
    """Add the volume of a hose to its node (m³)."""
    own = declared(network.model, hose.name, hose)
    network.spaces.append(Space(hose.node, lambda s, p: own(p).size, wall=lambda p: own(p).wall))


def add_passage(network: Network, passage: Throttle | CheckValve | ReliefValve) -> None:
    """Add a flow driven by the pressure drop; its power is dissipated."""
    own = declared(network.model, passage.name, passage)
    law = PASSAGES[type(passage)]

    def flow(s: Motion, p: Named) -> Any:
        return law(own(p), network.drop(passage.a, passage.b, p), network.oil(p))

    loss = network.flow(f"{passage.name}.flow", passage.a, passage.b, flow)
    account(network.model, passage.name, dissipated=loss)


def add_valve(network: Network, valve: Valve) -> None:
    """Add the spool, U̇ = (U_ref − U)/τ (Jaiswal, 2.2.1), and four flows, two of which are open."""
    m, name = network.model, valve.name
    own = declared(m, name, replace(valve, start=None))
    spool = spool_state(name)
    add_command(m, valve.command, 0.0, "V")

    @m.state(spool, start=valve.start)
    def follow(s: Motion, p: Named) -> Any:
        v = own(p)
        return (clip(p[valve.command], -v.swing, v.swing) - p[spool]) / v.lag

    def flow(k: int) -> Law:
        def law(s: Motion, p: Named) -> Any:
            supply, tank, a, b = (network.pressure(node, p) for node in (valve.supply, valve.tank, valve.a, valve.b))
            return valve_flows(own(p), p[spool], supply, tank, a, b, network.oil(p))[k]

        return law

    ways = ("supply", "a"), ("b", "tank"), ("supply", "b"), ("a", "tank")
    losses = [
        network.flow(f"{name}.{start}_{end}.flow", valve.ports[start], valve.ports[end], flow(k))
        for k, (start, end) in enumerate(ways)
    ]
    account(m, name, dissipated=lambda s, p: sum(loss(s, p) for loss in losses))


def add_pump(network: Network, pump: Pump) -> None:
    """Q = D ω − k Δp. The shaft supplies the power D ω Δp, and the leakage dissipates k Δp²."""
    m, name = network.model, pump.name
    own = declared(m, name, replace(pump, speed=None) if pump.command else pump)
    if pump.command and pump.command not in m.states:
        add_command(m, pump.command, float(evaluate(pump.speed, m.values)), "rad/s")

    def speed(p: Named) -> Any:
        return p[pump.command] if pump.command else own(p).speed

    def head(p: Named) -> Any:
        return network.drop(pump.outlet, pump.inlet, p)

    network.flow(
        f"{name}.flow",
        pump.inlet,
        pump.outlet,
        lambda s, p: own(p).displacement * speed(p) - own(p).leakage * head(p),
    )
    m.signal(f"{name}.torque", unit="N m")(lambda s, p: own(p).displacement * head(p))
    account(
        m,
        name,
        supplied=lambda s, p: own(p).displacement * speed(p) * head(p),
        dissipated=lambda s, p: own(p).leakage * head(p) ** 2,
    )


def add_command(m: Model, name: str, value: float, unit: str) -> None:
    """Add an input to the model, unless it exists: elements may share a command."""
    if name not in m.inputs:
        m.input(name, value, unit)


ADD: dict[type[Element], Callable[[Network, Any], None]] = {
    Volume: add_volume,
    Hose: add_hose,
    **dict.fromkeys(PASSAGES, add_passage),
    Valve: add_valve,
    Pump: add_pump,
    Accumulator: add_accumulator,
    Cylinder: add_cylinder,
}
