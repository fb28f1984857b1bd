"""A source of the real-time loop, stepped without a clock: chains of systems and other sources as a simulation."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping

import numpy as np

from symbody.errors import DivergenceError, ModelError
from symbody.model.model import Model
from symbody.realtime.stepper import LoopSource, system_model
from symbody.results.run import Run
from symbody.stepping.fixed_trajectory import step_grid
from symbody.stepping.inputs import Signal, inputs_at
from symbody.stepping.step_options import FixedStep
from symbody.system.system import System

_STEP = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *3 * [ctypes.c_int64], *2 * [ctypes.c_void_p])


class Unclocked:
    """A source with steps of dt (s): `y = steps.step()` makes one, `run = steps.run(until, inputs)` many.

    steps: method of a system; a chain has its own.
    """

    def __init__(self, source: System | LoopSource, dt: float, steps: FixedStep | None = None):
        if not 0.0 < dt < np.inf:
            raise ModelError(f"the step is {dt} s", element="dt", cure="use a positive number")
        method = steps or FixedStep()
        self.dt = dt
        self.model = (
            system_model(source, dt, method) if isinstance(source, System) else source.loop_model(dt, 1, method)
        )
        stepper = self.model.stepper
        self._function, self._where = _STEP(stepper.function), ctypes.addressof(stepper.structure)
        self._u = np.ctypeslib.as_array(
            (ctypes.c_double * max(len(self.model.inputs), 1)).from_address(stepper.structure.u)
        )
        self._row, self._status = np.array(self.model.y0, dtype=float), ctypes.c_int()
        self.done = 0

    def give(self, u: np.ndarray) -> None:
        """Set all inputs, in the order of `model.inputs`."""
        self._u[: len(u)] = u

    @property
    def row(self) -> np.ndarray:
        """The outputs of the last step, in the order of `model.outputs`; the next step overwrites them."""
        return self._row

    def step(self) -> bool:
        """One step; False if it failed."""
        self._function(self._where, self.done, 1, 1, self._row.ctypes.data, ctypes.addressof(self._status))
        self.done += 1
        return self._status.value == 0

    def run(
        self,
        until: float,
        inputs: Mapping[str, Signal],
        every: float | None = None,
        *,
        stopped: Callable[[float], None] | None = None,
        model: Model | None = None,
    ) -> Run:
        """Outputs at the beginning of each step until a time (s), at most one each `every` seconds.

        stopped: called with the time if a step fails, to raise an error that names the reason.
        """
        if not until > self.done * self.dt:
            raise ModelError(f"cannot simulate to {until:g} s", element="until", cure="give a later time")
        grid = step_grid(self.done * self.dt, until, self.dt)
        rows, often = inputs_at(self.model, inputs, grid.times), grid.every(every)
        first, values, times = self.done, [], []
        for k in range(grid.steps):
            self.give(rows[k if len(rows) > 1 else 0])
            good = self.step()
            if good and k % often == 0:
                values.append(self._row.copy())
                times.append((first + k) * self.dt)
            if not good or not np.isfinite(self._row).all():
                t = (first + k) * self.dt
                if stopped is not None:
                    stopped(t)
                problem = f"{self.model.name} diverged at t = {t:g} s"
                raise DivergenceError(problem, time=t, state=self._record(times, values, model))
        return self._record(times, values, model)

    def _record(self, times: list[float], values: list[np.ndarray], model: Model | None) -> Run:
        about = {"dt": self.dt, "model": self.model.name}
        rows = np.array(values).reshape(len(times), len(self.model.outputs))
        return Run(
            None, np.array(times), rows, names=self.model.outputs, units=self.model.units, meta=about, model=model
        )
