"""Initial states as live parameters: derivatives by parameters then include derivatives by the initial state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symbody.errors import ModelError
from symbody.model.body import QUATERNION, Joint, Parameter
from symbody.model.formula import Formula
from symbody.safe_name import identifier
from symbody.suggestions import nearest_or_first
from symbody.system.definition import define
from symbody.system.system import System, system_of


def initial_name(state: str) -> str:
    """The parameter that holds the initial value of a state."""
    return f"start_{identifier(state)}"


def with_initial_parameters(s: System, states: Sequence[str]) -> System:
    """The same system whose given states start at new parameters; their values are the present initial values."""
    if not states:
        return s
    model, d = s.live_model, s.definition
    for state in states:
        if state not in s.states:
            near = ", ".join(nearest_or_first(state, s.states))
            raise ModelError("unknown state", element=state, cure=f"the states of the system are {near}")
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
            raise ModelError(
                "the initial orientation of a quaternion joint cannot be a parameter",
                element=turned[0],
                cure="give it with x0=",
            )
        return joint
    q, v = f"{joint.name}.q", f"{joint.name}.qd"
    return replace(joint, q0=(given[q],) if q in given else joint.q0, v0=(given[v],) if v in given else joint.v0)
