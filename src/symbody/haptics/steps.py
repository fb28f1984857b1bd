"""A haptic scene in the real-time loop, and the model that shows it.

Loop(SceneSource(scene), scene.rate) steps the scene; `scene_system(scene)` has its bodies, for views and recordings.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.errors import ModelError
from symbody.haptics import structures as of
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.shapes import Array
from symbody.haptics.two_rates.extra_inputs import CHOICE, NUMBER, SceneExtras, SceneInput, field_view
from symbody.model.body import Joint
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.realtime.stepper import NONE, LoopModel, LoopStepper
from symbody.results.channels import channel_units
from symbody.stepping.step_options import FixedStep
from symbody.system.motion_names import coordinate_names, velocity_names
from symbody.system.system import System, system

HANDLE = "handle"  # the body that stands for the device
AXES = ("x", "y", "turn")
SPATIAL_AXES = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
QUATERNION = ("qw", "qx", "qy", "qz")
# Fields of record_t that are outputs `haptic.NAME`, and their units; wrenches have one output for each axis.
WATCHED = {
    "state": "", "contacts": "", "impacts": "", "sliding": "", "depth": "m", "kinetic": "J", "energy": "J",
    "friction": "N", "strike": "N", "rub": "W", "rank": "", "apart": "m",
}  # fmt: skip
WRENCHES = {"hand_force": "hand", "command": "command", "wrench": "wrench"}
# Fields of settings_t that are inputs: integers, and others.
CHOICES = ("contact", "controller", "limiting", "friction", "shaping", "passivity", "curving", "hold")
NUMBERS = ("stiffness", "damping", "restitution", "mu_s", "mu_k", "beta", "mu_impact", "adaptive", "k_tc", "b_tc")
TOLD = ("stiffness", "damping", "restitution")  # settings of walls, which packets set in a local model


class HapticLoopOf(Mirror):
    """haptic_loop_t of stepper.c."""

    c_type = "haptic_loop_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("scene", "u", "given", "kind", "place", "outputs")),
        *((name, ctypes.c_int64) for name in ("nu", "ny")),
    )


def axes_of(scene: HapticScene) -> tuple[str, ...]:
    """Names of the hand's axes."""
    return AXES if scene.planar else SPATIAL_AXES


def given_names(scene: HapticScene) -> list[str]:
    """Inputs from the hand: push_AXIS (N, N m), and hand_AXIS, its wanted pose or the pose of the device (m, rad)."""
    pose = AXES if scene.planar else (*SPATIAL_AXES[:3], *QUATERNION)
    return [*(f"push_{axis}" for axis in axes_of(scene)), *(f"hand_{axis}" for axis in pose)]


# -- the loop --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SceneSource:
    """A haptic scene that the real-time loop steps: `Loop(SceneSource(scene), scene.rate)`.

    Inputs: push_AXIS and hand_AXIS of the hand, the live settings of the scene, and those of `extras`. Outputs:
    coordinates and velocities of `scene_model`, and haptic.NAME of the last tick. Only one loop may step a scene.

    Parameters
    ----------
    scene : HapticScene
        Only one loop may step a scene.
    extras : SceneExtras, optional
        Further inputs, and a ghost.
    """

    scene: HapticScene
    extras: SceneExtras = field(default_factory=SceneExtras)

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """The scene as the loop steps it; it has its own rate and method."""
        scene = self.scene
        if abs(dt * scene.rate - 1.0) > 1e-9:
            cure = f"run it at {scene.rate:g} Hz, with one substep"
            raise ModelError(f"a scene of {scene.rate:g} Hz in steps of {dt:g} s", cure=cure)
        if steps != FixedStep():
            raise ModelError("a scene has its own method", element="method", cure="leave it out")
        given = np.zeros(of.HAND + of.POSE)
        given[of.HAND : of.HAND + scene.c.np] = scene.c.memory.x[: scene.c.np]  # the hand begins where the device is
        inputs, outputs = self.inputs(given), self.outputs()
        u = np.array([one.value for one in inputs.values()])
        arrays: dict[str, Any] = {
            "u": u.copy(), "given": given,
            "kind": np.array([one.kind for one in inputs.values()], dtype=np.int64),
            "place": _addresses([one.place for one in inputs.values()]),
            "outputs": _addresses(list(outputs.values())),
        }  # fmt: skip
        structure: Any = HapticLoopOf(
            scene=ctypes.addressof(scene.c), nu=len(inputs), ny=len(outputs),
            **{name: array.ctypes.data for name, array in arrays.items()},
        )  # fmt: skip
        library = optimised_runtime("stepper.c", HapticLoopOf, package="symbody.haptics.tick")
        kept = tuple(np.frombuffer(part, np.float64) for part in (scene.c.memory, scene.c.record))
        alive = (self, arrays, inputs, outputs)
        stepper = LoopStepper(
            alive, ctypes.cast(library.integrate, ctypes.c_void_p).value or 0, structure, kept, NONE.ctypes.data
        )
        y0 = np.array([float(one[0]) for one in outputs.values()])
        return LoopModel("haptic", list(inputs), u, list(outputs), y0, self._units(list(outputs)), {}, stepper)

    def inputs(self, given: Array) -> dict[str, SceneInput]:
        """Inputs by name; those of the hand are elements of `given`, push and pose."""
        scene, settings = self.scene, self.scene.c.settings
        places = [*range(scene.nh), *(of.HAND + k for k in range(scene.c.np))]
        found = {name: SceneInput(NUMBER, given[k : k + 1]) for name, k in zip(given_names(scene), places, strict=True)}
        for name in (*CHOICES, *NUMBERS):
            if not (scene.c.local and name in TOLD):
                found[name] = SceneInput(CHOICE if name in CHOICES else NUMBER, field_view(settings, name))
        return {name: one for name, one in found.items() if name not in self.extras.inputs} | {**self.extras.inputs}

    def outputs(self) -> dict[str, Array]:
        """Where each output is read, one element each."""
        scene, extras = self.scene, self.extras
        held, ghost = scene.c.held >= 0, extras.ghost is not None
        x, xd = field_view(scene.c.memory, "x")[: scene.c.np], field_view(scene.c.memory, "xd")[: scene.nh]
        model = scene_model(scene, extras)
        q = [scene.q, *([x] if held else []), *([extras.q] if ghost else [])]
        v = [scene.v, *([xd] if held else []), *([extras.v] if ghost else [])]
        found = dict(zip(coordinate_names(model), _elements(q), strict=True))
        found |= dict(zip(velocity_names(model), _elements(v), strict=True))
        found |= {f"haptic.{name}": field_view(scene.c.record, name) for name in WATCHED}
        for name, kept in WRENCHES.items():
            wrench = field_view(scene.c.record, kept)
            found |= {f"haptic.{name}_{axis}": wrench[k : k + 1] for k, axis in enumerate(axes_of(scene))}
        return found

    def _units(self, outputs: Sequence[str]) -> dict[str, str]:
        moved = [name for name in outputs if not name.startswith("haptic.")]
        units = channel_units(scene_model(self.scene, self.extras), moved)
        units |= {f"haptic.{name}": unit for name, unit in WATCHED.items()}
        for axis in axes_of(self.scene):
            units |= {f"haptic.{name}_{axis}": "N m" if "turn" in axis else "N" for name in WRENCHES}
        return units


