"""Environments of Gymnasium on compiled systems: one state a step, or many at once in C."""

from __future__ import annotations

from typing import Any

import numpy as np

from symbody.batch.of_system import Batch
from symbody.bridges.single_task import SingleTask
from symbody.bridges.task import Task
from symbody.errors import AssemblyError, DivergenceError, ModelError, SingularityError
from symbody.lazy_imports import required
from symbody.system.system import Array, System

gym: Any = required("gymnasium", "gym")
required("gymnasium.vector", "gym")
FAILURES = (AssemblyError, DivergenceError, SingularityError)  # a limit of the model also ends an episode
STEPS = 500  # steps of an episode by default

__all__ = ["Environment", "VectorEnvironment"]


class Environment(gym.Env[Array, Array]):  # type: ignore[misc]
    """A system as a Gymnasium environment: actions are inputs, held over dt; observations are states or outputs.

        env = Environment(
            s, reward=lambda y, u: 1.0, actions={"force": (-10, 10)},
            limits={"x.q": (-2.4, 2.4), "tilt.q": (-0.21, 0.21)}, spread={"tilt.q": 0.05},
        )

    Parameters
    ----------
    s : System
    reward : function
        (observations, actions), both by name, to a number.
    actions : mapping of str to (float, float)
        Bounds by input. Other inputs keep their values.
    steps : int
        An episode is truncated after this number. Default 500.
    **task
        `observed`: names of states and outputs (default: the states). `limits`: ranges by name; an episode ends outside
        them, or when a step fails, and the observation space is twice as wide. `spread`: half width of the initial
        states by name. `dt`: s, held by an action (default 0.02), in `substeps` (default 1) of the `method`.

    Examples
    --------
    >>> import symbody as sb
    >>> s = sb.system(sb.machines.model("cart-pole"))
    >>> from symbody.bridges.gymnasium import Environment
    >>> env = Environment(s, lambda y, u: 1.0, {"force": (-10, 10)})
    >>> seen, info = env.reset(seed=1)
    >>> seen.shape
    (4,)
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # as Gymnasium has it

    def __init__(self, s: System, reward: Any, actions: Any, *, steps: int = STEPS, **task: Any):
        self.task, self.steps = Task(s, reward, actions, **task), steps
        self.action_space = gym.spaces.Box(*self.task.action_bounds(), dtype=np.float32)
        self.observation_space = gym.spaces.Box(*self.task.observation_bounds(), dtype=np.float32)
        self._stepper, self._count = self.task.stepper(), 0
        self._single = SingleTask(self.task)
        self.x = s.x0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start an episode; options={"x": state} sets the initial state."""
        super().reset(seed=seed)
        given = (options or {}).get("x")
        self.x = self._stepper.reset(self.task.starts(self.np_random) if given is None else given)
        self._count = 0
        return self._single.observation(self._single.see(self.x, self._stepper.observe)), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """One step of dt: observation, reward, terminated, truncated, info with the reason of a failure."""
        single = self._single
        info: dict[str, Any] = {}
        acted = single.actions(action)
        try:
            self.x = self._stepper.step(self.x, single.inputs(acted))
            seen = single.see(self.x, self._stepper.observe)
        except FAILURES as failure:
            info["failure"] = str(failure)
            seen = single.see(self.x, lambda: np.full(len(self.task.s.outputs), np.nan))
        self._count += 1
        ended = bool(info) or single.beyond(seen)
        worth = float(self.task.reward(seen, acted))
        return single.observation(seen), worth, ended, self._count >= self.steps, info


