"""Optimal cueing: the linear-quadratic regulator that keeps felt errors, platform motion and effort small.

    ẋ = A x + B u_s + E u,   J = ∫ (eᵀQe + ξᵀR_d ξ + u_sᵀR u_s) dt,   u_s = −K x,

where x contains the vestibular error states, the platform's motion ξ = [∫∫∫a, ∫∫a, ∫a, θ] and the scene's motion u =
[ω, a] as filtered noise. Houda 2020, section 4.3.5. As printed, the problem cannot be stabilised: the otolith's third
state and θ integrate the same input. Here the otolith's input is the error of a + g θ, with θ of the platform from ξ;
the scene's a contains its tilt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import solve_continuous_are

from symbody.elements.element import Motion, Named
from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing.method import CHANNELS, References, scaled, scene
from symbody.motion.data import Array
from symbody.motion.filter_chain import Law, Reference, smoothed
from symbody.motion.vestibular import Canal, Otolith


@dataclass(frozen=True)
class Weights:
    """Weights of optimal cueing.

    Parameters
    ----------
    felt : (float, float)
        Q of felt turn rate and acceleration. Default (1, 10).
    motion : (float, float, float, float)
        R_d of ∫∫∫a, ∫∫a, ∫a and θ. Default (0.02, 2, 0.05, 0.1).
    effort : (float, float)
        R of θ̇ and a. Default (0.1, 0.01).
    bandwidth : float
        Of the noise that models the scene (1/s). Default 1.
    """

    felt: tuple[float, float] = (1.0, 10.0)
    motion: tuple[float, float, float, float] = (0.02, 2.0, 0.05, 0.1)
    effort: tuple[float, float] = (0.1, 0.01)
    bandwidth: float = 1.0


HEXAPOD_WEIGHTS = Weights(motion=(0.1, 32.0, 1.0, 0.1))  # for a stroke of ±0.1 m


@dataclass(frozen=True)
class LinearFilter:
    """ẋ = A x + B u, y = C x + D u."""

    A: Array
    B: Array
    C: Array
    D: Array


@dataclass(frozen=True)
class Optimal:
    """Optimal cueing. With share = 1 the hexapod moves alone.

    Parameters
    ----------
    weights : Weights, optional
        Of the quadratic cost.
    share : float
        Part of the translation that the hexapod does (`redundancy.split_share`); the rest is the table's. Default 0.18.
    otolith : Otolith, optional
        Model of felt accelerations.
    canal : Canal, optional
        Model of felt turn rates.
    """

    weights: Weights = Weights()
    share: float = 0.18
    otolith: Otolith = field(default_factory=Otolith)
    canal: Canal = field(default_factory=Canal)

    @classmethod
    def hexapod(cls) -> Optimal:
        """For the hexapod alone, with weights that keep its stroke."""
        return cls(HEXAPOD_WEIGHTS, 1.0)

    @property
    def name(self) -> str:
        """The method and the part that it moves: "optimal, hexapod" or "optimal, table"."""
        return f"optimal, {'hexapod' if self.share == 1.0 else 'table'}"

    @cached_property
    def filter(self) -> LinearFilter:
        """From the scene's [ω, a] to the platform's [∫∫a, ∫a, θ, θ̇, a]."""
        return lqr_filter(self.weights, self.otolith, self.canal)

    def add(self, m: Model) -> References:
        """Add the filters of all axes."""
        found: References = {}
        for channel in CHANNELS:
            a, rate = scene(channel.axis), scaled(scene(channel.turn), channel.sign)
            x, v, tilt, tilt_rate, second = add_filter(m, channel.name, self.filter, [rate, a])
            shares = {channel.axis: self.share, f"table.{channel.axis}": 1.0 - self.share}
            for axis, share in shares.items():
                if share:
                    found[axis] = Reference(*(scaled(law, share) for law in (x, v, second)))
            angle = smoothed(m, f"{channel.name}_tilt", tilt, tilt_rate)
            found[channel.turn] = Reference(*(scaled(law, channel.sign) for law in angle))
        x, v, *_, second = add_filter(m, "heave", self.filter_of(turn=False), [scene("z")])
        found["z"] = Reference(x, v, second)
        turn, rate = add_filter(m, "yaw", self.filter_of(turn=True), [scene("yaw")])
        found["yaw"] = smoothed(m, "yaw", turn, rate)
        return found

    def filter_of(self, turn: bool) -> LinearFilter:
        """The filter of an axis without tilt: yaw (canal), or heave (otolith)."""
        return yaw_filter(self.weights, self.canal) if turn else heave_filter(self.weights, self.otolith)


def lqr_filter(weights: Weights, otolith: Otolith, canal: Canal) -> LinearFilter:
    """The filter of a direction with its tilt."""
    # x = [canal error (3), otolith error (2), ∫∫∫a, ∫∫a, ∫a, θ, ω and a of the scene]; u_s = [θ̇, a]
    turn, force, triple, x, v, tilt, rate, a = 0, 3, 5, 6, 7, 8, 9, 10
    A, B = np.zeros((11, 11)), np.zeros((11, 2))
    A[:3, :3], A[3:5, 3:5] = companion(canal.denominator()), companion(otolith.denominator())
    A[turn + 2, rate], B[turn + 2, 0] = -1.0, 1.0
    A[force + 1, [tilt, a]], B[force + 1, 1] = [GRAVITY, -1.0], 1.0
    A[triple, x] = A[x, v] = 1.0
    B[v, 1] = B[tilt, 0] = 1.0
    A[rate, rate] = A[a, a] = -weights.bandwidth
    C, D = np.zeros((6, 11)), np.zeros((6, 2))
    C[0], D[0] = report(canal, A, B, turn)
    C[1], D[1] = report(otolith, A, B, force)
    C[2:, triple : tilt + 1] = np.eye(4)
    K = regulator(A, B, C, D, [*weights.felt, *weights.motion], list(weights.effort))
    return closed(A, B, K, [rate, a], [x, v, tilt])


def heave_filter(weights: Weights, otolith: Otolith) -> LinearFilter:
    """The filter of a direction without tilt: to [∫∫a, ∫a, a]."""
    force, triple, x, v, a = 0, 2, 3, 4, 5
    A, B = np.zeros((6, 6)), np.zeros((6, 1))
    A[:2, :2] = companion(otolith.denominator())
    A[force + 1, a], B[force + 1, 0] = -1.0, 1.0
    A[triple, x] = A[x, v] = B[v, 0] = 1.0
    A[a, a] = -weights.bandwidth
    C, D = np.zeros((4, 6)), np.zeros((4, 1))
    C[0], D[0] = report(otolith, A, B, force)
    C[1:, triple : v + 1] = np.eye(3)
    K = regulator(A, B, C, D, [weights.felt[1], *weights.motion[:3]], [weights.effort[1]])
    return closed(A, B, K, [a], [x, v])


def yaw_filter(weights: Weights, canal: Canal) -> LinearFilter:
    """The filter of a turn without tilt: to [θ, θ̇]."""
    turn, angle, rate = 0, 3, 4
    A, B = np.zeros((5, 5)), np.zeros((5, 1))
    A[:3, :3] = companion(canal.denominator())
    A[turn + 2, rate], B[turn + 2, 0] = -1.0, 1.0
    B[angle, 0], A[rate, rate] = 1.0, -weights.bandwidth
    C, D = np.zeros((2, 5)), np.zeros((2, 1))
    C[0], D[0] = report(canal, A, B, turn)
    C[1, angle] = 1.0
    K = regulator(A, B, C, D, [weights.felt[0], weights.motion[3]], [weights.effort[0]])
    return closed(A, B, K, [rate], [angle])


def companion(coefficients: list[Any]) -> Array:
    """The matrix of w⁽ⁿ⁾ = u − Σ c_k w⁽ᵏ⁾ for the state w, ẇ, …"""
    n = len(coefficients)
    A = np.eye(n, k=1)
    A[-1] = -np.asarray(coefficients, dtype=float)
    return A


def report(organ: Otolith | Canal, A: Array, B: Array, first: int) -> tuple[Array, Array]:
    """Rows of C and D of what an organ reports; its states w, ẇ, … begin at `first`."""
    b = np.asarray(organ.numerator(), dtype=float)
    n = len(organ.denominator())
    C, D = np.zeros(len(A)), np.zeros(B.shape[1])
    C[first : first + min(n, len(b))] = b[:n]
    if len(b) > n:  # w⁽ⁿ⁾ is the rate of the last state
        C, D = C + b[n] * A[first + n - 1], D + b[n] * B[first + n - 1]
    return C, D


def regulator(A: Array, B: Array, C: Array, D: Array, outputs: list[float], effort: list[float]) -> Array:
    """K of u = −K x for J = ∫ (yᵀGy + uᵀRu) dt, y = C x + D u."""
    G = np.diag(outputs)
    R = np.diag(effort) + D.T @ G @ D
    cross = C.T @ G @ D
    try:
        P = solve_continuous_are(A, B, C.T @ G @ C, R, s=cross)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise ModelError(f"no regulator: {error}", element="optimal", cure="use positive weights") from None
    return np.asarray(np.linalg.solve(R, B.T @ P + cross.T), dtype=float)


def closed(A: Array, B: Array, K: Array, scene_states: list[int], read: list[int]) -> LinearFilter:
    """The regulator as a filter of the scene's motion, whose states become inputs; outputs: `read`, then u_s."""
    own = [k for k in range(len(A)) if k not in scene_states]
    closed_loop = A - B @ K
    select = np.zeros((len(read), len(A)))
    select[range(len(read)), read] = 1.0
    rows = np.vstack([select, -K])
    return LinearFilter(
        closed_loop[np.ix_(own, own)], closed_loop[np.ix_(own, scene_states)], rows[:, own], rows[:, scene_states]
    )


def add_filter(m: Model, name: str, filter: LinearFilter, inputs: list[Law]) -> list[Law]:
    """Add the states of a linear filter, NAME_optimal_0 …; returns the laws of its outputs."""
    states = [f"{name}_optimal_{k}" for k in range(len(filter.A))]

    def row(a: Array, b: Array) -> Law:
        def law(s: Motion, p: Named) -> Any:
            terms = [c * p[state] for c, state in zip(a, states, strict=True) if c]
            return sum([c * u(s, p) for c, u in zip(b, inputs, strict=True) if c], sum(terms))

        return law

    for state, a, b in zip(states, filter.A.tolist(), filter.B.tolist(), strict=True):
        m.state(state)(row(a, b))
    return [row(c, d) for c, d in zip(filter.C.tolist(), filter.D.tolist(), strict=True)]
