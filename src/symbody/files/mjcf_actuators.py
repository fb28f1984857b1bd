"""Actuators of MJCF as inputs: force = gain · control + bias, on a joint, a tendon or a site.

Source: MuJoCo documentation, "Computation: Actuation model". Each actuator has an input of its name, limited to its
range.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import ChainMap, Counter
from dataclasses import dataclass, replace
from typing import Any

from symbody.files.file_tree import free_name
from symbody.files.joint_laws import add_coupling, add_parameter
from symbody.files.mjcf_derived import derived_numbers, reflects_inertia
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_general import SHORTHANDS, MjcfActuator, actuator_numbers
from symbody.files.mjcf_length_range import Pulling, length_ranges, uses_limits
from symbody.files.mjcf_muscle import activation_rate, muscle_bias, muscle_gain
from symbody.files.mjcf_names import MjcfNames
from symbody.files.mjcf_numbers import Attributes, real, reals, truth
from symbody.files.mjcf_tendons import Tendon
from symbody.model.components import ForceSite, Signal, State, UserInput
from symbody.model.formula import FUNCTIONS, MOTION, is_name
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.model import Model
from symbody.safe_name import identifier

_SUPPORTED = {
    "gain": ("fixed", "affine", "muscle"),
    "bias": ("none", "affine", "muscle"),
    "dynamics": ("none", "filter", "filterexact", "integrator", "muscle"),
}
_UNREAD = {  # attributes that change the motion
    "damping": "not supported for an actuator: set it on the joint",
    "armature": "not supported for an actuator: set it on the joint",
    "delay": "delays are not supported",
}
_MEANT = {
    "t",
    "below",
    "above",
    *FUNCTIONS,
    *MOTION,
    *(name for names in ARGUMENTS.values() for name in names),
}  # in laws


@dataclass
class _Pulled:
    """What an actuator acts on: length and rate as formulas, and joints with moment arms, or a link, or a site."""

    length: str
    rate: str
    joints: dict[str, float]
    link: str = ""
    site: str = ""
    bounds: tuple[float, float] | None = None  # of the force at the joint, `actuatorfrcrange`


@dataclass
class _Actuator:
    """An actuator of the file: its numbers, what it pulls (None: left out already), and why it is left out."""

    title: str
    kind: str
    attributes: Attributes
    numbers: MjcfActuator
    pulled: _Pulled | None
    why: str


def add_actuators(model: Model, document: MjcfDocument, names: MjcfNames, tendons: dict[str, Tendon]) -> None:
    """Add all supported actuators. names.controls lists their inputs, names.actuators their numbers."""
    _keep_ranges(document, names)
    acting = [
        _acting(model, document, names, tendons, element, k) for k, element in enumerate(document.section("actuator"))
    ]
    _find_length_ranges(model, document, names, tendons, acting)
    reflected = reflects_inertia(document)
    for one in acting:
        if one.pulled and not one.why:
            one.numbers, one.why = derived_numbers(model, one.numbers, one.pulled.joints, one.pulled.link, reflected)
        if one.pulled and one.why:
            document.drop(f"actuator {one.kind}", one.title, one.why)
        names.actuators.append(one.numbers)
        if one.pulled is None or one.why:
            names.controls.append("")
            continue
        if truth(one.attributes, "actearly", False):
            document.drop("actearly", one.title, "activations act without the advance by one step")
        _list_unread(document, one.attributes, one.title)
        names.controls.append(_drive(model, document, one.numbers, one.pulled, one.title))


def list_passive_parts(document: MjcfDocument) -> None:
    """Record what actuators do even if actuation is switched off: they have inertia and damping in MuJoCo."""
    for k, element in enumerate(document.section("actuator")):
        _list_unread(document, document.actuator(element), element.get("name") or f"actuator{k + 1}")


def _list_unread(document: MjcfDocument, attributes: Attributes, title: str) -> None:
    for what, reason in _UNREAD.items():
        if any(reals(attributes, what, title, (0.0,) * 5)):
            document.drop(what, title, reason)


def _acting(
    model: Model, document: MjcfDocument, names: MjcfNames, tendons: dict[str, Tendon], element: ET.Element, k: int
) -> _Actuator:
    """Actuator k of the file."""
    title, kind = element.get("name") or f"actuator{k + 1}", str(element.tag)
    attributes = document.actuator(element)
    attributes |= _inherited_range(document, names, tendons, attributes, title)
    numbers = actuator_numbers(attributes, document.settings_of(attributes).autolimits, title)
    pulled = _transmission(model, document, names, tendons, attributes, title)
    why = _unsupported(kind, numbers)
    off = {
        word for option in document.root.iterfind("option") for word in option.get("actuatorgroupdisable", "").split()
    }
    if pulled and not why and attributes.get("group", "0").strip() in off:
        document.drop(f"actuator {kind}", title, "its group is switched off", matters=False)
        pulled = None
    return _Actuator(title, kind, attributes, numbers, pulled, why)


def _find_length_ranges(
    model: Model, document: MjcfDocument, names: MjcfNames, tendons: dict[str, Tendon], acting: list[_Actuator]
) -> None:
    """Set the length ranges of muscles that the file does not give."""
    options = next((element.attrib for element in document.root.iterfind("compiler/lengthrange")), {})
    again = not truth(options, "useexisting", True)
    muscles = [
        one
        for one in acting
        if one.pulled and not one.why and one.numbers.is_muscle and (again or one.numbers.lengthrange is None)
    ]
    if not muscles or options.get("mode") == "none":
        return
    for one in muscles if uses_limits(options) else ():  # ranges without the gear, as in MuJoCo
        target = names.joints.get((one.attributes.get("joint") or one.attributes.get("jointinparent") or "").strip())
        tendon = tendons.get(one.attributes.get("tendon", "").strip())
        limit = names.soft_limits.get(target.name) if target else tendon.limit if tendon else None
        if limit:
            one.numbers = replace(one.numbers, lengthrange=(limit.low, limit.high))
            muscles = [other for other in muscles if other is not one]
    if not muscles:
        return
    limits = [(Pulling({name: 1.0}), limit) for name, limit in names.soft_limits.items()]
    limits += [(Pulling(one.joints, one.link), one.limit) for one in tendons.values() if one.limit]
    pulling = [Pulling(one.pulled.joints, one.pulled.link, one.numbers.gear[0]) for one in muscles if one.pulled]
    found = _unrepeatable(document) or length_ranges(model, options, names.references, pulling, limits)
    for k, one in enumerate(muscles):
        if isinstance(found, str):
            one.why = f"set its lengthrange: {found}"
        else:
            one.numbers = replace(one.numbers, lengthrange=found[k])


def _unrepeatable(document: MjcfDocument) -> str:
    """Why the simulation that finds length ranges has parts that the model does not have; empty if it has none."""
    if any(truth(document.attributes(one, kind="equality"), "active", True) for one in document.section("equality")):
        return "it follows from a simulation with soft equalities, which are exact here"
    if any(option.get("integrator") == "implicit" for option in document.root.iterfind("option")):
        return 'it follows from a simulation by MuJoCo\'s integrator "implicit"'
    if reflects_inertia(document):
        return "it follows from a simulation with the inertia of tendons or actuators"
    left_out = {one.where for one in document.dropped if one.what.startswith("tendon ")}
    tendons = [one for one in document.section("tendon") if one.get("name", "") in left_out or not one.get("name")]
    if left_out and any("range" in document.attributes(one, kind="tendon") for one in tendons):
        return "it follows from a simulation with limits of tendons that are left out"
    return ""


def _inherited_range(
    document: MjcfDocument, names: MjcfNames, tendons: dict[str, Tendon], attributes: Attributes, title: str
) -> Attributes:
    """The range that a servo inherits from its joint or tendon: a fraction of that range, about the middle."""
    share, target = real(attributes, "inheritrange", title), attributes.get("joint", "").strip()
    if share <= 0.0:
        return {}
    if target in names.joints and names.joints[target].limits.bounded:
        limits, ref = names.joints[target].limits, names.references[names.joints[target].name]
        low, high = limits.lower + ref, limits.upper + ref
    elif (tendon := tendons.get(attributes.get("tendon", "").strip())) and tendon.limit:
        low, high = tendon.limit.low, tendon.limit.high
    else:
        document.drop("inheritrange", title, "its joint or tendon has no range: set ctrlrange")
        return {}
    key = "actrange" if attributes.get("dyntype") == "integrator" else "ctrlrange"
    if key in attributes:
        return {}
    middle, half = (high + low) / 2, share * (high - low) / 2
    return {key: f"{middle - half!r} {middle + half!r}"}


def _keep_ranges(document: MjcfDocument, names: MjcfNames) -> None:
    """Apply a joint's range only if the joint has one actuator: the sum of several is not bounded."""
    parts = document.section("actuator")
    acting = Counter((part.get("joint") or part.get("jointinparent") or "").strip() for part in parts)
    for title, joint in names.joints.items():
        if joint.name in names.force_ranges and (acting[""] or acting[title] > 1):
            del names.force_ranges[joint.name]
            document.drop(
                "actuatorfrcrange", joint.name, "it bounds the sum of several actuators: set forcerange of each"
            )


