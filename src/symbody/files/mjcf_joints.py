"""Laws and limits of MJCF joints: armature, damping, friction, springs, ranges of position and of actuator forces."""

from __future__ import annotations

from symbody.files.file_tree import Seat
from symbody.files.joint_laws import add_passive, add_turning_damper
from symbody.files.mjcf_derived import RELATIVE, reflects_inertia, spring_damper
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_length_range import soft_limit
from symbody.files.mjcf_names import MjcfNames
from symbody.files.mjcf_numbers import Attributes, real, reals, truth
from symbody.model.body import ORIGIN, Joint
from symbody.model.joint_limits import JointLimits
from symbody.model.model import Model


def add_laws(
    model: Model, document: MjcfDocument, names: MjcfNames, seat: Seat, joint: Joint, kind: str, attributes: Attributes
) -> None:
    """Add the laws of a joint. Laws that are not supported are recorded as dropped."""
    name = joint.name
    joint.armature = real(attributes, "armature", name)
    damping = document.number(attributes, "damping", name, "damper")
    stiffness = document.number(attributes, "stiffness", name, "spring")
    friction = document.number(attributes, "frictionloss", name, "frictionloss")
    if joint.nq > 1:
        if damping:
            on = model.bodies[seat.body.name].on
            add_turning_damper(model, joint, on, f"{seat.body.name}.{ORIGIN}", damping)
        for what, value in (("stiffness", stiffness), ("frictionloss", friction)):
            if value:
                document.drop(what, name, f"not supported for a {kind} joint")
    elif any(tuned := reals(attributes, "springdamper", name, (0.0, 0.0))) and min(tuned) > 0.0:
        names.tuned[name] = (tuned[0], tuned[1], friction)
    else:
        add_passive(model, name, damping, friction, stiffness, names.springs[name])
    if kind == "free" and truth(
        attributes, "align", truth(document.settings_of(attributes).compiler, "alignfree", False)
    ):
        document.drop("align", name, "coordinates are those of the body's own frame, also in keyframes")
    if joint.nq > 1 and any(reals(attributes, "springdamper", name, (0.0, 0.0))):
        document.drop("springdamper", name, f"not supported for a {kind} joint")
    if truth(attributes, "actuatorgravcomp", False) and "actuatorfrcrange" in attributes:
        document.drop("actuatorgravcomp", name, "gravity compensation is not limited by actuatorfrcrange")
    if any(reals(attributes, "springyield", name, (0.0,) * 5)):
        document.drop("springyield", name, "plastic springs are not supported")
    if "actuatorfrcrange" in attributes and truth(
        attributes, "actuatorfrclimited", document.settings_of(attributes).autolimits
    ):
        low, high = reals(attributes, "actuatorfrcrange", name, count=2)
        if low < high:
            names.force_ranges[name] = low, high
    _limit(document, names, joint, kind, attributes)


def add_tuned(model: Model, document: MjcfDocument, names: MjcfNames) -> None:
    """Add the springs and dampers that MuJoCo computes from a time constant and a damping ratio. Needs all masses."""
    reflected = bool(names.tuned) and reflects_inertia(document)
    for name, (tau, ratio, friction) in names.tuned.items():
        stiffness, damping = spring_damper(model, name, tau, ratio)
        if reflected:
            document.drop("springdamper", name, f"in MuJoCo it is also {RELATIVE}")
        stiffness = 0.0 if "spring" in document.disabled else stiffness
        damping = 0.0 if "damper" in document.disabled else damping
        add_passive(model, name, damping, friction, stiffness, names.springs[name])


def angle(document: MjcfDocument, kind: str, attributes: Attributes, key: str, where: str) -> float:
    """`ref`: MuJoCo's coordinate where ours is 0; or `springref` (rad, m)."""
    value = real(attributes, key, where)
    return document.angle(value, attributes) if kind == "hinge" else value if kind == "slide" else 0.0


def _limit(document: MjcfDocument, names: MjcfNames, joint: Joint, kind: str, attributes: Attributes) -> None:
    limited = truth(attributes, "limited", document.settings_of(attributes).autolimits and "range" in attributes)
    if not limited or "range" not in attributes:
        return
    if joint.nq > 1:
        document.drop("range", joint.name, f"not supported for a {kind} joint")
        return
    lower, upper = reals(attributes, "range", joint.name, (0.0, 0.0))
    if kind == "hinge":
        lower, upper = document.angle(lower, attributes), document.angle(upper, attributes)
    if lower < upper:
        ref = names.references[joint.name]
        joint.limits = JointLimits(lower - ref, upper - ref)
        names.soft_limits[joint.name] = soft_limit(attributes, lower, upper, joint.name)
