"""Many states of a system, stepped together."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from symbody.batch.cpu import CpuBatch
from symbody.batch.lanes import LaneDevice
from symbody.batch.system_kernel import HOISTED, KernelChoice, system_kernel
from symbody.codegen.function import Array
from symbody.codegen.targets.kernel import PRECISIONS
from symbody.errors import ModelError
from symbody.stepping.start_state import own_start, watched
from symbody.system.linear import Linear
from symbody.system.named_values import listed, require_known
from symbody.system.programs import jacobian_program
from symbody.system.system import System, system

REASONS = {  # the statuses of rollout.h.in
    1: "a state or a rate is not finite",
    2: "the loops are near a singular position",
    3: "Newton's method of the implicit step does not converge; use a shorter step",
    4: "a limit of the model is reached",
    7: "the step is too long: the loops closed in another position; use a shorter step",
}
Inputs = Any  # (nu,), (n, nu), (steps, n, nu) or name → number or (n,)


@dataclass(frozen=True)
class BatchRun:
    """Channels of all states over time. `values` is an array of the device.

    Parameters
    ----------
    t : array, shape (rows,)
        Times (s).
    channels : list of str
        Names of the channels.
    values : array of the device, shape (rows, n, m)
        Of m channels; NaN after a state was frozen.
    failures : dict of int to str
        When and why a state was frozen, by its number.
    """

    t: Array
    channels: list[str]
    values: Any
    failures: dict[int, str]

    def __getitem__(self, name: str) -> Any:
        """A channel (rows, n)."""
        require_known([name], self.channels, "channel")
        return self.values[:, :, self.channels.index(name)]


class SavedStates(NamedTuple):
    """States of a batch at a time, as `Batch.save` returns them.

    Parameters
    ----------
    x : array, shape (n, nx)
        States.
    guess : array
        Dependent coordinates.
    status : array of int, shape (n,)
        Why each state was frozen; 0 while it runs.
    made : array of int, shape (n,)
        Steps of each state when it was frozen.
    t0 : float
        Time of the start (s).
    steps : int
        Steps since the start.
    """

    x: Any
    guess: Any
    status: Any
    made: Any
    t0: float
    steps: int


class Batch:
    """n states of one system, which step together. `batch` makes batches.

    x : (n, nx) array of the device, the present states. t : time (s) of all states.

    Parameters
    ----------
    s : System
        The system of all states.
    n : int
        Number of states.
    device
        Where the states are computed: the processor or a card.
    choice : KernelChoice
        The compiled kernel of a step.
    dt : float
        Step (s).
    """

    def __init__(self, s: System, n: int, device: Any, choice: KernelChoice, dt: float):
        self.system, self.n, self.dt, self.device, self.choice = s, n, dt, device, choice
        made = system_kernel(s, choice)
        self.sizes, self.channels = made.sizes, made.channels
        device.require(n, sum(made.sizes[word] for word in ("NX", "ND", "NP", "NU")) + 2)
        self.kernel = device.load(made)
        self._parameters: Any = None
        self.reset()

    # -- states ------------------------------------------------------------------------------------------------------

    def reset(self, x: Any = None, t: float = 0.0, guess: Any = None) -> None:
        """Start again: at the start of the system, or at states x (n, nx) or (nx,). Frozen states go on.

        guess: dependent coordinates (n, nd) or (nd,) near which the loops close; default: found from the start of the
        system, where the last digits depend on earlier calls.
        """
        s, nx, nd, d = self.system, self.sizes["NX"], self.sizes["ND"], self.device
        if x is None:
            x, guess = s.x0, s.start_guess
        else:
            x = np.asarray(d.numpy(d.array(x)))
            if x.shape not in ((nx,), (self.n, nx)):
                raise ValueError(f"x has the shape {x.shape}; expected ({nx},) or ({self.n}, {nx})")
            if guess is None:
                guess = s.dependent(t, x) if nd else s.start_guess
        self._t0, self._steps = t, 0
        self.x = d.array(np.array(np.broadcast_to(x, (self.n, nx))))
        self._guess = d.array(np.array(np.broadcast_to(guess, (self.n, nd))))
        self._status = d.full((self.n,), 0, whole=True)
        self._made = d.full((self.n,), 0, whole=True)

    def move(self, x: Any, t: float) -> None:
        """Go to states x (n, nx) near the present ones, at a time (s); loops are closed nearest to the present ones.

        Frozen states go on. Unlike `reset`, no path from the start is followed.
        """
        self.x[...] = self.device.array(x)
        self._status[...] = 0
        self._t0, self._steps = t, 0

    @property
    def dependent(self) -> Any:
        """Dependent coordinates (n, nd) of the present states, after a step."""
        return self._guess

    def put(self, rows: Any, x: Any) -> None:
        """Set the states x (k, nx) of k rows, given as a mask or indices; if they were frozen, they go on."""
        d, known = self.device, np.asarray(self.device.numpy(self.device.array(x)), dtype=float)
        self.x[rows] = d.array(x)
        if self.sizes["ND"]:
            self._guess[rows] = d.array(self.system.dependent(self.t, known))
        self._status[rows] = 0

    def save(self) -> SavedStates:
        """A copy of the present states, for `restore`."""
        x, guess, status, made = (self.device.copied(x) for x in (self.x, self._guess, self._status, self._made))
        return SavedStates(x, guess, status, made, self._t0, self._steps)

    def restore(self, saved: SavedStates) -> None:
        """Go back to saved states, on the device."""
        for x, before in zip((self.x, self._guess, self._status, self._made), saved, strict=False):
            x[...] = before
        self._t0, self._steps = saved.t0, saved.steps

    @property
    def t(self) -> float:
        """Time (s) of all states that are not frozen."""
        return self._t0 + self._steps * self.dt

    @property
    def frozen(self) -> Any:
        """Which states are frozen: an array (n,) of the device."""
        return self._status != 0

    @property
    def failures(self) -> dict[int, str]:
        """States that are frozen: when and why."""
        status = self.device.numpy(self._status)
        lost = np.flatnonzero(status)
        if not len(lost):
            return {}
        made = self.device.numpy(self._made)
        return {
            i: f"frozen at t = {self._t0 + float(made[i]) * self.dt:.6g} s: {REASONS[int(status[i])]}"
            for i in lost.tolist()
        }

    @cached_property
    def _pivots(self) -> Any:
        start = watched(own_start(self.system), 0.0, self.system.u0)
        return self.device.array(1.0 / start.pivots)

    # -- parameters and inputs -----------------------------------------------------------------------------------------

    def set_parameters(self, values: Mapping[str, Any]) -> None:
        """Parameters of each state: name → (n,) or a number. The others have the values of the system."""
        if not self.choice.per_state:
            raise ModelError("the parameters of this batch are shared", cure="use sb.batch(…, per_state=True)")
        require_known(list(values), list(self.system.parameters), "parameter")
        rows = np.tile([float(p) for p in self.system.parameters.values()], (self.n, 1))
        for k, name in enumerate(self.system.parameters):
            if name in values:
                rows[:, k] = self.device.numpy(self.device.array(values[name]))
        self._parameters = self.device.array(rows)

    def _hoisted(self) -> list[Any]:
        """Shared values that depend on parameters only."""
        arrays = [self.device.full((max(1, self.sizes[f"{word}_H"]),), 0.0) for word in HOISTED]
        if not self.choice.per_state and self.sizes["NP"]:
            p = self.device.array(np.array([float(x) for x in self.system.parameters.values()]))
            addresses = (ctypes.c_void_p * len(arrays))(*[self.device.place(h)[0] for h in arrays])
            self.kernel.hoist(self.device.place(p)[0], addresses)
        return arrays

    def _inputs(self, given: Inputs, steps: int, linear: bool = False) -> Any:
        """An array of the device: (nu,), (n, nu) or (steps, n, nu); linear: (steps + 1, n, nu) or (steps + 1, nu)."""
        s, nu, n = self.system, self.sizes["NU"], self.n
        if given is None:
            return self.device.array(s.u0)
        if isinstance(given, Mapping):
            require_known(list(given), s.inputs, "input")
            rows = np.tile(s.u0, (n, 1))
            for name, value in given.items():
                rows[:, s.inputs.index(name)] = self.device.numpy(self.device.array(value))
            return self.device.array(rows)
        u = self.device.array(given)
        held: list[tuple[int, ...]] = [(nu,), (n, nu), (steps, n, nu)]
        allowed = [(steps + 1, n, nu), (steps + 1, nu)] if linear else held
        if tuple(u.shape) not in allowed:
            expected = " or ".join(map(str, allowed))
            raise ValueError(f"inputs have the shape {tuple(u.shape)}; expected {expected}, or name → values")
        return u

    # -- steps -------------------------------------------------------------------------------------------------------

    def step(self, inputs: Inputs = None, steps: int = 1) -> Any:
        """The states (n, nx) after some steps with held inputs; frozen states do not move."""
        self._run(steps, inputs, 0)
        return self.x

    def rollout(self, steps: int, inputs: Inputs = None, *, every: int = 1, linear: bool = False) -> BatchRun:
        """Steps from the present states; channels are recorded at multiples of `every` steps.

        Parameters
        ----------
        steps : int
            Number of steps.
        inputs : array or mapping, optional
            (nu,) or (n, nu): held; (steps, n, nu): held over each step; or name → number or (n,).
        every : int
            Steps between two records.
        linear : bool
            Inputs are (steps + 1, n, nu), or (steps + 1, nu) for all states, and linear between steps.

        Returns
        -------
        BatchRun
            Channels (rows, n, channels), and failures.
        """
        if every < 1:
            raise ValueError(f"every={every}; expected at least 1")
        t, rows = self.t, steps // every + 1
        y = self._run(steps, inputs, every, rows, linear)
        times = np.asarray(t + np.arange(rows) * every * self.dt, dtype=np.float64)
        return BatchRun(times, self.channels, y, self.failures)

    def _run(self, steps: int, inputs: Inputs, every: int, rows: int = 0, linear: bool = False) -> Any:
        if steps < 1:
            raise ValueError(f"steps={steps}; expected at least 1")
        if self.choice.per_state and self._parameters is None:
            self.set_parameters({})
        d, z = self.device, self.sizes
        u, h = self._inputs(inputs, steps, linear), self._hoisted()
        d.require(self.n, rows * z["NY"])
        y = d.full((rows, z["NY"], self.n), np.nan) if rows and z["NY"] else None
        b = self.kernel.structure(n=self.n, steps=steps, every=every if y is not None else 0, t0=self._t0, dt=self.dt)
        b.first = self._steps
        b.x, (b.x_row, b.x_column) = d.place(self.x)
        b.guess, (b.guess_row, b.guess_column) = d.place(self._guess)
        b.u, strides = d.place(u)
        if linear and len(strides) == 2:
            strides = [strides[0], 0, strides[1]]
        b.u_step, b.u_row, b.u_column = [0] * (3 - len(strides)) + strides
        b.linear = int(linear)
        if self._parameters is not None:
            b.p, (b.p_row, b.p_column) = d.place(self._parameters)
        if y is not None:
            b.y, (b.y_step, b.y_column, b.y_row) = d.place(y)
        b.rates_h, b.outputs_h, b.jacobian_h, b.limits_h = (d.place(x)[0] for x in h)
        b.pivots, b.status, b.made = (d.place(x)[0] for x in (self._pivots, self._status, self._made))
        self.kernel.rollout(b)
        self._steps += steps
        return None if y is None else y.swapaxes(1, 2)

    def linear(self, inputs: Inputs = None) -> Linear:
        """`System.linear` at the present states: a matrix for each state, on the device. As a sequence: A, B, C, D."""
        if self.choice.per_state:
            raise ModelError("linear needs shared parameters", cure="use a batch without per_state=True")
        given = self._inputs(inputs, 1)
        u = self.device.array(given if given.ndim == 1 else given.reshape(self.n, -1))
        t, guess = np.array([self.t]), self._guess if self.sizes["ND"] else self.system.start_guess
        s = self.system
        A, C, B, D, P, S = (
            y.reshape(self.n, *shape)
            for y, shape in zip(
                self._jacobian(t, self.x, u, guess), s.jacobian_function.signature.outputs.values(), strict=True
            )
        )
        names = s.model.name, s.states, s.inputs, s.outputs, list(s.parameters)
        return Linear(A, B, C, D, P, S, *names, self.t, self.x, u)

    @cached_property
    def _jacobian(self) -> Any:
        """(t, x, u, guess) → the six matrices of each state, on the device."""
        s = self.system
        if self.device.name == "cpu":
            return CpuBatch(s.jacobian_function)
        from symbody.batch.cuda_function import CudaFunction

        program = s.make(lambda traced: jacobian_program(traced, s.definition.wanted))
        return CudaFunction(s.jacobian_function, self.choice.precision, program=program)


def batch(
    what: Any,
    n: int,
    *,
    device: str = "cpu",
    dt: float = 1e-3,
    method: str = "rk4",
    channels: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    per_state: bool = False,
    precision: str = "double",
    x: Any = None,
    threads: int | None = None,
) -> Batch:
    """Many states of one system at once: `b = sb.batch(s, 10_000)`.

    Parameters
    ----------
    what : System or Model
        The system; its laws must be expressions.
    n : int
        Number of states.
    device : str
        "cpu" (default): a state in each lane of the vectors, on all cores. "cuda": a state in each thread of the
        graphics card; arrays are those of PyTorch or CuPy.
    dt : float
        Step (s).
    method : str
        A method of `symbody.batch.system_kernel.METHODS`; default "rk4".
    channels : sequence of str
        Outputs that `rollout` records.
    parameters : mapping, optional
        Parameters of each state: name → (n,) or a number.
    per_state : bool
        Whether `set_parameters` may give each state its own parameters; True if `parameters` are given.
    precision : str
        "double" (default) or "single": twice as many states in the vectors of the processor, and faster on a card.
    x : array, optional
        States (n, nx) or (nx,). Default: the start of the system.
    threads : int, optional
        Threads on the processor. Default: one per core.

    Returns
    -------
    Batch
        With `step`, `rollout` and `linear`.

    Raises
    ------
    ModelError, CompileError
        If a law is a function in Python or C, or the device is missing.

    Examples
    --------
    >>> import symbody as sb
    >>> b = sb.batch(sb.machines.model("pendulum"), 100, dt=1e-3, channels=["bob.q"])
    >>> run = b.rollout(10)
    """
    if n < 1:
        raise ValueError(f"n={n}; expected at least 1")
    if not dt > 0.0:
        raise ValueError(f"dt={dt}; expected a positive step (s)")
    s = what if isinstance(what, System) else system(what)
    names = tuple(listed(channels) or ())
    place = device_of(device, precision, threads)
    choice = KernelChoice(names, method, per_state or bool(parameters), precision)
    made = Batch(s, n, place, place.suited(choice), dt)
    if parameters:
        made.set_parameters(parameters)
    if x is not None:
        made.reset(x)
    return made


def device_of(name: str, precision: str = "double", threads: int | None = None) -> Any:
    """A device by its name: "cpu" or "cuda"."""
    if name == "cpu":
        if precision not in PRECISIONS:
            raise ModelError(f"unknown precision '{precision}'", cure=f"use {' or '.join(PRECISIONS)}")
        return LaneDevice(threads, precision)
    if name == "cuda":
        from symbody.batch.cuda import CudaDevice

        return CudaDevice(precision)
    raise ModelError(f"unknown device '{name}'", cure="use 'cpu' or 'cuda'")
