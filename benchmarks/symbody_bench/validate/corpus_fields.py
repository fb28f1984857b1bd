"""The numbers of an MJCF model compared with the fields of MuJoCo's compiled model, one by one.

Every field of bodies, joints, degrees of freedom, tendons, actuators and equalities is in one of the tables below: it
is compared, or it follows from compared fields, or symbody has nothing like it (soft constraints, contact).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import symbody as sb
from symbody.files.file_tree import inverse
from symbody.files.loop_gaps import MOVED
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_file import MjcfReading
from symbody.files.mjcf_keyframe import keyframe_names, keyframe_of
from symbody.files.urdf_file import clean_name
from symbody.model.body import QUATERNION, Joint
from symbody.model.formula import evaluate_law
from symbody.model.law import FormulaLaw
from symbody.model.model import Model
from symbody.model.placement import Placement, compose, placement
from symbody_bench.numeric import Array

SAME = 1e-7  # relative; MuJoCo's principal axes of inertia are accurate to about 1e-8
SMALL = 1e-12  # in SI units: rounding of numbers that should be 0

# Fields that are compared, and the words of model.dropped that explain a difference.
COMPARED: dict[str, tuple[str, ...]] = {
    "body_mass": (),
    "body_ipos": (),
    "body_inertia": (),  # with body_iquat, as a tensor
    "body_pos": ("mocap",),  # with body_quat, as the frame at the start
    "body_gravcomp": ("gravcomp",),
    "jnt_type": (),
    "jnt_axis": (),
    "jnt_pos": (),
    "jnt_stiffness": ("stiffness", "springdamper"),
    "jnt_stiffnesspoly": ("stiffness",),
    "jnt_springyield": ("springyield",),
    "jnt_range": ("range",),  # with jnt_limited
    "jnt_actfrcrange": ("actuatorfrcrange",),  # with jnt_actfrclimited
    "jnt_actgravcomp": ("actuatorgravcomp",),
    "qpos_spring": ("stiffness",),
    "dof_armature": (),
    "dof_damping": ("damping", "springdamper"),
    "dof_dampingpoly": ("damping",),
    "dof_frictionloss": ("frictionloss",),
    "tendon_stiffness": ("stiffness",),
    "tendon_stiffnesspoly": ("stiffness",),
    "tendon_springyield": ("springyield",),
    "tendon_damping": ("damping",),
    "tendon_dampingpoly": ("damping",),
    "tendon_frictionloss": ("frictionloss",),
    "tendon_armature": ("armature",),
    "tendon_lengthspring": ("stiffness",),
    "tendon_range": ("range",),  # with tendon_limited
    "tendon_actfrcrange": ("actuatorfrcrange",),  # with tendon_actfrclimited
    "wrap_prm": (),  # coefficients of fixed tendons
    "actuator_gaintype": (),
    "actuator_gainprm": (),
    "actuator_biastype": (),
    "actuator_biasprm": (),
    "actuator_dyntype": (),
    "actuator_dynprm": (),
    "actuator_gear": (),
    "actuator_ctrlrange": (),  # each with its …limited
    "actuator_forcerange": (),
    "actuator_actrange": (),
    "actuator_lengthrange": (),
    "actuator_damping": ("damping",),
    "actuator_dampingpoly": ("damping",),
    "actuator_armature": ("armature",),
    "actuator_delay": ("delay",),
    "actuator_actearly": ("actearly",),
    "eq_type": (),
    "eq_active0": (),
    "eq_data": (),
    "gravity": (),
}
WITH = (  # compared as part of another field
    *("body_iquat", "body_quat", "jnt_limited", "jnt_actfrclimited", "tendon_limited", "tendon_actfrclimited"),
    *("actuator_ctrllimited", "actuator_forcelimited", "actuator_actlimited", "eq_objtype", "eq_obj1id", "eq_obj2id"),
)
FOLLOWS = (  # numbers of the tree and of what elements act on; accelerations at random states depend on them
    *("body_dofadr", "body_dofnum", "body_jntadr", "body_jntnum", "body_parentid", "body_rootid", "body_weldid"),
    *("body_treeid", "body_sameframe", "body_simple", "body_subtreemass", "body_invweight0", "body_mocapid"),
    *("jnt_qposadr", "jnt_dofadr", "jnt_bodyid", "dof_bodyid", "dof_jntid", "dof_parentid", "dof_treeid", "dof_Madr"),
    *("dof_simplenum", "dof_invweight0", "dof_M0", "dof_length", "tendon_adr", "tendon_num", "tendon_length0"),
    *("tendon_invweight0", "tendon_treeid", "tendon_treenum", "tendon_type", "wrap_type", "wrap_objid"),
    *("actuator_trntype", "actuator_trnid", "actuator_cranklength", "actuator_acc0", "actuator_length0"),
    *("actuator_actadr", "actuator_actnum", "actuator_ctrladr", "actuator_ctrlnum", "actuator_outadr"),
    *("actuator_outnum", "actuator_ctrlspec", "actuator_history", "actuator_historyadr", "jnt_actuatorid"),
    *("tendon_actuatorid", "jnt_plasticadr", "tendon_plasticadr"),
)
ABSENT = (  # soft constraints and contacts, which symbody does not have, looks, user data and plugins
    *("body_bvhadr", "body_bvhnum", "body_conaffinity", "body_contype", "body_geomadr", "body_geomnum", "body_margin"),
    *("body_plugin", "body_user", "jnt_group", "jnt_margin", "jnt_solimp", "jnt_solref", "jnt_user", "dof_solimp"),
    *("dof_solref", "tendon_group", "tendon_margin", "tendon_matid", "tendon_rgba", "tendon_solimp_fri"),
    *("tendon_solimp_lim", "tendon_solref_fri", "tendon_solref_lim", "tendon_user", "tendon_width", "actuator_group"),
    *("actuator_plugin", "actuator_user", "eq_solimp", "eq_solref"),
)


@dataclass(frozen=True)
class FieldDifference:
    """A number that differs from MuJoCo's, and the reason that the reader gave; empty if it gave none."""

    field: str
    element: str
    ours: str
    theirs: str
    said: str

    def __str__(self) -> str:
        return f"{self.field} of {self.element}: {self.ours}, in MuJoCo {self.theirs}"


