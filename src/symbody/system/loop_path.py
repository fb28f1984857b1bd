"""Loops followed from one closed position to others: continuation in the given coordinates, many states at once.

h(g, v) = 0 determines the dependent coordinates v from the given ones g, in several assembly modes. On the straight way
from a closed position to another g, v is predicted by its tangent and corrected by Newton's method. A step is accepted
only if the correction is small and det ∂h/∂v keeps its sign and roughly its size: then it stays in its assembly mode.
If steps become too small, the path meets a singular position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbody.codegen import Function
from symbody.equations.closed import Partition
from symbody.model.model import Model
from symbody.model.tree import own_coordinates, quaternion_tangents

Array = np.ndarray
CONVERGED = 1e-10  # rad or m: the last correction of Newton's method
CORRECTIONS = 8  # of Newton's method at a point of the way
FIRST, LONGEST, SHORTEST = 0.02, 0.3, 1e-5  # rad or m: steps along the way
MISS = 0.05  # rad or m: largest error of a prediction
BEND = 0.1  # the same as a share of the step: where branches cross, the wrong one misses by half a step
AHEAD = 1e-6  # share of the way over which slopes are taken
DETERMINANT = np.log(3.0)  # largest change of log |det ∂h/∂v| within a step
MOST_STEPS = 20_000


class LoopEquations:
    """h and ∂h/∂v of the loops of a model over a partition of its coordinates, for many positions at once.

    function: q → h, J of all equations of the loops; its parameters are those of the system.
    """

    def __init__(self, model: Model, partition: Partition, function: Function):
        self.model, self.partition, self.function = model, partition, function
        self._own, self._tangents = own_coordinates(model), quaternion_tangents(model)
        plain = [(k, self._own[i]) for k, i in enumerate(partition.dependent) if self._own[i] >= 0]
        self._turns = [(k, *self._tangents[i]) for k, i in enumerate(partition.dependent) if self._own[i] < 0]
        self._plain = [k for k, _ in plain]  # in v
        self.dependent_places = [place for _, place in plain]  # in q
        self.quaternion_places = sorted({place for place, _ in self._tangents.values()})  # in q
        self._rows = np.array(partition.rows, dtype=int)
        self._block = np.ix_(self._rows, np.array(partition.dependent, dtype=int))

    def position(self, given: Array, v: Array) -> Array:
        """All coordinates (n, nq) from given ones (n, nq), whose dependent ones are replaced by v (n, nd)."""
        q = np.array(given)
        q[:, self.dependent_places] = v[:, self._plain]
        halves: dict[int, Array] = {}
        for k, place, axis in self._turns:
            halves.setdefault(place, np.zeros((len(q), 3)))[:, axis] = 0.5 * v[:, k]
        for place, half in halves.items():
            w, r = q[:, place, None], q[:, place + 1 : place + 4]
            turned = np.hstack([w - np.sum(r * half, axis=1, keepdims=True), r + w * half + np.cross(r, half)])
            q[:, place : place + 4] = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        return q

    def at(self, given: Array, v: Array) -> tuple[Array, Array]:
        """h (n, nd) and ∂h/∂v (n, nd, nd) of the equations that determine v."""
        h, J = self.function(self.position(given, v))
        return h[:, self._rows], J[:, *self._block]

    def relevant(self, q: Array) -> Array:
        """Which coordinates (nq,) the loops depend on, seen at a position and at some others."""
        rng = np.random.default_rng(0)
        some = q + np.vstack([np.zeros_like(q), rng.uniform(-1.0, 1.0, (3, len(q)))])
        J = np.nan_to_num(self.function(some).J, nan=1.0)
        moves = np.abs(J).max(axis=(0, 1)) > 0.0
        found = np.zeros(len(q), dtype=bool)
        for i, place in enumerate(self._own):
            if place >= 0:
                found[place] = moves[i]
        for i, (place, _) in self._tangents.items():
            found[place : place + 4] |= moves[i]
        return found


@dataclass
class FollowedLoops:
    """Dependent coordinates (n, nd) at the ends of n ways, whether each was reached, and Newton's iterations."""

    v: Array
    reached: Array
    share: Array  # of the way that was gone, 1.0 if reached
    iterations: Array


