"""An MJCF model compared with MuJoCo's own reading, where features that our reader left out are disabled."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import symbody as sb
from symbody.files.mjcf_document import read_document
from symbody.files.mjcf_file import read_parts
from symbody.files.safe_file import FilePath
from symbody.files.urdf_file import LINK, clean_name
from symbody.model.dropped import Dropped
from symbody.model.model import Model
from symbody.safe_name import identifier
from symbody_bench.numeric import Array
from symbody_bench.validate.corpus_fields import (
    FieldDifference,
    field_differences,
    keyframe_differences,
    start_coordinates,
)
from symbody_bench.validate.corpus_pinocchio import STATES, NotCompared, relative

_OFF = ("CONTACT", "LIMIT", "FRICTIONLOSS", "EQUALITY")  # MuJoCo's soft constraints
_MADE = ("composite", "flexcomp", "flex")  # elements whose bodies only MuJoCo creates
SAME_ROWS = 1e-6  # tolerance for the directions of constraint rows


def mujoco_error(model: Model, path: Path) -> float:
    """Largest relative error of M, bias force, body frames, accelerations and constraint rows."""
    import mujoco

    theirs = mujoco_model(model, path)
    if (model.nq, model.nv) != (theirs.nq, theirs.nv):
        if made := [one.what for one in model.dropped if one.what in _MADE]:
            raise NotCompared(f"it has bodies that the reader left out with a note: {made[0]}")
        return float("inf")
    rows = _rows_error(model, theirs)
    for flag in _OFF:
        theirs.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    for one in model.dropped:
        _mute(model, theirs, one)
    return max(rows, _tree_error(_open(model), theirs))


def mujoco_model(model: Model, path: Path) -> Any:
    """MuJoCo's reading of a file, where bodies without joints stay separate."""
    try:
        import mujoco
    except ImportError as error:
        raise NotCompared("it is not installed") from error
    if model.nv == 0:
        raise NotCompared("nothing moves")
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        spec.compiler.fusestatic = False
        return spec.compile()
    except ValueError as error:
        raise NotCompared(f"it cannot read the file: {' '.join(str(error).split())[:200]}") from error


def mujoco_fields(path: Path, packages: Mapping[str, FilePath] | None = None) -> list[FieldDifference]:
    """Numbers of a file that differ from the fields of MuJoCo's model."""
    document = read_document(path, packages)
    reading = read_parts(document)
    theirs = mujoco_model(reading.model, path)
    same = (reading.model.nq, reading.model.nv) == (theirs.nq, theirs.nv)
    if not same or len(reading.names.bodies) != theirs.nbody:
        sizes = f"{len(reading.names.bodies)} bodies, {reading.model.nv} velocities"
        left_out = next((f"{one.what}: {one.why}" for one in reading.model.dropped if one.what in _MADE), "")
        return [FieldDifference("nbody", "the model", sizes, f"{theirs.nbody} bodies, {theirs.nv}", left_out)]
    return [*field_differences(reading, theirs), *keyframe_differences(reading, document, theirs)]


def _open(model: Model) -> Model:
    """The tree alone: no loops, and every joint free to move, without dry friction."""
    tree = copy.deepcopy(model)
    tree.cuts, tree.constraints, tree.trajectories = {}, {}, {}
    for joint in tree.joints():
        joint.nature = "independent"
    for name, parameter in tree.parameters.items():
        if name.rstrip("_").endswith("_friction"):
            parameter.value = 0.0
    return tree


def _tree_error(model: Model, theirs: Any) -> float:
    """Error of M, c, frames and accelerations at random states and controls."""
    import mujoco

    data, rng, worst = mujoco.MjData(theirs), np.random.default_rng(7), 0.0
    mass, bias, places = (sb.compile(model, what, backend="python") for what in ("mass", "bias", "kinematics"))
    rates = _accelerations(model, theirs)
    names = {clean_name(theirs.body(k).name): k for k in range(1, theirs.nbody) if theirs.body(k).name}
    shared = [
        (n, names[name], body.points[LINK]) for n, (name, body) in enumerate(model.bodies.items()) if name in names
    ]
    if len(shared) < len(names):
        return float("inf")
    for _ in range(STATES):
        data.qpos[:] = theirs.qpos0 + rng.uniform(-1, 1, theirs.nq)
        mujoco.mj_normalizeQuat(theirs, data.qpos)
        data.qvel[:] = rng.uniform(-1, 1, theirs.nv)
        data.ctrl[:] = rng.uniform(-1, 1, theirs.nu)
        data.act[:] = _within_range(theirs, rng.uniform(0, 1, theirs.na))
        mujoco.mj_forward(theirs, data)
        M = np.zeros((theirs.nv, theirs.nv))
        mujoco.mj_fullM(theirs, data, M)
        q, v = start_coordinates(model, theirs, data.qpos), data.qvel.copy()
        where = places(q, v)
        pairs = [(mass(q), M), (bias(q, v), data.qfrc_bias)]
        for n, k, link in shared:
            R, p = _frame(where, n, link)
            pairs += [(R, data.xmat[k]), (p, data.xpos[k] + 1.0 - 1.0)]
        worst = max(worst, *(_relative(np.asarray(ours), np.array(other)) for ours, other in pairs))
        worst = max(worst, _force_error(M, rates(q, v, data), data.qacc))
    return worst


