"""Many error-state filters on a graphics card: their estimates, covariances and measurements stay there."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from symbody.batch.of_system import REASONS, Batch
from symbody.batch.system_kernel import METHODS, KernelChoice
from symbody.errors import ModelError
from symbody.estimation.compiled import can_compile
from symbody.estimation.error_state import ErrorStateFilter
from symbody.estimation.filter_kernel import ROWS, FiltersOf, filter_kernel
from symbody.stepping.registry import suited_fixed
from symbody.system.system import Array


class DeviceFilters:
    """n filters like one, in three kernels: the covariances, a step of the models, the corrections.

    x (n, nx), covariance (n, m, m) and shares (n, sensors) are arrays of the device.
    """

    def __init__(self, like: ErrorStateFilter, device: Any, x: Array, P: Array):
        s, n, method = like.system, len(x), suited_fixed(like.system, like.setup.method).name
        if method not in METHODS or not can_compile(s):
            cure = f"use device='cpu', or a method of {', '.join(METHODS)}"
            raise ModelError(f"filters with {method} have no kernel", element=s.model.name, cure=cure)
        choice = device.suited(KernelChoice((), method))
        self.n, self._like, self._device = n, like, device
        kernel = filter_kernel(like, choice.part, choice.deep)
        wide, sensors, inputs = P.shape[-1], len(like.sensors), len(like._inputs)
        device.require(n, wide * wide + 2 * sensors + inputs + len(s.inputs))
        self._batch = Batch(s, n, device, choice, like.dt)
        self._batch.reset(x, like.t)
        self._library = device.compiled(kernel.text, FiltersOf)
        flat = device.array(P.reshape(n, wide * wide))
        self._rows = {
            "x": self._batch.x, "P": flat, "z": device.full((sensors, n), np.nan).T,
            "share": device.full((sensors, n), np.nan).T, "offset": device.array(np.tile(like._offset, (n, 1))),
        }  # fmt: skip
        self._status = device.full((n,), 0, whole=True)
        stability = like._stability
        self._shared = {
            "stability": device.array([*stability.c, *stability.of_constants] if stability else [0.0]),
            "densities": device.array([*like.doubt.densities, *(one.density for one in like.doubt.unknown)]),
            "R": device.array(like.R),
        }
        self._hoisted = [device.full((max(1, count),), 0.0) for count in kernel.hoisted]
        self._given, self._u = s.u0, self._with_offsets(s.u0)

    @property
    def t(self) -> float:
        """Time (s) of all estimates."""
        return self._batch.t

    @property
    def x(self) -> Any:
        """Estimates (n, nx)."""
        return self._batch.x

    @property
    def covariance(self) -> Any:
        """Covariances (n, m, m)."""
        flat = self._rows["P"]
        wide = round(flat.shape[1] ** 0.5)
        return flat.reshape(self.n, wide, wide)

    @property
    def shares(self) -> Any:
        """y²/S (n, sensors) of the last measurements; NaN without a measurement."""
        return self._rows["share"]

    @property
    def failures(self) -> dict[int, str]:
        """Filters that failed, and why."""
        status = self._device.numpy(self._status)
        lost = {int(i): REASONS[int(status[i])] for i in np.flatnonzero(status)}
        return lost | self._batch.failures

    def predict(self, u: Any) -> None:
        """Advance the covariances and the models by one step."""
        self._given, self._u = u, self._with_offsets(u)
        self._launch("predict")
        self._batch.step(self._u)
        self._batch.x[self._batch.frozen] = np.nan

    def correct(self, z: Any) -> None:
        """Correct by measurements (n, sensors) or (sensors,) for all."""
        self._rows["z"] = self._device.array(z)
        self._launch("correct")
        self._u = self._with_offsets(self._given)

    def _with_offsets(self, u: Any) -> Any:
        """Inputs (nu,) or (n, nu) with the estimated offsets, for each filter."""
        d, inputs = self._device, self._like._inputs
        rows = d.full((len(self._like.system.inputs), self.n), 0.0).T
        rows[...] = d.array(u)
        if inputs:
            rows[:, inputs] += self._rows["offset"]
        return rows

    def _launch(self, kernel: str) -> None:
        d, like = self._device, self._like
        parameters = d.array([float(p) for p in like.system.parameters.values()] or [0.0])
        addresses = [ctypes.c_void_p(d.place(a)[0]) for a in (parameters, *self._hoisted)]
        self._library.launch("hoist", 1, 1, d.stream(), addresses)  # parameters may have changed
        b = FiltersOf(n=self.n, t=self.t, dt=like.dt, gate=like.gate)
        for name, a in (self._rows | {"u": self._u, "guess": self._batch.dependent}).items():
            assert name in ROWS
            address, strides = d.place(a)
            setattr(b, name, address)
            row, column = [0] * (2 - len(strides)) + strides
            setattr(b, f"{name}_row", row)
            setattr(b, f"{name}_column", column)
        for name, a in self._shared.items():
            setattr(b, name, d.place(a)[0])
        b.slopes_h, b.sensors_h = (d.place(h)[0] for h in self._hoisted)
        b.status = d.place(self._status)[0]
        self._library.launch_many(kernel, self.n, d.stream(), [b])
