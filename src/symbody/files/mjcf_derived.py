"""Numbers that MuJoCo computes from the mass matrix at zero coordinates: of servos, muscles and spring-dampers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from symbody.files.mass_matrix import jacobians, mass_matrix, moving_columns
from symbody.files.mjcf_document import MjcfDocument
from symbody.files.mjcf_general import MjcfActuator
from symbody.files.mjcf_numbers import reals
from symbody.model.model import Model
from symbody.model.placement import compose, placement, placements
from symbody.model.rotation import Matrix

RELATIVE = "relative to the inertia of tendons or actuators, which is left out"
_LEAST = 1e-15  # of an acceleration, as in MuJoCo


def reflects_inertia(document: MjcfDocument) -> bool:
    """Whether tendons or actuators have an armature, which MuJoCo's mass matrix has and ours has not."""
    tendons = [document.attributes(element, kind="tendon") for element in document.section("tendon")]
    actuators = [document.actuator(element) for element in document.section("actuator")]
    return any(any(reals(one, "armature", "armature", (0.0,) * 5)) for one in (*tendons, *actuators))


def derived_numbers(
    model: Model, numbers: MjcfActuator, joints: Mapping[str, float], link: str, reflected: bool = False
) -> tuple[MjcfActuator, str]:
    """The actuator with the numbers that MuJoCo derives, or why that is not possible.

    joints: levers of joints; or link: what the actuator pulls. reflected: M lacks an inertia that MuJoCo's M has. A
    servo with a damping ratio ζ has kv = 2 ζ √(kp m), m = 1/(lever · M⁻¹ lever). A muscle without a force has
    scale/|M⁻¹ lever|.
    """
    if numbers.is_muscle and numbers.lengthrange is None:
        return numbers, "it has no length range: set its lengthrange"
    g, b = numbers.gainprm, numbers.biasprm
    wanted = (numbers.gain == "muscle" and g[2] < 0.0) or (numbers.bias == "muscle" and b[2] < 0.0)
    if not numbers.ratio and not wanted:
        return numbers, ""
    if reflected:
        return numbers, f"its numbers are {RELATIVE}: set kv instead of dampratio, or force"
    M, lever = mass_matrix(model, moving_columns(model)), _levers(model, numbers, joints, link)
    try:
        swift = np.linalg.solve(M, lever)
    except np.linalg.LinAlgError:
        return numbers, "its numbers are relative to a singular mass matrix: set kv instead of dampratio, or force"
    if numbers.ratio:
        mass = 1.0 / max(float(lever @ swift), _LEAST)
        return replace(numbers, biasprm=(b[0], b[1], -2.0 * numbers.ratio * (g[0] * mass) ** 0.5, *b[3:])), ""
    most = max(float(np.linalg.norm(swift)), _LEAST)
    g, b = (
        (*x[:2], x[3] / most, *x[3:]) if kind == "muscle" and x[2] < 0.0 else x
        for kind, x in ((numbers.gain, g), (numbers.bias, b))
    )
    return replace(numbers, gainprm=g, biasprm=b), ""


def spring_damper(model: Model, joint: str, tau: float, ratio: float) -> tuple[float, float]:
    """Stiffness m/(τζ)² and damping 2m/τ of a joint, m = 1/(M⁻¹)_jj."""
    names = [one.name for one in model.joints() for _ in range(one.nv)]
    k, M = names.index(joint), mass_matrix(model, moving_columns(model))
    mass = 1.0 / float(np.linalg.inv(M)[k, k])
    return mass / (tau * ratio) ** 2, 2.0 * mass / tau


def _levers(model: Model, numbers: MjcfActuator, joints: Mapping[str, float], link: str) -> Matrix:
    """∂L/∂q of an actuator at zero coordinates."""
    if not link:
        return np.array([joints.get(joint.name, 0.0) for joint in model.joints() for _ in range(joint.nv)])
    columns, placed = moving_columns(model), placements(model, {})
    ends = [model.point_at(point) for point in (model.links[link].a, model.links[link].b)]
    here, there = (compose(placed[point.body], placement(point, {}))[1] for point in ends)
    Ja, Jb = (jacobians(columns[p.body], model.nv, at)[0] for p, at in zip(ends, (here, there), strict=True))
    along = (there - here) / max(float(np.linalg.norm(there - here)), _LEAST)
    return np.asarray(numbers.gear[0] * along @ (Jb - Ja))
