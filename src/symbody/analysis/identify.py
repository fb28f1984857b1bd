"""Identification of inertial parameters: weighted least squares on joint torques, ground reactions, or both.

Measurements are linear in the parameters, y = Y(q, q̇, q̈)·δ. Only the base parameters β of δ are observable:
β = argmin Σ (y − Y_b β)²/σ², with covariance (Y_bᵀ Σ⁻¹ Y_b)⁻¹.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbody.analysis.base_parameters import (
    Array,
    BaseParameters,
    base_parameters,
    grouped,
    inertial_names,
    inertial_values,
    regressor,
)
from symbody.equations.compile import compile
from symbody.errors import ModelError
from symbody.model.model import Model
from symbody.system.options import XYZ

REACTIONS = tuple(f"ground.reaction.{kind}.{axis}" for kind in ("force", "torque") for axis in XYZ)
SIGNIFICANT = 3.0  # standard deviations from zero
REWEIGHTED = 3  # rounds in which the noise is estimated from the residuals
EXACT = 1e-9  # share of a measurement's size that is rounding, not noise
UNSEEN = 1e10  # condition number beyond which a motion does not excite all base parameters


@dataclass(frozen=True)
class Identified:
    """Base parameters with standard deviations, the condition of their excitation, and the measurement noise."""

    base: BaseParameters
    names: list[str]  # base parameters as sums over inertial ones, then friction
    values: Array
    covariance: Array
    before: Array  # the values of the model
    condition: float  # of the weighted regressor with columns of equal length
    noise: dict[str, float]  # standard deviation by measurement (N, N m)
    samples: int

    @property
    def deviations(self) -> Array:
        """Standard deviations."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def significance(self) -> Array:
        """Distance of each parameter from zero in standard deviations."""
        return np.asarray(np.abs(self.values) / self.deviations)

    @property
    def table(self) -> list[dict[str, Any]]:
        """One record per base parameter: identified value, deviation, significance, value of the model."""
        columns = zip(self.names, self.values, self.deviations, self.significance, self.before, strict=True)
        return [
            {
                "parameter": name, "value": float(x), "deviation": float(sigma),
                "significant": "yes" if t > SIGNIFICANT else "no", "model": float(b),
            }
            for name, x, sigma, t, b in columns
        ]  # fmt: skip

    def __repr__(self) -> str:
        seen = int(np.sum(self.significance > SIGNIFICANT))
        return f"<Identified {len(self.names)} parameters, {seen} significant; condition {self.condition:.3g}>"


def identify(
    model: Model,
    q: Array,
    qd: Array,
    qdd: Array,
    *,
    torques: Array | None = None,
    reactions: Array | None = None,
    sigma: Mapping[str, float] | None = None,
    friction: bool = False,
) -> Identified:
    """Identify the base parameters of a model from a measured motion by weighted least squares.

    Parameters
    ----------
    model : Model
        The model; its inertial parameters are the values to compare with.
    q : array, shape (n, nq)
        Coordinates (rad, m), one row per instant; (n,) for a single joint.
    qd, qdd : array, shape (n, nv)
        Velocities and accelerations, one row per instant; (n,) for a single joint.
    torques : array, shape (n, nv), optional
        Forces of all joints (N, N m), zero in joints without an actuator. With loops, q must close them.
    reactions : array, shape (n, 6), optional
        Force (N) and torque (N m) of the ground about its origin.
    sigma : mapping name → float, optional
        Standard deviations by "JOINT.Q" and by the names in `REACTIONS`. Missing ones are estimated from the residuals.
    friction : bool
        Also identify viscous and Coulomb friction of each joint; needs torques (default False).

    Returns
    -------
    Identified
        Base parameters with covariance, condition number and noise.

    Raises
    ------
    ModelError
        If nothing was measured, a shape is wrong, or the motion does not excite all parameters.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> motion = sb.excitation(m, period=5.0, tries=2)
    >>> torques = sb.compile(m, "inverse")(motion.q, motion.qd, motion.qdd)
    >>> found = sb.identify(m, motion.q, motion.qd, motion.qdd, torques=torques)
    """
    motion = [_instants(x, width) for x, width in ((q, model.nq), (qd, model.nv), (qdd, model.nv))]
    torques = None if torques is None else _instants(torques, model.nv)
    reactions = None if reactions is None else _instants(reactions, len(REACTIONS))
    blocks = _blocks(model, motion, torques, reactions, friction)
    Y = np.vstack([block.Y.reshape(-1, block.Y.shape[-1]) for block in blocks])
    inertial = 10 * len(model.bodies)
    base = _base(model, Y[:, :inertial], torques is not None, reactions is not None)
    kept = [*base.independent, *range(inertial, Y.shape[1])]
    rubbing = [f"{name}.{kind}" for kind in ("viscous", "coulomb") for name in model.velocities] if friction else []
    names = [*base.expressions, *rubbing]
    noise = {name: (sigma or {}).get(name, 0.0) for block in blocks for name in block.names}
    estimated = [name for name, given in noise.items() if given <= 0.0]
    noise |= dict.fromkeys(estimated, 1.0)
    fit = _fit([block.whitened(noise, kept) for block in blocks], names)
    for _ in range(REWEIGHTED if estimated else 0):
        left = {name: x for block in blocks for name, x in block.left(fit.values, kept).items()}
        noise |= {name: left[name] for name in estimated}
        fit = _fit([block.whitened(noise, kept) for block in blocks], names)
    before = np.r_[base.combinations @ inertial_values(model), np.zeros(len(rubbing))]
    return Identified(base, names, fit.values, fit.covariance, before, fit.condition, noise, len(motion[0]))


