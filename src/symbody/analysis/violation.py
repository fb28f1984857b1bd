"""Constraint violation of a run: gaps of loops, and slip of rolling contacts."""

from __future__ import annotations

import numpy as np

from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.results.run import Run

Array = np.ndarray


def constraint_violation(run: Run) -> Array:
    """Position error of the constraints: max |h(q)| over all equations at each recorded time, (n,), m or rad.

    Parameters
    ----------
    run : Run
        A run that records all coordinates and velocities.

    Returns
    -------
    array, shape (n,)
        The largest error of an equation at each recorded time.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("four-bar")
    >>> run = sb.simulate(m, 0.1, 1e-3, outputs=["*.q", "*.qd"])
    >>> bool(sb.constraint_violation(run).max() < 1e-9)
    True
    """
    if not run.model.has_loops:
        return np.zeros(len(run))
    return np.asarray(np.abs(_function(run, "constraints")(run.q).h).max(axis=1))


def velocity_violation(run: Run) -> Array:
    """Velocity error of the constraints: max |A q̇ + b| at each recorded time, (n,); for rolling in m/s.

    Parameters
    ----------
    run : Run
        A run that records all coordinates and velocities.

    Returns
    -------
    array, shape (n,)
        The largest error of an equation at each recorded time.

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("four-bar")
    >>> run = sb.simulate(m, 0.1, 1e-3, outputs=["*.q", "*.qd"])
    >>> bool(sb.velocity_violation(run).max() < 1e-9)
    True
    """
    if not run.model.has_nonholonomic:
        return np.zeros(len(run))
    return np.asarray(np.abs(_function(run, "nonholonomic")(run.q, run.qd).psi).max(axis=1))


def _function(run: Run, name: str) -> Function:
    found = compile(run.model, name, loads=False)
    if len(found.parameters):
        found.parameters.update({name: run.parameters[name] for name in found.parameters})
    return found
