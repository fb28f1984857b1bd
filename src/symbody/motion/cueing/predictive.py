"""Predictive cueing: a quadratic programme over a horizon, with the limits of axes and legs as constraints.

    min Σ_k τ_k (w_f |a(t_k) − a_hexapod − a_table − g θ|² + w_ω |ω(t_k) − ω_k|²) + Σ_k τ_k (w_x x² + w_v v² + w_a a²)
    so that positions, speeds and accelerations of all axes, and lengths and speeds of the legs, stay within their
    limits, and everything rests at the end of the horizon.

A plan that ends at rest can be carried out to its end. Should a later programme have no solution, the last plan goes
on: the references never leave the limits. The scene may tell its coming motion (`preview`); else its present value is
taken to fade within `FADE`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from symbody.model.model import Model
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing.horizon import Horizon
from symbody.motion.cueing.method import CHANNELS, References
from symbody.motion.cueing.scene_record import SceneRecord
from symbody.motion.data import AXES, POSE, TABLE, TURNS, Array, PlatformData
from symbody.motion.filter_chain import Reference
from symbody.motion.kinematics import euler_map, inverse_jacobian
from symbody.motion.limits import leg_states
from symbody.motion.quadratic_program import QuadraticProgram, minimum

FADE = 5.0  # s, in which the present motion of the scene is taken to fade without a preview
MARGIN = 0.98  # share of each limit that plans use, for what happens between the nodes
LEG_MARGIN = 2e-3  # m, of the stroke of a leg
UPDATE = 1e-2  # s, between plans
TILTS = [AXES.index(channel.turn) for channel in CHANNELS]
FIXED = 1e-9  # m, m/s and m/s²: limits of a table that stays in its middle
Preview = Callable[[Array], Array]  # times from now (k,) → the scene's signals (k, 6) in the order of SCENE


@dataclass(frozen=True)
class PredictiveWeights:
    """Weights of predictive cueing.

    Parameters
    ----------
    force : float
        Restored acceleration. Default 1.
    turn : float
        Turn rates. Default 0.5.
    position, velocity, acceleration : float
        Of the axes. Defaults 0.1, 0.1, 0.005.
    tilt, tilt_acceleration : float
        Tilt angle and its second derivative. Defaults 0.1, 0.02.
    """

    force: float = 1.0
    turn: float = 0.5
    position: float = 0.1
    velocity: float = 0.1
    acceleration: float = 0.005
    tilt: float = 0.1
    tilt_acceleration: float = 0.02


class PredictivePlanner:
    """Plans of the eight axes, from their state and the motion of the scene; one quadratic programme for each plan.

    x, v: positions relative to neutral and velocities of the axes (8,). kept: how often a plan went on because the
    next programme had no solution.

    Parameters
    ----------
    data : PlatformData
        The platform with its limits.
    weights : PredictiveWeights, optional
        Of the cost. Default: `PredictiveWeights()`.
    horizon : Horizon, optional
        Blocks of the plan. Default: `Horizon()`.
    tilt_rate : float, optional
        Largest rate of roll and pitch (rad/s), as a threshold of perception. Default: the platform's.
    table : bool
        Whether the table moves, too. Default True.
    """

    def __init__(
        self, data: PlatformData, weights: PredictiveWeights | None = None, horizon: Horizon | None = None,
        tilt_rate: float | None = None, table: bool = True,
    ) -> None:  # fmt: skip
        """tilt_rate: largest rate of roll and pitch (rad/s), as a threshold of perception; default: the platform's.

        table: whether the table moves, too.
        """
        self.table = table
        self.data, self.weights, self.horizon = data, weights or PredictiveWeights(), horizon or Horizon()
        self.kept = 0
        self._reach = MARGIN * 0.5 * (data.ends("high") - data.ends("low"))
        self._speed, self._push = MARGIN * data.ends("speed"), MARGIN * data.ends("acceleration")
        if tilt_rate is not None:
            self._speed[TILTS] = np.minimum(self._speed[TILTS], tilt_rate)
        if not table:
            for limit in (self._reach, self._speed, self._push):
                limit[: len(TABLE)] = FIXED
        self.reset()
        nodes = np.array(self.horizon.ends)
        every = np.eye(len(AXES))
        self._position, self._velocity = (
            np.kron(every, f(nodes)) for f in (self.horizon.position, self.horizon.velocity)
        )
        self._rows, self._hessian = self._squares()
        self._watched = np.sort(np.concatenate([nodes, self.horizon.middles]))  # positions may peak between the nodes
        self._bounds_rows = np.vstack([np.kron(every, self.horizon.position(self._watched)), self._velocity])

    def reset(self) -> None:
        """Rest at neutral."""
        self.x, self.v = np.zeros(len(AXES)), np.zeros(len(AXES))
        self.plan, self.age = np.zeros((len(AXES), self.horizon.blocks)), 0.0

    def step(self, scene: Preview, dt: float) -> Array:
        """Plan with the coming motion of the scene, and advance by dt (s); returns accelerations of the axes (8,)."""
        found = minimum(self.program(scene(self.horizon.middles)))
        if found is None:
            self.kept += 1
        else:
            self.plan, self.age = found.reshape(self.plan.shape), 0.0
        before, after = self.horizon.velocity(np.array([self.age, self.age + dt]))
        a = np.asarray(self.plan @ (after - before) / dt)  # the mean: velocities are those of the plan at every update
        self.x, self.v, self.age = self.x + self.v * dt + 0.5 * a * dt**2, self.v + a * dt, self.age + dt
        return a

    def _squares(self) -> tuple[Array, Array]:
        """Rows R of the weighted residuals |R z − d|², z the accelerations by axis and block, and 2 RᵀR."""
        w, h, n = self.weights, self.horizon, self.horizon.blocks
        root = np.sqrt(h.lengths)[:, None]
        at = {axis: np.eye(len(AXES))[k : k + 1] for k, axis in enumerate(AXES)}
        moved, turned, pushed = root * h.position(h.middles), root * h.velocity(h.middles), root * np.eye(n)
        tilt = {channel.axis: np.kron(at[channel.turn], channel.sign * GRAVITY * moved) for channel in CHANNELS}
        rows = []
        for axis in POSE[:3]:
            table = at.get(f"table.{axis}", 0.0)
            rows.append(np.sqrt(w.force) * (np.kron(at[axis] + table, pushed) + tilt.get(axis, 0.0)))
        rows += [np.sqrt(w.turn) * np.kron(at[turn], turned) for turn in TURNS]
        for axis in AXES:
            tilts = axis in TURNS
            rows.append(np.sqrt(w.tilt if tilts else w.position) * np.kron(at[axis], moved))
            rows.append(np.sqrt(w.velocity) * np.kron(at[axis], turned))
            rows.append(np.sqrt(w.tilt_acceleration if tilts else w.acceleration) * np.kron(at[axis], pushed))
        R = np.vstack(rows)
        return R, 2.0 * R.T @ R

    def _wanted(self, scene: Array) -> Array:
        """d of the residuals |R z − d|² for the scene's signals at the middles of the blocks (blocks, 6)."""
        w, h = self.weights, self.horizon
        root = np.sqrt(h.lengths)
        coasting = self.x[:, None] + self.v[:, None] * h.middles  # positions without acceleration
        parts = []
        for axis, signal in zip(POSE[:3], scene.T[:3], strict=True):
            tilt = sum(c.sign * GRAVITY * coasting[AXES.index(c.turn)] for c in CHANNELS if c.axis == axis)
            parts.append(np.sqrt(w.force) * root * (signal - tilt))
        for turn, signal in zip(TURNS, scene.T[3:], strict=True):
            parts.append(np.sqrt(w.turn) * root * (signal - self.v[AXES.index(turn)]))
        for k, axis in enumerate(AXES):
            parts.append(-np.sqrt(w.tilt if axis in TURNS else w.position) * root * coasting[k])
            parts.append(-np.sqrt(w.velocity) * root * self.v[k])
            parts.append(0.0 * root)
        return np.concatenate(parts)

    def program(self, scene: Array) -> QuadraticProgram:
        """The programme of the next plan, for signals of the scene (blocks, 6) in the middle of the blocks."""
        n, nodes = self.horizon.blocks, np.array(self.horizon.ends)
        gradient = -2.0 * self._rows.T @ self._wanted(scene)
        coasting = (self.x[:, None] + self.v[:, None] * nodes).ravel()
        speed = np.repeat(self._speed, n)
        speed[n - 1 :: n] = 0.0  # everything rests at the end
        v, reach = np.repeat(self.v, n), np.repeat(self._reach, len(self._watched))
        passed = (self.x[:, None] + self.v[:, None] * self._watched).ravel()
        legs, low, high = self._legs(coasting)
        push = np.repeat(self._push, n)
        lower = np.concatenate([-push, -reach - passed, -speed - v, low])
        upper = np.concatenate([push, reach - passed, speed - v, high])
        rows = np.vstack([self._bounds_rows, legs])
        return QuadraticProgram(self._hessian, gradient, rows, lower, upper)

    def _legs(self, coasting: Array) -> tuple[Array, Array, Array]:
        """Rows of the leg lengths at the nodes, linear about the poses of the last plan, with their bounds."""
        n, first = self.horizon.blocks, len(AXES) - len(POSE)
        planned = (coasting + self._position @ self.plan.ravel()).reshape(len(AXES), n)[first:].T
        pose = self.data.neutral + planned
        lengths = leg_states(pose, self.data)[0]
        slopes = inverse_jacobian(pose, self.data)
        slopes[..., 3:] = slopes[..., 3:] @ euler_map(pose[:, 3:])
        rows, low, high = [], [], []
        legs = self.data.legs
        for k in range(n):
            here = slice(first * n + k, None, n)  # this node of all axes of the hexapod
            rows.append(slopes[k] @ self._position[here])
            rest = lengths[k] + slopes[k] @ (coasting[here] - planned[k])
            low.append(legs.shortest + LEG_MARGIN - rest)
            high.append(legs.longest - LEG_MARGIN - rest)
        return np.vstack(rows), np.concatenate(low), np.concatenate(high)