Row = tuple[str, str, Any, Any]  # field, element, our numbers, MuJoCo's numbers


def field_differences(reading: MjcfReading, theirs: Any) -> list[FieldDifference]:
    """All numbers that differ."""
    found = []
    for field, element, ours, other in _rows(reading, theirs):
        if not _same(ours, other):
            said = _said(reading.model, field, element)
            found.append(FieldDifference(field, element, _text(ours), _text(other), said))
    return found


def keyframe_differences(reading: MjcfReading, document: MjcfDocument, theirs: Any) -> list[FieldDifference]:
    """Numbers of keyframes that differ: coordinates and velocities of joints, and controls of actuators."""
    names = keyframe_names(document)
    reserved = max((int(size.get("nkey", "0")) for size in document.root.iterfind("size")), default=0)  # at the start
    if max(len(names), reserved) != theirs.nkey:
        return [FieldDifference("nkey", "the model", str(len(names)), str(theirs.nkey), "")]
    joints, found = list(reading.model.joints()), []
    for k, name in enumerate(names):
        own = keyframe_of(name, reading.model, document, reading.names)
        q = [
            x for j, usual in zip(joints, _coordinates(reading, theirs), strict=True) for x in own.q.get(j.name, usual)
        ]
        v = [x for j in joints for x in own.v.get(j.name, (0.0,) * j.nv)]
        for field, ours, other in (
            ("key_qpos", q, theirs.key_qpos[k]),
            ("key_qvel", v, theirs.key_qvel[k]),
            ("key_ctrl", own.controls, theirs.key_ctrl[k]),
        ):
            if len(ours) != len(other) or not _same(ours, other):
                found.append(FieldDifference(field, name, _text(ours), _text(other), ""))
    return found


def _coordinates(reading: MjcfReading, theirs: Any) -> Iterator[Array]:
    """MuJoCo's coordinates of each joint at the start."""
    at = 0
    for joint in reading.model.joints():
        yield theirs.qpos0[at : at + joint.nq]
        at += joint.nq


