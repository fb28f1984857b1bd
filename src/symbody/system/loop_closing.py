"""Closed positions of a system at any state, in the assembly mode of its start, whatever was evaluated before.

The answer is a function of the state alone: the loops are followed on the straight way from the start (`loop_path.py`).
Where that way meets a singular position, no assembly mode is chosen: the modes at the state are counted, from many
starts of Newton's method, and the error says how to ask for one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symbody.errors import AssemblyError, SingularityError
from symbody.system.displacement import PRESCRIBED
from symbody.system.functions import SystemFunctions
from symbody.system.loop_path import LoopEquations, corrected, follow
from symbody.system.open_loop import CLOSED, open_by
from symbody.system.programs import motion_program

Array = np.ndarray
STARTS, ITERATIONS, CHUNK = 48, 60, 100  # of the search for assembly modes; states that are searched at once
LONGEST = 0.5  # rad or m: a step of that search
NEAR = 0.1  # rad or m: how far from an anchor calls are closed from the last one, at most
CALM = 0.5  # of log |det ∂h/∂v| within that distance
ASIDE = 1e-5  # rad or m: for slopes of the determinant
SAME = 1e-6  # rad or m: closed positions nearer than that are one


@dataclass(frozen=True)
class ClosedPositions:
    """Dependent coordinates at states, and how they were found.

    v: (n, nd), NaN where the loops do not close. closed: (n,). modes: (n,), closed positions found where the way from
    the start meets a singular position; else 1. why: the reason where the loops do not close, else "".
    iterations: (n,), of Newton's method.
    """

    v: Array
    closed: Array
    modes: Array
    why: list[str]
    iterations: Array


class LoopCloser:
    """Closes the loops of a system from its start: position q (nq,) and dependent coordinates v (nd,)."""

    def __init__(self, functions: SystemFunctions, q: Array, v: Array):
        self._functions, self._q, self._v = functions, q, v
        d = functions.definition
        self._driven = any(joint.nature in PRESCRIBED for joint in d.model.joints())
        self._loops = LoopEquations(d.model, d.state_partition, functions.loop_equations)

    def given(self, t: float, x: Array, u: Array) -> Array:
        """All given coordinates (n, nq) of the model at states (n, nx); dependent ones as at the start."""
        d, layout = self._functions.definition, self._functions.definition.layout
        q = np.tile(self._q, (len(x), 1))
        if self._driven:
            motion = self._functions.function("motion", motion_program)
            found = motion(np.array([float(t)]), x[:, : layout.size], u, self._v).q
            known = [i for i in range(d.model.nq) if i not in self._loops.dependent_places]
            q[:, known] = found[:, known]
        q[:, layout.coordinates] = x[:, : len(layout.coordinates)]
        if layout.tied:
            q[:, list(layout.tied)] = x[:, layout.positions[len(layout.coordinates) :]]
        return q

    def close(self, t: float, x: Array, u: Array, known: tuple[Array, Array] | None = None) -> ClosedPositions:
        """The closed positions at states (n, nx), followed from a known one (q, v); default: the start."""
        goal, (q, v) = self.given(t, x, u), known or (self._q, self._v)
        found = follow(self._loops, q, v, goal)
        modes, why = np.ones(len(x), dtype=int), [""] * len(x)
        lost = np.flatnonzero(~found.reached)
        found.v[lost] = np.nan
        for first in range(0, len(lost), CHUNK):
            rows = lost[first : first + CHUNK]
            for row, others in zip(rows, self._modes(goal[rows]), strict=True):
                modes[row], why[row] = len(others.v), self._why(goal[row], others)
        return ClosedPositions(found.v, found.reached, modes, why, found.iterations)

    def close_from(self, anchor: tuple[Array, Array], t: float, x: Array, u: Array) -> ClosedPositions:
        """`close` of one state (1, nx) from a position (q, v) that was followed from the start, where that is the same.

        It is where one coordinate alone moves the loops: all ways from the start lie on one line. Parameters may have
        changed since; if that moved the anchor, the loops are followed from the start.
        """
        q, v = anchor
        if np.count_nonzero(self.relevant) == 1:
            here, closed, *_ = corrected(self._loops, q[None], v[None])
            if closed[0] and np.abs(here[0] - v).max() < NEAR:
                found = follow(self._loops, q, here[0], self.given(t, x, u))
                if found.reached[0]:
                    return ClosedPositions(found.v, found.reached, np.ones(1, dtype=int), [""], found.iterations)
        return self.close(t, x, u)

    @property
    def start(self) -> Array:
        """All coordinates (nq,) at the start."""
        return self._q

    def radius(self, t: float, x: Array, u: Array, v: Array) -> float:
        """How far (rad or m) given coordinates may move from a closed position with det ∂h/∂v within a factor of two.

        Within that distance no singular position can lie, where another branch begins.
        """
        q = self.given(t, x[None], u)[0]
        moved = np.flatnonzero(self.relevant)
        aside = np.tile(q, (len(moved) + 1, 1))
        aside[np.arange(len(moved)), moved] += ASIDE
        _, closed, sign, log, _ = corrected(self._loops, aside, np.tile(v, (len(aside), 1)))
        slope = np.linalg.norm(np.where(closed & (sign == sign[-1]), log - log[-1], np.inf)[:-1]) / ASIDE
        return float(min(NEAR, CALM / max(float(slope), 1e-300)))

    @cached_property
    def relevant(self) -> Array:
        """Which given coordinates (nq,) the loops depend on."""
        found = self._loops.relevant(self._q)
        found[self._loops.dependent_places] = False
        return found

    def modes(self, t: float, x: Array, u: Array) -> list[Array]:
        """Dependent coordinates of all assembly modes found at a state, that of the start first if it is reached."""
        goal = self.given(t, x[None], u)
        (found,) = self._modes(goal)
        own = self.close(t, x[None], u)
        others = [v for v in found.v if not own.closed[0] or self._distance(v, own.v[0]) > SAME]
        return [*own.v[own.closed], *others]

    def _modes(self, goal: Array) -> list[ModesAtState]:
        """All closed positions found at given coordinates (n, nq), by many starts of a damped Newton's method."""
        n, nd = len(goal), len(self._v)
        rng = np.random.default_rng(0)
        aside = rng.uniform(-1.0, 1.0, (STARTS, nd)) * self._reach
        aside[0] = 0.0
        v = np.tile(self._v + aside, (n, 1))
        given = np.repeat(goal, STARTS, axis=0)
        active = np.arange(len(v))
        for _ in range(ITERATIONS):
            h, J = self._loops.at(given[active], v[active])
            sound = np.isfinite(h).all(axis=1) & np.isfinite(J).all(axis=(1, 2))
            sound &= np.abs(h).max(axis=1, initial=0.0) >= CLOSED
            active, h, J = active[sound], h[sound], J[sound]
            if not len(active):
                break
            JT = J.swapaxes(1, 2)
            damping = 1e-6 * np.trace(JT @ J, axis1=1, axis2=2)[:, None, None] * np.eye(nd) + 1e-300 * np.eye(nd)
            d = np.linalg.solve(JT @ J + damping, JT @ h[:, :, None])[:, :, 0]
            size = np.abs(d).max(axis=1, keepdims=True)
            v[active] -= d * np.minimum(1.0, LONGEST / np.maximum(size, 1e-300))
        v, closed, *_ = corrected(self._loops, given, v)
        result = []
        for k in range(n):
            rows = slice(k * STARTS, (k + 1) * STARTS)
            result.append(self._distinct(goal[k], v[rows], closed[rows]))
        return result

    def _distinct(self, goal: Array, v: Array, closed: Array) -> ModesAtState:
        kept: list[int] = []
        wrapped = self._near_start(v)
        for k in np.flatnonzero(closed):
            if all(self._distance(wrapped[k], wrapped[other]) > SAME for other in kept):
                kept.append(int(k))
        gaps = np.abs(self._loops.function(self._loops.position(np.tile(goal, (len(v), 1)), v)).h).max(axis=1)
        best = v[int(np.nanargmin(np.where(np.isfinite(gaps), gaps, np.inf)))]
        return ModesAtState(wrapped[kept], best)

    def _why(self, goal: Array, modes: ModesAtState) -> str:
        """Why there is no closed position in the mode of the start."""
        model = self._functions.definition.model
        if len(modes.v):
            problem = "there is a singular position in between, and the loops close at this state in"
            ways = "one way" if len(modes.v) == 1 else f"{len(modes.v)} ways"
            return (
                f"{model.name}: {problem} {ways}; give initial values (q0) on that side of it, or `guess=` or `mode=`"
            )
        h = self._loops.function(self._loops.position(goal[None], modes.best[None])).h[0]
        return f"{model.name}: {open_by(model, h)} at best at this state"

    @property
    def _reach(self) -> Array:
        """How far the starts of the search lie: a half turn, or lengths of 1 m and of the coordinate itself (m)."""
        return np.where(self._hinged, np.pi, np.maximum(1.0, 2.0 * np.abs(self._v)))

    @property
    def _hinged(self) -> Array:
        model = self._functions.definition.model
        types = [joint.type for joint in model.joints() for _ in range(joint.nv)]
        return np.array([types[i].startswith("R") for i in self._loops.partition.dependent])

    def _near_start(self, v: Array) -> Array:
        """Hinges within half a turn of the start."""
        turned = self._v + (v - self._v + np.pi) % (2.0 * np.pi) - np.pi
        return np.where(self._hinged, turned, v)

    def _distance(self, a: Array, b: Array) -> float:
        off = np.abs(a - b)
        turned = np.abs((off + np.pi) % (2.0 * np.pi) - np.pi)
        return float(np.where(self._hinged, turned, off).max(initial=0.0))


@dataclass(frozen=True)
class ModesAtState:
    """Closed positions at given coordinates: v (m, nd), and what comes nearest to closing."""

    v: Array
    best: Array


def require_closed(found: ClosedPositions, time: float) -> Array:
    """The dependent coordinates of one state; an error with the reason if there are none."""
    if found.closed[0]:
        v: Array = found.v[0]
        return v
    if found.modes[0]:
        raise SingularityError(found.why[0], time=time)
    raise AssemblyError(found.why[0])
