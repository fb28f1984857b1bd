"""How well a penalty factor holds the loops: α J M⁻¹ Jᵀ, the ratio of its stiffness to the inertia."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from symbody.equations.constraints import counts
from symbody.errors import PenaltyWarning
from symbody.model.model import Model
from symbody.system.assembly import RANK
from symbody.system.displacement import movable
from symbody.system.options import SystemOptions

Array = np.ndarray
STIFF = 1e4  # least ratio of the stiffness of penalties to inertia


@dataclass(frozen=True)
class WeakLoop:
    """A loop with the least ratio α J M⁻¹ Jᵀ, and the time (s)."""

    loop: str
    ratio: float
    t: float = 0.0


def weakest_loop(model: Model, alpha: float, M: Array, J: Array, t: float = 0.0) -> WeakLoop | None:
    """The loop that the penalty holds least; None without loops. Equations that do not act at all are left out.

    Accelerations by the penalty formula miss the loops by the reciprocal of the ratio. Near a dead centre rows of J are
    small.
    """
    moving = movable(model)
    compliance = J[:, moving] @ np.linalg.lstsq(M[np.ix_(moving, moving)], J[:, moving].T, rcond=None)[0]
    sizes, ways = np.linalg.eigh((compliance + compliance.T) / 2)
    there = sizes > RANK * sizes.max(initial=0.0)
    if not np.any(there):
        return None
    weak = int(np.argmax(there))  # eigenvalues increase
    owners = [name for name, count in counts(model) for _ in range(count)]
    return WeakLoop(owners[int(np.argmax(np.abs(ways[:, weak])))], alpha * float(sizes[weak]), t)


def warn_of_weak_loop(found: WeakLoop | None, name: str, options: SystemOptions, stacklevel: int = 4) -> None:
    """Warn if the ratio is below `STIFF`."""
    if found is None or found.ratio > STIFF:
        return
    when = f"at t = {found.t:g} s" if found.t else "at the start"
    problem = f"{name}: loop '{found.loop}' is near a singular position {when}, where alpha = {options.alpha:.2g}"
    share = min(1.0 / found.ratio ** (2 if options.closure == "augmented" else 1), 1.0)  # an iteration squares it
    cure = f"use closure='partitioning', or alpha={10 * STIFF * options.alpha / found.ratio:.1g} or more"
    text = f"{problem} holds it weakly: accelerations miss the loop by {100 * share:.2g} % of those without it; {cure}"
    warnings.warn(PenaltyWarning(text), stacklevel=stacklevel + 1)
