"""Inverse kinematics of trees and closed loops: coordinates at which points reach given places and orientations."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.errors import ModelError, ReachError, ReachWarning
from symbody.files.file_tree import quaternion_matrix
from symbody.model.model import Model
from symbody.model.tree import own_coordinates
from symbody.suggestions import either
from symbody.system.assembly import assemble, constraint_function
from symbody.system.displacement import displacement, movable
from symbody.system.open_loop import CLOSED
from symbody.system.system import Array, System

Unreached = Literal["warn", "error", "ignore"]
TOLERANCE = 1e-8  # m, rad: largest error of a target that counts as reached
ITERATIONS = 100
DAMPING = 1e-6  # first damping of Levenberg and Marquardt, relative to the largest diagonal entry of JᵀWJ
EASIER, HARDER = 0.2, 10.0  # factors of the damping after a step that helped, and after one that did not
LEAST, MOST = 1e-12, 1e10  # of the damping
LONGEST_STEP = 0.5  # rad or m, of one joint
CLOSINGS = 6  # Newton's steps that close the loops after each step
REDUNDANT = 1e-12  # added to the multipliers of loops, so that redundant equations do not matter
STALLED = 1e-14  # relative decrease of the error below which a search has ended


@dataclass(frozen=True)
class PoseTarget:
    """Where a point shall be: a position, an orientation, or both.

    Parameters
    ----------
    position : array, shape (3,) or (n, 3), optional
        m, in the ground frame; NaN leaves a component free. None: any position.
    rotation : array, shape (3, 3), (n, 3, 3), (4,) or (n, 4), optional
        Rotation matrix from the point's frame to the ground frame, or a quaternion (w, x, y, z). None: any orientation.
    weight : float
        Of the position (1/m). Default 1.
    rotation_weight : float
        Of the orientation (1/rad). Default 1.

    Examples
    --------
    >>> import symbody as sb
    >>> sb.PoseTarget((0.3, 0, 0.5), rotation=(1, 0, 0, 0)).rotation_weight
    1.0
    """

    position: Any = None
    rotation: Any = None
    weight: float = 1.0
    rotation_weight: float = 1.0


@dataclass(frozen=True)
class Reached:
    """The result of `inverse_kinematics`; with many targets, one row for each.

    Parameters
    ----------
    names : tuple of str
        Names of the coordinates.
    q : array, shape (nq,) or (n, nq)
        Coordinates, rad or m. Loops are closed.
    error : float or array, shape (n,)
        Largest remaining error of a component of the targets, m or rad.
    converged : bool or array, shape (n,)
        Whether the error is below the tolerance.
    iterations : int or array, shape (n,)
        Steps of the search.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("four-bar")
    >>> found = sb.inverse_kinematics(m, {"rocker.tip": (0.25, float("nan"), float("nan"))})
    >>> round(float(found["rocker"]), 6) == round(float(found.q[2]), 6)
    True
    """

    names: tuple[str, ...]
    q: Array
    error: Any
    converged: Any
    iterations: Any

    def __getitem__(self, name: str) -> Any:
        """A coordinate by its name, rad or m."""
        if name not in self.names:
            raise ModelError("unknown coordinate", element=name, cure=f"use {either(self.names)}")
        return self.q[..., self.names.index(name)]


def inverse_kinematics(
    what: Model | System,
    targets: Mapping[str, Any],
    *,
    q0: Any = None,
    limits: bool = True,
    posture: float = 0.0,
    restarts: int = 0,
    seed: int = 0,
    tolerance: float = TOLERANCE,
    iterations: int = ITERATIONS,
    unreached: Unreached = "warn",
) -> Reached:
    """Find coordinates at which points of a model reach their targets, with closed loops and within the joints' limits.

    The weighted sum of squares of all errors is minimised by Levenberg's and Marquardt's method with exact Jacobians.
    The loops are closed after each step. Joints at a limit are held while the step would push them beyond it. Driven
    and locked joints keep their coordinates.

    Parameters
    ----------
    what : Model or System
        Of a System, the model with its present parameters is used.
    targets : mapping of str to array or PoseTarget
        By the path of a point, "body.point": a position (3,) in m, in the ground frame, or a `PoseTarget`. With rows,
        (n, 3), each row is a problem of its own; all are solved together.
    q0 : array, shape (nq,) or (n, nq), optional
        Coordinates to start from, rad or m. Default: the initial coordinates of the model, with closed loops.
    limits : bool
        Whether the joints' limits hold. Default True.
    posture : float
        Weight (1/rad or 1/m) of the distance to q0, for arms with more joints than needed. Default 0: the search stays
        near its path from q0.
    restarts : int
        How many random starts within the limits are tried for targets that are not reached. Default 0.
    seed : int
        Of the random starts. Default 0.
    tolerance : float
        Largest error that counts as reached, m or rad. Default 1e-8.
    iterations : int
        Most steps of a search. Default 100.
    unreached : str
        What happens if a target is not reached: "warn" (default), "error" or "ignore".

    Returns
    -------
    Reached
        Coordinates, remaining errors, and which targets are reached.

    Raises
    ------
    ModelError
        If a target, a point or an option is invalid.
    AssemblyError
        If the loops do not close at the start.
    ReachError
        If a target is not reached and `unreached` is "error".

    Examples
    --------
    >>> import symbody as sb
    >>> arm = sb.machines.model("arm6")
    >>> tip = list(arm.bodies)[-1] + ".origin"
    >>> found = sb.inverse_kinematics(arm, {tip: (0.3, 0.2, 0.5)})
    >>> bool(found.converged)
    True
    """
    if not isinstance(what, Model | System):
        raise ModelError(f"expected a Model or a System, got a {type(what).__name__}", cure="give one of the two")
    if unreached not in get_args(Unreached):
        raise ModelError(
            f"unknown choice '{unreached}'", element="unreached", cure=f"use {either(get_args(Unreached))}"
        )
    model = what.live_model if isinstance(what, System) else what
    problem = _Problem(model, targets, limits, posture)
    start, many = _starts(model, q0, problem.count)
    q, error, count = problem.solve(start, start, tolerance, iterations)
    rng = np.random.default_rng(seed)
    for _ in range(restarts):
        lost = np.flatnonzero(error > tolerance)
        if not len(lost):
            break
        again = problem.random_starts(rng, start[lost])
        tried, left, more = problem.rows(lost).solve(again, start[lost], tolerance, iterations)
        better = left < error[lost]
        q[lost[better]], error[lost[better]] = tried[better], left[better]
        count[lost] += more
    _report(problem, error, tolerance, unreached)
    if many:
        return Reached(tuple(model.coordinates), q, error, error <= tolerance, count)
    return Reached(tuple(model.coordinates), q[0], float(error[0]), bool(error[0] <= tolerance), int(count[0]))


def _starts(model: Model, q0: Any, count: int | None) -> tuple[Array, bool]:
    """A row of coordinates for each problem, with closed loops; and whether there are many problems."""
    given = assemble(model) if q0 is None else np.asarray(q0, dtype=float)
    if given.shape[-1:] != (model.nq,) or given.ndim > 2 or not np.all(np.isfinite(given)):
        cure = f"use {model.nq} finite numbers, in the order of model.coordinates, or rows of them"
        raise ModelError(f"the start has shape {given.shape}", element="q0", cure=cure)
    if given.ndim == 2 and count is not None and len(given) != count:
        raise ModelError(
            f"{len(given)} starts for {count} targets", element="q0", cure="use one start for each, or one"
        )
    rows = count if count is not None else len(given) if given.ndim == 2 else 1
    if q0 is not None and model.has_loops:
        given = np.array([assemble(model, row) for row in np.atleast_2d(given)])
    return np.array(np.broadcast_to(given, (rows, model.nq))), count is not None or (given.ndim == 2 and q0 is not None)


def _report(problem: _Problem, error: Array, tolerance: float, unreached: Unreached) -> None:
    lost = int(np.sum(error > tolerance))
    if not lost or unreached == "ignore":
        return
    which = f"{lost} of {len(error)} targets are" if len(error) > 1 else "the target is"
    text = (
        f"{problem.model.name}: {which} not reached; the largest error is {error.max():.3g} m or rad"
        " (check that it is within reach, give another q0, or restarts=10)"
    )
    if unreached == "error":
        raise ReachError(text)
    warnings.warn(ReachWarning(text), stacklevel=3)


@dataclass
class _Aim:
    """One point with its target, as rows: position (n, 3) and rotation (n, 3, 3); None: free."""

    pose: Function
    position: Array | None
    rotation: Array | None
    weight: float
    rotation_weight: float


class _Problem:
    """Residuals and Jacobians of all targets, and the steps of the search, for many rows at once."""

    def __init__(self, model: Model, targets: Mapping[str, Any], limits: bool, posture: float):
        if not isinstance(targets, Mapping) or not targets:
            cure = 'give {"body.point": (x, y, z)}'
            raise ModelError(
                "no targets" if not targets else "the targets are not a mapping", element="targets", cure=cure
            )
        self.model, self.posture = model, _weight(posture, "posture")
        self.aims = [_aim(model, path, given) for path, given in targets.items()]
        counts = {len(x) for aim in self.aims for x in (aim.position, aim.rotation) if x is not None and len(x) > 1}
        if len(counts) > 1:
            raise ModelError(
                f"targets have {either(map(str, sorted(counts)))} rows", element="targets", cure="use one count"
            )
        given_rows = any(_has_rows(given) for given in targets.values())
        self.count = counts.pop() if counts else 1 if given_rows else None
        self.moved, self.loops = displacement(model), constraint_function(model)
        self.free = np.zeros(model.nv, dtype=bool)
        self.free[movable(model)] = True
        self.lower, self.upper = (np.full(model.nv, x) for x in (-np.inf, np.inf))
        places = own_coordinates(model)
        self.places = np.array(places, dtype=int)  # of each degree of freedom in q; −1: of a quaternion
        if limits:
            bounds = [joint.limits for joint in model.joints() for _ in range(joint.nv)]
            self.lower = np.array([b.lower for b in bounds])
            self.upper = np.array([b.upper for b in bounds])

    def rows(self, chosen: Array) -> _Problem:
        """The same problem for some of its rows."""
        other = object.__new__(_Problem)
        vars(other).update(vars(self))

        def part(x: Array | None) -> Array | None:
            return x if x is None or len(x) == 1 else x[chosen]

        other.aims = [_Aim(a.pose, part(a.position), part(a.rotation), a.weight, a.rotation_weight) for a in self.aims]
        return other

    def random_starts(self, rng: np.random.Generator, near: Array) -> Array:
        """Coordinates at random within the limits, or within ±π (rad, m) of the start; loops are closed."""
        own = self.places >= 0
        at = near[:, self.places[own]]
        lower = np.where(np.isfinite(self.lower[own]), self.lower[own], at - np.pi)
        upper = np.where(np.isfinite(self.upper[own]), self.upper[own], at + np.pi)
        step = np.zeros((len(near), self.model.nv))
        step[:, own] = rng.uniform(lower, upper) - at
        return self._closed(self.moved(near, step * self.free), near)

    def solve(self, q: Array, posture: Array, tolerance: float, iterations: int) -> tuple[Array, Array, Array]:
        """Coordinates, remaining errors and counts of steps, a row each."""
        q, damping, count = q.copy(), np.full(len(q), DAMPING), np.zeros(len(q), dtype=int)
        e, J, error = self._errors(q, posture)
        searching = error > tolerance
        for _ in range(iterations):
            rows = np.flatnonzero(searching)
            if not len(rows):
                break
            part = self.rows(rows)
            step = part._step(q[rows], e[rows], J[rows], damping[rows])
            tried = part._closed(part._within(q[rows], step), q[rows])
            new_e, new_J, new_error = part._errors(tried, posture[rows])
            old, new = np.sum(e[rows] ** 2, axis=1), np.sum(new_e**2, axis=1)
            better = new < old
            count[rows] += 1
            damping[rows] = np.clip(damping[rows] * np.where(better, EASIER, HARDER), LEAST, MOST)
            kept = rows[better]
            q[kept], e[kept], J[kept], error[kept] = tried[better], new_e[better], new_J[better], new_error[better]
            stalled = (better & (old - new < STALLED * old)) | (~better & (damping[rows] >= MOST))
            searching[rows] = (error[rows] > tolerance) & ~stalled
        return q, error, count

    def _errors(self, q: Array, posture: Array) -> tuple[Array, Array, Array]:
        """Weighted errors (n, m), their Jacobian (n, m, nv) along −δ, and the largest error of a target (m, rad)."""
        parts, slopes, largest = [], [], np.zeros(len(q))
        for aim in self.aims:
            found = aim.pose(q)
            position, rotation, J = found.position, found.rotation, found.jacobian.reshape(len(q), 6, -1)
            if aim.position is not None:
                e = aim.position - position
                known = np.isfinite(e)
                e = np.where(known, e, 0.0)
                parts.append(aim.weight * e)
                slopes.append(aim.weight * J[:, :3] * known[:, :, None])
                largest = np.maximum(largest, np.abs(e).max(axis=1))
            if aim.rotation is not None:
                e = rotation_vector(aim.rotation @ rotation.transpose(0, 2, 1))
                parts.append(aim.rotation_weight * e)
                slopes.append(aim.rotation_weight * J[:, 3:])
                largest = np.maximum(largest, np.abs(e).max(axis=1))
        if self.posture:
            own = self.places >= 0
            e = np.zeros((len(q), self.model.nv))
            e[:, own] = (posture - q)[:, self.places[own]]
            parts.append(self.posture * e)
            slopes.append(np.broadcast_to(self.posture * np.diag(own.astype(float)), (len(q), *2 * (self.model.nv,))))
        return np.concatenate(parts, axis=1), np.concatenate(slopes, axis=1), largest

    def _step(self, q: Array, e: Array, J: Array, damping: Array) -> Array:
        """The damped step δ with J_h δ = 0 that keeps joints at a limit where they would leave it."""
        at = np.where(self.places >= 0, q[:, np.maximum(self.places, 0)], 0.0)
        held = np.broadcast_to(~self.free, at.shape).copy()
        loops = self._loop_jacobian(q)
        step = np.zeros_like(at)
        for _ in range(self.model.nv + 1):
            step = _damped(J, e, loops, held, damping)
            beyond = ((at >= self.upper) & (step > 0) | (at <= self.lower) & (step < 0)) & ~held
            if not beyond.any():
                break
            held |= beyond
        longest = np.maximum(np.abs(step).max(axis=1, initial=0.0), LONGEST_STEP)
        return np.asarray(step * (LONGEST_STEP / longest)[:, None])

    def _within(self, q: Array, step: Array) -> Array:
        """The coordinates after a step, clipped to the limits."""
        moved, own = self.moved(q, step), self.places >= 0
        moved[:, self.places[own]] = np.clip(moved[:, self.places[own]], self.lower[own], self.upper[own])
        return moved

    def _loop_jacobian(self, q: Array) -> Array:
        if self.loops is None:
            return np.zeros((len(q), 0, self.model.nv))
        J = self.loops(q).J
        return np.asarray(J).reshape(len(q), -1, self.model.nv)

    def _closed(self, q: Array, before: Array) -> Array:
        """Coordinates whose loops are closed by Newton's steps of least norm; rows that do not close stay as before."""
        if self.loops is None:
            return q
        for _ in range(CLOSINGS):
            h, J = (np.asarray(x) for x in self.loops(q))
            h, J = h.reshape(len(q), -1), J.reshape(len(q), -1, self.model.nv) * self.free
            wide = np.abs(h).max(axis=1, initial=0.0) >= CLOSED
            if not wide.any():
                return q
            JJ = J[wide] @ J[wide].transpose(0, 2, 1)
            JJ += REDUNDANT * np.eye(JJ.shape[1])
            step = -(J[wide].transpose(0, 2, 1) @ np.linalg.solve(JJ, h[wide][:, :, None]))[:, :, 0]
            q = q.copy()
            q[wide] = self.moved(q[wide], step)
        h = np.asarray(self.loops(q).h).reshape(len(q), -1)
        ok = np.abs(h).max(axis=1, initial=0.0) < CLOSED * 1e3
        return np.where(ok[:, None], q, before)