def _same(ours: Any, other: Any) -> bool:
    """Whether numbers agree, relative to the largest of them; or both are none; or the words are the same."""
    if ours is None or other is None:
        return ours is None and other is None
    if isinstance(ours, str):
        return bool(ours == other)
    one, two = np.atleast_1d(np.array(ours, dtype=float)), np.atleast_1d(np.array(other, dtype=float))
    largest = float(np.max(np.abs(two), initial=0.0))
    return one.shape == two.shape and bool(np.all(np.abs(one - two) <= SAME * largest + SMALL))


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return str(value or "none")
    return " ".join(f"{x:.7g}" for x in np.ravel(np.array(value, dtype=float)))


def _said(model: Model, field: str, element: str) -> str:
    """The reason for a difference in model.dropped: of this attribute of this element, or of the whole element."""
    moved = [note for note in model.notes if MOVED in note]
    if field == "eq_data" and moved:
        return moved[0]
    kind = {"actuator": "actuator", "tendon": "tendon", "eq": "equality", "wrap": "tendon"}.get(field.partition("_")[0])
    for one in model.dropped:
        if clean_name(one.where, dots=True) != clean_name(element, dots=True):
            continue
        if one.what in COMPARED[field] or (kind and one.what.partition(" ")[0] == kind):
            return f"{one.what}: {one.why}"
    return ""


def _rows(reading: MjcfReading, theirs: Any) -> Iterator[Row]:
    yield "gravity", "option", reading.model.gravity, _gravity(theirs)
    data, placed = _start(reading, theirs)
    yield from _bodies(reading, theirs, data, placed)
    yield from _joints(reading, theirs, data, placed)
    yield from _tendons(reading, theirs)
    yield from _actuators(reading, theirs)
    yield from _equalities(reading, theirs)


def _gravity(theirs: Any) -> Any:
    import mujoco

    off = theirs.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    return np.zeros(3) if off else theirs.opt.gravity


def _start(reading: MjcfReading, theirs: Any) -> tuple[Any, dict[str, Placement]]:
    """MuJoCo's data at its start, and our bodies placed there."""
    import mujoco

    data = mujoco.MjData(theirs)
    mujoco.mj_kinematics(theirs, data)
    where = sb.compile(reading.model, "kinematics", backend="python")(
        start_coordinates(reading.model, theirs, theirs.qpos0), np.zeros(reading.model.nv)
    )
    R, p = np.asarray(where.rotation).reshape(-1, 3, 3), np.asarray(where.position).reshape(-1, 3)
    return data, {name: (R[n], p[n]) for n, name in enumerate(reading.model.bodies)}


def start_coordinates(model: Model, theirs: Any, qpos: Array) -> Array:
    """Our coordinates: MuJoCo's minus `ref`, in the same order."""
    q, at = np.array(qpos), 0
    for joint in model.joints():
        if joint.type not in QUATERNION:
            q[at] -= theirs.qpos0[at]
        at += joint.nq
    return q


def _rotation(quaternion: Any) -> Array:
    import mujoco

    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.array(quaternion))
    return R.reshape(3, 3)


def _bodies(reading: MjcfReading, theirs: Any, data: Any, placed: Mapping[str, Placement]) -> Iterator[Row]:
    model = reading.model
    size = max(1.0, float(np.max(np.abs(data.xpos))))
    for k, (name, (seat, _)) in enumerate(reading.names.bodies.items()):
        if k == 0:
            continue
        body = model.bodies[seat.body.name]
        R, p = inverse(seat.at)  # from our body to the file's frame
        xx, yy, zz, xy, xz, yz = body.inertia
        inertia = R @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), dtype=float) @ R.T
        axes = _rotation(theirs.body_iquat[k])
        yield "body_mass", name, body.mass, theirs.body_mass[k]
        if theirs.body_mass[k]:
            yield "body_ipos", name, p + R @ np.array(body.com, dtype=float), theirs.body_ipos[k]
        scale = max(float(np.max(theirs.body_inertia[k])), 1e-15)
        yield "body_inertia", name, inertia / scale, axes @ np.diag(theirs.body_inertia[k]) @ axes.T / scale
        rotation, position = compose(placed[seat.body.name], seat.at)
        frame = (np.append(rotation.ravel(), position / size), np.append(data.xmat[k].ravel(), data.xpos[k] / size))
        yield "body_pos", name, *frame
        lift = model.force_sites.get(f"{seat.body.name}.lift")
        weight = np.array(model.gravity, dtype=float) * float(body.mass)  # type: ignore[arg-type]
        share = 0.0
        if lift and isinstance(lift.law, FormulaLaw):
            share = -float(np.array([float(x) for x in lift.law.texts]) @ weight / (weight @ weight))
        yield "body_gravcomp", name, share, theirs.body_gravcomp[k] if weight.any() else 0.0