# -- the measurements as linear equations ----------------------------------------------------------------------------


@dataclass(frozen=True)
class RegressorBlock:
    """y = Y δ for one kind of measurement; with loops, projected on the directions that the loops leave free."""

    names: list[str]
    Y: Array  # (instants, rows, parameters)
    y: Array  # (instants, rows)
    mixed: Array | None = None  # (instants, measurements, rows): rows = mixedᵀ measurements

    def whitened(self, noise: Mapping[str, float], kept: Sequence[int]) -> tuple[Array, Array]:
        """Equations whose errors have a standard deviation of one."""
        sigma = np.array([noise[name] for name in self.names])
        Y, y = self.Y[:, :, kept], self.y
        if self.mixed is None:
            Y, y = Y / sigma[:, None], y / sigma
        else:
            L = np.linalg.cholesky(np.einsum("nir,i,nis->nrs", self.mixed, sigma**2, self.mixed))
            Y, y = np.linalg.solve(L, Y), np.linalg.solve(L, y[:, :, None])[:, :, 0]
        return Y.reshape(-1, len(kept)), y.ravel()

    def left(self, values: Array, kept: Sequence[int]) -> dict[str, float]:
        """Standard deviation of the residuals by measurement; one common value with loops."""
        rest = self.y - self.Y[:, :, kept] @ values
        spare = max(1.0 - len(kept) / max(rest.size, 1), 1e-3)
        if self.mixed is None:
            sizes = np.sqrt(np.mean(rest**2, axis=0) / spare)
        else:
            sizes = np.full(len(self.names), np.sqrt(np.mean(rest**2) / spare))
        least = EXACT * (np.max(np.abs(self.y), initial=0.0) or 1.0)  # exact data have no noise for weights
        return {name: float(max(size, least)) for name, size in zip(self.names, sizes, strict=True)}


def _blocks(
    model: Model, motion: Sequence[Array], torques: Array | None, reactions: Array | None, friction: bool
) -> list[RegressorBlock]:
    """The equations of the measurements."""
    if torques is None and reactions is None:
        raise ModelError("no measurement", element=model.name, cure="give torques, reactions, or both")
    if friction and torques is None:
        raise ModelError("reactions do not determine friction", element=model.name, cure="give torques as well")
    _check(model, motion, torques, reactions)
    q, qd, qdd = motion
    more = 2 * model.nv if friction else 0
    found: list[RegressorBlock] = []
    if reactions is not None:
        Y = regressor(model, "reactions")(q, qd, qdd)
        found.append(
            RegressorBlock(list(REACTIONS), np.concatenate([Y, np.zeros((*Y.shape[:2], more))], axis=2), reactions)
        )
    if torques is not None:
        Y = regressor(model)(q, qd, qdd)
        if friction:
            each = np.eye(model.nv)
            Y = np.concatenate([Y, each * qd[:, :, None], each * np.sign(qd)[:, :, None]], axis=2)
        names = [f"{name}.Q" for name in model.velocities]
        if model.is_constrained:
            N = _free_directions(model, q)
            turned = np.swapaxes(N, 1, 2)
            found.append(RegressorBlock(names, turned @ Y, (turned @ torques[:, :, None])[:, :, 0], N))
        else:
            found.append(RegressorBlock(names, Y, torques))
    return found


