"""Actuators of MJCF as inputs: force = gain · control + bias, on a joint, a tendon or a site.

Source: MuJoCo documentation, "Computation: Actuation model". Each actuator has an input of its name, limited to its
range.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass

from symbody.files.file_tree import free_name
from symbody.files.joint_laws import add_coupling, add_parameter
from symbody.files.mjcf_document import Attributes, MjcfDocument, real, reals, shorthand, truth
from symbody.files.mjcf_names import MjcfNames
from symbody.files.mjcf_tendons import Tendon
from symbody.model.components import ForceSite, Signal, State, UserInput
from symbody.model.formula import FUNCTIONS, MOTION, is_name
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.model import Model
from symbody.safe_name import identifier

_KINDS = ("motor", "position", "velocity", "general", "damper", "intvelocity", "cylinder")
_WANTED = {"dampratio": "damping by a ratio is not supported: set kv", "inheritrange": "not supported: set ctrlrange"}
_GENERAL = {"gaintype": ("fixed", "affine"), "biastype": ("none", "affine")}
_MEANT = {
    "t",
    "below",
    "above",
    *FUNCTIONS,
    *MOTION,
    *(name for names in ARGUMENTS.values() for name in names),
}  # in laws
_FILTERS = ("filter", "filterexact")


@dataclass
class _Pulled:
    """What an actuator acts on: length and rate as formulas, and joints with moment arms, or a link, or a site."""

    length: str
    rate: str
    joints: dict[str, str]
    link: str = ""
    site: str = ""
    bounds: tuple[float, float] | None = None  # of the force at the joint, `actuatorfrcrange`


def add_actuators(model: Model, document: MjcfDocument, names: MjcfNames, tendons: dict[str, Tendon]) -> None:
    """Add all supported actuators. names.controls lists their inputs."""
    _keep_ranges(document, names)
    for k, element in enumerate(document.section("actuator")):
        title = element.get("name") or f"actuator{k + 1}"
        kind = str(element.tag)
        attributes = {
            **document.attributes(ET.Element("general", element.attrib), kind="general"),
            **shorthand(element),
        }
        attributes |= _inherited_range(names, kind, attributes, title)
        pulled = _transmission(model, document, names, tendons, attributes, title)
        odd = _odd(kind, attributes)
        if pulled is None or odd:
            if pulled is not None:
                document.drop(f"actuator {kind}", title, odd)
            names.controls.append("")
            continue
        names.controls.append(_drive(model, document, names, kind, attributes, pulled, title))


def _inherited_range(names: MjcfNames, kind: str, attributes: Attributes, title: str) -> Attributes:
    """The ctrlrange that a position actuator inherits from its joint: a fraction of its range, about the middle."""
    share, target = real(attributes, f"{kind}.inheritrange", title), attributes.get("joint", "").strip()
    if kind != "position" or share <= 0.0 or target not in names.joints or not names.joints[target].limits.bounded:
        return {}
    joint = names.joints[target]
    middle = (joint.limits.upper + joint.limits.lower) / 2 + names.references[joint.name]
    half = share * (joint.limits.upper - joint.limits.lower) / 2
    return {"ctrlrange": f"{middle - half!r} {middle + half!r}", "position.inheritrange": "0"}


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


def _odd(kind: str, attributes: Attributes) -> str:
    """Why an actuator is not supported; empty if it is."""
    if kind not in _KINDS:
        return "not supported"
    for what, known in _GENERAL.items():
        if kind == "general" and attributes.get(what, known[0]) not in known:
            return f"its {what} '{attributes[what][:40]}' is not supported"
    return ""


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
        return _Pulled(length, rate, {joint.name: lever}, bounds=names.force_ranges.get(joint.name))
    if "tendon" in attributes:
        tendon = tendons.get(attributes["tendon"].strip())
        if tendon is None:
            document.drop("actuator", title, f"its tendon '{attributes['tendon'][:40]}' is left out")
            return None
        levers = {name: f"{gear[0] * c!r}" for name, c in tendon.joints.items()}
        return _Pulled(f"({lever}*{tendon.length})", f"({lever}*{tendon.rate})", levers, tendon.link)
    if "site" in attributes and "refsite" not in attributes and any(gear):
        return _Pulled("0", "0", {}, site=names.site(attributes["site"], title))
    document.drop("actuator", title, "its transmission is not supported")
    return None


def _drive(
    model: Model,
    document: MjcfDocument,
    names: MjcfNames,
    kind: str,
    attributes: Attributes,
    pulled: _Pulled,
    title: str,
) -> str:
    """Add the input of an actuator, its state if it has one, and its force; returns the name of the input."""
    name = _input(model, title)
    control = name
    if "clampctrl" not in document.disabled:
        control = _within(model, name, attributes, "ctrl", document.autolimits, title)
    gain, bias, dynamics, tau = _law(model, kind, attributes, pulled, title)
    if dynamics in _FILTERS:
        state = _input_name(model, f"{title}_activation")
        model.states[state] = State(state, law=FormulaLaw((f"({control} - {state})/{tau!r}",)))
        control = state
    elif dynamics == "integrator":
        state = _input_name(model, f"{title}_activation")
        model.states[state] = State(state, law=FormulaLaw((control,)))
        control = _within(model, state, attributes, "act", document.autolimits, title)
    elif dynamics != "none":
        document.drop(f"dyntype {dynamics}", title, "not supported: it acts without delay")
    for what, why in _WANTED.items():
        if any(real(attributes, key, title) for key in (what, f"{kind}.{what}")):
            document.drop(what, title, why)
    for what in ("damping", "armature", "delay"):
        if what in attributes and any(reals(attributes, what, title, (0.0,) * 5)):
            document.drop(what, title, "not supported for an actuator")
    force = f"{gain}*{control}" if gain != "1.0" else control
    force = _within(model, f"({force}{bias})", attributes, "force", document.autolimits, title)
    _apply(model, title, attributes, pulled, force)
    return name


def _law(model: Model, kind: str, attributes: Attributes, pulled: _Pulled, title: str) -> tuple[str, str, str, float]:
    """Gain, bias (with its sign, or empty), dynamics and time constant (s)."""
    length, rate = pulled.length, pulled.rate

    def given(key: str, usual: float) -> float:
        return real({key: attributes.get(key) or attributes.get(f"{kind}.{key}") or ""}, key, title, usual)

    def live(key: str, value: float) -> str:
        return add_parameter(model, f"{title}_{key}", value)

    tau = given("timeconst", 0.0)
    dynamics = "filterexact" if tau > 0 else "none"
    if kind == "motor":
        return "1.0", "", "none", 0.0
    if kind in ("position", "intvelocity"):
        usual = reals(attributes, "gainprm", title, (1.0,) * 10)[0]
        kp, kv = live("kp", given("kp", usual)), given("kv", 0.0)
        bias = f" - {kp}*{length}" + (f" - {live('kv', kv)}*{rate}" if kv else "")
        return kp, bias, "integrator" if kind == "intvelocity" else dynamics, tau
    if kind == "velocity":
        kv_name = live("kv", given("kv", reals(attributes, "gainprm", title, (1.0,) * 10)[0]))
        return kv_name, f" - {kv_name}*{rate}", "none", 0.0
    if kind == "damper":
        return f"(-{live('kv', given('kv', 1.0))}*{rate})", "", "none", 0.0
    if kind == "cylinder":
        area = given("area", 1.0)
        three = reals({"bias": attributes.get("cylinder.bias", "")}, "bias", title, (0.0, 0.0, 0.0))
        return live("area", area), _affine(three, length, rate), "filter", given("timeconst", 1.0)
    g = reals(attributes, "gainprm", title, (1.0, *(0.0,) * 9))
    b = reals(attributes, "biasprm", title, (0.0,) * 10)
    gain = live("gain", g[0]) if g[0] != 1.0 else "1.0"
    if attributes.get("gaintype", "fixed") == "affine":
        gain = f"({g[0]!r}{_affine((0.0, *g[1:3]), length, rate)})"
    bias = _affine(b[:3], length, rate) if attributes.get("biastype", "none") == "affine" else ""
    tau = reals(attributes, "dynprm", title, (1.0, *(0.0,) * 9))[0]
    return gain, bias, attributes.get("dyntype", "none"), max(tau, 1e-12)


def _affine(b: tuple[float, ...], length: str, rate: str) -> str:
    """+ b₀ + b₁ L + b₂ L̇, without zero terms."""
    parts = [f" + ({x!r})" if y == "" else f" + ({x!r})*{y}" for x, y in zip(b, ("", length, rate), strict=True) if x]
    return "".join(parts)


def _within(model: Model, text: str, attributes: Attributes, what: str, auto: bool, title: str) -> str:
    """A formula limited to ctrlrange, actrange or forcerange, if these are active."""
    key = f"{what}range"
    if key not in attributes or not truth(attributes, f"{what}limited", auto):
        return text
    low, high = reals(attributes, key, title, count=2)
    return f"min(max({text}, {low!r}), {high!r})" if low < high else text


def _apply(model: Model, title: str, attributes: Attributes, pulled: _Pulled, force: str) -> None:
    name = free_name(title, {*model.couplings, *model.force_sites})
    if pulled.link:
        link = model.links[pulled.link]
        before = link.law.texts[0] if isinstance(link.law, FormulaLaw) else "0"
        lever = reals(attributes, "gear", title, (1.0, *(0.0,) * 5))[0]
        # a positive force of MuJoCo lengthens, a tension shortens
        pull = f"-({lever!r})*{force}"
        link.law = FormulaLaw((pull if before == "0" else f"{before} + {pull}",), ARGUMENTS["links"])
    elif pulled.site:
        gear = reals(attributes, "gear", title, (1.0, *(0.0,) * 5))
        texts = [_turned(gear[3 * half : 3 * half + 3], row, force) for half in (0, 1) for row in "123"]
        model.force_sites[name] = ForceSite(name, pulled.site, law=FormulaLaw(tuple(texts), ARGUMENTS["force_sites"]))
    else:
        efforts = {joint: f"({lever})*{force}" for joint, lever in pulled.joints.items()}
        if pulled.bounds:
            low, high = pulled.bounds
            efforts = {joint: f"min(max({text}, {low!r}), {high!r})" for joint, text in efforts.items()}
        add_coupling(model, name, tuple(efforts), *efforts.values())
        power = " + ".join(f'{text}*qd("{joint}")' for joint, text in efforts.items())
        model.signals[f"{name}.supplied"] = Signal(f"{name}.supplied", law=FormulaLaw((power,)))


def _turned(gear: tuple[float, ...], row: str, force: str) -> str:
    """A component in the ground frame of a vector in the site's frame."""
    terms = [f"({g!r})*r{row}{column}" for g, column in zip(gear, "123", strict=True) if g]
    return f"({' + '.join(terms)})*{force}" if terms else "0"


def _input_name(model: Model, name: str) -> str:
    plain = identifier(name)
    while plain in (*model.parameters, *model.inputs, *model.states, *_MEANT) or not is_name(plain):
        plain += "_"
    return plain


def _input(model: Model, title: str) -> str:
    name = _input_name(model, title)
    model.inputs[name] = UserInput(name)
    return name