def _damped(J: Array, e: Array, loops: Array, held: Array, damping: Array) -> Array:
    """δ of least |e − J δ|² + λ|δ|² with J_h δ = 0 and δ = 0 for held joints, for each row."""
    free = ~held
    J, loops = J * free[:, None, :], loops * free[:, None, :]
    H = J.transpose(0, 2, 1) @ J
    diagonal = np.einsum("nii->ni", H)
    size = np.maximum(diagonal.max(axis=1, initial=0.0), np.finfo(float).tiny)
    diagonal += (damping * size)[:, None] + np.where(held, size[:, None], 0.0)
    g = (J.transpose(0, 2, 1) @ e[:, :, None])[:, :, 0]
    n, k, nv = loops.shape
    if not k:
        return np.asarray(np.linalg.solve(H, g[:, :, None])[:, :, 0])
    whole = np.zeros((n, nv + k, nv + k))
    whole[:, :nv, :nv] = H / size[:, None, None]
    whole[:, nv:, :nv], whole[:, :nv, nv:] = loops, loops.transpose(0, 2, 1)
    whole[:, nv:, nv:] -= REDUNDANT * np.eye(k)
    right = np.concatenate([g / size[:, None], np.zeros((n, k))], axis=1)
    return np.asarray(np.linalg.solve(whole, right[:, :, None])[:, :nv, 0])


