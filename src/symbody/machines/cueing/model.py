"""The chain from a scene to its passenger: cueing, drives that follow its references, and the platform."""

from __future__ import annotations

import numpy as np

from symbody.elements.element import Motion, Named
from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.motion.built_in_platform import platform_data
from symbody.motion.cueing.adaptive import Adaptive
from symbody.motion.cueing.classic import Classic
from symbody.motion.cueing.cueing_model import STILL, add_felt, add_scene
from symbody.motion.cueing.method import CueingMethod
from symbody.motion.cueing.optimal import Optimal
from symbody.motion.data import AXES
from symbody.motion.mechanism import add_friction, add_limits, mechanism
from symbody.motion.servo import ReferenceMotion, add_drives
from symbody.motion.vestibular import Canal, Otolith

METHODS: dict[str, type[Classic | Adaptive | Optimal]] = {
    "classic": Classic, "adaptive": Adaptive, "optimal": Optimal,
}  # fmt: skip
START = {"scene_x": 1.0}  # m/s²: the scene speeds up


def model(method: str = "classic") -> Model:
    """The platform, moved by a cueing method: inputs `scene_x` … (m/s², rad/s) of the scene's seat.

    Signals: `scene.felt.x` and `felt.x` …, what a passenger of the scene and of the platform feels.
    """
    if method not in METHODS:
        raise ModelError("unknown method", element=str(method), cure=f"use {', '.join(METHODS)}")
    return cued_platform(METHODS[method]())


def cued_platform(method: CueingMethod) -> Model:
    """The built-in platform with drives that follow the references of a cueing method."""
    data = platform_data()
    m = mechanism(data)
    m.name = "cueing"
    add_friction(m, data)
    add_limits(m, data)
    add_scene(m, START)
    references = method.add(m)
    add_felt(m, references, Otolith(), Canal())
    neutral = data.neutral_axes

    def wanted(s: Motion, p: Named) -> ReferenceMotion:
        rows = [[law(s, p) for law in references.get(axis, STILL)] for axis in AXES]
        x, v, a = np.array(rows, dtype=object).T
        return ReferenceMotion(neutral + x, v, a)

    add_drives(m, data, wanted)
    return m