def _within_range(theirs: Any, act: Array) -> Array:
    """Activations within their ranges, where both programs keep them."""
    for k in range(theirs.nu):
        if theirs.actuator_actlimited[k] and theirs.actuator_actnum[k] > 0:
            at = theirs.actuator_actadr[k]
            act[at] = np.clip(act[at], *theirs.actuator_actrange[k])
    return act


def _frame(where: Any, n: int, link: Any) -> tuple[Array, Array]:
    """The file's frame of a body, in the world."""
    from symbody.model.placement import placement

    R, p = placement(link, {})
    rotation = np.asarray(where.rotation).reshape(-1, 3, 3)[n]
    return rotation @ R, np.asarray(where.position).reshape(-1, 3)[n] + rotation @ p


def _relative(ours: Array, theirs: Array) -> float:
    """Relative to the largest element, or to 1e-3 if all are smaller."""
    return relative(ours, theirs) * min(1.0, max(float(np.max(np.abs(theirs), initial=0.0)), 1e-12) / 1e-3)


def _force_error(M: Array, ours: Array, theirs: Array) -> float:
    """Error of accelerations as the forces that they need: for light links rounding errors would be large otherwise."""
    return _relative(M @ ours, M @ np.array(theirs))


def _accelerations(model: Model, theirs: Any) -> Callable[[Array, Array, Any], Array]:
    """Our accelerations at MuJoCo's state, controls and activations."""
    s = sb.system(model, outputs=[], backend="python")
    titles = [identifier(theirs.actuator(k).name or f"actuator{k + 1}") for k in range(theirs.nu)]
    states = list(model.states)

    def rates(q: Array, v: Array, data: Any) -> Array:
        given = dict(zip(titles, data.ctrl, strict=True))
        acts = {
            f"{title}_activation": data.act[theirs.actuator_actadr[k]]
            for k, title in enumerate(titles)
            if theirs.actuator_actnum[k] > 0
        }
        x = np.concatenate([q, v, [acts.get(name, 0.0) for name in states]])
        u = np.array([given.get(name.rstrip("_"), given.get(name, 0.0)) for name in s.inputs])
        return np.asarray(s.rates(0.0, x, u))[model.nq : model.nq + model.nv]

    return rates


def _mute(model: Model, theirs: Any, told: Dropped) -> None:
    """Disable in MuJoCo's model what our model reports as left out."""
    what, where = told.what, told.where
    if what in ("density", "viscosity", "wind"):
        theirs.opt.density = theirs.opt.viscosity = 0.0
    elif what == "gravcomp":
        theirs.body_gravcomp[:] = 0.0
    elif what.startswith(("actuator ", "dyntype")) or what == "actuator":
        for k in _numbered(theirs, "actuator", where):
            theirs.actuator_gainprm[k] = theirs.actuator_biasprm[k] = 0.0
            theirs.actuator_gaintype[k] = theirs.actuator_biastype[k] = 0
            theirs.actuator_armature[k] = theirs.actuator_damping[k] = theirs.actuator_dampingpoly[k] = 0.0
    elif what.startswith("tendon"):
        for k in _numbered(theirs, "tendon", where):
            theirs.tendon_stiffness[k] = theirs.tendon_damping[k] = theirs.tendon_armature[k] = 0.0
    elif what == "actearly":
        theirs.actuator_actearly[:] = 0
    elif what == "actuatorgravcomp":
        theirs.jnt_actgravcomp[_joint_numbers(model, where)] = 0
    elif what in ("armature", "damping", "springyield"):
        _mute_everywhere(model, theirs, what, where)
    elif what == "actuatorfrcrange":
        for k in _numbered(theirs, "tendon", where):
            theirs.tendon_actfrclimited[k] = 0
        for k in _joint_numbers(model, where):
            theirs.jnt_actfrclimited[k] = 0
    elif what == "springdamper":
        for k in _joint_numbers(model, where):
            given = {key: model.parameters.get(identifier(f"{where}_{key}")) for key in ("stiffness", "damping")}
            theirs.jnt_stiffness[k], theirs.dof_damping[theirs.jnt_dofadr[k]] = (
                p.value if p else 0.0 for p in given.values()
            )
    elif what == "stiffness":  # of a ball, of a tendon without a rest length; of others the higher powers
        _mute_everywhere(model, theirs, what, where)
        for k in _joint_numbers(model, where):
            theirs.jnt_stiffness[k] *= theirs.jnt_type[k] in _ELEMENTARY
        for k in _numbered(theirs, "tendon", where) if f"{where}_stiffness" not in model.parameters else ():
            theirs.tendon_stiffness[k] = 0.0


