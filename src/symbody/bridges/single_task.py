"""A learning task for one state, in plain Python numbers: an array operation takes as long as a step in C."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symbody.bridges.task import Task
from symbody.errors import ModelError
from symbody.system.system import Array


class SingleTask:
    """The same actions, observations and limits as those of a `Task`, by places that are looked up once."""

    def __init__(self, task: Task):
        s, places = task.s, {name: k for k, name in enumerate(task.s.inputs)}
        low, high = (bound.astype(float).tolist() for bound in task.action_bounds())
        self._actions = [(name, low[k], high[k]) for k, name in enumerate(task.actions)]
        self._places = [places[name] for name in task.actions]
        self._all = self._places == list(range(len(s.inputs)))  # each input is an action, in their order
        self._u0, self._names = s.u0, task.names
        wanted = dict.fromkeys([*task.names, *task.limits])
        self._states = [(name, k) for k, name in enumerate(s.states) if name in wanted]
        known = {name for name, _ in self._states}
        self._outputs = [(name, k) for k, name in enumerate(s.outputs) if name in wanted and name not in known]
        self._limits = [(name, float(low), float(high)) for name, (low, high) in task.limits.items()]

    def actions(self, action: Any) -> dict[str, float]:
        """Actions by name, clipped to their bounds."""
        given = action.tolist() if isinstance(action, np.ndarray) else list(action)
        if len(given) != len(self._actions):
            names = ", ".join(name for name, _, _ in self._actions)
            cure = f"give {len(self._actions)}, for {names}"
            raise ModelError(f"an action of {len(given)} numbers", element="action", cure=cure)
        # with comparisons in this order NaN stays NaN, and the step fails
        return {name: min(max(x, low), high) for (name, low, high), x in zip(self._actions, given, strict=True)}

    def inputs(self, actions: Mapping[str, float]) -> Array:
        """All inputs of the system."""
        if self._all:
            return np.array(list(actions.values()))
        u = self._u0.copy()
        u[self._places] = list(actions.values())
        return u

    def see(self, x: Array, observe: Callable[[], Array]) -> dict[str, float]:
        """All observed and limited values, by name."""
        numbers = x.tolist()
        seen = {name: numbers[k] for name, k in self._states}
        if self._outputs:
            y = observe().tolist()
            for name, k in self._outputs:
                seen[name] = y[k]
        return seen

    def observation(self, seen: Mapping[str, float]) -> Array:
        """The observation as a float32 array."""
        return np.array([seen[name] for name in self._names], dtype=np.float32)

    def beyond(self, seen: Mapping[str, float]) -> bool:
        """Whether a limit is exceeded."""
        for name, low, high in self._limits:  # noqa: SIM110  # a generator takes twice as long
            if seen[name] < low or seen[name] > high:
                return True
        return False
