"""Filters for the real-time loop, in C, without allocation: alone, or together with the machine that they observe.

Loop(LiveFilter(twin)) receives measurements and outputs estimates. Loop(LiveTwin(truth, twin, sensors)) steps both. In
each period it corrects by the measurements, outputs `est.NAME` and `est.NAME.sigma`, and makes a step of the model.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from symbody.codegen import Function
from symbody.codegen.mirror import Mirror
from symbody.codegen.native import optimised_runtime
from symbody.errors import ModelError
from symbody.estimation.compiled import CompiledFilter, FilterOf
from symbody.estimation.error_state import ErrorStateFilter
from symbody.estimation.from_log import SIGMA, SURPRISING
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.state_filter import StateFilter
from symbody.realtime.parameters import JoinedParameters
from symbody.realtime.stepper import (
    CAPPED,
    NONE,
    LoopModel,
    LoopStepper,
    cut_short_at,
    follow_builds,
    hoisted_fields,
    system_model,
)
from symbody.results.channels import channel_units
from symbody.stepping.newton import Newton
from symbody.stepping.step_options import FixedStep
from symbody.suggestions import did_you_mean
from symbody.system.system import Array, System

# Prefixes of names: estimates, settings of sensors, measurements, estimates minus truth.
ESTIMATED, SENSED, SEEN, OFF = "est.", "sensors.", "measured.", "off."
NOISE = "noise"  # factors on the sensors' noise, and on the noise that the filter assumes
NIS, REFUSED = "est.nis", "est.refused"  # the largest running mean of y²/S (expected: 1); number of rejections
REMEMBERED = 300.0  # measurements in that mean
_POINTERS = (
    "filter filter_time filter_capped machine_capped machine machine_of u from given sensors memory R z last surprise "
    "y C D Pc refused compared compared_to"
)


class FilterLoopOf(Mirror):
    """filter_loop_t of filter_loop.c."""

    c_type = "filter_loop_t"
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("told", "told_h", *_POINTERS.split())),
        *((name, ctypes.c_int64) for name in ("nu", "ny", "ntold", "ngiven", "ncompared", "capped", "doubted")),
        *((name, ctypes.c_double) for name in ("surprising", "length")),
    )


@dataclass(frozen=True)
class LiveFilter:
    """A filter whose measurements are inputs of the loop: its sensors, then the machine's inputs that are known.

    A measurement counts in the step in which it arrives.

    Parameters
    ----------
    twin : StateFilter
        A filter from `sb.estimate`.
    tell : sequence of str, optional
        Outputs to estimate. Default: the states.
    """

    twin: StateFilter
    tell: Sequence[str] = ()

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """The filter as a model of the loop; it has its own step and method."""
        parts = _Parts(self.twin, self.tell, dt * substeps, steps.newton)
        s, sensors = self.twin.system, list(self.twin.sensors)
        told = [name for name in s.inputs if name not in parts.forces]
        if both := [name for name in sensors if name in told]:
            raise ModelError("a sensor and an input have the same name", element=both[0], cure="measure another output")
        expected = self.twin.mean
        u = np.array([*(expected[name] for name in sensors), *(s.u0[s.inputs.index(name)] for name in told)])
        stepper = parts.stepper({name: len(sensors) + k for k, name in enumerate(told)}, u)
        name = f"{s.model.name} estimate"
        return LoopModel(
            name, [*sensors, *told], u, parts.outputs, parts.start(), parts.units, s.parameters, stepper, tuple(sensors)
        )


@dataclass(frozen=True)
class LiveTwin:
    """A true machine and a filter that observes it through noisy sensors, both in one loop.

    Inputs: the machine's; `sensors.noise` and `est.noise`, factors on the noise and on the noise that the filter
    assumes; `sensors.NAME`, 1 if a sensor is used. Outputs: the machine's; the last measurements as `measured.NAME`;
    estimates, and their errors as `off.NAME`, each with its `.sigma`. Parameters: the machine's, and those of the
    filter's model as `est.NAME`.

    Parameters
    ----------
    truth : System
        The true machine.
    twin : StateFilter
        The filter that observes it.
    sensors : sequence of NoisySensor
        Measured channels with their noise.
    tell : sequence of str, optional
        Outputs to estimate. Default: the states.
    seed : int
        Of the noise. Default 0.
    """

    truth: System
    twin: StateFilter
    sensors: Sequence[NoisySensor]
    tell: Sequence[str] = ()
    seed: int = 0

    def loop_model(self, dt: float, substeps: int, steps: FixedStep) -> LoopModel:
        """Both as one model of the loop; `steps` are the machine's."""
        truth, s = self.truth, self.twin.system
        seen = [one.channel for one in self.sensors]
        if seen != list(self.twin.sensors):
            raise ModelError(
                f"the sensors {seen} are not those of the filter",
                element="sensors",
                cure=f"use {list(self.twin.sensors)}",
            )
        if s.parameters is truth.parameters:
            raise ModelError(
                "machine and filter share one system",
                element=s.model.name,
                cure="give the filter its own: sb.system(m)",
            )
        for name in seen:
            if name not in truth.outputs:
                raise ModelError("unknown output", element=name, cure=did_you_mean(name, truth.outputs, "outputs"))
        machine = system_model(truth, dt, steps)
        parts = _Parts(self.twin, self.tell, dt * substeps, steps.newton)
        settings = {f"{SENSED}{NOISE}": 1.0, f"{ESTIMATED}{NOISE}": 1.0} | {f"{SENSED}{name}": 1.0 for name in seen}
        u = np.array([*truth.u0, *settings.values()])
        places = {name: k for k, name in enumerate(truth.inputs) if name not in parts.forces}
        stepper = parts.stepper(places, u, machine, self._numbers(dt * substeps), self.seed)
        units, shared = {SEEN + name: machine.units[name] for name in seen}, parts.compared(machine)
        off = {f"{OFF}{name}{end}": machine.units[name] for end in ("", SIGMA) for name in shared}
        first = [machine.y0[truth.outputs.index(name)] for name in seen]
        return LoopModel(
            machine.name,
            [*machine.inputs, *settings],
            u,
            [*machine.outputs, *units, *parts.outputs, *off],
            np.concatenate([machine.y0, first, parts.start(), np.zeros(len(off))]),
            machine.units | units | parts.units | off,
            JoinedParameters([("", truth.parameters), (ESTIMATED, s.parameters)]),
            stepper,
        )

    def _numbers(self, period: float) -> Array:
        """Rows of numbers of the sensors, in the order of noisy_sensor.h."""
        rows = []
        for one in self.sensors:
            place, delay = float(self.truth.outputs.index(one.channel)), one.delay / period
            own = [one.sigma, one.bias, one.drift, one.step, one.rate or 0.0, one.low, one.high]
            rows.append([place, *own, delay, ceil(delay) + 2])
        return np.array(rows, dtype=float)