_TYPES = {"free": 0, "ball": 1, "T": 2, "R": 3}  # mjtJoint


def _joints(reading: MjcfReading, theirs: Any, data: Any, placed: Mapping[str, Placement]) -> Iterator[Row]:
    model, names = reading.model, reading.names
    carrying = {joint.name: body.name for body in model.bodies.values() for joint in body.joints}
    for k, joint in enumerate(model.joints()):
        name, at, dof = joint.name, int(theirs.jnt_qposadr[k]), int(theirs.jnt_dofadr[k])
        yield "jnt_type", name, _TYPES[joint.type.rstrip("123")], theirs.jnt_type[k]
        R, p = placed[carrying[name]]
        if joint.nq == 1:
            yield "jnt_axis", name, R[:, int(joint.type[1]) - 1], data.xaxis[k]
        if not joint.type.startswith("T"):
            yield "jnt_pos", name, p, data.xanchor[k]
        damping, friction, stiffness, rest = _passive(model, joint)
        yield "jnt_stiffness", name, stiffness, theirs.jnt_stiffness[k] if _on(theirs, "SPRING") else 0.0
        yield "jnt_stiffnesspoly", name, (0.0, 0.0), theirs.jnt_stiffnesspoly[k]
        yield "jnt_springyield", name, np.zeros_like(theirs.jnt_springyield[k]), theirs.jnt_springyield[k]
        if stiffness and joint.nq == 1:
            yield "qpos_spring", name, rest + names.references[name], theirs.qpos_spring[at]
        yield "dof_armature", name, (joint.armature,) * joint.nv, theirs.dof_armature[dof : dof + joint.nv]
        on = _on(theirs, "DAMPER")
        yield "dof_damping", name, (damping,) * joint.nv, theirs.dof_damping[dof : dof + joint.nv] * on
        yield "dof_dampingpoly", name, np.zeros((joint.nv, 2)), theirs.dof_dampingpoly[dof : dof + joint.nv] * on
        loss = theirs.dof_frictionloss[dof : dof + joint.nv] * _on(theirs, "FRICTIONLOSS")
        yield "dof_frictionloss", name, (friction,) * joint.nv, loss
        limits, ref = joint.limits, names.references[name]
        ours = (limits.lower + ref, limits.upper + ref) if limits.bounded else None
        yield "jnt_range", name, ours, theirs.jnt_range[k] if theirs.jnt_limited[k] else None
        other = theirs.jnt_actfrcrange[k] if theirs.jnt_actfrclimited[k] and theirs.nu else None
        yield "jnt_actfrcrange", name, names.force_ranges.get(name) if theirs.nu else None, other
        bounded = bool(theirs.jnt_actgravcomp[k]) and bool(theirs.jnt_actfrclimited[k])
        yield "jnt_actgravcomp", name, 0, int(bounded)


def _on(theirs: Any, flag: str) -> bool:
    import mujoco

    return not theirs.opt.disableflags & int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))


def _passive(model: Model, joint: Joint) -> tuple[float, float, float, float]:
    """Damping, dry friction, stiffness and rest of a joint, from its law: Q = −c q̇ − F tanh(q̇/v₀) − k (q − rest)."""
    values = {name: parameter.value for name, parameter in model.parameters.items()}
    if joint.nq > 1:
        law = model.interactions.get(f"{joint.name}.passive")
        turning = law.law.texts[3] if law and isinstance(law.law, FormulaLaw) else "0"
        return -_evaluated(turning, {**values, "a_wx": 0.0, "b_wx": 1.0}), 0.0, 0.0, 0.0
    coupling = model.couplings.get(f"{joint.name}.passive")
    if coupling is None or not isinstance(coupling.law, FormulaLaw):
        return 0.0, 0.0, 0.0, 0.0
    (text,) = coupling.law.texts

    def Q(q: float, qd: float) -> float:
        return _evaluated(text, values, q=lambda _: q, qd=lambda _: qd)

    still, fast = Q(0.0, 0.0), 1e3  # rad/s, where tanh(q̇/v₀) is 1
    damping = (Q(0.0, fast) - Q(0.0, 2 * fast)) / fast
    stiffness = still - Q(1.0, 0.0)
    return damping, still - Q(0.0, fast) - damping * fast, stiffness, still / stiffness if stiffness else 0.0


