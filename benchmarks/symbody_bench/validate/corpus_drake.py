"""An SDF model compared with Drake's reading of the file: masses, centres, inertias and frames of all links."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import symbody as sb
from symbody.files.safe_file import FilePath
from symbody.files.urdf_file import LINK, clean_name
from symbody.model.body import Body
from symbody.model.model import Model
from symbody.model.placement import compose, placement
from symbody_bench.numeric import Array
from symbody_bench.validate.corpus_pinocchio import STATES, NotCompared, relative


def drake_installed() -> bool:
    try:
        import pydrake.multibody.parsing  # noqa: F401
    except ImportError:
        return False
    return True


def drake_error(model: Model, path: Path, packages: Mapping[str, FilePath] | None = None) -> float:
    """Largest relative error of masses, centres, inertias, and of frames at random positions of the joints."""
    from pydrake.multibody.tree import BodyIndex

    if model.nv == 0:
        raise NotCompared("nothing moves")
    plant = _plant(path, packages or {})
    context, rng = plant.CreateDefaultContext(), np.random.default_rng(7)
    bodies = [plant.get_body(BodyIndex(k)) for k in range(1, plant.num_bodies())]
    ours = {name: body for name, body in model.bodies.items() if LINK in body.points}
    pairs = [(ours[clean_name(body.name())], body) for body in bodies if clean_name(body.name()) in ours]
    if len(pairs) < len(bodies) or len({body.name() for body in bodies}) < len(bodies):
        raise NotCompared("links of several models have the same name, or are named differently")
    worst = max(_mass_error(body, other, context) for body, other in pairs)
    where = sb.compile(model, "kinematics", backend="python")
    q, at = np.concatenate([np.array(joint.q0, dtype=float) for joint in model.joints()]), 0
    places = {}
    for ours_joint in model.joints():
        if ours_joint.nq == 1 and plant.HasJointNamed(ours_joint.name):
            places[ours_joint.name] = at
        at += ours_joint.nq
    number = {name: n for n, name in enumerate(model.bodies)}
    for _ in range(STATES):
        for name, k in places.items():
            q[k] = rng.uniform(-1, 1)
            joint = plant.GetJointByName(name)
            (joint.set_angle if hasattr(joint, "set_angle") else joint.set_translation)(context, q[k])
        found = where(q, np.zeros(model.nv))
        R, p = np.asarray(found.rotation).reshape(-1, 3, 3), np.asarray(found.position).reshape(-1, 3)
        for body, other in pairs:
            n = number[body.name]
            rotation, position = compose((R[n], p[n]), placement(body.points[LINK], model.values))
            pose = plant.EvalBodyPoseInWorld(context, other)
            far = 1.0 + float(np.abs(pose.translation()).max())
            worst = max(worst, relative(rotation, pose.rotation().matrix()))
            worst = max(worst, float(np.abs(position - pose.translation()).max()) / far)
    return worst


def _plant(path: Path, packages: Mapping[str, FilePath]) -> Any:
    import logging

    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    logging.getLogger("drake").setLevel(logging.ERROR)
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    for name, folder in packages.items():
        parser.package_map().Add(name, str(folder))
    try:
        parser.AddModels(str(path))
        plant.Finalize()
    except RuntimeError as error:
        raise NotCompared(f"it cannot read the file: {' '.join(str(error).split())[:200]}") from error
    return plant


def _mass_error(body: Body, other: Any, context: Any) -> float:
    """Of mass, centre of mass and inertia about it, in the link's frame; Drake keeps centres times mass."""
    if not body.mass:  # Drake replaces it by a mass
        return 0.0
    theirs = other.CalcSpatialInertiaInBodyFrame(context)
    mass, com = float(theirs.get_mass()), np.array(theirs.get_com())
    R, p = placement(body.points[LINK], {})
    xx, yy, zz, xy, xz, yz = body.inertia
    inertia = R.T @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), dtype=float) @ R
    error = abs(float(body.mass) - mass) / max(mass, 1e-12)  # type: ignore[arg-type]
    centre = R.T @ (np.array(body.com, dtype=float) - p)
    about = theirs.CalcRotationalInertia().CopyToFullMatrix3() - mass * _steiner(com)
    size = max(float(np.abs(about).max()), mass * float(com @ com), 1e-15)
    off = float(np.abs(centre - com).max()) / (1.0 + float(np.abs(com).max()))
    return max(error, off, float(np.abs(inertia - about).max()) / size)


def _steiner(com: Array) -> Array:
    return np.asarray((com @ com) * np.eye(3) - np.outer(com, com))