class _Parts:
    """A filter in C with its outputs, and the structure that the loop steps."""

    def __init__(self, twin: StateFilter, tell: Sequence[str], period: float, newton: Newton | None):
        if abs(twin.dt / period - 1.0) > 1e-9:
            problem = f"the filter's step is {twin.dt:g} s, but the period is {period:g} s"
            raise ModelError(problem, cure=f"run it at {1.0 / twin.dt:g} Hz, or give the filter dt={period:g}")
        if not isinstance(twin, ErrorStateFilter):
            problem, cure = f"a {type(twin).__name__} cannot run in real time", 'use filter="error-state"'
            raise ModelError(problem, element=twin.system.model.name, cure=cure)
        s = twin.system
        for name in tell:
            if name not in s.outputs:
                raise ModelError("unknown output", element=name, cure=did_you_mean(name, s.outputs, "outputs"))
        self.twin, self.filter = twin, twin.compiled(newton or CAPPED)
        self.tell, self.forces = list(tell or s.states), [one.name for one in twin.doubt.estimated]
        told = [*self.tell, *self.forces]
        names = [ESTIMATED + name for name in told]
        self.outputs = [*names, *(name + SIGMA for name in names), NIS, REFUSED]
        known = channel_units(s.model, told) | {name: s.model.inputs[name].unit for name in self.forces}
        self.units = {ESTIMATED + name + end: unit for end in ("", SIGMA) for name, unit in known.items()}
        self.units |= {NIS: "", REFUSED: ""}

    def start(self) -> Array:
        """Its outputs before the first step."""
        mean, sigma, told = self.twin.mean, self.twin.sigma, [*self.tell, *self.forces]
        return np.array([*(mean[name] for name in told), *(sigma[name] for name in told), 1.0, 0.0])

    def compared(self, machine: LoopModel | None) -> dict[str, tuple[int, int]]:
        """Estimates of the machine's own outputs: index among the estimates, and among the outputs."""
        known = machine.outputs if machine else []
        return {name: (k, known.index(name)) for k, name in enumerate(self.tell) if name in known}

    def stepper(
        self,
        places: dict[str, int],
        u: Array,
        machine: LoopModel | None = None,
        sensors: Array | None = None,
        seed: int = 0,
    ) -> LoopStepper:
        """places: indices of the filter's inputs in the loop's inputs u. machine: the machine that sensors observe."""
        c, twin = self.filter, self.twin
        n, m, ntold, nz = len(c.arrays["x"]), len(twin.doubt.unknown), len(self.tell), len(twin.sensors)
        told, inputs = c.observation(self.tell), twin.system.inputs
        compared = np.array(list(self.compared(machine).values()), dtype=np.int64).reshape(-1, 2)
        rings = 0 if sensors is None else int(np.sum(sensors[:, -1] + 1.0))
        memory = np.zeros(2 + rings)
        memory[:1].view(np.uint64)[0] = seed
        arrays: dict[str, Any] = {
            "u": u.copy(), "from": np.array([places.get(name, -1) for name in inputs], dtype=np.int64),
            "given": np.array(twin.system.u0, dtype=float), "memory": memory, "R": c.arrays["R"].copy(),
            "surprise": np.ones(nz), "refused": np.zeros(1),
            "compared": compared[:, 0].copy(), "compared_to": compared[:, 1].copy(),
            "sensors": np.zeros(0) if sensors is None else np.ascontiguousarray(sensors),
            **{name: np.zeros(size) for name, size in
               {"z": nz, "last": nz, "y": ntold, "C": ntold * n, "D": ntold * m, "Pc": n + m}.items()},
        }  # fmt: skip
        steps, watched = c.steps.structure, machine.stepper if machine else None
        structure: Any = FilterLoopOf(
            **{name: array.ctypes.data for name, array in arrays.items()},
            told=told.address, told_h=told.hoisted.ctypes.data, filter=ctypes.addressof(c.structure),
            filter_time=ctypes.addressof(steps) + type(steps).t0.offset, filter_capped=cut_short_at(steps),
            machine_capped=watched.capped if watched else NONE.ctypes.data,
            machine=watched.function if watched else None,
            machine_of=ctypes.addressof(watched.structure) if watched else None,
            nu=len(machine.inputs) if machine else 0, ny=len(machine.outputs) if machine else 0,
            ntold=ntold, ngiven=len(inputs), ncompared=len(compared), surprising=SURPRISING, length=REMEMBERED,
        )  # fmt: skip
        kept = [arrays[name] for name in ("memory", "last", "surprise", "refused", "given")]
        kept += [*(c.arrays[name].reshape(-1) for name in ("x", "P", "offset")), *_kept(c)]
        called: list[tuple[Any, dict[str, Function]]] = [
            (structure, {"told": told}), (c.structure, c.functions), (steps, c.steps.functions)
        ]  # fmt: skip
        for place, functions in called:
            follow_builds(place, functions)
        fields = [field for place, functions in called for field in hoisted_fields(place, functions)]
        if watched:
            watched.structure.u = structure.u  # the machine reads the first of the loop's inputs
            kept, fields = [*watched.kept, *kept], [*watched.fields, *fields]
        library = optimised_runtime("filter_loop.c", FilterLoopOf, FilterOf, package="symbody.realtime")
        where = ctypes.cast(library.integrate, ctypes.c_void_p).value or 0
        start = ctypes.addressof(structure)
        capped, doubted = (start + getattr(FilterLoopOf, name).offset for name in ("capped", "doubted"))
        alive = (self, arrays, watched, told)
        return LoopStepper(alive, where, structure, tuple(kept), capped, tuple(fields), doubted)


def _kept(c: CompiledFilter) -> list[Array]:
    """Arrays that the filter's steps keep between calls."""
    return [c.steps.arrays[name] for name in c.steps.KEPT]