def corrected(loops: LoopEquations, given: Array, v: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Newton's method at fixed given coordinates: v, whether it converged, sign and log of |det ∂h/∂v|, iterations."""
    n = len(given)
    v, done, iterations = np.array(v), np.zeros(n, dtype=bool), np.zeros(n, dtype=int)
    sign, log = np.zeros(n), np.full(n, -np.inf)
    active = np.arange(n)
    for _ in range(CORRECTIONS):
        h, J = loops.at(given[active], v[active])
        sound = np.isfinite(h).all(axis=1) & np.isfinite(J).all(axis=(1, 2))
        active, h, J = active[sound], h[sound], J[sound]
        s, size = np.linalg.slogdet(J)
        regular = s != 0
        active, h, J = active[regular], h[regular], J[regular]
        if not len(active):
            break
        sign[active], log[active] = s[regular], size[regular]
        d = np.linalg.solve(J, h[:, :, None])[:, :, 0]
        v[active] -= d
        iterations[active] += 1
        size = np.abs(d).max(axis=1, initial=0.0)
        done[active[size < CONVERGED]] = True
        active = active[(size >= CONVERGED) & (size < 1.0)]
        if not len(active):
            break
    return v, done, sign, log, iterations


def between(loops: LoopEquations, start: Array, goal: Array, share: Array) -> Array:
    """Given coordinates (n, nq) at shares of the straight ways from a position to others; quaternions of length one."""
    q: Array = start + share[:, None] * (goal - start)
    for place in loops.quaternion_places:
        q[:, place : place + 4] /= np.linalg.norm(q[:, place : place + 4], axis=1, keepdims=True)
    return q


def follow(loops: LoopEquations, start: Array, v0: Array, goal: Array) -> FollowedLoops:
    """Follow the loops from a closed position (nq,), with dependent coordinates v0, to given coordinates (n, nq)."""
    goal = _shorter(loops, start, np.array(goal, dtype=float))
    way = np.abs(np.where(loops.relevant(start), goal - start, 0.0)).max(axis=1, initial=0.0)
    n, nd = len(goal), len(v0)
    v, slope = np.tile(v0, (n, 1)), np.zeros((n, nd))
    share, step = np.zeros(n), np.minimum(1.0, FIRST / np.maximum(way, 1e-300))
    longest, shortest = (np.minimum(1.0, x / np.maximum(way, 1e-300)) for x in (LONGEST, SHORTEST))
    iterations = np.zeros(n, dtype=int)
    v[:], closed, sign, log, made = corrected(loops, np.tile(start, (n, 1)), v)
    iterations += made
    active = np.flatnonzero(closed)
    slope[active] = _slope(loops, start, goal[active], share[active], v[active])
    for _ in range(MOST_STEPS):
        active = active[share[active] < 1.0]
        if not len(active):
            break
        there = np.minimum(share[active] + step[active], 1.0)
        gone = (there - share[active])[:, None]
        predicted = v[active] + slope[active] * gone
        found, good, s, size, made = corrected(loops, between(loops, start, goal[active], there), predicted)
        iterations[active] += made
        miss = np.abs(found - predicted).max(axis=1, initial=0.0)
        moved = np.abs(predicted - v[active]).max(axis=1, initial=0.0)
        allowed = np.minimum(MISS, BEND * np.maximum(moved, gone[:, 0] * way[active])) + CONVERGED
        good &= (miss < allowed) & (s == sign[active]) & (np.abs(size - log[active]) < DETERMINANT)
        on, back = active[good], active[~good]
        v[on], share[on], log[on] = found[good], there[good], size[good]
        further = on[share[on] < 1.0]
        if len(further):
            slope[further] = _slope(loops, start, goal[further], share[further], v[further])
        quick = miss[good] < 0.2 * allowed[good]
        step[on] = np.where(quick, np.minimum(2.0 * step[on], longest[on]), step[on])
        step[back] *= 0.5
        active = np.concatenate([on, back[step[back] >= shortest[back]]])
    return FollowedLoops(v, share >= 1.0, share, iterations)


def _slope(loops: LoopEquations, start: Array, goal: Array, share: Array, v: Array) -> Array:
    """dv/ds = −(∂h/∂v)⁻¹ ∂h/∂s along the ways, the latter by a difference."""
    h, J = loops.at(between(loops, start, goal, share), v)
    later, _ = loops.at(between(loops, start, goal, share + AHEAD), v)
    found: Array = -np.linalg.solve(J, ((later - h) / AHEAD)[:, :, None])[:, :, 0]
    return found


def _shorter(loops: LoopEquations, start: Array, goal: Array) -> Array:
    """The goals with each quaternion in the half sphere of the start's: e and −e are the same orientation."""
    for place in loops.quaternion_places:
        e = slice(place, place + 4)
        goal[:, e] *= np.where(goal[:, e] @ start[e] < 0.0, -1.0, 1.0)[:, None]
    return goal
