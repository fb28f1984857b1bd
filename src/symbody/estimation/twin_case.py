"""The description of a twin experiment: the true machine, the errors of the filter's model, and its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from symbody.analysis.simulate import simulate
from symbody.estimation.estimate import with_own_parameters
from symbody.estimation.noisy_sensor import NoisySensor
from symbody.estimation.twin import TwinRun, twin_runs
from symbody.results.run import Run
from symbody.stepping.inputs import Signal, inputs_over_time
from symbody.system.named_values import require_known
from symbody.system.system import Array, System


def held_inputs(s: System, given: Mapping[str, Signal], t: Array) -> Array:
    """Inputs that are constant during each step: the mean of both ends, half of a jump.

    With the value at the first end only, the filter would be a step late, and a valve that jumps would leave any band.

    Parameters
    ----------
    s : System
        The system.
    given : mapping of str to float, array or function
        Inputs by name; others keep their values.
    t : array, shape (steps + 1,)
        Times (s).

    Returns
    -------
    array, shape (steps, inputs)
        One row for each step.
    """
    at = inputs_over_time(s, given)
    rows = np.array([at(time) for time in t]).reshape(len(t), len(s.inputs))
    return np.asarray(0.5 * (rows[:-1] + rows[1:]))


@dataclass(frozen=True)
class TwinCase:
    """A true machine, a copy with some wrong values, and a filter on the copy.

    Parameters
    ----------
    machine : System
        The true machine.
    until : float
        End of the experiment (s).
    dt : float
        Step (s).
    sensors : sequence of NoisySensor
        Measured channels with their noise.
    inputs : mapping of str to float, array or function, optional
        Inputs of the machine. The filter gets them except those in `forces`, which it estimates.
    wrong : mapping of str to float, optional
        Parameters of the filter's model that differ.
    away : mapping of str to float, optional
        Initial errors of the filter's states.
    model_error, forces, parameters, start, method, gate
        As in `sb.estimate`.
    watched : sequence of str, optional
        Further outputs to estimate.
    filtered : System, optional
        Another system for the filter. Default: the machine's own.
    """

    machine: System
    until: float
    dt: float
    sensors: Sequence[NoisySensor]
    inputs: Mapping[str, Signal] = field(default_factory=dict)
    wrong: Mapping[str, float] = field(default_factory=dict)
    away: Mapping[str, float] = field(default_factory=dict)
    model_error: Mapping[str, float] | float | None = None
    forces: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, float] = field(default_factory=dict)
    start: Mapping[str, float] | None = None
    watched: Sequence[str] = ()
    method: str | None = None
    gate: float = np.inf
    filtered: System | None = None

    @cached_property
    def truth(self) -> Run:
        """The run of the true machine."""
        given = {name: signal for name, signal in self.inputs.items() if name in self.machine.inputs}
        return simulate(self.machine, self.until, self.dt, method=self.method, inputs=given)

    @cached_property
    def model(self) -> System:
        """The filter's system; it has its own parameters."""
        s = with_own_parameters(self.filtered or self.machine)
        s.parameters.update(self.wrong)
        require_known(self.away, s.states, "state")
        return s.starting_at(s.x0 + np.array([self.away.get(name, 0.0) for name in s.states]))

    @cached_property
    def told(self) -> Array:
        """Rows of inputs that the filter gets, one per step."""
        given = {k: v for k, v in self.inputs.items() if k in self.model.inputs and k not in self.forces}
        return held_inputs(self.model, given, self.truth.t)

    @cached_property
    def unknown(self) -> dict[str, float | Array]:
        """True values of the estimated inputs (after each step) and parameters (constant)."""
        found: dict[str, float | Array] = {n: self.machine.parameters[n] for n in self.parameters}
        moved = [name for name in self.forces if name in self.machine.inputs]
        at = inputs_over_time(self.machine, {name: self.inputs[name] for name in moved if name in self.inputs})
        rows = np.array([at(t) for t in self.truth.t[1:]])
        return found | {name: rows[:, self.machine.inputs.index(name)] for name in moved}

    def observed(self, seeds: Sequence[int]) -> list[TwinRun]:
        """The results of the filter for the noise of each seed."""
        return twin_runs(
            self.truth, self.model, self.sensors, self.told, seeds, model_error=self.model_error, forces=self.forces,
            parameters=self.parameters, start=self.start, watched=self.watched, method=self.method, gate=self.gate,
            unknown=self.unknown,
        )  # fmt: skip
