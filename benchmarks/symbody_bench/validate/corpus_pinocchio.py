"""A model compared with Pinocchio: its own reading of a URDF or expanded xacro; for others our tree, translated."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import symbody as sb
from symbody.analysis.random_states import random_state
from symbody.files.urdf_file import clean_name
from symbody.model.body import ELEMENTARY
from symbody.model.model import Model
from symbody_bench.numeric import Array
from symbody_bench.to_pinocchio import to_pinocchio

STATES = 5
SMALL = 1e-12  # if all elements are smaller, they count as zero


class NotCompared(Exception):
    """The reason why a model cannot be compared."""


def pinocchio_error(model: Model, path: Path, options: dict[str, Any]) -> float:
    """Largest relative error of M, M a + h and the positions of bodies at random states."""
    try:
        import pinocchio  # noqa: F401
    except ImportError as error:
        raise NotCompared("it is not installed") from error
    if model.nv == 0:
        raise NotCompared("nothing moves")
    own = path.suffix.lower() in (".urdf", ".xacro") and not options.get("floating") and not options.get("snap")
    theirs: _FromFile | _Translated = _FromFile.read(model, path) if own else _Translated(model)
    inverse = sb.compile(model, "inverse", loads=False)
    mass, places = sb.compile(model, "mass", loads=False), sb.compile(model, "kinematics")
    rng, worst = np.random.default_rng(7), 0.0
    for _ in range(STATES):
        q, v, a = random_state(model, rng)
        M, effort, where = theirs(q, v, a)
        for ours, reference in ((mass(q), M), (inverse(q, v, a), effort), (places(q, v).position, where)):
            worst = max(worst, relative(np.asarray(ours), reference))
    return worst


def relative(ours: Array, theirs: Array) -> float:
    """Largest difference relative to the largest element."""
    if not np.all(np.isfinite(ours)):
        return math.inf
    return float(
        np.max(np.abs(ours.ravel() - theirs.ravel()), initial=0.0) / max(np.max(np.abs(theirs), initial=0.0), 1e-12)
    )


@dataclass
class _FromFile:
    """Pinocchio's own reading of a URDF, its joints by name."""

    model: Any
    data: Any
    joints: list[Any]  # of Pinocchio, in our order of coordinates
    frames: list[int]  # of our bodies

    @classmethod
    def read(cls, model: Model, path: Path) -> _FromFile:
        import pinocchio as pin

        odd = next((joint.type for joint in model.joints() if joint.type not in ELEMENTARY), "")
        if odd:
            raise NotCompared(f"a joint of type {odd}, which it parametrises differently")
        try:
            expanded = model.source if isinstance(model.source, ET.Element) else None
            text = ET.tostring(expanded, "unicode") if expanded is not None else ""
            theirs = pin.buildModelFromXML(text) if text else pin.buildModelFromUrdf(str(path))
        except (ValueError, RuntimeError) as error:
            raise NotCompared(f"it cannot read the file: {error}") from error
        by_name = {clean_name(theirs.names[k], dots=True): theirs.joints[k] for k in range(1, theirs.njoints)}
        lost = [name for name in model.velocities if name not in by_name]
        if lost or len(by_name) != model.nv:
            raise NotCompared(f"it has other joints: {', '.join(lost or by_name)[:80]}")
        frames = {clean_name(f.name): k for k, f in enumerate(theirs.frames) if f.type == pin.FrameType.BODY}
        missing = [name for name in model.bodies if name not in frames]
        if missing:
            raise NotCompared(f"it has no link {missing[0]}")
        return cls(
            theirs, theirs.createData(), [by_name[n] for n in model.velocities], [frames[n] for n in model.bodies]
        )

    def __call__(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Mass matrix, joint efforts, and positions of bodies."""
        import pinocchio as pin

        there = pin.neutral(self.model)
        for joint, value in zip(self.joints, q, strict=True):
            written = (value,) if joint.nq == 1 else (math.cos(value), math.sin(value))
            there[joint.idx_q : joint.idx_q + joint.nq] = written
        order = [joint.idx_v for joint in self.joints]
        put = np.zeros((2, self.model.nv))
        put[:, order] = v, a
        effort = pin.rnea(self.model, self.data, there, *put)[order]
        upper = np.triu(pin.crba(self.model, self.data, there))
        M = (upper + np.triu(upper, 1).T)[np.ix_(order, order)]
        pin.framesForwardKinematics(self.model, self.data, there)
        return M, effort, np.array([self.data.oMf[k].translation for k in self.frames])


class _Translated:
    """Our tree, built in Pinocchio."""

    def __init__(self, model: Model):
        self.names, self.tree = list(model.bodies), to_pinocchio(model)

    def __call__(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Mass matrix, joint efforts, and positions of bodies."""
        places = np.array([self.tree.point_position(q, f"{name}.origin") for name in self.names])
        return self.tree.mass_matrix(q), self.tree.inverse(q, v, a), places
