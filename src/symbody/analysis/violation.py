"""By how much the loops of a run are open."""

from __future__ import annotations

import numpy as np

from symbody.equations.compile import compile
from symbody.results.run import Run

Array = np.ndarray


def constraint_violation(run: Run) -> Array:
    """How far loops are open: max |h(q)| over all constraint equations at each recorded time, (n,), m or rad."""
    if not run.model.has_loops:
        return np.zeros(len(run))
    constraints = compile(run.model, "constraints", loads=False)
    if len(constraints.parameters):
        constraints.parameters.update({name: run.parameters[name] for name in constraints.parameters})
    return np.asarray(np.abs(constraints(run.q).h).max(axis=1))
