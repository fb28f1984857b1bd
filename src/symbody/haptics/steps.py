"""A scene as a system that the real-time loop steps: what it looks like as a model, and its ticks as a method.

scene → `scene_system` → `Loop(system, rate, method=haptic_method(scene))`, recordings, nodes, the studio.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from symbody.codegen.native import runtime_library
from symbody.errors import ModelError
from symbody.haptics import structures as of
from symbody.haptics.objects import HapticBody, Linkage
from symbody.haptics.scene import HapticScene
from symbody.haptics.two_rates.beside import CHOICE, GIVEN, NUMBER, Beside
from symbody.model.body import Joint
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.stepping.fixed_step import CompiledSteps, StepSettings, structure_of
from symbody.stepping.method import FixedStepMethod
from symbody.stepping.start_state import StartState
from symbody.system.system import System, system

HANDLE = "handle"  # the body that stands for the device
AXES = ("x", "y", "turn")
SPATIAL_AXES = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
QUATERNION = ("qw", "qx", "qy", "qz")
WATCHED = (
    "state", "contacts", "impacts", "sliding", "depth", "kinetic", "energy", "friction", "strike", "rub",
    "rank", "apart",
)  # fmt: skip
# Settings of settings_t that may be inputs: whole numbers, and others.
CHOICES = ("contact", "controller", "limiting", "friction", "shaping", "passivity", "curving", "hold")
NUMBERS = ("stiffness", "damping", "restitution", "mu_s", "mu_k", "beta", "mu_impact", "adaptive", "k_tc", "b_tc")
TOLD = ("stiffness", "damping", "restitution")  # of walls: by packets, where there is a local model
HAPTIC_T = structure_of(pointers="scene source sink")


def axes_of(scene: HapticScene) -> tuple[str, ...]:
    """Names of the hand's axes."""
    return AXES if scene.planar else SPATIAL_AXES


def given_names(scene: HapticScene) -> list[str]:
    """Inputs of a tick by name: what the hand pushes with, and the pose it wants or the device has."""
    pose = AXES if scene.planar else (*SPATIAL_AXES[:3], *QUATERNION)
    return [*(f"push_{axis}" for axis in axes_of(scene)), *(f"hand_{axis}" for axis in pose)]


def scene_model(
    scene: HapticScene,
    live: Sequence[str] | None = None,
    name: str = "haptic",
    beside: Beside | None = None,
) -> Model:
    """What a scene looks like: its bodies, the handle, what is watched as states, hand and live settings as inputs.

    live: all settings unless given; of a local model not those that packets tell.
    """
    m = Model(name, gravity=(0.0, -GRAVITY, 0.0) if scene.planar else (0.0, 0.0, -GRAVITY))
    beside = beside or Beside()
    q = [float(x) for x in scene.q]
    for made, one in zip(scene.c.objects, scene.objects, strict=False):
        _add_object(m, one, scene, q[made.q : made.q + made.nq])
    if scene.c.held >= 0:
        _add_body(m, HANDLE, scene, [float(x) for x in scene.c.memory.x[: scene.c.np]], 0.1)
    if beside.ghost is not None:
        _add_object(m, beside.ghost, scene, [float(x) for x in beside.q])
    start = dict(zip(given_names(scene), _given(scene), strict=True))
    for given, value in start.items():
        m.input(given, value)
    for setting in _live(scene) if live is None else live:
        if setting not in beside.inputs:
            m.input(setting, float(getattr(scene.c.settings, setting)))
    for name, sink in beside.inputs.items():
        m.input(name, sink.value)
    for watched in _watched(scene):
        m.state(f"now_{watched}")(lambda s, p: 0.0)
        m.signal(f"haptic.{watched}")(partial(_state, watched))
    return m


def _live(scene: HapticScene) -> list[str]:
    return [name for name in (*CHOICES, *NUMBERS) if not (scene.c.local and name in TOLD)]


def _state(name: str, s: Any, p: Any) -> Any:
    return p[f"now_{name}"]


def _given(scene: HapticScene) -> list[float]:
    """What ticks are given at first: no push, the hand where the device is."""
    return [0.0] * scene.nh + [float(x) for x in scene.c.memory.x[: scene.c.np]]


def _watched(scene: HapticScene) -> list[str]:
    return [*WATCHED, *(f"{what}_{axis}" for what in ("hand_force", "command", "wrench") for axis in axes_of(scene))]


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
    """The bodies of a linkage under their names and its own."""
    values = iter(q)
    for body in linkage.model.bodies.values():
        parent, _, _ = body.on.rpartition(".")
        carrier = m.ground if parent not in linkage.model.bodies else m.bodies[f"{linkage.name}_{parent}"]
        at = linkage.model.point_at(body.on)
        place = carrier.point(f"{linkage.name}_{body.name}", at.position, at.rotation)
        joints = [Joint(f"{linkage.name}_{j.name}", j.type, q0=(next(values),)) for j in body.joints]
        m.body(f"{linkage.name}_{body.name}", place, joints, body.mass, body.com, body.inertia)


def scene_system(scene: HapticScene, model: Model | None = None, beside: Beside | None = None) -> System:
    """The compiled system of `scene_model`; it is stepped by `haptic_method` alone, with the same `beside`."""
    return system(model or scene_model(scene, beside=beside))