def _evaluated(text: str, values: dict[str, float], **motion: Callable[[str], float]) -> float:
    functions: dict[str, Callable[..., Any]] = {"tanh": np.tanh, "min": min, "max": max, **motion}
    return float(evaluate_law(text, values, functions))


def _tendons(reading: MjcfReading, theirs: Any) -> Iterator[Row]:
    for k, (name, tendon) in enumerate(reading.tendons):
        stiff = theirs.tendon_stiffness[k] * _on(theirs, "SPRING")
        if tendon is None:
            yield "wrap_prm", name, "left out", "a tendon"
            continue
        yield "tendon_stiffness", name, tendon.stiffness, stiff
        yield "tendon_stiffnesspoly", name, np.zeros(2), theirs.tendon_stiffnesspoly[k]
        yield "tendon_springyield", name, np.zeros_like(theirs.tendon_springyield[k]), theirs.tendon_springyield[k]
        yield "tendon_damping", name, tendon.damping, theirs.tendon_damping[k] * _on(theirs, "DAMPER")
        yield "tendon_dampingpoly", name, np.zeros(2), theirs.tendon_dampingpoly[k] * _on(theirs, "DAMPER")
        yield "tendon_frictionloss", name, tendon.friction, theirs.tendon_frictionloss[k] * _on(theirs, "FRICTIONLOSS")
        yield "tendon_armature", name, 0.0, theirs.tendon_armature[k]
        if stiff:
            yield "tendon_lengthspring", name, tendon.slack, theirs.tendon_lengthspring[k]
        yield "tendon_range", name, None, theirs.tendon_range[k] if theirs.tendon_limited[k] else None
        limited = theirs.tendon_actfrclimited[k]
        yield "tendon_actfrcrange", name, None, theirs.tendon_actfrcrange[k] if limited else None
        if tendon.joints:
            first, count = theirs.tendon_adr[k], theirs.tendon_num[k]
            added: dict[str, float] = {}
            for n in range(first, first + count):
                joint = list(reading.model.joints())[theirs.wrap_objid[n]].name
                added[joint] = added.get(joint, 0.0) + theirs.wrap_prm[n]
            yield "wrap_prm", name, list(tendon.joints.values()), list(added.values())


_LENGTHS = {"fixed": 1, "affine": 3, "muscle": 9, "none": 0, "filter": 1, "filterexact": 1, "integrator": 0}


def _actuators(reading: MjcfReading, theirs: Any) -> Iterator[Row]:
    import mujoco

    for k, numbers in enumerate(reading.names.actuators):
        if not _on(theirs, "ACTUATION"):
            return
        name = theirs.actuator(k).name or f"actuator{k + 1}"
        types = {
            what: getattr(mujoco, f"mjt{kind}")(int(getattr(theirs, f"actuator_{what}type")[k]))
            .name.split("_")[1]
            .lower()
            for what, kind in (("gain", "Gain"), ("bias", "Bias"), ("dyn", "Dyn"))
        }
        for what, ours in (("gain", numbers.gain), ("bias", numbers.bias), ("dyn", numbers.dynamics)):
            yield f"actuator_{what}type", name, ours, types[what]
            count = 3 if (what, ours) == ("dyn", "muscle") else _LENGTHS.get(ours, 10)
            mine = {"gain": numbers.gainprm, "bias": numbers.biasprm, "dyn": numbers.dynprm}[what][:count]
            other = np.array(getattr(theirs, f"actuator_{what}prm")[k][:count])
            if ours == "muscle" and what != "dyn" and other[2] < 0:  # a force by its scale
                other[2] = other[3] / max(theirs.actuator_acc0[k], 1e-15)
            yield f"actuator_{what}prm", name, mine, other
        yield "actuator_gear", name, numbers.gear, theirs.actuator_gear[k]
        for what in ("ctrl", "force", "act"):
            limited = getattr(theirs, f"actuator_{what}limited")[k]
            bounds = getattr(theirs, f"actuator_{what}range")[k] if limited else None
            yield f"actuator_{what}range", name, getattr(numbers, f"{what}range"), bounds
        if "muscle" in (types["gain"], types["bias"]):
            yield "actuator_lengthrange", name, numbers.lengthrange, theirs.actuator_lengthrange[k]
        for what in ("damping", "dampingpoly", "armature", "delay", "actearly"):
            other = np.array(getattr(theirs, f"actuator_{what}")[k], dtype=float)
            yield f"actuator_{what}", name, np.zeros_like(other), other


