"""Laws of joints that files give as numbers: damping, friction, springs, stops, servos; written as formulas.

Each is a coupling with live parameters JOINT_damping and so on. Its energy is in the signals NAME.stored (J) and
NAME.dissipated (W), as for the elements.
"""

from __future__ import annotations

import math

from symbody.model.body import Body, Joint, Parameter
from symbody.model.components import Coupling, ForceSite, Interaction, Limit, Signal
from symbody.model.law import ARGUMENTS, FormulaLaw
from symbody.model.model import Model
from symbody.safe_name import identifier

LIMITS = ("ignore", "stop", "end")  # position limits: data only, elastic stops, or the end of a run
FRICTION_SPEED = 0.01  # rad/s, m/s; dry friction is F tanh(v/v₀), because rates must be smooth
STOP_DEPTH = 0.01  # rad, m; penetration of a stop at the largest effort
STOP_EFFORT = 10.0  # N m, N; if the file gives no largest effort
STOP_LOSS = 1.0  # s/rad, s/m; of a stop k d (1 + a ḋ), Hunt and Crossley
ON_THE_LIMIT = 1e-6  # rad, m; a joint may start this close to its limit
_NO_FORCE = ("0", "0", "0")


def add_parameter(model: Model, name: str, value: float, unit: str = "") -> str:
    """Add a live parameter whose name formulas can use. Underscores are added if the name is in use."""
    plain = identifier(name)
    while plain in model.parameters or plain in model.inputs or plain in model.states:
        plain += "_"
    model.parameters[plain] = Parameter(plain, float(value), unit)
    return plain


def shared_parameter(model: Model, name: str, value: float, unit: str = "") -> str:
    """A live parameter that all laws of a model share."""
    model.parameters.setdefault(name, Parameter(name, value, unit))
    return name


def add_coupling(
    model: Model, name: str, joints: tuple[str, ...], *texts: str, lets: tuple[tuple[str, str], ...] = ()
) -> None:
    """Add a coupling by formulas, one for each joint."""
    model.couplings[name] = Coupling(name, joints, law=FormulaLaw(texts, lets=lets))


def add_account(
    model: Model, name: str, stored: str = "", dissipated: str = "", lets: tuple[tuple[str, str], ...] = ()
) -> None:
    """Add signals of a law's energy (J) and of its dissipated power (W)."""
    for kind, text in (("stored", stored), ("dissipated", dissipated)):
        if text:
            model.signals[f"{name}.{kind}"] = Signal(f"{name}.{kind}", law=FormulaLaw((text,), lets=lets))


def add_passive(
    model: Model, joint: str, damping: float = 0.0, friction: float = 0.0, stiffness: float = 0.0, rest: float = 0.0
) -> None:
    """Q = −c q̇ − F tanh(q̇/v₀) − k (q − q_rest) on an elementary joint (N m, N), as the coupling JOINT.passive."""
    q, qd = f'q("{joint}")', f'qd("{joint}")'
    resisting, stored = [], ""
    if damping:
        resisting.append(f"{add_parameter(model, f'{joint}_damping', damping)}*{qd}")
    if friction:
        speed = shared_parameter(model, "friction_speed", FRICTION_SPEED)
        resisting.append(f"{add_parameter(model, f'{joint}_friction', friction)}*tanh({qd}/{speed})")
    lost = " + ".join(resisting)
    if stiffness:
        k = add_parameter(model, f"{joint}_stiffness", stiffness)
        stretch = f"({q} - {add_parameter(model, f'{joint}_rest', rest)})" if rest else q
        resisting.append(f"{k}*{stretch}")
        stored = f"0.5*{k}*{stretch}**2"
    if resisting:
        add_coupling(model, f"{joint}.passive", (joint,), f"-({' + '.join(resisting)})")
        add_account(model, f"{joint}.passive", stored, f"({lost})*{qd}" if lost else "")


def add_turning_damper(model: Model, joint: Joint, a: str, b: str, damping: float) -> None:
    """T = −c (ω_b − ω_a) between two points (N m), for a ball joint; for a free joint also F = −c v (N)."""
    c = add_parameter(model, f"{joint.name}_damping", damping)
    turning = tuple(f"-{c}*(b_w{k} - a_w{k})" for k in "xyz")
    forces = tuple(f"-{c}*(b_v{k} - a_v{k})" for k in "xyz") if joint.type == "free" else _NO_FORCE
    law = FormulaLaw((*forces, *turning), ARGUMENTS["interactions"])
    model.interactions[f"{joint.name}.passive"] = Interaction(f"{joint.name}.passive", a, b, law=law)


def lift(model: Model, body: Body, share: float) -> None:
    """F = −share · m g at the centre of mass (N), the force site BODY.lift: gravity compensation."""
    name, mass = f"{body.name}.lift", float(body.mass)  # type: ignore[arg-type]  # of files: a number
    if mass and any(model.gravity):
        point = body.point("centre of mass", body.com)
        force = tuple(repr(-share * mass * float(g)) for g in model.gravity)  # type: ignore[arg-type]
        model.force_sites[name] = ForceSite(name, point.path, law=FormulaLaw(force, ARGUMENTS["force_sites"]))


def act_on_limits(model: Model, limits: str) -> None:
    """Apply the position limits of all joints: elastic stops, the end of a run, or data only (with a note)."""
    bounded = [joint for joint in model.joints() if joint.limits.bounded]
    for joint in bounded:
        if limits == "stop":
            add_stops(model, joint)
        elif limits == "end":
            _add_ends(model, joint)
    if bounded and limits == "ignore":
        many = f"{len(bounded)} joints have" if len(bounded) > 1 else f"the joint '{bounded[0].name}' has"
        model.notes.append(f'{many} position limits that have no effect: load with limits="stop" or limits="end"')


def add_stops(model: Model, joint: Joint) -> None:
    """Elastic stops at both ends, k d (1 + a ḋ), which never pull, as the coupling JOINT.stops."""
    name, limits = joint.name, joint.limits
    effort = limits.effort if math.isfinite(limits.effort) else STOP_EFFORT
    k = add_parameter(model, f"{name}_stop_stiffness", effort / STOP_DEPTH)
    a = shared_parameter(model, "stop_loss", STOP_LOSS)
    q, qd = f'q("{name}")', f'qd("{name}")'
    low = f"max({add_parameter(model, f'{name}_lower', limits.lower)} - {q}, 0)" if math.isfinite(limits.lower) else "0"
    high = (
        f"max({q} - {add_parameter(model, f'{name}_upper', limits.upper)}, 0)" if math.isfinite(limits.upper) else "0"
    )
    push = f"max({k}*below*(1 - {a}*{qd}), 0) - max({k}*above*(1 + {a}*{qd}), 0)"
    lets = (("below", low), ("above", high))
    add_coupling(model, f"{name}.stops", (name,), push, lets=lets)
    lost = f"-({push} + {k}*(above - below))*{qd}"
    add_account(model, f"{name}.stops", f"0.5*{k}*(below**2 + above**2)", lost, lets)


def _add_ends(model: Model, joint: Joint) -> None:
    limits, q = joint.limits, f'q("{joint.name}")'
    for side, bound, left in (
        ("lower", limits.lower, f"{q} - ({limits.lower - ON_THE_LIMIT!r})"),
        ("upper", limits.upper, f"({limits.upper + ON_THE_LIMIT!r}) - {q}"),
    ):
        if math.isfinite(bound):
            name = f"{joint.name}.{side}"
            model.limits[name] = Limit(name, law=FormulaLaw((left,)))
