"""Small dense quadratic programmes, by DAQP: the smallest worst case of three solvers on the programmes of cueing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from symbody.errors import ModelError
from symbody.motion.data import Array


class QuadraticProgram(NamedTuple):
    """Minimise ½ zᵀHz + fᵀz with lower ≤ [z; rows z] ≤ upper."""

    H: Array
    f: Array
    rows: Array
    lower: Array
    upper: Array


def minimum(program: QuadraticProgram) -> Array | None:
    """z that solves a programme, or None if there is none."""
    try:
        import daqp
    except ImportError as error:
        raise ModelError("predictive cueing needs the package daqp", cure="pip install 'symbody[cueing]'") from error
    H, f, rows, lower, upper = program
    z, _, status, _ = daqp.solve(H, f, rows, upper, lower, np.zeros(len(upper), dtype=np.int32))
    return z if status >= 1 and np.isfinite(z).all() else None
