"""Initial states as live parameters, so that what knows derivatives by parameters knows them by the start, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symbody.errors import ModelError
from symbody.model.body import QUATERNION, Joint, Parameter
from symbody.model.formula import Formula
from symbody.nearest import nearest_or_first
from symbody.safe_name import identifier
from symbody.system.definition import define
from symbody.system.system import System, system_of


def initial_name(state: str) -> str:
    """The parameter that a state starts from."""
    return f"start_{identifier(state)}"


def with_initial_parameters(s: System, states: Sequence[str]) -> System:
    """The same system whose states start at parameters of their own, which have the values of its start."""
    if not states:
        return s
    model, d = s.live_model, s.definition
    for state in states:
        if state not in s.states:
            near = ", ".join(nearest_or_first(state, s.states))
            raise ModelError("no such state", element=state, cure=f"states of the system are {near}")
    given = {state: Formula(initial_name(state)) for state in states}
    values = dict(zip(s.states, s.x0, strict=True))
    own = {initial_name(state): Parameter(initial_name(state), float(values[state])) for state in states}
    bodies = {
        name: replace(body, joints=[_starting(joint, given) for joint in body.joints])
        for name, body in model.bodies.items()
    }
    own_states = {name: replace(x, start=given.get(name, x.start)) for name, x in model.states.items()}
    made = replace(model, parameters={**model.parameters, **own}, bodies=bodies, states=own_states)
    return system_of(define(made, d.asked, d.wanted, d.independent), s.backend)


def _starting(joint: Joint, given: dict[str, Formula]) -> Joint:
    if joint.type in QUATERNION:
        turned = [name for name in [*joint.coordinates, *joint.velocities] if name in given]
        if turned:
            raise ModelError("the start of a quaternion joint", element=turned[0], cure="give its initial state")
        return joint
    q, v = f"{joint.name}.q", f"{joint.name}.qd"
    return replace(joint, q0=(given[q],) if q in given else joint.q0, v0=(given[v],) if v in given else joint.v0)
