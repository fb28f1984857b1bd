"""The loop that penalties hold least in a run: near a singular position accelerations miss it, and the run says so."""

from __future__ import annotations

from symbody.equations.compile import compile
from symbody.system.assembly import constraint_function
from symbody.system.penalty_stiffness import WeakLoop, warn_of_weak_loop, weakest_loop
from symbody.system.system import Array, System


class PenaltyWatch:
    """States of a run with closure "penalty" or "augmented"; with partitioning or without loops nothing is watched."""

    def __init__(self, s: System):
        self._system, self._weakest = s, None if s.definition.options.closure == "partitioning" else WeakLoop("", 1e300)
        self._loops = constraint_function(s.model) if self._weakest else None
        if self._loops is None:
            return
        self._mass = compile(s.model, "mass", loads=False)
        for function in (self._loops, self._mass):
            function.parameters.update({name: s.parameters[name] for name in function.parameters})

    @property
    def looks(self) -> bool:
        """Whether it needs to see states."""
        return self._loops is not None

    def see(self, s: System, t: float, x: Array, u: Array, guess: Array) -> None:
        """Compare the loops at a state with the weakest so far."""
        assert self._loops is not None
        assert self._weakest is not None
        q, _ = s.motion(t, x, u, guess)
        found = weakest_loop(s.model, s.definition.options.alpha, self._mass(q), self._loops(q).J, t)
        if found is not None and found.ratio < self._weakest.ratio:
            self._weakest = found

    def close(self) -> None:
        """Warn if a loop was held weakly after the start; `sb.system` warns of the start."""
        if self._weakest is not None and self._weakest.t:
            warn_of_weak_loop(self._weakest, self._system.model.name, self._system.definition.options)
