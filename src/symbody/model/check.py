"""Is a model complete and possible? Every problem names the element and the cure, before anything else runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from symbody.errors import ModelError
from symbody.model.attached import (
    CUT_KINDS,
    INERTIAL,
    ROLLING_KINDS,
    SENSED,
    Constraint,
    NonholonomicConstraint,
    RollingContact,
    Signal,
    UserInput,
)
from symbody.model.body import GROUND, JOINT_TYPES, NATURES, ORIGIN, QUATERNION, Body, Joint, Parameter
from symbody.model.circuit_check import circuit_problems, circuit_warnings
from symbody.model.dropped import dropped_table
from symbody.model.formula import Number, evaluate, is_name
from symbody.model.idle_parts import idle_parts
from symbody.model.joint_limits import UNLIMITED, JointLimits
from symbody.model.law_check import law_problems
from symbody.model.model import Model
from symbody.model.placement import welded_inertias
from symbody.model.tree import carrier, parents_first
from symbody.units import require_si

MAX_NAME = 200
MOST_PROBLEMS = 100  # nobody reads more, and each takes time to put into words
UNIT_QUATERNION = 1e-6  # how far from 1 the length of an initial quaternion may be
FAR = 100.0  # m: a body that reaches further is seldom meant
TURNED = 10.0  # rad: a hinge that starts beyond is seldom meant
ROUNDED = 1e-5  # share of a body's largest principal moment that files of five digits round away

_NAME = re.compile(r"\w(?:[\w \-]*[\w\-])?")  # bodies and points: no dot, it separates them in a path
_DOTTED = re.compile(r"\w(?:[\w \-.]*[\w\-])?")
_NAME_CURE = "use letters, digits, _ - and spaces inside"
_A = {"parameter": "a", "input": "an", "state": "a"}


def check(model: Model) -> None:
    """Raise the first problem of a model as a `ModelError` that names file, element and cure."""
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
    """What makes the model unusable, the first `MOST_PROBLEMS` of it; linear in the size of the model."""
    values = {name: p.value for name, p in model.parameters.items() if isinstance(p.value, (int, float))}
    found: list[ModelError] = []
    for error in islice(_everything(model, values), MOST_PROBLEMS):
        error.file = error.file or model.file
        found.append(error)
    return found


def warnings(model: Model) -> list[str]:
    """Sentences on what a reader left out or changed, and on what is seldom meant: a moving end without mass."""
    left_out = [f"not in the model:\n{dropped_table(model.dropped)}"] if model.dropped else []
    return [
        *model.notes,
        *left_out,
        *_odd_inertias(model),
        *_weightless_ends(model),
        *_odd_sizes(model),
        *idle_parts(model),
        *circuit_warnings(model),
    ]


def _everything(model: Model, values: Mapping[str, float]) -> Iterator[ModelError]:
    if not (isinstance(model.name, str) and model.name.strip() and model.name.isprintable()):
        yield ModelError("the model has no name, or an unprintable one", element="name", cure="give it a name")
    yield from _parameters(model)
    yield from _finite(model.gravity, 3, "gravity", values)
    yield from _points(model.ground, "ground", values)
    for name, body in model.bodies.items():
        where = f"bodies.{name}"
        yield from _name(name, body.name, where, _NAME)
        if name == GROUND:
            yield ModelError(f"'{GROUND}' is the fixed body", element=where, cure="give this body another name")
        yield from _finite((body.mass,), 1, f"{where}.mass", values)
        yield from _finite(body.com, 3, f"{where}.com", values)
        yield from _finite(body.inertia, 6, f"{where}.inertia", values)
        yield from _points(body, where, values)
        for joint in body.joints:
            yield from _joint(joint, f"{where}.joints.{joint.name}", values)
    yield from _unique_coordinates(model)
    yield from _masses(model, values)
    yield from _tree(model)
    yield from _references(model, values)
    yield from _users_own(model, values)
    yield from _laws_of_joints(model)
    yield from law_problems(model)
    yield from circuit_problems(model)


def _name(key: str, name: Any, where: str, allowed: re.Pattern[str]) -> Iterator[ModelError]:
    if not isinstance(name, str) or len(name) > MAX_NAME or not allowed.fullmatch(name):
        cure = _NAME_CURE if allowed is _NAME else f"{_NAME_CURE}, or dots"
        yield ModelError(f"'{str(name)[:MAX_NAME]}' cannot be a name", element=where, cure=cure)
    elif key != name:
        yield ModelError(f"filed under '{key}' but named '{name}'", element=where, cure="use one name")


def _parameters(model: Model) -> Iterator[ModelError]:
    named: list[tuple[str, Mapping[str, Parameter | UserInput]]]
    named = [("parameters", model.parameters), ("inputs", model.inputs)]
    for family, members in named:
        for name, member in members.items():
            where = f"{family}.{name}"
            yield from _identifier(name, member.name, where, family.removesuffix("s"))
            yield from _finite((member.value,), 1, where, {})
            yield from _range(member, where)
            if not (isinstance(member.unit, str) and (member.unit == "" or member.unit.isprintable())):
                yield ModelError("the unit is not text", element=where, cure="write a unit such as kg/m")
            else:
                yield from _unit(member.unit, member.value, where)


def _unit(unit: str, value: float, where: str) -> Iterator[ModelError]:
    try:
        require_si(unit, value, where)
    except ModelError as problem:
        yield problem


def _range(member: Parameter | UserInput, where: str) -> Iterator[ModelError]:
    """The ends of a range are numbers in their order."""
    ends = [end for end in (member.low, member.high) if end is not None]
    wrong = list(_finite(ends, len(ends), where, {}))
    yield from wrong
    if not wrong and len(ends) == 2 and not ends[0] < ends[1]:
        yield ModelError(f"a range from {ends[0]:g} to {ends[1]:g}", element=where, cure="let low be below high")


def _identifier(key: str, name: str, where: str, kind: str) -> Iterator[ModelError]:
    if not is_name(key):
        cure = "use letters, digits and _, no Python keyword, not pi"
        yield ModelError(f"'{key}' cannot be {_A[kind]} {kind}'s name", element=where, cure=cure)
    yield from _name(key, name, where, _DOTTED)


def _value(number: Any, values: Mapping[str, float]) -> float:
    """The number as a float; a ModelError says what prevents it."""
    value = evaluate(number, values)
    if type(value) is not float:
        if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
            raise ModelError(f"{value!r} is not a number", cure="write a number, or a formula over the parameters")
        try:
            value = float(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"{value!r} is not a number", cure="write a finite number") from error
    if not math.isfinite(value):
        raise ModelError(f"{number} is not finite", cure="write a finite number")
    return value


def _finite(numbers: Iterable[Number], count: int, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    numbers = tuple(numbers)
    if len(numbers) != count:
        yield ModelError(f"{len(numbers)} numbers instead of {count}", element=where, cure=f"give {count}")
    for number in numbers:
        if type(number) is float and math.isfinite(number):
            continue
        try:
            _value(number, values)
        except ModelError as error:
            error.element = where
            yield error


def _numbers(numbers: Iterable[Number], values: Mapping[str, float]) -> list[float] | None:
    """Values of numbers, or nothing where one of them is a problem (reported elsewhere)."""
    try:
        # most numbers are plain: the short way keeps large models quick
        return [n if type(n) is float and math.isfinite(n) else _value(n, values) for n in numbers]
    except ModelError:
        return None


def _points(body: Body, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    for name, point in body.points.items():
        here = f"{where}.points.{name}"
        yield from _name(name, point.name, here, _NAME)
        if point.body != body.name:
            yield ModelError(f"belongs to '{point.body}'", element=here, cure="make it with the body's point()")
        yield from _finite(point.position, 3, here, values)
        yield from _finite(point.rotation, 3, here, values)
        if name == ORIGIN and any(_numbers((*point.position, *point.rotation), values) or ()):
            cure = f"put it at (0, 0, 0) without rotation, or rename it: '{ORIGIN}' is the body frame"
            yield ModelError("the origin is displaced", element=here, cure=cure)


def _joint(joint: Joint, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    yield from _name(joint.name, joint.name, where, _DOTTED)
    if joint.type not in JOINT_TYPES:
        yield ModelError(f"unknown joint type '{joint.type}'", element=where, cure=f"use {', '.join(JOINT_TYPES)}")
        return
    if joint.nature not in NATURES:
        yield ModelError(f"unknown nature '{joint.nature}'", element=where, cure=f"use {', '.join(NATURES)}")
    yield from _finite(joint.q0, joint.nq, f"{where}.q0", values)
    yield from _finite(joint.v0, joint.nv, f"{where}.v0", values)
    yield from _drive(joint, where, values)
    if joint.type in QUATERNION and len(joint.q0) == joint.nq:
        quaternion = _numbers(joint.q0[-4:], values)
        if quaternion and abs(math.hypot(*quaternion) - 1) > UNIT_QUATERNION:
            problem = f"the quaternion has length {math.hypot(*quaternion):.6g}"
            yield ModelError(problem, element=f"{where}.q0", cure="divide (w, x, y, z) by its length")


def _drive(joint: Joint, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    yield from _finite((joint.armature,), 1, f"{where}.armature", values)
    armature = _numbers((joint.armature,), values)
    if armature and armature[0] < 0:
        yield ModelError(f"an armature of {armature[0]:.6g}", element=f"{where}.armature", cure="give 0 or more")
    limits = joint.limits
    if limits == UNLIMITED:
        return
    if not isinstance(limits, JointLimits):
        cure = "limits come from files, or m.limit keeps a number positive; BumpStop of symbody.elements acts"
        yield ModelError(f"limits that are a {type(limits).__name__}", element=f"{where}.limits", cure=cure)
        return
    if joint.type in QUATERNION:
        problem = f"limits of a joint of type {joint.type}"
        yield ModelError(problem, element=f"{where}.limits", cure="use elementary joints: R1 R2 R3 T1 T2 T3")
    if any(math.isnan(value) for value in vars(limits).values()) or limits.lower > limits.upper:
        yield ModelError("the lower limit is above the upper", element=f"{where}.limits", cure="exchange them")
    if limits.velocity <= 0 or limits.effort <= 0:
        cure = "give a limit above 0, or none"
        yield ModelError("a velocity or effort limit that is not above 0", element=f"{where}.limits", cure=cure)


def _unique_coordinates(model: Model) -> Iterator[ModelError]:
    seen: dict[str, str] = {}
    for body in model.bodies.values():
        for joint in body.joints:
            if joint.type not in JOINT_TYPES:
                continue
            for name in {joint.name, *joint.coordinates, *joint.velocities}:
                if name in seen:
                    problem = f"the name '{name}' is taken by a joint of body '{seen[name]}'"
                    where = f"bodies.{body.name}.joints.{joint.name}"
                    yield ModelError(problem, element=where, cure="rename one of the joints")
                    break
            seen.update(dict.fromkeys((joint.name, *joint.coordinates, *joint.velocities), body.name))


def _masses(model: Model, values: Mapping[str, float]) -> Iterator[ModelError]:
    for name, body in model.bodies.items():
        mass = _numbers((body.mass,), values)
        if mass and mass[0] < 0:
            cure = "give a mass of 0 or more"
            yield ModelError(f"the mass is {mass[0]:.6g}", element=f"bodies.{name}.mass", cure=cure)
    for name, moment in () if model.inertia_as_given else _impossible(model, values):
        problem = f"the inertia about the centre of mass has a principal moment of {moment:.6g}"
        cure = 'check signs and order: xx yy zz xy xz yz, about the centre of mass; or load with inertia="as given"'
        yield ModelError(problem, element=f"bodies.{name}.inertia", cure=cure)


def _impossible(model: Model, values: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Bodies with a negative principal moment; those without joints are judged with all that is welded to them."""
    negative = {name: moments[0] for name, moments in _principal_moments(model, values) if _is_negative(moments)}
    welded = welded_inertias(model) if negative else {}
    for name, moment in negative.items():
        root, whole = welded.get(name, (name, None))
        if root != GROUND and (whole is None or _is_negative(np.linalg.eigvalsh(whole))):  # the ground feels none
            yield name, float(moment)