def rotation_vector(R: Array) -> Array:
    """Axis times angle (rad) of rotation matrices (n, 3, 3), also near half a turn."""
    skew = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1) / 2
    sine, cosine = np.linalg.norm(skew, axis=1), (np.trace(R, axis1=1, axis2=2) - 1) / 2
    angle = np.arctan2(sine, cosine)
    factor = np.where(sine > 1e-8, angle / np.where(sine > 1e-8, sine, 1.0), 1.0)
    found = factor[:, None] * skew
    for row in np.flatnonzero(
        (cosine < 0) & (sine < 1e-6)
    ):  # the axis is the column of R + 1 with the largest diagonal
        S = R[row] + np.eye(3)
        k = int(np.argmax(np.diag(S)))
        found[row] = angle[row] * S[:, k] / np.linalg.norm(S[:, k])
    return np.asarray(found)


def _has_rows(given: Any) -> bool:
    if isinstance(given, PoseTarget):
        turned = () if given.rotation is None else np.shape(given.rotation)
        return np.ndim(given.position) == 2 or len(turned) == 3 or (len(turned) == 2 and turned != (3, 3))
    return np.ndim(given) == 2


def _aim(model: Model, path: str, given: Any) -> _Aim:
    """A target, checked."""
    target = given if isinstance(given, PoseTarget) else PoseTarget(given)
    if target.position is None and target.rotation is None:
        raise ModelError(
            "neither a position nor a rotation is given", element=path, cure="give sb.PoseTarget(position=…)"
        )
    model.point_at(path)
    position = None
    if target.position is not None:
        position = np.atleast_2d(_numbers(target.position, path))
        if position.shape[1:] != (3,) or np.isinf(position).any() or position.ndim != 2:
            cure = "use (x, y, z), or rows of three numbers; NaN leaves a component free"
            raise ModelError(f"the position has shape {np.shape(target.position)}", element=path, cure=cure)
    rotation = None if target.rotation is None else _rotations(target.rotation, path)
    weights = _weight(target.weight, path), _weight(target.rotation_weight, path)
    pose = compile(model, "pose", point=model.point_at(path).path, loads=False)
    return _Aim(pose, position, rotation, *weights)


def _rotations(given: Any, path: str) -> Array:
    """Rotation matrices, a row each, from matrices or quaternions."""
    values = _numbers(given, path)
    if values.shape[-2:] == (3, 3) and values.ndim in (2, 3):
        R = values.reshape(-1, 3, 3)
        if np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() > 1e-6 or (np.linalg.det(R) < 0).any():
            raise ModelError("the rotation is not a rotation matrix", element=path, cure="use orthonormal columns")
        return R
    if values.shape[-1:] == (4,) and values.ndim in (1, 2):
        return np.array([quaternion_matrix(row, path) for row in np.atleast_2d(values)])
    cure = "use a 3 × 3 matrix or a quaternion (w, x, y, z), or rows of them"
    raise ModelError(f"the rotation has shape {values.shape}", element=path, cure=cure)


def _numbers(given: Any, path: str) -> Array:
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"expected numbers, got {given!r:.60}", element=path, cure="use numbers in m") from error


def _weight(given: Any, where: str) -> float:
    if not isinstance(given, int | float) or not 0.0 <= given < np.inf:
        raise ModelError(f"the weight is {given!r:.40}", element=where, cure="use a number of 0 or more")
    return float(given)
