"""Checks that a model is complete and possible, before anything else runs.

Each problem names the element and a cure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from symbody.errors import ModelError
from symbody.model.body import GROUND, JOINT_TYPES, ORIGIN, QUATERNION, Body, Parameter
from symbody.model.circuit_check import circuit_problems, circuit_warnings
from symbody.model.components import Constraint, NonholonomicConstraint, Signal, UserInput
from symbody.model.dropped import dropped_table
from symbody.model.element_check import body_problems, odd_sizes
from symbody.model.idle_parts import idle_parts
from symbody.model.inertia_check import inertia_problems, odd_inertias, weightless_ends
from symbody.model.law_check import law_problems
from symbody.model.model import Model
from symbody.model.number_check import (
    ARTICLE,
    DOTTED,
    MAX_NAME,
    PLAIN,
    finite_problems,
    identifier_problems,
    name_problems,
    numbers_of,
)
from symbody.model.reference_check import reference_problems
from symbody.model.tree import carrier
from symbody.suggestions import did_you_mean
from symbody.units import require_si

MOST_PROBLEMS = 100  # more do not help, and each message takes time to write


def check(model: Model) -> None:
    """Check a model.

    Parameters
    ----------
    model : Model

    Raises
    ------
    ModelError
        For the first problem, with its file, element and cure. The message also counts the other problems.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> sb.check(m)
    """
    found = problems(model)
    if not found:
        return
    first = found[0]
    if len(found) > 1:
        least = "at least " if len(found) == MOST_PROBLEMS else ""
        more = f"{least}{len(found) - 1} more problem{'s' if len(found) > 2 else ''}"
        raise ModelError(f"{first.problem} [and {more}]", element=first.element, cure=first.cure, file=first.file)
    raise first


def problems(model: Model) -> list[ModelError]:
    """The problems that make a model unusable, at most `MOST_PROBLEMS`. The time is linear in the size of the model."""
    values = {name: p.value for name, p in model.parameters.items() if isinstance(p.value, (int, float))}
    found: list[ModelError] = []
    for error in islice(_everything(model, values), MOST_PROBLEMS):
        error.file = error.file or model.file
        found.append(error)
    return found


def warnings(model: Model) -> list[str]:
    """Remarks on a model that can be used.

    Parameters
    ----------
    model : Model

    Returns
    -------
    list of str
        What a file reader left out or changed, and what is probably a mistake, such as a moving end without mass.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> sb.warnings(m)
    []
    """
    left_out = [f"not in the model:\n{dropped_table(model.dropped)}"] if model.dropped else []
    return [
        *model.notes,
        *left_out,
        *odd_inertias(model),
        *weightless_ends(model),
        *(remark for body in model.bodies.values() for remark in odd_sizes(body, model.values)),
        *idle_parts(model),
        *circuit_warnings(model),
    ]


def _everything(model: Model, values: Mapping[str, float]) -> Iterator[ModelError]:
    if not (isinstance(model.name, str) and model.name.strip() and model.name.isprintable()):
        yield ModelError("the model has no printable name", element="name", cure="give it a name")
    yield from _parameters(model)
    yield from finite_problems(model.gravity, 3, "gravity", values)
    yield from _points(model.ground, "ground", values)
    for name, body in model.bodies.items():
        where = f"bodies.{name}"
        yield from name_problems(name, body.name, where, PLAIN)
        if name == GROUND:
            yield ModelError(
                f"the name '{GROUND}' is reserved for the fixed body", element=where, cure="give this body another name"
            )
        yield from body_problems(body, where, values)
        yield from _points(body, where, values)
    yield from _unique_coordinates(model)
    yield from inertia_problems(model, values)
    yield from _tree(model)
    yield from reference_problems(model, values)
    yield from _users_own(model, values)
    yield from _laws_of_joints(model)
    yield from law_problems(model)
    yield from circuit_problems(model)


def _parameters(model: Model) -> Iterator[ModelError]:
    named: list[tuple[str, Mapping[str, Parameter | UserInput]]]
    named = [("parameters", model.parameters), ("inputs", model.inputs)]
    for family, members in named:
        for name, member in members.items():
            where = f"{family}.{name}"
            yield from identifier_problems(name, member.name, where, family.removesuffix("s"))
            yield from finite_problems((member.value,), 1, where, {})
            yield from _range(member, where)
            yield from _unit(member.unit, member.value, where)


def _unit(unit: str, value: float, where: str) -> Iterator[ModelError]:
    if not (isinstance(unit, str) and (unit == "" or unit.isprintable())):
        yield ModelError("the unit is not text", element=where, cure="write a unit such as kg/m")
        return
    try:
        require_si(unit, value, where)
    except ModelError as problem:
        yield problem


def _range(member: Parameter | UserInput, where: str) -> Iterator[ModelError]:
    """Both ends of a range must be numbers, the lower one first."""
    ends = [end for end in (member.low, member.high) if end is not None]
    wrong = list(finite_problems(ends, len(ends), where, {}))
    yield from wrong
    if not wrong and len(ends) == 2 and not ends[0] < ends[1]:
        yield ModelError(
            f"the range from {ends[0]:g} to {ends[1]:g} is empty", element=where, cure="choose low below high"
        )


def _points(body: Body, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    for name, point in body.points.items():
        here = f"{where}.points.{name}"
        yield from name_problems(name, point.name, here, PLAIN)
        if point.body != body.name:
            yield ModelError(
                f"this point belongs to body '{point.body}'",
                element=here,
                cure="create it with the body's point() method",
            )
        yield from finite_problems(point.position, 3, here, values)
        yield from finite_problems(point.rotation, 3, here, values)
        if name == ORIGIN and any(numbers_of((*point.position, *point.rotation), values) or ()):
            cure = f"put it at (0, 0, 0) without rotation, or rename it: '{ORIGIN}' is the body frame"
            yield ModelError("the origin is not at the body frame", element=here, cure=cure)


def _unique_coordinates(model: Model) -> Iterator[ModelError]:
    seen: dict[str, str] = {}
    for body in model.bodies.values():
        for joint in body.joints:
            if joint.type not in JOINT_TYPES:
                continue
            for name in {joint.name, *joint.coordinates, *joint.velocities}:
                if name in seen:
                    problem = f"a joint of body '{seen[name]}' already has the name '{name}'"
                    where = f"bodies.{body.name}.joints.{joint.name}"
                    yield ModelError(problem, element=where, cure="rename one of the joints")
                    break
            seen.update(dict.fromkeys((joint.name, *joint.coordinates, *joint.velocities), body.name))


def _tree(model: Model) -> Iterator[ModelError]:
    grounded = {GROUND}
    loose: set[str] = set()  # in or above a cycle, or without a carrier; reported once
    for name in model.bodies:
        chain: list[str] = []
        passed: set[str] = set()
        here = name
        while here in model.bodies and here not in grounded and here not in loose and here not in passed:
            chain.append(here)
            passed.add(here)
            here = carrier(model.bodies[here].on)
        if here in grounded:
            grounded.update(chain)
        elif chain:
            if here in passed:
                cycle = " on ".join([*chain[chain.index(here) :][:10], here])
                cure = f"put one of them on a point of '{GROUND}' and close the loop with a cut"
                yield ModelError(
                    f"the bodies carry each other in a circle: {cycle}", element=f"bodies.{here}.on", cure=cure
                )
            loose.update(chain)


def _users_own(model: Model, values: Mapping[str, float]) -> Iterator[ModelError]:
    """Inputs, states, both kinds of constraints, signals and limits, without their laws."""
    for name, state in model.states.items():
        yield from identifier_problems(name, state.name, f"states.{name}", "state")
        yield from finite_problems((state.start,), 1, f"states.{name}.start", values)
        yield from finite_problems((state.scale,), 1, f"states.{name}.scale", {})
        yield from _unit(state.unit, 1.0, f"states.{name}")
        if isinstance(state.scale, (int, float)) and state.scale <= 0:
            problem, cure = f"the scale is {state.scale:.6g}", "use the typical size of the state, above 0"
            yield ModelError(problem, element=f"states.{name}.scale", cure=cure)
    taken = {"t": "the time", **dict.fromkeys(model.parameters, "a parameter")}
    for family, names in (("input", model.inputs), ("state", model.states)):
        for name in names:
            if name in taken:
                problem = f"the name '{name}' already belongs to {taken[name]}"
                yield ModelError(problem, element=f"{family}s.{name}", cure="rename one of them")
            taken[name] = f"{ARTICLE[family]} {family}"
    counted: list[tuple[str, Mapping[str, Constraint | NonholonomicConstraint | Signal]]]
    counted = [("constraints", model.constraints), ("signals", model.signals)]
    counted.append(("nonholonomic_constraints", model.nonholonomic_constraints))
    for family, members in counted:
        for name, member in members.items():
            yield from name_problems(name, member.name, f"{family}.{name}", DOTTED)
            if not isinstance(member.count, int) or isinstance(member.count, bool) or member.count < 1:
                yield ModelError(f"the count is {member.count}", element=f"{family}.{name}", cure="use 1 or more")
    for name, signal in model.signals.items():
        yield from _unit(signal.unit, 1.0, f"signals.{name}")
    for name, limit in model.limits.items():
        yield from name_problems(name, limit.name, f"limits.{name}", DOTTED)


def _laws_of_joints(model: Model) -> Iterator[ModelError]:
    joints = {joint.name: joint for joint in model.joints()}
    laws = [("joint_forces", name, name) for name in model.joint_laws]
    laws += [("trajectories", name, name) for name in model.trajectories]
    laws += [("couplings", coupling.name, joint) for coupling in model.couplings.values() for joint in coupling.joints]
    for family, name, acts_on in laws:
        where, joint = f"{family}.{name}", joints.get(acts_on)
        if joint is None:
            cure = did_you_mean(str(acts_on), joints, "joints")
            yield ModelError(f"unknown joint '{str(acts_on)[:MAX_NAME]}'", element=where, cure=cure)
        elif joint.type in QUATERNION:
            cure = "use elementary joints: R1 R2 R3 T1 T2 T3"
            yield ModelError(f"a joint of type {joint.type} cannot have a law", element=where, cure=cure)
        elif family == "trajectories" and joint.nature != "driven":
            cure = "make its nature driven, or remove the trajectory"
            yield ModelError(f"the joint has a trajectory but is {joint.nature}", element=where, cure=cure)
    for name, coupling in model.couplings.items():
        yield from name_problems(name, coupling.name, f"couplings.{name}", DOTTED)
        if len(set(coupling.joints)) != len(coupling.joints) or not coupling.joints:
            problem = "a joint is listed twice" if coupling.joints else "no joints are listed"
            yield ModelError(problem, element=f"couplings.{name}", cure="list each joint that it acts on once")