_POWERS = {  # fields of joints, tendons and actuators that a word of model.dropped switches off
    "armature": ("tendon_armature", "actuator_armature"),
    "damping": ("dof_dampingpoly", "tendon_dampingpoly", "actuator_damping", "actuator_dampingpoly"),
    "stiffness": ("jnt_stiffnesspoly", "tendon_stiffnesspoly"),
    "springyield": ("jnt_springyield", "tendon_springyield"),
}
_ELEMENTARY = (2, 3)  # mjtJoint: slide and hinge


def _mute_everywhere(model: Model, theirs: Any, what: str, where: str) -> None:
    """Set to 0 the fields of the joint, tendon or actuator of this name that a word switches off."""
    joints = _joint_numbers(model, where)
    found = {
        "jnt": joints,
        "dof": [theirs.jnt_dofadr[k] for k in joints],
        "tendon": _numbered(theirs, "tendon", where),
        "actuator": _numbered(theirs, "actuator", where),
    }
    for field in _POWERS[what]:
        getattr(theirs, field)[found[field.partition("_")[0]]] = 0.0


def _joint_numbers(model: Model, name: str) -> list[int]:
    """MuJoCo's number of one of our joints; the order is the same."""
    return [k for k, joint in enumerate(model.joints()) if joint.name == name]


def _numbered(theirs: Any, kind: str, name: str) -> list[int]:
    """Indices of elements of MuJoCo's model by our reader's name: their own name, or their count."""
    count = {"actuator": theirs.nu, "tendon": theirs.ntendon}[kind]
    get = getattr(theirs, kind)
    return [
        k for k in range(count) if clean_name(get(k).name or f"{kind}{k + 1}", dots=True) == clean_name(name, dots=True)
    ]


def _rows_error(model: Model, theirs: Any) -> float:
    """Whether the constraints allow the same motions at the file's own pose: 0 or 1, because rows may be combined."""
    import mujoco

    if not model.cuts and not model.constraints:
        return 0.0
    J = np.asarray(sb.compile(model, "constraints", backend="python")(start_coordinates(model, theirs, theirs.qpos0)).J)
    theirs.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    cuts = [int(getattr(mujoco.mjtEq, f"mjEQ_{kind}")) for kind in ("CONNECT", "WELD", "JOINT")]
    equality = np.array(data.efc_type) == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    of_cuts = [bool(e) and theirs.eq_type[k] in cuts for e, k in zip(equality, data.efc_id, strict=True)]
    rows = np.array(data.efc_J).reshape(-1, theirs.nv)[np.array(of_cuts, dtype=bool)]
    locked = [k for k, nature in enumerate(j.nature for j in model.joints() for _ in range(j.nv)) if nature == "locked"]
    J = np.vstack([J.reshape(-1, theirs.nv), np.eye(theirs.nv)[locked]])
    same = _rank([J]) == _rank([rows]) == _rank([J, rows])
    return 0.0 if same else 1.0


def _rank(rows: Sequence[Array]) -> int:
    """Rank of the rows, each scaled to length 1."""
    lengths = [np.linalg.norm(part, axis=1, keepdims=True) for part in rows]
    scaled = [part / np.where(length > 1e-12, length, np.inf) for part, length in zip(rows, lengths, strict=True)]
    return int(np.linalg.matrix_rank(np.vstack(scaled), tol=SAME_ROWS))