def haptic_method(scene: HapticScene, beside: Beside | None = None) -> FixedStepMethod:
    """The ticks of a scene as a method for the loop; one loop at a time may step a scene."""
    return FixedStepMethod(
        name="haptic",
        order=1,
        implicit=True,
        summary="ticks of a haptic scene: impacts, contact, controller and device",
        source="Constantinescu 2004",
        file="stepper.c",
        compiled=partial(HapticSteps, scene, beside or Beside()),
    )


class HapticSteps(CompiledSteps):
    """Ticks of a scene, as steps of the system that shows it."""

    KEPT: ClassVar[tuple[str, ...]] = ("memory", "x")

    def __init__(self, scene: HapticScene, beside: Beside, start: StartState, settings: StepSettings):
        if abs(settings.dt * scene.rate - 1.0) > 1e-9:
            cure = f"run it at {scene.rate:g} Hz, with one sub-step"
            raise ModelError(f"a scene of {scene.rate:g} Hz in steps of {settings.dt:g} s", cure=cure)
        super().__init__(start, settings, "stepper.c", HAPTIC_T)
        whole: Any = scene.c
        memory = np.frombuffer(whole, np.float64, ctypes.sizeof(of.MemoryOf) // 8, of.SceneOf.memory.offset)
        source, sink = _sources(scene, beside, start.system), _sinks(scene, beside, start.system)
        self.scene, self.beside = scene, beside
        self.arrays |= {"memory": memory, "source": source, "sink": sink}
        self.numbers["scene"] = ctypes.addressof(scene.c)
        self.bind()

    def c_function(self, name: str) -> Any:
        """A function of stepper.c, as it is compiled now."""
        found = runtime_library(self._file, self._kind, package="symbody.haptics.tick")[name]
        found.restype = ctypes.c_int64 if name == "integrate" else ctypes.c_int
        return found


def _sources(scene: HapticScene, beside: Beside, s: System) -> np.ndarray:
    """For each number of the state, its place in the scene (bytes)."""
    memory, record = of.SceneOf.memory.offset, of.SceneOf.record.offset
    m = {name: memory + getattr(of.MemoryOf, name).offset for name in ("q", "v", "x", "xd")}
    held, np_, nh = scene.c.held >= 0, int(scene.c.np), scene.nh
    here, ghost = ctypes.addressof(scene.c), beside.ghost is not None
    places = [m["q"] + 8 * k for k in range(scene.c.nq)] + [m["x"] + 8 * k for k in range(np_ if held else 0)]
    places += [beside.q.ctypes.data - here + 8 * k for k in range(len(beside.q) if ghost else 0)]
    places += [m["v"] + 8 * k for k in range(scene.c.nv)] + [m["xd"] + 8 * k for k in range(nh if held else 0)]
    places += [beside.v.ctypes.data - here + 8 * k for k in range(len(beside.v) if ghost else 0)]
    fields = {"hand_force": "hand", "command": "command", "wrench": "wrench"}
    places += [record + getattr(of.RecordOf, name).offset for name in WATCHED]
    places += [record + getattr(of.RecordOf, f).offset + 8 * k for f in fields.values() for k in range(nh)]
    if len(places) != len(s.x0):
        raise ModelError("a system that is not that of the scene", cure="use scene_system(scene)")
    return np.array(places, dtype=np.int64)


def _sinks(scene: HapticScene, beside: Beside, s: System) -> np.ndarray:
    """For each input what it is, and its place."""
    settings = of.SceneOf.settings.offset
    given = given_names(scene)
    places = {name: (GIVEN, k if k < scene.nh else of.HAND + k - scene.nh) for k, name in enumerate(given)}
    for name in (*CHOICES, *NUMBERS):
        kind = CHOICE if name in CHOICES else NUMBER
        places[name] = (kind, settings + getattr(of.SettingsOf, name).offset)
    here = ctypes.addressof(scene.c)
    places |= {name: (sink.kind, sink.address - here) for name, sink in beside.inputs.items()}
    return np.array([places[name] for name in s.inputs], dtype=np.int64).ravel()


def input_ranges(scene: HapticScene) -> Mapping[str, tuple[float, float]]:
    """Between which numbers live settings may be, for the loop's own check of inputs."""
    return {
        "contact": (0.0, len(of.CONTACT_MODELS) - 1.0),
        "controller": (0.0, len(of.CONTROLLERS) - 1.0),
        "limiting": (0.0, len(of.LIMITING) - 1.0),
        "friction": (-1.0, of.FRICTIONS - 1.0),
        "shaping": (0.0, 1.0),
        "passivity": (0.0, 1.0),
        "curving": (0.0, 1.0),
        "hold": (0.0, scene.c.objects[scene.c.held].nlinks - 1.0 if scene.c.held >= 0 else 0.0),
        "stiffness": (0.0, 1e5),
        "damping": (0.0, 1e3),
        "restitution": (0.0, 1.0),
        "mu_s": (0.0, 2.0),
        "mu_k": (0.0, 2.0),
        "beta": (0.0, 1e4),
        "mu_impact": (0.0, 2.0),
        "adaptive": (0.0, 1e3),
        "k_tc": (0.0, 1e4),
        "b_tc": (0.0, 1e3),
    }
