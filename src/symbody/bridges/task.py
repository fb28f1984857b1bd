"""A learning task on a system: actions, observations, limits of an episode, reward; for one state or many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from symbody.batch.of_system import Batch, batch
from symbody.batch.system_kernel import METHODS
from symbody.codegen.compiler import find_compiler
from symbody.errors import CompileError, ModelError
from symbody.expr.graph import needed
from symbody.stepping.stepper import Stepper, stepper
from symbody.suggestions import did_you_mean
from symbody.system.system import Array, System

Range = tuple[float, float]
Named = Mapping[str, Any]  # numbers by name; arrays for many states
Reward = Callable[[Named, Named], Any]  # (observations, actions) → reward
FEWEST = 64  # states that are worth the compilation of a kernel
ROOM = 2.0  # width of the observation space in units of the limits: it contains the last observation of an episode


@dataclass(frozen=True)
class Task:
    """A system stepped by actions that are held over dt (s), from random initial states, until a limit is exceeded."""

    s: System
    reward: Reward
    actions: Mapping[str, Range]
    observed: Sequence[str] = ()  # names of states and outputs; empty: all states
    limits: Mapping[str, Range] = field(default_factory=dict)  # an episode ends outside them
    spread: Mapping[str, float] = field(default_factory=dict)  # half width of the initial states
    dt: float = 0.02
    substeps: int = 1
    method: str | None = None

    def __post_init__(self) -> None:
        known = {"actions": self.s.inputs, "spread": self.s.states}
        known |= {"observed": self.available, "limits": self.available}
        for group, names in known.items():
            for name in getattr(self, group):
                if name not in names:
                    cure = did_you_mean(name, names, "inputs" if group == "actions" else "channels")
                    raise ModelError(f"unknown among the {group}", element=name, cure=cure)
        for name, (low, high) in {**self.actions, **self.limits}.items():
            if not low < high:
                raise ModelError(f"a range ({low}, {high})", element=name, cure="give the lower number first")
        if not self.actions:
            raise ModelError("no actions", element=self.s.model.name, cure='give inputs: {"force": (-10, 10)}')

    @cached_property
    def available(self) -> list[str]:
        """Names that can be observed."""
        return list(dict.fromkeys([*self.s.states, *self.s.outputs]))

    @property
    def names(self) -> list[str]:
        """Names of an observation."""
        return list(self.observed or self.s.states)

    @cached_property
    def depends_on_time(self) -> bool:
        """Whether the equations depend on time."""
        return bool(self.s.make(lambda traced: traced.t in needed([*traced.rates, *traced.udd])))

    def stepper(self) -> Stepper:
        """A new stepper."""
        return stepper(self.s, self.method, self.dt, self.substeps)

    @cached_property
    def seen_outputs(self) -> list[str]:
        """Outputs that are observed or limited, besides states."""
        return [name for name in dict.fromkeys([*self.names, *self.limits]) if name not in self.s.states]

    def batch(self, n: int) -> Batch | None:
        """n states in one batch; None if they are too few, or if the system or the method does not support it."""
        method = self.method or "rk4"
        if n < FEWEST or method not in METHODS or find_compiler() is None:
            return None
        try:
            return batch(self.s, n, dt=self.dt / self.substeps, method=method, channels=self.seen_outputs)
        except (CompileError, ModelError):
            return None

    def action_bounds(self) -> tuple[Array, Array]:
        """Lowest and highest actions."""
        low, high = np.array(list(self.actions.values()), dtype=np.float32).T
        return low, high

    def observation_bounds(self) -> tuple[Array, Array]:
        """Lowest and highest observations: the limits, widened by ROOM."""
        found = []
        for name in self.names:
            low, high = self.limits.get(name, (-np.inf, np.inf))
            middle, half = (low + high) / 2, ROOM * (high - low) / 2
            found.append((middle - half, middle + half) if np.isfinite(half) else (-np.inf, np.inf))
        low, high = np.array(found, dtype=np.float32).T
        return low, high

    def inputs(self, action: Array) -> Array:
        """All inputs of the system, with actions clipped to their bounds; one row for each state."""
        low, high = self.action_bounds()
        action = np.clip(np.asarray(action, dtype=float), low.astype(float), high.astype(float))
        u = np.broadcast_to(self.s.u0, (*action.shape[:-1], len(self.s.u0))).copy()
        u[..., [self.s.inputs.index(name) for name in self.actions]] = action
        return u

    def starts(self, rng: np.random.Generator, n: int | None = None) -> Array:
        """Initial states: that of the system plus uniform noise of half width `spread`."""
        width = np.array([self.spread.get(name, 0.0) for name in self.s.states])
        shape = width.shape if n is None else (n, len(width))
        return self.s.x0 + width * rng.uniform(-1.0, 1.0, shape)

    def see(self, x: Array, observe: Callable[[], Array]) -> dict[str, Array]:
        """All observed and limited values, by name."""
        wanted = dict.fromkeys([*self.names, *self.limits])
        found = {name: x[..., k] for k, name in enumerate(self.s.states) if name in wanted}
        if len(found) < len(wanted):
            y = observe()
            found |= {k: y[..., i] for i, k in enumerate(self.s.outputs) if k in wanted and k not in found}
        return found

    def observation(self, seen: Named) -> Array:
        """The observation as a float32 array."""
        return np.stack([seen[name] for name in self.names], axis=-1).astype(np.float32)

    def beyond(self, seen: Named) -> Array:
        """Whether a limit is exceeded."""
        passed = [(seen[name] < low) | (seen[name] > high) for name, (low, high) in self.limits.items()]
        return np.any(passed, axis=0) if passed else np.zeros(np.shape(next(iter(seen.values()))), dtype=bool)

    def worth(self, seen: Named, u: Array) -> Array:
        """The reward of a step."""
        actions = {name: u[..., self.s.inputs.index(name)] for name in self.actions}
        return np.asarray(self.reward(seen, actions), dtype=float)