def _is_negative(moments: npt.NDArray[np.floating[Any]]) -> bool:
    return bool(moments[0] < -ROUNDED * np.abs(moments).max())


def _principal_moments(model: Model, values: Mapping[str, float]) -> Iterator[tuple[str, npt.NDArray[np.float64]]]:
    names, rows = [], []
    for name, body in model.bodies.items():
        six = _numbers(body.inertia, values)
        if six and len(six) == 6:
            names.append(name)
            rows.append(six)
    if rows:
        symmetric = np.array(rows)[:, (0, 3, 4, 3, 1, 5, 4, 5, 2)].reshape(-1, 3, 3)
        scale = np.maximum(np.abs(symmetric).max(axis=(1, 2)), np.finfo(float).tiny)  # squares must not overflow
        moments = np.linalg.eigvalsh(symmetric / scale[:, None, None]) * scale[:, None]
        yield from zip(names, moments, strict=True)


def _tree(model: Model) -> Iterator[ModelError]:
    grounded = {GROUND}
    loose: set[str] = set()  # in or above a cycle, or on nothing; reported once
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
                cure = f"hang one of them on a point of '{GROUND}', and close the loop with a cut"
                yield ModelError(f"bodies in a circle: {cycle}", element=f"bodies.{here}.on", cure=cure)
            loose.update(chain)