def _equalities(reading: MjcfReading, theirs: Any) -> Iterator[Row]:
    model = reading.model
    if not _on(theirs, "EQUALITY"):
        return
    kinds = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
    for k, (kind, name) in enumerate(reading.names.equalities):
        yield "eq_type", name, kind, kinds[int(theirs.eq_type[k])]
        active = name in model.cuts or name in model.constraints
        locked = kind == "joint" and theirs.eq_obj2id[k] < 0
        if not locked:
            yield "eq_active0", name, int(active), int(theirs.eq_active0[k])
        if name in model.cuts:
            yield from _cut(reading, theirs, k, kind, name)
        elif name in model.constraints or locked:
            yield "eq_data", name, _polynomial(model, name, theirs, k, locked), theirs.eq_data[k][:5]


def _cut(reading: MjcfReading, theirs: Any, k: int, kind: str, name: str) -> Iterator[Row]:
    """Points of a connect, or the pose of a weld, in the frames of the file's bodies or sites."""
    import mujoco

    seats = [seat for seat, _ in reading.names.bodies.values()]
    sites = theirs.eq_objtype[k] == int(mujoco.mjtObj.mjOBJ_SITE)
    poses = []
    for point, number in zip(
        (reading.model.cuts[name].a, reading.model.cuts[name].b),
        (theirs.eq_obj1id[k], theirs.eq_obj2id[k]),
        strict=True,
    ):
        frame = reading.model.point_at(point)
        if sites:  # the points are the sites themselves
            body = seats[theirs.site_bodyid[number]]
            theirs_pose = (_rotation(theirs.site_quat[number]), np.array(theirs.site_pos[number]))
            own = compose(inverse(body.at), placement(frame, {}))
            poses.append(compose(inverse(theirs_pose), own))
        else:
            poses.append(compose(inverse(seats[number].at), placement(frame, {})))
    (Ra, pa), (Rb, pb) = poses
    data = theirs.eq_data[k]
    if kind == "connect":
        yield "eq_data", name, np.append(pa, pb), data[:6]
    else:  # x_a = pose · x_b at the anchor
        R, p = (
            (_rotation(data[6:10]), data[3:6] + _rotation(data[6:10]) @ data[:3])
            if not sites
            else (np.eye(3), np.zeros(3))
        )
        anchor = data[:3] if not sites else np.zeros(3)
        yield "eq_data", name, np.concatenate([(Ra @ Rb.T).ravel(), pa, pb]), np.concatenate([R.ravel(), p, anchor])


def _polynomial(model: Model, name: str, theirs: Any, k: int, locked: bool) -> Array:
    """Coefficients of q₁ = Σ aₖ q₂ᵏ, from the constraint's formula."""
    joints = list(model.joints())
    if locked:
        return np.array((joints[theirs.eq_obj1id[k]].q0[0], *theirs.eq_data[k][1:5]), dtype=float)
    law = model.constraints[name].law
    assert isinstance(law, FormulaLaw)
    follower = joints[theirs.eq_obj1id[k]].name
    at = np.linspace(-1.0, 1.0, 5)

    def leading(x: float) -> Callable[[str], float]:
        return lambda joint: 0.0 if joint == follower else x

    found = [-_evaluated(law.texts[0], {}, q=leading(float(x))) for x in at]
    return np.linalg.solve(np.vander(at, increasing=True), np.array(found))