def _instants(x: Array, width: int) -> Array:
    """One row per instant. A plain list is one column if the width is one, else one instant."""
    x = np.atleast_1d(np.asarray(x, dtype=float))
    return x if x.ndim > 1 else x[:, None] if width == 1 else x[None, :]


def _check(model: Model, motion: Sequence[Array], torques: Array | None, reactions: Array | None) -> None:
    widths = {"q": model.nq, "qd": model.nv, "qdd": model.nv, "torques": model.nv, "reactions": len(REACTIONS)}
    for (name, width), array in zip(widths.items(), (*motion, torques, reactions), strict=True):
        if array is not None and np.shape(array) != (len(motion[0]), width):
            cure = f"give the shape {(len(motion[0]), width)}, one row per instant"
            raise ModelError(f"{name} of shape {np.shape(array)}", element=model.name, cure=cure)
        if array is not None and not np.all(np.isfinite(array)):
            raise ModelError(f"{name} contains NaN or infinity", element=model.name, cure="remove such instants")


def _free_directions(model: Model, q: Array) -> Array:
    """N (instants, nv, degrees of freedom) with J N = 0: constraint forces do no work along it."""
    rows = [np.zeros((len(q), 0, model.nv))]
    if model.has_loops:
        rows.append(compile(model, "constraints", loads=False, live="none")(q).J)
    if model.has_nonholonomic:
        rows.append(compile(model, "nonholonomic", loads=False, live="none")(q, np.zeros((len(q), model.nv))).A)
    J = np.concatenate(rows, axis=1)
    _, sizes, ways = np.linalg.svd(J)
    rank = int(np.max(np.sum(sizes > 1e-9 * sizes[:, :1], axis=1)))
    return np.swapaxes(ways[:, rank:, :], 1, 2)


def _base(model: Model, Y: Array, torques: bool, reactions: bool) -> BaseParameters:
    """The base parameters: of a tree at random states; of loops along the motion, which closes them."""
    if model.is_constrained:
        return grouped(Y, inertial_names(model))
    return base_parameters(model, measured="both" if torques and reactions else "torques" if torques else "reactions")


@dataclass(frozen=True)
class Fit:
    values: Array
    covariance: Array
    condition: float


def _fit(blocks: Sequence[tuple[Array, Array]], names: Sequence[str]) -> Fit:
    """Least squares of whitened equations by SVD, with columns scaled to equal length."""
    A, b = np.vstack([A for A, _ in blocks]), np.concatenate([b for _, b in blocks])
    lengths = np.linalg.norm(A, axis=0)
    size = lengths.max(initial=0.0)
    Q, R = np.linalg.qr(A / np.where(lengths > size / UNSEEN, lengths, 1.0))
    U, s, V = np.linalg.svd(R)
    if len(A) < A.shape[1] or s[-1] <= s[0] / UNSEEN or lengths.min() <= size / UNSEEN:
        worst = names[int(np.argmax(np.abs(V[-1])))]
        cure = "move more joints, faster and in other directions; see excitation()"
        raise ModelError("the motion does not excite all parameters", element=worst, cure=cure)
    values = V.T @ ((U.T @ (Q.T @ b)) / s) / lengths
    half = V.T / s / lengths[:, None]
    return Fit(values, half @ half.T, float(s[0] / s[-1]))


def condition(Y: Array) -> float:
    """Condition number of a regressor (states, rows, parameters) with columns scaled to equal length."""
    flat = Y.reshape(-1, Y.shape[-1])
    s = np.linalg.svd(np.linalg.qr(flat / np.maximum(np.linalg.norm(flat, axis=0), 1e-300), mode="r"), compute_uv=False)
    return float(s[0] / max(s[-1], 1e-300))


