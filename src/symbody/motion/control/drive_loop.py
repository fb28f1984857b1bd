"""Tracking control and the platform in the real-time loop: encoders, a controller, drives and the full model, in C.

A controller has the drives while it follows its reference. Without power, and after a fault, a soft hold has them: PID
of each actuator that is stable with every load. It brakes the platform to rest and keeps it there. `homing.h` finds the
zeros of the encoders, with the laws of `safety/homing.py`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from symbody.motion.control.pid import FeedForward, Pid, pid_for
from symbody.motion.control.sampled_loop import DERIVATIVE
from symbody.motion.control.stability import require_stable
from symbody.motion.control.tuned_gains import SWARM
from symbody.motion.data import ACTUATORS, AXES, TABLE, Array, PlatformData
from symbody.motion.drives import PER_MILLE, leg_speed, resolutions
from symbody.motion.geometry import inverse_geometry
from symbody.motion.mechanism import add_forces, force_input, loaded_mechanism
from symbody.motion.safety.homing import ARRIVED, LONGER, REPORT, SHARE, STALLED, STARTING, HomingSpeeds, end_stops
from symbody.motion.safety.platform_drives import LEAD, PUSH, add_end_stops
from symbody.motion.servo import ReferenceMotion, drive_force
from symbody.realtime.stepper import LoopModel, LoopStepper, follow_builds, hoisted_fields, kept_numbers, system_model
from symbody.stepping.step_options import FixedStep
from symbody.system.system import System, system

CONTROLLERS: tuple[TrackingController, ...] = (ComputedTorque(), SWARM, FeedForward(), Pid())
Place = tuple[float, float, float]
HEAD = "head"  # the sensor of the passenger's head
SHOWN = ("*.q", "*.qd", f"{HEAD}.*")
ERROR, VIOLATIONS = "tracking.error", "limit.violations"
MODE, FAULT, HOMED, LOST = "drives.mode", "drives.fault", "drives.homed", "drives.lost"
MODES = ("controller", "hold", "homing")  # values of `drives.mode`
FAULTS = (  # values of `drives.fault`
    "", "an actuator is more than {tracking:g} m away from its reference",
    "control is unstable: an error changes faster than {restless:g} m/s", "a measured position is not a number",
    "homing found no end of {axis}",
)  # fmt: skip
TRACKING = 0.02  # m: a larger error of an actuator is a fault
UNSTEADY = 0.08  # m/s: a faster change of an error is a fault
FADE = 0.05  # s, in which a jump of the forces fades after a change of the controller
QUICK = (0.6, 0.2)  # m/s, of sliders and legs during the return from their ends to neutral
PATIENCE = 8.0  # s that the last tenths of a millimetre may take
PARKED = 0.03  # m from the ends of the sliders, where a platform stands that was switched off
RUNNING = 3.0  # a state of the ride: the controller has the drives
_PROGRAMS = ("geometry", "targets", *(f"control{k}" for k in range(len(CONTROLLERS))))
_POINTERS = (
    "plant", "plant_of", "plant_u", "u", "x", "gains", "gain_from", "position", "rate", "order", "increment", "ends",
    "rated", "force_step", "low", "high", "speed", "acceleration", "unknown", "m",
)  # fmt: skip
_HOLD = ("stiffness", "damping", "reset", "weight", "brake")
_HOMING = ("pace", "low", "longest", "neutral", "quick", "push")
_HOMING_NUMBERS = ("report", "stalled", "starting", "share", "lead", "arrived", "patience")
_NUMBERS = ("dt", "blend", "shortest", "longest", "leg_speed", "tracking", "restless", "fade")
_Eight = ctypes.c_double * SIZE


def _doubles(*names: str) -> tuple[tuple[str, Any], ...]:
    return tuple((name, ctypes.c_double) for name in names)


def _eights(*names: str) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _Eight) for name in names)


def _pointers(*names: str) -> tuple[tuple[str, Any], ...]:
    return tuple((name, ctypes.c_void_p) for name in names)


class HoldOf(Mirror):
    """hold_t of hold.h."""

    c_type = "hold_t"
    _fields_ = _eights("place", "rate", "slower", "integral")


class HoldLawOf(Mirror):
    """hold_law_t of hold.h."""

    c_type = "hold_law_t"
    _fields_ = _pointers(*_HOLD)


class HomingOf(Mirror):
    """homing_t of homing.h."""

    c_type = "homing_t"
    _fields_ = (
        *_doubles("phase", "ticks", "reports", "elapsed", "span", "axis"),
        *_eights("waiting", "count", "last", "begun", "shift", "from"),
    )


class HomingLawOf(Mirror):
    """homing_law_t of homing.h."""

    c_type = "homing_law_t"
    _fields_ = (*_pointers(*_HOMING), *_doubles(*_HOMING_NUMBERS))


class DriveMemoryOf(Mirror):
    """drive_memory_t of drive_loop.c."""

    c_type = "drive_memory_t"
    _fields_ = (
        *_eights("integral", "slope", "before"), *_doubles("known", "violations"), *_eights("pace", "last"),
        *_doubles("seen"), *_eights("zero"), *_doubles("homed", "mode", "fault", "choice", "failed", "taken"),
        *_eights("forces", "bump"), ("hold", HoldOf), ("homing", HomingOf),
    )  # fmt: skip


class DriveLoopOf(Mirror):
    """drive_loop_t of drive_loop.c."""

    c_type = "drive_loop_t"
    _fields_ = (
        *((f"{name}{end}", ctypes.c_void_p) for name in _PROGRAMS for end in ("", "_h")), *_pointers(*_POINTERS),
        ("hold", HoldLawOf), ("home", HomingLawOf), ("ny", ctypes.c_int64), *_doubles(*_NUMBERS),
    )  # fmt: skip


@cache
def target_function(data: PlatformData) -> Function:
    """q[8], qd[8] = f(axes[8], rates[8]): wanted actuators and their rates, in C."""
    with fresh_graph():
        axes, rates = (np.array(variables(name, SIZE), dtype=object) for name in ("axes", "rates"))
        found = wanted(ReferenceMotion(axes, rates, 0.0 * rates), data)
        outputs = {name: Output((SIZE,), tuple(getattr(found, name))) for name in ("q", "qd")}
        inputs = {name: Input(SIZE) for name in ("axes", "rates")}
        return build(Program("targets", "platform", "actuators (m) and rates (m/s) of a reference", inputs, outputs))


def parked_axes(data: PlatformData) -> Array:
    """Axes (8,) of a platform that was switched off at the end of a ride: sliders near their ends, legs short."""
    low, _ = end_stops(data)
    lengths = np.asarray(inverse_geometry(data.neutral_axes, data)[0], dtype=float)[len(TABLE) :]
    across = lengths.mean() ** 2 - data.neutral_height**2  # of the feet to the tops, the same for all legs
    axes = data.neutral_axes
    axes[AXES.index("z")] = np.sqrt(data.legs.shortest**2 - across)
    axes[: len(TABLE)] = np.where(data.moving[: len(TABLE)], low[: len(TABLE)] + PARKED, 0.0)
    return axes


@cache
def ridden_platform(data: PlatformData, head: Place, seat: Place, rider: float, parked: bool = False) -> System:
    """The platform with friction, end stops and a rider (kg) at the seat, moved by forces; a sensor at the head (m).

    Places are from O_u. parked: it starts at `parked_axes`, not at its neutral position.
    """
    axes = parked_axes(data) if parked else data.neutral_axes
    placed = replace(data, neutral_height=float(axes[AXES.index("z")]))
    m = loaded_mechanism(placed, seat, rider)
    m.sensor(HEAD, m.bodies["platform"].point(HEAD, head), ("accelerometer", "gyro"))
    add_end_stops(m, data)
    add_forces(m, placed)
    for joint in m.joints():
        if joint.name in TABLE:
            joint.q0 = (float(axes[TABLE.index(joint.name)]),)
    return system(m, independent=list(AXES), outputs=list(SHOWN))


@dataclass(frozen=True, eq=False)
class DriveLoop:
    """Controllers and platform as a source of the loop.

    Inputs: `reference.x` … with `.rate` and `.second`; `controller`, the number of one of `controllers`; and `state`,
    that of the ride. Outputs: those of the platform, `rod1.force` … (N), the largest tracking error (m), the number of
    samples in which the platform or its reference broke a limit of the machine, and what the drives do: `MODES`,
    `FAULTS`, whether the zeros of the encoders are known, and the actuator without an end.

    known: what the controllers know of the platform, such as its usual load; default: its data. loads: the platform
    with its lightest and heaviest load, and others; a controller that is unstable with one of them is refused.
    unknown: positions (8,) (m) that the encoders show at their true zero; None: homing is not needed.
    """

    data: PlatformData
    plant: System
    known: PlatformData | None = None
    controllers: Sequence[TrackingController] = CONTROLLERS
    loads: Sequence[PlatformData] = ()
    unknown: Array | None = None

    def fault(self, number: float, lost: float = -1.0) -> str:
        """Words for a value of `drives.fault`, and the actuator `drives.lost`."""
        return FAULTS[int(number)].format(tracking=TRACKING, restless=UNSTEADY, axis=ACTUATORS[int(lost)])

    def inputs(self) -> dict[str, float]:
        """Names and start values."""
        found = dict(zip((f"reference.{axis}" for axis in AXES), self.data.neutral_axes.tolist(), strict=True))
        found |= {f"reference.{axis}{end}": 0.0 for end in (".rate", ".second") for axis in AXES}
        return found | {"controller": 0.0, "state": RUNNING}

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """Drives and platform as the loop steps them."""
        if not 0 < len(self.controllers) <= len(CONTROLLERS):
            raise ModelError(f"{len(self.controllers)} controllers", element="drives", cure="give one to four")
        data, s, known = self.data, self.plant, self.known or self.data
        for one in self.controllers if self.loads else ():
            require_stable(one, self.loads, known, dt)
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
            "rated": np.array([drive_force(name, data, peak=False) for name in ACTUATORS]),
            "unknown": np.zeros(SIZE) if self.unknown is None else homed_actuators(data) * np.array(self.unknown),
            **{name: np.array(data.ends(name)) for name in ("low", "high", "speed", "acceleration")},
        }
        arrays["force_step"] = arrays["rated"] / PER_MILLE
        functions = {"geometry": geometry_function(data), "targets": target_function(data)}
        functions |= {f"control{k}": control_function(type(one), known) for k, one in enumerate(filled)}
        hold, home = hold_arrays(self.loads or [known], known), homing_arrays(data)
        memory, stepper = DriveMemoryOf(homed=float(self.unknown is None)), plant.stepper
        numbers = (
            dt, 1.0 - exp(-DERIVATIVE * dt), data.legs.shortest, data.legs.longest, leg_speed(data), TRACKING, UNSTEADY,
            exp(-dt / FADE),
        )  # fmt: skip
        structure: Any = DriveLoopOf(
            **{name: array.ctypes.data for name, array in arrays.items()},
            **{name: function.address for name, function in functions.items()},
            **{f"{name}_h": function.hoisted.ctypes.data for name, function in functions.items()},
            plant=stepper.function, plant_of=ctypes.addressof(stepper.structure), plant_u=stepper.structure.u,
            x=stepper.steps.arrays["x"].ctypes.data, m=ctypes.addressof(memory), ny=len(plant.outputs),
            hold=HoldLawOf(**{name: array.ctypes.data for name, array in hold.items()}),
            home=HomingLawOf(
                **{name: array.ctypes.data for name, array in home.items()}, report=REPORT, stalled=STALLED,
                starting=STARTING, share=SHARE, lead=LEAD, arrived=ARRIVED, patience=PATIENCE,
            ),
            **dict(zip(_NUMBERS, numbers, strict=True)),
        )  # fmt: skip
        follow_builds(structure, functions)
        library = optimised_runtime(
            "drive_loop.c", DriveLoopOf, DriveMemoryOf, HoldOf, HoldLawOf, HomingOf, HomingLawOf, package=__package__
        )
        shown = {ERROR: "m", VIOLATIONS: "", MODE: "", FAULT: "", HOMED: "", LOST: ""}
        units = plant.units | {f"{name}.force": "N" for name in ACTUATORS} | shown
        made = LoopStepper(
            (self, arrays, hold, home, functions, memory, plant),
            ctypes.cast(library.integrate, ctypes.c_void_p).value or 0,
            structure,
            (*stepper.kept, kept_numbers(memory)),
            stepper.capped,
            (*stepper.fields, *hoisted_fields(structure, functions)),
        )
        held = np.array([plant.u0[k] for k in arrays["order"]])
        y0 = np.concatenate([plant.y0, held, np.zeros(4), [memory.homed, -1.0]])
        names = [*plant.outputs, *(f"{name}.force" for name in ACTUATORS), *shown]
        return LoopModel("drives", list(inputs), arrays["u"], names, y0, units, plant.parameters, made)


def hold_arrays(loads: Sequence[PlatformData], known: PlatformData) -> dict[str, Array]:
    """Arrays of hold_law_t: gains that are stable with all loads."""
    pid, limits = pid_for(loads, known), known.limits
    brake = [limits[name].acceleration or 1.0 for name in (*TABLE, *6 * ("z",))]
    rows = (pid.stiffness, pid.damping, pid.reset, pid.weight, brake)
    return {name: np.array(row, dtype=float) for name, row in zip(_HOLD, rows, strict=True)}


def homed_actuators(data: PlatformData) -> Array:
    """1 for actuators (8,) that a platform has, 0 for the sliders of a hexapod on the ground."""
    return np.array([*data.moving[: len(TABLE)], *6 * (True,)], dtype=float)


def homing_arrays(data: PlatformData) -> dict[str, Array]:
    """Arrays of homing_law_t; an actuator that a platform does not have has no pace."""
    low, high = end_stops(data)
    speeds = HomingSpeeds()
    pace = np.array([*2 * (speeds.table,), *6 * (speeds.leg,)]) * homed_actuators(data)
    goal = np.asarray(inverse_geometry(data.neutral_axes, data)[0], dtype=float)
    push = PUSH * np.array([drive_force(name, data, peak=False) for name in ACTUATORS])
    rows = (pace, low, LONGER * (high - low), goal, np.array([*2 * QUICK[:1], *6 * QUICK[1:]]), push)
    return {name: np.ascontiguousarray(row) for name, row in zip(_HOMING, rows, strict=True)}
