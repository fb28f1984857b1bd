"""Keyframes of MJCF: poses of the file from which a run can start."""

from __future__ import annotations

import math

from symbody.errors import ModelError
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_names import MjcfNames
from symbody.files.mjcf_numbers import reals
from symbody.model.model import Model


def start_from(model: Model, document: MjcfDocument, keyframe: str | None, names: MjcfNames) -> None:
    """Start from a keyframe: coordinates, velocities and controls."""
    keys = {key.get("name") or f"key{k}": key for k, key in enumerate(document.section("keyframe"))}
    if keyframe is None:
        if keys:
            listed = ", ".join(list(keys)[:8])
            model.notes.append(
                f'the file has keyframes to start from: {listed} (load with keyframe="{next(iter(keys))}")'
            )
        return
    if keyframe not in keys:
        cure = f"the keyframes are {', '.join(keys) or 'none'}"
        raise ModelError(f"unknown keyframe '{keyframe[:80]}'", element="options", cure=cure)
    key = keys[keyframe].attrib
    joints = list(model.joints())
    q = reals(key, "qpos", keyframe, count=model.nq)
    v = reals(key, "qvel", keyframe, count=model.nv)
    at_q = at_v = 0
    for joint in joints:
        if q:
            part = q[at_q : at_q + joint.nq]
            if joint.nq > 1:
                size = math.hypot(*part[-4:]) or 1.0
                part = (*part[:-4], *(x / size for x in part[-4:]))
            else:
                part = (part[0] - names.references[joint.name],)
            joint.q0 = part
        joint.v0 = v[at_v : at_v + joint.nv] if v else joint.v0
        at_q, at_v = at_q + joint.nq, at_v + joint.nv
    if any(reals(key, "act", keyframe, (0.0,) * len(document.section("actuator")))):
        document.drop("act", keyframe, "activations start at 0: set the states NAME_activation")
    controls = reals(key, "ctrl", keyframe, (0.0,) * len(document.section("actuator")))
    for name, value in zip(names.controls, controls, strict=False):
        if name:
            model.inputs[name].value = value