def _references(model: Model, values: Mapping[str, float]) -> Iterator[ModelError]:
    bodies = {GROUND: model.ground, **model.bodies}
    paths = {f"{body}.{point}" for body, holder in bodies.items() for point in holder.points} | bodies.keys()

    def known(path: str, where: str) -> Iterator[ModelError]:
        if path not in paths:
            owner = bodies.get(carrier(path))
            cure = f"the bodies are {_some(bodies)}"
            if owner:
                cure = f"the points of '{owner.name}' are {_some(owner.points)}"
            yield ModelError(f"no point '{path}'", element=where, cure=cure)

    for name, body in model.bodies.items():
        yield from known(body.on, f"bodies.{name}.on")
    for name, link in model.links.items():
        where = f"links.{name}"
        yield from _name(name, link.name, where, _DOTTED)
        yield from known(link.a, where)
        yield from known(link.b, where)
        if link.a == link.b:
            yield ModelError("both ends are the same point", element=where, cure="link two different points")
    for name, cut in model.cuts.items():
        where = f"cuts.{name}"
        yield from _name(name, cut.name, where, _DOTTED)
        yield from known(cut.a, where)
        yield from known(cut.b, where)
        if cut.a in paths and cut.b in paths and carrier(cut.a) == carrier(cut.b):
            yield ModelError("both points are on one body", element=where, cure="cut between two different bodies")
        if cut.kind not in CUT_KINDS:
            yield ModelError(f"unknown kind of cut '{cut.kind}'", element=where, cure=f"use {', '.join(CUT_KINDS)}")
        if cut.axis not in (1, 2, 3) or isinstance(cut.axis, bool):
            yield ModelError(f"there is no axis {cut.axis}", element=f"{where}.axis", cure="use 1, 2 or 3")
        yield from _rod(cut.kind, cut.length, f"{where}.length", values)
    for name, contact in model.rolling_contacts.items():
        where = f"rolling_contacts.{name}"
        yield from _name(name, contact.name, where, _DOTTED)
        yield from known(contact.point, where)
        yield from known(contact.plane, where)
        if {contact.point, contact.plane} <= paths and carrier(contact.point) == carrier(contact.plane):
            yield ModelError("it rolls on its own body", element=where, cure="give a plane on another body")
        yield from _rolling(contact, where, values)
    for name, site in model.force_sites.items():
        yield from _name(name, site.name, f"force_sites.{name}", _DOTTED)
        yield from known(site.point, f"force_sites.{name}")
    for name, pair in model.interactions.items():
        where = f"interactions.{name}"
        yield from _name(name, pair.name, where, _DOTTED)
        yield from known(pair.a, where)
        yield from known(pair.b, where)
        if pair.a == pair.b:
            cure = "let two different points act on each other"
            yield ModelError("both ends are the same point", element=where, cure=cure)
    for name, sensor in model.sensors.items():
        yield from _name(name, sensor.name, f"sensors.{name}", _DOTTED)
        yield from known(sensor.point, f"sensors.{name}")
        for quantity in sensor.quantities:
            if quantity not in SENSED + INERTIAL:
                where, cure = f"sensors.{name}.quantities", f"use {', '.join(SENSED + INERTIAL)}"
                yield ModelError(f"unknown quantity '{quantity}'", element=where, cure=cure)


