"""Steps a source of the real-time loop without a clock."""

import ctypes

import numpy as np

from symbody.stepping.step_options import FixedStep

STEP = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *3 * [ctypes.c_int64], *2 * [ctypes.c_void_p])


class CStage:
    """A source of the loop: `u` holds its inputs by name, `step()` returns its outputs by name."""

    def __init__(self, source, dt=1e-3):
        self.model = source.loop_model(dt, 1, FixedStep())
        self._step, self._row, self._status = (
            STEP(self.model.stepper.function),
            np.zeros(len(self.model.outputs)),
            ctypes.c_int(),
        )
        self._u = (ctypes.c_double * max(len(self.model.inputs), 1)).from_address(self.model.stepper.structure.u)
        self.steps = 0

    def give(self, **inputs):
        """Set inputs."""
        for name, value in inputs.items():
            self._u[self.model.inputs.index(name)] = value

    def step(self, **inputs):
        """One step; returns the row of outputs."""
        self.give(**inputs)
        where = ctypes.addressof(self.model.stepper.structure)
        self._step(where, self.steps, 1, 1, self._row.ctypes.data, ctypes.addressof(self._status))
        assert self._status.value == 0, f"status {self._status.value} at step {self.steps}"
        self.steps += 1
        return self._row.copy()

    def run(self, steps, inputs=lambda k: {}):
        """Several steps: outputs by name, an array each."""
        rows = np.array([self.step(**inputs(k)) for k in range(steps)])
        return dict(zip(self.model.outputs, rows.T, strict=True))