# -- exciting motions ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Excitation:
    """A periodic motion with derivatives at times t, one row per time, and the condition number that it gives."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    condition: float

    def __repr__(self) -> str:
        return f"<Excitation of {self.q.shape[1]} joints at {len(self.t)} times: condition {self.condition:.3g}>"


def excitation(
    model: Model,
    period: float,
    *,
    amplitude: float | Sequence[float] = 1.0,
    speed: float | Sequence[float] = np.inf,
    acceleration: float | Sequence[float] = np.inf,
    centre: Sequence[float] | None = None,
    harmonics: int = 5,
    samples: int = 100,
    measured: str = "torques",
    tries: int = 20,
    iterations: int = 0,
    seed: int = 0,
) -> Excitation:
    """A periodic motion that excites the base parameters well: Fourier series with a small condition number.

    Parameters
    ----------
    model : Model
        A tree of elementary joints (no loops, no quaternions).
    period : float
        Period (s).
    amplitude, speed, acceleration : float or sequence of float
        Limits of the joints (rad or m, per s, per s²): one for all, or one per joint (default 1, no limit, no limit).
    centre : sequence of float, optional
        Centre of the motion by joint (rad or m; default: zero).
    harmonics : int
        Number of harmonics (default 5).
    samples : int
        Instants in one period (default 100).
    measured : str
        "torques" (default), "reactions" or "both", as in `base_parameters`.
    tries, iterations : int
        The result is the best of `tries` random series (default 20), improved by `iterations` of SciPy's L-BFGS-B
        (default 0).
    seed : int
        Seed of the random series (default 0).

    Returns
    -------
    Excitation
        Times, q, qd, qdd (n, joints) and the condition number.

    Raises
    ------
    ModelError
        If the model has loops or quaternions, or a limit is invalid.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> motion = sb.excitation(m, period=5.0, tries=2)
    >>> motion.q.shape
    (100, 1)
    """
    if model.nq != model.nv or model.is_constrained:
        raise ModelError(
            "excitation needs a tree of elementary joints",
            element=model.name,
            cure="open loops; replace quaternion joints",
        )
    kept, rng = base_parameters(model, measured=measured).independent, np.random.default_rng(seed)
    Y = regressor(model, measured)
    t = np.arange(samples) * period / samples
    limits = [np.broadcast_to(np.asarray(x, dtype=float), model.nv) for x in (amplitude, speed, acceleration)]
    middle = np.zeros(model.nv) if centre is None else np.asarray(centre, dtype=float)
    shape = (2 * harmonics, model.nv)

    def motion(c: Array) -> tuple[Array, Array, Array]:
        return _within(_series(c.reshape(shape), t, period), limits, middle)

    def cost(c: Array) -> float:
        return float(np.log(condition(Y(*motion(c))[:, :, kept])))

    best = min((rng.normal(size=shape[0] * shape[1]) for _ in range(tries)), key=cost)
    if iterations:
        import scipy.optimize  # imported here: it takes longer than the import of symbody

        minimise: Any = scipy.optimize.minimize
        found = minimise(cost, best, method="L-BFGS-B", options={"maxiter": iterations, "eps": 1e-4})
        best = min(best, found.x, key=cost)
    q, qd, qdd = motion(best)
    return Excitation(t, q, qd, qdd, float(np.exp(cost(best))))


def _series(c: Array, t: Array, period: float) -> list[Array]:
    """Σ a_k sin kωt + b_k cos kωt with its first and second derivatives; rows of c: a, then b."""
    k = np.arange(1, len(c) // 2 + 1)
    w = 2 * np.pi / period * k
    phase = np.outer(t, w)
    S, C = np.sin(phase), np.cos(phase)
    return [np.hstack(two) @ c for two in ((S, C), (w * C, -w * S), (-w * w * S, -w * w * C))]


def _within(motion: Sequence[Array], limits: Sequence[Array], middle: Array) -> tuple[Array, Array, Array]:
    """The series of each joint about its centre, scaled up to its limits."""
    sizes = np.array([np.max(np.abs(x), axis=0) for x in motion])
    scale = np.min(np.array(limits) / sizes, axis=0)
    return middle + motion[0] * scale, motion[1] * scale, motion[2] * scale