def _users_own(model: Model, values: Mapping[str, float]) -> Iterator[ModelError]:
    """Inputs, states, constraints of both kinds, signals and limits, without their laws."""
    for name, state in model.states.items():
        yield from _identifier(name, state.name, f"states.{name}", "state")
        yield from _finite((state.start,), 1, f"states.{name}.start", values)
        yield from _finite((state.scale,), 1, f"states.{name}.scale", {})
        if isinstance(state.scale, (int, float)) and state.scale <= 0:
            problem, cure = f"a scale of {state.scale:.6g}", "give its typical size, above 0"
            yield ModelError(problem, element=f"states.{name}.scale", cure=cure)
    taken = {"t": "the time", **dict.fromkeys(model.parameters, "a parameter")}
    for family, names in (("input", model.inputs), ("state", model.states)):
        for name in names:
            if name in taken:
                problem = f"'{name}' is the name of {taken[name]}"
                yield ModelError(problem, element=f"{family}s.{name}", cure="rename one of them")
            taken[name] = f"{_A[family]} {family}"
    counted: list[tuple[str, Mapping[str, Constraint | NonholonomicConstraint | Signal]]]
    counted = [("constraints", model.constraints), ("signals", model.signals)]
    counted.append(("nonholonomic_constraints", model.nonholonomic_constraints))
    for family, members in counted:
        for name, member in members.items():
            yield from _name(name, member.name, f"{family}.{name}", _DOTTED)
            if not isinstance(member.count, int) or isinstance(member.count, bool) or member.count < 1:
                yield ModelError(f"a count of {member.count}", element=f"{family}.{name}", cure="give 1 or more")
    for name, limit in model.limits.items():
        yield from _name(name, limit.name, f"limits.{name}", _DOTTED)


