"""What is to be learned with a system: actions, what is observed, when it ends, what it is worth; one state or many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.expr.graph import needed
from symbody.nearest import did_you_mean
from symbody.stepping.stepper import Stepper, stepper
from symbody.system.system import Array, System

Range = tuple[float, float]
Named = Mapping[str, Any]  # numbers by name; of many states an array each
Reward = Callable[[Named, Named], Any]  # of what is observed, and of the actions
ROOM = 2.0  # the space of an observation by its limits, so that it holds what is beyond them when an episode ends


@dataclass(frozen=True)
class Task:
    """A system stepped by actions held over dt (s), from a start spread at random, until limits are passed."""

    s: System
    reward: Reward
    actions: Mapping[str, Range]
    observed: Sequence[str] = ()  # states and outputs; none: all states
    limits: Mapping[str, Range] = field(default_factory=dict)  # an episode ends beyond them
    spread: Mapping[str, float] = field(default_factory=dict)  # of the initial states, to both sides
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
        """What can be observed."""
        return list(dict.fromkeys([*self.s.states, *self.s.outputs]))

    @property
    def names(self) -> list[str]:
        """Of an observation."""
        return list(self.observed or self.s.states)

    @cached_property
    def depends_on_time(self) -> bool:
        """Whether the motion is another at another time."""
        return bool(self.s.make(lambda traced: traced.t in needed([*traced.rates, *traced.udd])))

    def stepper(self) -> Stepper:
        """A stepper of its own."""
        return stepper(self.s, self.method, self.dt, self.substeps)

    def action_bounds(self) -> tuple[Array, Array]:
        """Lowest and highest actions."""
        low, high = np.array(list(self.actions.values()), dtype=np.float32).T
        return low, high

    def observation_bounds(self) -> tuple[Array, Array]:
        """Lowest and highest observations: some room beyond the limits, where there are any."""
        found = []
        for name in self.names:
            low, high = self.limits.get(name, (-np.inf, np.inf))
            middle, half = (low + high) / 2, ROOM * (high - low) / 2
            found.append((middle - half, middle + half) if np.isfinite(half) else (-np.inf, np.inf))
        low, high = np.array(found, dtype=np.float32).T
        return low, high

    def inputs(self, action: Array) -> Array:
        """All inputs of the system from actions within their bounds, one state or a row for each."""
        low, high = self.action_bounds()
        action = np.clip(np.asarray(action, dtype=float), low.astype(float), high.astype(float))
        u = np.broadcast_to(self.s.u0, (*action.shape[:-1], len(self.s.u0))).copy()
        u[..., [self.s.inputs.index(name) for name in self.actions]] = action
        return u

    def starts(self, rng: np.random.Generator, n: int | None = None) -> Array:
        """Initial states: those of the system, spread evenly to both sides."""
        width = np.array([self.spread.get(name, 0.0) for name in self.s.states])
        shape = width.shape if n is None else (n, len(width))
        return self.s.x0 + width * rng.uniform(-1.0, 1.0, shape)

    def see(self, x: Array, observe: Callable[[], Array]) -> dict[str, Array]:
        """All that is observed or limited, by name."""
        wanted = dict.fromkeys([*self.names, *self.limits])
        found = {name: x[..., k] for k, name in enumerate(self.s.states) if name in wanted}
        if len(found) < len(wanted):
            y = observe()
            found |= {k: y[..., i] for i, k in enumerate(self.s.outputs) if k in wanted and k not in found}
        return found

    def observation(self, seen: Named) -> Array:
        """As learners take it."""
        return np.stack([seen[name] for name in self.names], axis=-1).astype(np.float32)

    def beyond(self, seen: Named) -> Array:
        """Whether a limit is passed."""
        passed = [(seen[name] < low) | (seen[name] > high) for name, (low, high) in self.limits.items()]
        return np.any(passed, axis=0) if passed else np.zeros(np.shape(next(iter(seen.values()))), dtype=bool)

    def worth(self, seen: Named, u: Array) -> Array:
        """The reward of a step."""
        actions = {name: u[..., self.s.inputs.index(name)] for name in self.actions}
        return np.asarray(self.reward(seen, actions), dtype=float)