class VectorEnvironment(gym.vector.VectorEnv):  # type: ignore[misc]
    """Many copies of a system as one vectorised environment, stepped together in C; arguments as of `Environment`.

    The reward gets arrays, a number for each. What ended begins again at the next step, as Gymnasium has it.

    Parameters
    ----------
    s : System
    reward : function
        (observations, actions), both by name, to a number.
    actions : mapping of str to (float, float)
        Bounds by input. Other inputs keep their values.
    num_envs : int
        Copies.
    steps : int
        An episode is truncated after this number. Default 500.
    **task
        `observed`: names of states and outputs (default: the states). `limits`: ranges by name; an episode ends outside
        them, or when a step fails, and the observation space is twice as wide. `spread`: half width of the initial
        states by name. `dt`: s, held by an action (default 0.02), in `substeps` (default 1) of the `method`.

    Examples
    --------
    >>> import symbody as sb
    >>> s = sb.system(sb.machines.model("cart-pole"))
    >>> from symbody.bridges.gymnasium import VectorEnvironment
    >>> env = VectorEnvironment(s, lambda y, u: 1.0, {"force": (-10, 10)}, num_envs=3)
    >>> seen, info = env.reset(seed=1)
    >>> seen.shape
    (3, 4)
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": gym.vector.AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, s: System, reward: Any, actions: Any, *, num_envs: int, steps: int = STEPS, **task: Any):
        self.task, self.steps, self.num_envs = Task(s, reward, actions, **task), steps, num_envs
        if self.task.depends_on_time:
            cure = "use gymnasium.vector.SyncVectorEnv over several of Environment"
            raise ModelError(
                "its laws know the time, and copies begin at different ones", element=s.model.name, cure=cure
            )
        self.single_action_space = gym.spaces.Box(*self.task.action_bounds(), dtype=np.float32)
        self.single_observation_space = gym.spaces.Box(*self.task.observation_bounds(), dtype=np.float32)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, num_envs)
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, num_envs)
        self._stepper, self._alone, self._batch = self.task.stepper(), self.task.stepper(), self.task.batch(num_envs)
        self._y = np.full((num_envs, len(s.outputs)), np.nan)  # outputs of a batch
        self._count, self._ended = np.zeros(num_envs, dtype=int), np.zeros(num_envs, dtype=bool)
        self.x = np.tile(s.x0, (num_envs, 1))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start an episode in all copies."""
        super().reset(seed=seed)
        self._begin(np.ones(self.num_envs, dtype=bool))
        rest = np.tile(self.task.s.u0, (self.num_envs, 1))
        return self.task.observation(self._seen(rest, np.zeros(self.num_envs, dtype=bool))), {}

    def _begin(self, rows: Array) -> None:
        """Reset some of the states."""
        self.x = self.x.copy()
        self.x[rows] = self.task.starts(self.np_random, int(rows.sum()))
        self._count[rows], self._ended[rows] = 0, False
        if self._batch is not None:
            self._require_closed(self.x[rows])
            self._batch.put(rows, self.x[rows])
        elif len(self.task.s.start_guess):
            self._stepper.reset()  # loops of a row are closed at its new state

    def _require_closed(self, x: Array) -> None:
        """Raise if the loops of a state do not close: no episode can begin there."""
        if len(self.task.s.start_guess) and len(x):
            found = self.task.s.close_loops(0.0, x)
            if not found.closed.all():
                raise AssemblyError(found.why[int(np.argmin(found.closed))])

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """A step of all copies; those whose episode has ended are reset instead."""
        fresh, u = self._ended.copy(), self.task.inputs(actions)
        failed, stepped = np.zeros(self.num_envs, dtype=bool), ~fresh
        if fresh.any():
            self._begin(fresh)
        if self._batch is not None:
            after, failed = self._together(self._batch, u, fresh)
            stepped &= ~failed
        else:
            try:
                after = self._stepper.step(self.x, u)
            except FAILURES:
                after, failed = self._one_by_one(self.x, u)
                stepped[:] = False
        self.x = np.where(fresh[:, None], self.x, after)
        seen = self._seen(u, stepped)
        self._count += ~fresh
        ended = (failed | self.task.beyond(seen)) & ~fresh
        cut = (self._count >= self.steps) & ~fresh
        self._ended = ended | cut
        reward = np.where(fresh, 0.0, np.broadcast_to(self.task.worth(seen, u), self.num_envs))
        return self.task.observation(seen), reward, ended, cut, {}

    def _together(self, b: Batch, u: Array, fresh: Array) -> tuple[Array, Array]:
        """The states after a step of the batch, and which copies failed; those keep their state."""
        steps = self.task.substeps
        values = b.rollout(steps, u, every=steps).values
        if values is not None:
            self._y[:, [self.task.s.outputs.index(name) for name in b.channels]] = values[-1]
        failed = np.zeros(self.num_envs, dtype=bool)
        failed[list(b.failures)] = True
        if fresh.any():
            b.put(fresh, self.x[fresh])  # they begin with the next step
        return np.array(b.x), failed

    def _one_by_one(self, x: Array, u: Array) -> tuple[Array, Array]:
        """Step each copy alone after a failure; copies that fail keep their state."""
        after, failed = x.copy(), np.zeros(len(x), dtype=bool)
        self._stepper.reset()
        for k in range(len(x)):
            try:
                after[k] = self._alone.step(self._alone.reset(x[k]), u[k])
            except FAILURES:
                failed[k] = True
        return after, failed

    def _seen(self, u: Array, stepped: Array) -> dict[str, Array]:
        """Observations of all states; outputs of states that the stepper has not reached are computed separately."""

        def observe() -> Array:
            s = self.task.s
            if self._batch is not None:
                y = self._y.copy()
            else:
                y = self._stepper.observe() if stepped.any() else np.empty((len(u), len(s.outputs)))
            for k in np.flatnonzero(~stepped):
                y[k] = s.observe(0.0, self.x[k], u[k])
            return y

        return self.task.see(self.x, observe)