def _laws_of_joints(model: Model) -> Iterator[ModelError]:
    joints = {joint.name: joint for joint in model.joints()}
    laws = [("joint_forces", name, name) for name in model.joint_laws]
    laws += [("trajectories", name, name) for name in model.trajectories]
    laws += [("couplings", coupling.name, joint) for coupling in model.couplings.values() for joint in coupling.joints]
    for family, name, acts_on in laws:
        where, joint = f"{family}.{name}", joints.get(acts_on)
        if joint is None:
            cure = f"the joints are {_some(joints)}"
            yield ModelError(f"there is no joint '{str(acts_on)[:MAX_NAME]}'", element=where, cure=cure)
        elif joint.type in QUATERNION:
            cure = "use elementary joints: R1 R2 R3 T1 T2 T3"
            yield ModelError(f"a law for a joint of type {joint.type}", element=where, cure=cure)
        elif family == "trajectories" and joint.nature != "driven":
            cure = "make its nature driven, or remove the trajectory"
            yield ModelError(f"the joint is {joint.nature}", element=where, cure=cure)
    for name, coupling in model.couplings.items():
        yield from _name(name, coupling.name, f"couplings.{name}", _DOTTED)
        if len(set(coupling.joints)) != len(coupling.joints) or not coupling.joints:
            problem = "a joint twice" if coupling.joints else "no joints"
            yield ModelError(problem, element=f"couplings.{name}", cure="name each joint that it acts on once")


