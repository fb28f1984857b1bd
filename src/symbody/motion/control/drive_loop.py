"""Tracking control and the platform in the real-time loop: encoders, a controller, drives and the full model, in C."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import Any

import numpy as np

from symbody.codegen import Function, build
from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.codegen.program import Input, Output, Program
from symbody.errors import ModelError
from symbody.expr.node_table import fresh_graph
from symbody.expr.vector import variables
from symbody.motion.compiled import geometry_function
from symbody.motion.control.computed_torque import ComputedTorque
from symbody.motion.control.controller import SIZE, TrackingController, control_function, gains, wanted
from symbody.motion.control.pid import FeedForward, Pid
from symbody.motion.control.sampled_loop import DERIVATIVE
from symbody.motion.control.tuned_gains import SWARM
from symbody.motion.data import ACTUATORS, AXES, PlatformData
from symbody.motion.drives import PER_MILLE, leg_speed, resolutions
from symbody.motion.mechanism import add_forces, force_input, loaded_mechanism
from symbody.motion.servo import ReferenceMotion, drive_force
from symbody.realtime.stepper import LoopModel, LoopStepper, follow_builds, hoisted_fields, kept_numbers, system_model
from symbody.stepping.step_options import FixedStep
from symbody.system.system import System, system

CONTROLLERS: tuple[TrackingController, ...] = (ComputedTorque(), SWARM, FeedForward(), Pid())
Place = tuple[float, float, float]
HEAD = "head"  # the sensor of the passenger's head
SHOWN = ("*.q", "*.qd", f"{HEAD}.*")
ERROR, VIOLATIONS = "tracking.error", "limit.violations"
_PROGRAMS = ("geometry", "targets", *(f"control{k}" for k in range(len(CONTROLLERS))))
_POINTERS = (
    "plant", "plant_of", "plant_u", "u", "x", "gains", "gain_from", "position", "rate", "order", "increment", "ends",
    "force_step", "low", "high", "speed", "acceleration", "m",
)  # fmt: skip


class DriveMemoryOf(Mirror):
    """drive_memory_t of drive_loop.c."""

    c_type = "drive_memory_t"
    _fields_ = (
        *((name, ctypes.c_double * SIZE) for name in ("integral", "slope", "before")),
        ("known", ctypes.c_double), ("violations", ctypes.c_double),
    )  # fmt: skip


class DriveLoopOf(Mirror):
    """drive_loop_t of drive_loop.c."""

    c_type = "drive_loop_t"
    _fields_ = (
        *((f"{name}{end}", ctypes.c_void_p) for name in _PROGRAMS for end in ("", "_h")),
        *((name, ctypes.c_void_p) for name in _POINTERS),
        ("ny", ctypes.c_int64),
        *((name, ctypes.c_double) for name in ("dt", "blend", "shortest", "longest", "leg_speed")),
    )


@cache
def target_function(data: PlatformData) -> Function:
    """q[8], qd[8] = f(axes[8], rates[8]): wanted actuators and their rates, in C."""
    with fresh_graph():
        axes, rates = (np.array(variables(name, SIZE), dtype=object) for name in ("axes", "rates"))
        found = wanted(ReferenceMotion(axes, rates, 0.0 * rates), data)
        outputs = {name: Output((SIZE,), tuple(getattr(found, name))) for name in ("q", "qd")}
        inputs = {name: Input(SIZE) for name in ("axes", "rates")}
        return build(Program("targets", "platform", "actuators (m) and rates (m/s) of a reference", inputs, outputs))


@cache
def ridden_platform(data: PlatformData, head: Place, seat: Place, rider: float) -> System:
    """The platform with friction and a rider (kg) at the seat, moved by forces; a sensor at the head (m, from O_u)."""
    m = loaded_mechanism(data, seat, rider)
    m.sensor(HEAD, m.bodies["platform"].point(HEAD, head), ("accelerometer", "gyro"))
    add_forces(m, data)
    return system(m, independent=list(AXES), outputs=list(SHOWN))


@dataclass(frozen=True, eq=False)
class DriveLoop:
    """Controllers and platform as a source of the loop.

    Inputs: `reference.x` … with `.rate` and `.second`, and `controller`, the number of one of `controllers`. Outputs:
    those of the platform, `rod1.force` … (N), the largest tracking error (m), and the number of samples in which the
    platform or its reference broke a limit of the machine. known: what the controllers know of the platform, such as
    its usual load; default: its data.
    """

    data: PlatformData
    plant: System
    known: PlatformData | None = None
    controllers: Sequence[TrackingController] = CONTROLLERS

    def inputs(self) -> dict[str, float]:
        """Names and start values."""
        found = dict(zip((f"reference.{axis}" for axis in AXES), self.data.neutral_axes.tolist(), strict=True))
        found |= {f"reference.{axis}{end}": 0.0 for end in (".rate", ".second") for axis in AXES}
        return found | {"controller": 0.0}

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """Drives and platform as the loop steps them."""
        if not 0 < len(self.controllers) <= len(CONTROLLERS):
            raise ModelError(f"{len(self.controllers)} controllers", element="drives", cure="give one to four")
        data, s = self.data, self.plant
        plant = system_model(s, dt, FixedStep())
        states = {name: k for k, name in enumerate(s.states)}
        inputs = self.inputs()
        filled = [*self.controllers, *(len(CONTROLLERS) - len(self.controllers)) * [self.controllers[0]]]
        rows = [gains(one).ravel() for one in filled]
        arrays: dict[str, Any] = {
            "u": np.array(list(inputs.values())),
            "gains": np.concatenate(rows),
            "gain_from": np.array([sum(map(len, rows[:k])) for k in range(len(rows))], dtype=np.int64),
            "position": np.array([states[f"{axis}.q"] for axis in AXES], dtype=np.int64),
            "rate": np.array([states[f"{axis}.qd"] for axis in AXES], dtype=np.int64),
            "order": np.array([plant.inputs.index(force_input(name)) for name in ACTUATORS], dtype=np.int64),
            "increment": resolutions(data),
            "ends": np.array([drive_force(name, data) for name in ACTUATORS]),
            "force_step": np.array([drive_force(name, data, peak=False) for name in ACTUATORS]) / PER_MILLE,
            **{name: np.array(data.ends(name)) for name in ("low", "high", "speed", "acceleration")},
        }
        functions = {"geometry": geometry_function(data), "targets": target_function(data)}
        functions |= {f"control{k}": control_function(type(one), self.known or data) for k, one in enumerate(filled)}
        memory, stepper = DriveMemoryOf(), plant.stepper
        structure: Any = DriveLoopOf(
            **{name: array.ctypes.data for name, array in arrays.items()},
            **{name: function.address for name, function in functions.items()},
            **{f"{name}_h": function.hoisted.ctypes.data for name, function in functions.items()},
            plant=stepper.function, plant_of=ctypes.addressof(stepper.structure), plant_u=stepper.structure.u,
            x=stepper.steps.arrays["x"].ctypes.data, m=ctypes.addressof(memory), ny=len(plant.outputs),
            dt=dt, blend=1.0 - exp(-DERIVATIVE * dt), shortest=data.legs.shortest, longest=data.legs.longest,
            leg_speed=leg_speed(data),
        )  # fmt: skip
        follow_builds(structure, functions)
        library = optimised_runtime("drive_loop.c", DriveLoopOf, DriveMemoryOf, package=__package__)
        units = plant.units | {f"{name}.force": "N" for name in ACTUATORS} | {ERROR: "m", VIOLATIONS: ""}
        made = LoopStepper(
            (self, arrays, functions, memory, plant),
            ctypes.cast(library.integrate, ctypes.c_void_p).value or 0,
            structure,
            (*stepper.kept, kept_numbers(memory)),
            stepper.capped,
            (*stepper.fields, *hoisted_fields(structure, functions)),
        )
        held = np.array([plant.u0[k] for k in arrays["order"]])
        y0 = np.concatenate([plant.y0, held, np.zeros(2)])
        names = [*plant.outputs, *(f"{name}.force" for name in ACTUATORS), ERROR, VIOLATIONS]
        return LoopModel("drives", list(inputs), arrays["u"], names, y0, units, plant.parameters, made)
