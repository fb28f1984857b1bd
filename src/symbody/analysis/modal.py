"""Modal analysis: eigenvalues and modes of the exact linearisation, including loops and quaternions.

δż = A δz,   A m = λ m,   ω = |λ|,   ζ = −Re λ/|λ|
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from symbody.analysis.arguments import Inputs, given_system
from symbody.analysis.eigenvalues import eigenvalues, felt_displacements
from symbody.analysis.equilibrium import STABILITY, Equilibrium, equilibrium
from symbody.analysis.tangent_coordinates import displaced, state_sizes, tangent, tangent_matrix
from symbody.errors import ModelError, SingularityError
from symbody.files.safe_file import FilePath
from symbody.html_text import object_html
from symbody.model.model import Model
from symbody.results.run import Run
from symbody.stepping.inputs import inputs_over_time
from symbody.system.assembly import constraint_function
from symbody.system.motion_names import velocity_names
from symbody.system.named_values import State, state_vector
from symbody.system.state_indices import velocity_places
from symbody.system.system import Array, System

AMPLITUDE = 0.1  # m or rad, of the largest coordinate in the animation of a mode
FRAMES = 61
SHOWN = 3.0  # time constants of a non-oscillating mode in its animation
NOTHING = 1e-9  # smaller components of a mode are rounding errors
PARTICIPATES = 0.1  # the table names displacements from this share of the largest one


@dataclass(frozen=True)
class Mode:
    """An eigenvalue λ (1/s) and its shape over the states; the largest displacement with influence is 1."""

    eigenvalue: complex
    kind: str  # "rigid", "oscillation", "decay", "growth"
    shape: dict[str, complex]  # by state; for an oscillation the half with positive frequency
    error: float = 0.0  # 1/s: error bound of the eigenvalue due to rounding; a mode below it is called rigid

    @property
    def frequency(self) -> float:
        """Undamped natural frequency |λ|/2π (Hz)."""
        return abs(self.eigenvalue) / (2 * np.pi) if self.kind == "oscillation" else 0.0

    @property
    def damped(self) -> float:
        """Damped natural frequency Im λ/2π (Hz)."""
        return self.eigenvalue.imag / (2 * np.pi) if self.kind == "oscillation" else 0.0

    @property
    def damping(self) -> float | None:
        """Damping ratio ζ = −Re λ/|λ|; None if it does not oscillate."""
        return 0.0 - self.eigenvalue.real / abs(self.eigenvalue) if self.kind == "oscillation" else None

    @property
    def time_constant(self) -> float:
        """−1/Re λ (s); infinite without decay, negative if the mode grows."""
        return -1.0 / self.eigenvalue.real if self.kind != "rigid" and self.eigenvalue.real else np.inf


@dataclass(frozen=True)
class Modes:
    """The modes about a state, slowest first: `modes[0].frequency`, `print(modes)`."""

    system: System
    t: float
    x: Array
    u: Array
    residual: float  # largest acceleration at the state; modes mean little if it is not small
    A: Array  # over tangent coordinates, velocities, states
    vectors: Array  # eigenvectors as columns over the same
    felt: Array  # whether any rate depends on a displacement; false for drifting coordinates
    modes: list[Mode]
    stable: bool | None  # whether no mode grows; None if rounding errors hide it

    def __getitem__(self, k: int) -> Mode:
        return self.modes[k]

    def __len__(self) -> int:
        return len(self.modes)

    @property
    def frequencies(self) -> Array:
        """Undamped natural frequencies (Hz) of the oscillations."""
        return np.array([mode.frequency for mode in self.modes if mode.kind == "oscillation"])

    @property
    def dampings(self) -> Array:
        """Damping ratios of the oscillations."""
        return np.array([mode.damping for mode in self.modes if mode.kind == "oscillation"])

    @property
    def table(self) -> list[dict[str, Any]]:
        """One record per mode: Hz, damping ratio, s, and the states that move."""
        return [
            {
                "mode": k,
                "kind": mode.kind,
                "frequency_hz": mode.frequency or None,
                "damped_hz": mode.damped or None,
                "damping": mode.damping,
                "time_constant_s": mode.time_constant if np.isfinite(mode.time_constant) else None,
                "moves": self._moving(k),
            }
            for k, mode in enumerate(self.modes)
        ]

    def _moving(self, k: int) -> list[str]:
        """Participating displacements and states, the largest first; velocities only if nothing else participates."""
        s, nv = self.system, len(self.system.layout.velocities)
        names = [*displacement_names(s), *s.states[len(s.layout.coordinates) :]]
        sizes = np.abs(self.vectors[:, k])
        rolling = len(s.layout.tied)  # tied coordinates follow the others
        felt = np.r_[self.felt, np.zeros(nv + rolling, dtype=bool), np.ones(len(s.model.states), dtype=bool)]
        sizes = sizes * felt if np.any(sizes * felt > NOTHING) else sizes
        least = max(PARTICIPATES * sizes.max(), NOTHING)
        return [names[i] for i in np.argsort(-sizes, kind="stable") if sizes[i] >= least]

    @cached_property
    def _whole(self) -> Array:
        """Matrix from the velocities in x to the velocities of all degrees of freedom."""
        s = self.system
        nq, nv = len(s.layout.coordinates), len(s.layout.velocities)
        rest = self.x.copy()
        rest[nq : nq + nv] = 0.0
        near = s.dependent(self.t, self.x, self.u)
        zero = s.motion(self.t, rest, self.u, near)[1]
        columns = []
        for k in range(nv):
            rest[nq : nq + nv] = np.eye(nv)[k]
            columns.append(s.motion(self.t, rest, self.u, near)[1] - zero)
        return np.array(columns).reshape(nv, len(zero)).T

    def _loops_follow(self, tied: list[int]) -> Array:
        """Displacements of all degrees of freedom caused by the tied ones, with the free ones at rest."""
        s, parts = self.system, self.system.partition
        ways = np.zeros((s.model.nv, len(tied)))
        ways[tied] = np.eye(len(tied))
        loops = constraint_function(s.live_model)
        if loops is not None and parts.dependent:
            J = loops(s.motion(self.t, self.x, self.u)[0]).J[list(parts.rows)]
            ways[list(parts.dependent)] = np.linalg.solve(J[:, list(parts.dependent)], -J[:, tied])
        return ways

    def whole(self, k: int) -> dict[str, complex]:
        """A mode's displacements of all degrees of freedom of the model, including dependent ones, by velocity name.

        Scaled as the mode's shape. Multiplied by λ they are velocities.
        """
        nv, tied = len(self.system.layout.velocities), sorted(self.system.partition.tied)
        moved = self._whole @ self.vectors[:nv, k]
        if len(self.system.layout.tied):  # tied coordinates have their own displacements; the loops follow them
            moved += self._loops_follow(tied) @ (self.vectors[2 * nv : 2 * nv + len(tied), k] - moved[tied])
        return {name: complex(x) for name, x in zip(velocity_names(self.system.model), moved, strict=True)}

    def motion(self, k: int, amplitude: float = AMPLITUDE, frames: int = FRAMES) -> Run:
        """A mode as a run: one undamped period, or some time constants of a mode that does not oscillate.

        amplitude: of the coordinate that moves most (m or rad); it is reduced if the loops do not close.
        """
        if not -len(self) <= k < len(self):
            raise ModelError(f"there is no mode {k}", cure=f"give a number from 0 to {len(self) - 1}")
        own = self.vectors[: len(self.felt), k]
        seen = own * self.felt if np.any(np.abs(own * self.felt) > NOTHING) else own
        largest = max(float(np.abs(self._whole @ seen).max(initial=0.0)), 1e-3)
        for _ in range(10):
            found = self._motion(k, amplitude / largest, frames)
            if np.all(np.isfinite(found.values)):
                return found
            amplitude /= 2
        raise SingularityError(f"{self.system.model.name}: the loops do not close along mode {k}")

    def _motion(self, k: int, scale: float, frames: int) -> Run:
        s, mode, guess = self.system, self.modes[k], self.system.dependent(self.t, self.x, self.u)
        t, phases = _course(mode, frames)
        shape = tangent(s, self.x) @ self.vectors[:, k]
        rows = []
        for phase in phases:
            x = displaced(s, self.x, scale * (phase * shape).real)
            found = s.rates_function(np.array([self.t]), x, self.u, guess)
            guess = found.v if np.all(np.isfinite(found.v)) else guess
            rows.append(s.outputs_function(np.array([self.t]), x, self.u, guess))
        return Run(s, t, np.array(rows))

    def animate(self, k: int, path: FilePath | None = None, amplitude: float = AMPLITUDE, **options: Any) -> Any:
        """Animate a mode, one cycle per second, as `Run.animate`: a page in a notebook, or a file .html, .gif, .mp4."""
        run = self.motion(k, amplitude)
        return run.animate(path, **{"speed": float(run.t[-1]), **options})

    def __str__(self) -> str:
        lines = [f"{'mode':>4}  {'kind':12}{'Hz':>10}{'damping':>10}{'time constant':>15}  moves"]
        for record in self.table:
            hz, damping, constant = (record[key] for key in ("frequency_hz", "damping", "time_constant_s"))
            numbers = "".join(
                f"{'-' if x is None else f'{x:.4g}':>{w}}" for x, w in ((hz, 10), (damping, 10), (constant, 15))
            )
            lines.append(f"{record['mode']:>4}  {record['kind']:12}{numbers}  {', '.join(record['moves'])}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = {"stability": STABILITY[self.stable], "residual": self.residual}
        return object_html(f"Modes of {self.system.model.name}", rows, self.table)

    def __repr__(self) -> str:
        return f"<Modes of {self.system.model.name}: {len(self)}, {STABILITY[self.stable]}>"


def modal(
    what: System | Model,
    at: Equilibrium | State | None = None,
    inputs: Inputs | None = None,
    **options: Any,
) -> Modes:
    """Natural frequencies (Hz), damping ratios and mode shapes of a system, linearised about an equilibrium.

    Parameters
    ----------
    what : System or Model
        A model is compiled with the inputs that are given.
    at : Equilibrium, mapping or array of shape (len(s.states),), optional
        An equilibrium or a state, by name or in the order of `s.states` (default: the equilibrium near the initial
        state).
    inputs : mapping, optional
        As in `equilibrium`.
    **options
        Options of `equilibrium`, used without `at`.

    Returns
    -------
    Modes
        The modes, slowest first.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("quarter-car")
    >>> modes = sb.modal(m)
    >>> [round(mode["frequency_hz"], 2) for mode in modes.table]
    [1.14, 12.28]
    """
    s, signals = given_system(what, inputs)
    where = at if isinstance(at, Equilibrium) else None
    if where is None and at is None:
        where = equilibrium(s, inputs=signals, **options)
    if where is not None:
        t, x, u = where.t, where.x, where.u
    else:
        t, x, u = 0.0, np.array(state_vector(s, cast(State, at))), np.array(inputs_over_time(s, signals)(0.0))
    A = tangent_matrix(s, t, x, u)
    nq = len(s.layout.coordinates)
    residual = float(np.abs(s.rates(t, x, u)[nq:]).max(initial=0.0))
    sizes = state_sizes(s)
    felt = felt_displacements(A, len(s.layout.velocities), sizes)
    found = eigenvalues(A, len(felt), sizes, len(s.layout.tied))
    values, errors = found.values.copy(), found.errors
    values.real[np.abs(values.real) <= errors] = 0.0
    rigid = np.abs(found.values) <= errors
    real = np.abs(values.imag) <= errors  # also a real pair that rounding has made complex
    chosen = [k for k in range(len(values)) if values[k].imag >= 0.0 or real[k]]
    chosen.sort(key=lambda k: (not rigid[k], abs(values[k]), -values[k].real))
    T = tangent(s, x)
    shapes = np.array([_scaled(found.vectors[:, k], felt) for k in chosen]).reshape(len(chosen), len(A)).T
    modes = [
        Mode(
            complex(values[k]),
            kind(values[k], errors[k]),
            dict(zip(s.states, map(complex, T @ z), strict=True)),
            float(errors[k]),
        )
        for k, z in zip(chosen, shapes.T, strict=True)
    ]
    return Modes(s, t, x, u, residual, A, shapes, felt, modes, found.stable)


def kind(value: complex, error: float) -> str:
    """The kind of a mode, given its eigenvalue and the error bound."""
    if abs(value) <= error:
        return "rigid"
    if abs(value.imag) > error:
        return "oscillation"
    return "decay" if value.real < 0.0 else "growth"


def displacement_names(s: System) -> list[str]:
    """Names of the tangent coordinates: `arm.q`; for quaternions the angular velocity about that axis, `base.wx`."""
    nq = len(s.layout.coordinates)
    names = s.states[nq : nq + len(s.layout.velocities)]
    for k, place in enumerate(velocity_places(s)):
        if place >= 0:
            names[place - nq] = s.states[k]
    return names


def _scaled(z: Array, felt: Array) -> Array:
    """The same mode, scaled so that its largest displacement with influence (else its largest number) is 1."""
    z = z / np.abs(z).max()
    own = z[: len(felt)] * felt
    own = own if np.abs(own).max(initial=0.0) > NOTHING else z
    return np.asarray(z / own[int(np.argmax(np.abs(own)))])


def _course(mode: Mode, frames: int) -> tuple[Array, Array]:
    """Times and the factor e^λt: one undamped cycle of an oscillation; rigid motions move to and fro."""
    turn = np.linspace(0.0, 1.0, frames)
    if mode.kind == "oscillation":
        return turn / mode.damped, np.exp(2j * np.pi * turn)
    if mode.kind == "rigid":
        return turn, np.sin(2 * np.pi * turn).astype(complex)
    t = turn * SHOWN * abs(mode.time_constant)
    course = np.exp(mode.eigenvalue.real * t)
    return t, (course / course.max()).astype(complex)