def _rod(kind: str, length: Number | None, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    if kind != "rod":
        if length is not None:
            yield ModelError(f"a {kind} cut has no length", element=where, cure="remove it, or make the cut a rod")
    elif length is None:
        yield ModelError("a rod needs its length", element=where, cure="give a length above 0")
    else:
        yield from _finite((length,), 1, where, values)
        value = _numbers((length,), values)
        if value and value[0] <= 0:
            yield ModelError(f"a rod of length {value[0]:.6g}", element=where, cure="give a length above 0")


def _rolling(contact: RollingContact, where: str, values: Mapping[str, float]) -> Iterator[ModelError]:
    if contact.kind not in ROLLING_KINDS:
        yield ModelError(f"unknown kind '{contact.kind}'", element=where, cure=f"use {', '.join(ROLLING_KINDS)}")
        return
    if contact.axis not in (1, 2, 3) or isinstance(contact.axis, bool):
        yield ModelError(f"there is no axis {contact.axis}", element=f"{where}.axis", cure="use 1, 2 or 3")
    yield from _finite((contact.radius, contact.tube), 2, where, values)
    radius, tube = _numbers((contact.radius, contact.tube), values) or (1.0, 0.0)
    if contact.touches and radius <= 0:
        yield ModelError(f"a radius of {radius:.6g}", element=f"{where}.radius", cure="give one above 0 (m)")
    if not contact.touches and radius:
        yield ModelError("a knife edge has no radius", element=f"{where}.radius", cure="remove it, or make it a wheel")
    if tube and contact.kind != "wheel":
        yield ModelError(f"a {contact.kind} has no tube", element=f"{where}.tube", cure="remove it, or make it a wheel")
    elif not 0 <= tube < radius and contact.kind == "wheel":
        yield ModelError(
            f"a tube of radius {tube:.6g}", element=f"{where}.tube", cure="give 0 to less than the wheel's"
        )


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:12]) + (", …" if len(listed) > 12 else "")


def _odd_inertias(model: Model) -> Iterator[str]:
    for name, moments in _principal_moments(model, model.values):
        small, middle, large = moments
        if large > small + middle + ROUNDED * large:
            listed = ", ".join(f"{m:.6g}" for m in moments)
            yield f"bodies.{name}.inertia: no solid has the principal moments {listed} (one exceeds the others' sum)"


def _odd_sizes(model: Model) -> Iterator[str]:
    """Lengths that look like millimetres, angles that look like degrees."""
    for name, body in model.bodies.items():
        places = {"com": body.com, **{f"points.{point.name}": point.position for point in body.points.values()}}
        for what, place in places.items():
            far = max(map(abs, _numbers(place, model.values) or [0.0]))
            if far > FAR:
                yield f"bodies.{name}.{what}: {far:g} m from the body's origin (lengths are in m: are these mm?)"
        for joint in body.joints:
            turn = max(map(abs, _numbers(joint.q0, model.values) or [0.0])) if joint.type.startswith("R") else 0.0
            if turn > TURNED:
                yield f"bodies.{name}.joints.{joint.name}: starts at {turn:g} rad (angles are in rad: are these degrees?)"


def _weightless_ends(model: Model) -> Iterator[str]:
    order = parents_first(model.bodies)
    heavy: set[str] = set()
    for name, body in reversed(order.items()):
        own = _numbers((body.mass, *body.inertia), model.values)
        if name in heavy or own is None or any(own):
            heavy.update((name, carrier(body.on)))
    heavy.add(GROUND)
    for name, body in order.items():
        moving = any(joint.nature in ("independent", "dependent") for joint in body.joints)
        if name not in heavy and carrier(body.on) in heavy and moving:
            yield f"bodies.{name}: it and all it carries have no mass and no inertia: direct dynamics is singular"