def _unsupported(kind: str, numbers: MjcfActuator) -> str:
    """Why an actuator is not supported; empty if it is."""
    for what, known in _SUPPORTED.items():
        if getattr(numbers, what) not in known:
            return f"its {what} '{getattr(numbers, what)[:40]}' is not supported"
    return "" if kind in (*SHORTHANDS, "general") else "not supported"


def _transmission(
    model: Model,
    document: MjcfDocument,
    names: MjcfNames,
    tendons: dict[str, Tendon],
    attributes: Attributes,
    title: str,
) -> _Pulled | None:
    gear = reals(attributes, "gear", title, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    lever = repr(gear[0])
    target = attributes.get("joint") or attributes.get("jointinparent")
    if target is not None:
        joint = names.joint(target, title)
        if joint.nq > 1:
            document.drop("actuator", title, f"not supported for a {joint.type} joint")
            return None
        length, rate = f"({lever}*{names.coordinate(joint)})", f'({lever}*qd("{joint.name}"))'
        return _Pulled(length, rate, {joint.name: gear[0]}, bounds=names.force_ranges.get(joint.name))
    if "tendon" in attributes:
        tendon = tendons.get(attributes["tendon"].strip())
        if tendon is None:
            document.drop("actuator", title, f"its tendon '{attributes['tendon'][:40]}' is left out")
            return None
        levers = {name: gear[0] * c for name, c in tendon.joints.items()}
        return _Pulled(f"({lever}*{tendon.length})", f"({lever}*{tendon.rate})", levers, tendon.link)
    if "site" in attributes and "refsite" not in attributes and any(gear):
        return _Pulled("0", _site_rate(gear), {}, site=names.site(attributes["site"], title))
    document.drop("actuator", title, "its transmission is not supported")
    return None


def _drive(model: Model, document: MjcfDocument, numbers: MjcfActuator, pulled: _Pulled, title: str) -> str:
    """Add the input of an actuator, its state if it has one, and its force; returns the name of the input."""
    name = _input(model, title)
    control = name if "clampctrl" in document.disabled else _within(name, numbers.ctrlrange)
    gain, bias = _law(model, numbers, pulled, title)
    if numbers.dynamics != "none":
        state = _input_name(model, f"{title}_activation")
        rate = _activation(numbers, control, state)
        if numbers.actrange:  # it stays in its range, and leaves the limit at once
            low, high = numbers.actrange
            rate = f"where({state} >= {high!r}, min({rate}, 0), where({state} <= {low!r}, max({rate}, 0), {rate}))"
        model.states[state] = State(state, law=FormulaLaw((rate,)))
        control = _within(state, numbers.actrange)
    force = f"{gain}*{control}" if gain != "1.0" else control
    _apply(model, title, numbers, pulled, _within(f"({force}{bias})", numbers.forcerange))
    return name


def _activation(numbers: MjcfActuator, control: str, state: str) -> str:
    """The rate of an activation."""
    if numbers.dynamics == "muscle":
        return activation_rate(control, state, *numbers.dynprm[:3])
    return control if numbers.dynamics == "integrator" else f"({control} - {state})/{max(numbers.dynprm[0], 1e-12)!r}"


def _law(model: Model, numbers: MjcfActuator, pulled: _Pulled, title: str) -> tuple[str, str]:
    """Gain and bias (with its sign, or empty) as formulas. Gains of shorthands are live parameters."""
    length, rate, g, b = pulled.length, pulled.rate, numbers.gainprm, numbers.biasprm

    def live(key: str, value: float) -> str:
        return add_parameter(model, f"{title}_{key}", value)

    if numbers.kind in ("position", "intvelocity"):
        kp = live("kp", g[0])
        return kp, f" - {kp}*{length}" + (f" - {live('kv', -b[2])}*{rate}" if b[2] else "")
    if numbers.kind == "velocity":
        kv = live("kv", g[0])
        return kv, f" - {kv}*{rate}"
    if numbers.kind == "damper":
        return f"(-{live('kv', -g[2])}*{rate})", ""
    if numbers.is_muscle:
        return _muscle(live("force", g[2]), numbers, length, rate)
    gain = live("area" if numbers.kind == "cylinder" else "gain", g[0]) if g[0] != 1.0 else "1.0"
    if numbers.gain == "affine":
        gain = f"({g[0]!r}{_affine((0.0, *g[1:3]), length, rate)})"
    return gain, _affine(b[:3], length, rate) if numbers.bias == "affine" else ""


def _muscle(force: str, numbers: MjcfActuator, length: str, rate: str) -> tuple[str, str]:
    """Gain and bias of a muscle, or of a general actuator with one of the two."""
    g, b = numbers.gainprm, numbers.biasprm
    assert numbers.lengthrange is not None  # others are dropped
    gain = muscle_gain(force, g, numbers.lengthrange, length, rate) if numbers.gain == "muscle" else f"({g[0]!r})"
    if numbers.bias == "muscle":
        same = force if b[2] == g[2] else repr(b[2])
        return gain, f" - {muscle_bias(same, b, numbers.lengthrange, length)}"
    return gain, _affine(b[:3], length, rate) if numbers.bias == "affine" else ""


def _affine(b: tuple[float, ...], length: str, rate: str) -> str:
    """+ b₀ + b₁ L + b₂ L̇, without zero terms."""
    parts = [f" + ({x!r})" if y == "" else f" + ({x!r})*{y}" for x, y in zip(b, ("", length, rate), strict=True) if x]
    return "".join(parts)


def _within(text: str, limits: tuple[float, float] | None) -> str:
    """A formula limited to a range."""
    return f"min(max({text}, {limits[0]!r}), {limits[1]!r})" if limits else text


def _apply(model: Model, title: str, numbers: MjcfActuator, pulled: _Pulled, force: str) -> None:
    name = free_name(title, ChainMap[str, Any](model.couplings, model.force_sites))
    if pulled.link:
        link = model.links[pulled.link]
        before = link.law.texts[0] if isinstance(link.law, FormulaLaw) else "0"
        # a positive force of MuJoCo lengthens, a tension shortens
        pull = f"-({numbers.gear[0]!r})*{force}"
        link.law = FormulaLaw((pull if before == "0" else f"{before} + {pull}",), ARGUMENTS["links"])
    elif pulled.site:
        texts = [_turned(numbers.gear[3 * half : 3 * half + 3], row, force) for half in (0, 1) for row in "123"]
        model.force_sites[name] = ForceSite(name, pulled.site, law=FormulaLaw(tuple(texts), ARGUMENTS["force_sites"]))
    else:
        efforts = {joint: f"({lever!r})*{force}" for joint, lever in pulled.joints.items()}
        if pulled.bounds:
            efforts = {joint: _within(text, pulled.bounds) for joint, text in efforts.items()}
        add_coupling(model, name, tuple(efforts), *efforts.values())
        power = " + ".join(f'{text}*qd("{joint}")' for joint, text in efforts.items())
        model.signals[f"{name}.supplied"] = Signal(f"{name}.supplied", law=FormulaLaw((power,)))


def _site_rate(gear: tuple[float, ...]) -> str:
    """The speed of a site along the gear: v and ω in the ground frame, the gear in the site's frame."""
    terms = [
        f"{_turned(gear[3 * half : 3 * half + 3], row, name)}"
        for half, names in ((0, ("vx", "vy", "vz")), (1, ("wx", "wy", "wz")))
        for row, name in zip("123", names, strict=True)
    ]
    return f"({' + '.join(terms)})"


def _turned(gear: tuple[float, ...], row: str, force: str) -> str:
    """A component in the ground frame of a vector in the site's frame."""
    terms = [f"({g!r})*r{row}{column}" for g, column in zip(gear, "123", strict=True) if g]
    return f"({' + '.join(terms)})*{force}" if terms else "0"


def _input_name(model: Model, name: str) -> str:
    plain = identifier(name)
    taken = model.parameters, model.inputs, model.states, _MEANT
    while any(plain in names for names in taken) or not is_name(plain):
        plain += "_"
    return plain


def _input(model: Model, title: str) -> str:
    name = _input_name(model, title)
    model.inputs[name] = UserInput(name)
    return name