def _elements(arrays: Sequence[Array]) -> list[Array]:
    """Views of the single elements of arrays."""
    return [array[k : k + 1] for array in arrays for k in range(len(array))]


def _addresses(views: Sequence[Array]) -> Array:
    """Where the first elements of arrays lie in memory."""
    return np.array([view.ctypes.data for view in views], dtype=np.uint64)


# -- the model that shows a scene --------------------------------------------------------------------------------------


def scene_model(scene: HapticScene, extras: SceneExtras | None = None, name: str = "haptic") -> Model:
    """The bodies of a scene, the handle and the ghost, for views; the loop steps `SceneSource`.

    Parameters
    ----------
    scene : HapticScene
        The scene.
    extras : SceneExtras, optional
        With a ghost to draw.
    name : str
        Of the model. Default "haptic".

    Returns
    -------
    Model
        For views only.
    """
    m = Model(name, gravity=(0.0, -GRAVITY, 0.0) if scene.planar else (0.0, 0.0, -GRAVITY))
    q = [float(x) for x in scene.q]
    for made, one in zip(scene.c.objects, scene.objects, strict=False):
        _add_object(m, one, scene, q[made.q : made.q + made.nq])
    if scene.c.held >= 0:
        _add_body(m, HANDLE, scene, [float(x) for x in scene.c.memory.x[: scene.c.np]], 0.1)
    if extras is not None and extras.ghost is not None:
        _add_object(m, extras.ghost, scene, [float(x) for x in extras.q])
    return m


def scene_system(scene: HapticScene, extras: SceneExtras | None = None) -> System:
    """The compiled system of `scene_model`, for views and recordings.

    Parameters
    ----------
    scene, extras
        As in `scene_model`.

    Returns
    -------
    System
        Compiled, with all coordinates as outputs.
    """
    return system(scene_model(scene, extras))


def _add_object(m: Model, one: HapticBody | Linkage, scene: HapticScene, q: Sequence[float]) -> None:
    if isinstance(one, HapticBody):
        _add_body(m, one.name, scene, q, one.mass)
    else:
        _add_linkage(m, one, q)


def _add_body(m: Model, name: str, scene: HapticScene, q: Sequence[float], mass: float) -> None:
    inertia = (1e-3 * mass,) * 3
    if scene.planar:
        kinds = zip(AXES, ("T1", "T2", "R3"), q, strict=True)
        m.body(name, None, [Joint(f"{name}_{axis}", kind, q0=(x,)) for axis, kind, x in kinds], mass, inertia=inertia)
    else:
        m.body(name, None, [Joint(name, "free", q0=tuple(q))], mass, inertia=inertia)


def _add_linkage(m: Model, linkage: Linkage, q: Sequence[float]) -> None:
    """Add the bodies of a linkage, as LINKAGE_BODY."""
    values = iter(q)
    for body in linkage.model.bodies.values():
        parent, _, _ = body.on.rpartition(".")
        carrier = m.ground if parent not in linkage.model.bodies else m.bodies[f"{linkage.name}_{parent}"]
        at = linkage.model.point_at(body.on)
        place = carrier.point(f"{linkage.name}_{body.name}", at.position, at.rotation)
        joints = [Joint(f"{linkage.name}_{j.name}", j.type, q0=(next(values),)) for j in body.joints]
        m.body(f"{linkage.name}_{body.name}", place, joints, body.mass, body.com, body.inertia)