def fading(now: Array) -> Preview:
    """The scene without a preview: its present signals (6,) fade."""
    return lambda t: now * np.exp(-t / FADE)[:, None]


def preview_of(record: SceneRecord, t: float) -> Preview:
    """The scene's motion as a record knows it."""
    columns = np.concatenate([record.acceleration, record.rate], axis=1)
    return lambda later: np.stack([np.interp(t + later, record.t, c) for c in columns.T], axis=-1)


@dataclass(frozen=True, eq=False)
class Predictive:
    """Predictive cueing: references are inputs `plan_x`, `plan_x_rate`, `plan_x_second` …, which a planner computes.

    Parameters
    ----------
    planner : PredictivePlanner
        Computes the references.
    preview : bool
        Whether the future of the record is known; otherwise its present motion fades. Default True.
    """

    planner: PredictivePlanner
    preview: bool = True

    @property
    def name(self) -> str:
        """With or without preview, with what moves."""
        known = "" if self.preview else " without preview"
        return f"predictive{known}, {'table' if self.planner.table else 'hexapod'}"

    def add(self, m: Model) -> References:
        """Add the inputs of all axes."""
        found: References = {}
        for axis in AXES:
            names, unit = plan_inputs(axis), PlatformData.unit(axis)
            for name, per in zip(names, ("", "/s", "/s²"), strict=True):
                m.input(name, 0.0, f"{unit}{per}")
            found[axis] = Reference(*(lambda s, p, name=name: p[name] for name in names))
        return found

    def plans(self, record: SceneRecord, update: float = UPDATE) -> dict[str, Array]:
        """Values of the inputs over a record, and once more after it; the motion is planned anew at each update (s)."""
        planner, step = self.planner, record.step
        planner.reset()
        hold = max(1, round(update / step))
        columns = np.concatenate([record.acceleration, record.rate], axis=1)
        found = np.zeros((3, len(record.t) + hold + 1, len(AXES)))
        for k in range(0, len(record.t), hold):
            scene = preview_of(record, float(record.t[k])) if self.preview else fading(columns[k])
            x, v = planner.x, planner.v
            a = planner.step(scene, hold * step)
            t = step * np.arange(hold)[:, None]
            found[:, k : k + hold] = x + v * t + 0.5 * a * t**2, v + a * t, np.tile(a, (hold, 1))
        kept = found[:, : len(record.t) + 1]
        return {name: kept[d, :, j] for j, axis in enumerate(AXES) for d, name in enumerate(plan_inputs(axis))}


def plan_inputs(axis: str) -> tuple[str, str, str]:
    """Names of the inputs for position, rate and second derivative of an axis."""
    name = f"plan_{axis.replace('.', '_')}"
    return name, f"{name}_rate", f"{name}_second"
