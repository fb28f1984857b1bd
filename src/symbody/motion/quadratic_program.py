"""Small dense quadratic programmes, by DAQP: the smallest worst case of three solvers on the programmes of cueing."""

from __future__ import annotations

import numpy as np

from symbody.errors import ModelError
from symbody.motion.data import Array


def minimum(H: Array, f: Array, rows: Array, lower: Array, upper: Array) -> Array | None:
    """z that minimises ½ zᵀHz + fᵀz with lower ≤ [z; rows z] ≤ upper, or None if there is none."""
    try:
        import daqp
    except ImportError as error:
        raise ModelError("predictive cueing needs the package daqp", cure="pip install 'symbody[cueing]'") from error
    z, _, status, _ = daqp.solve(H, f, rows, upper, lower, np.zeros(len(upper), dtype=np.int32))
    return z if status >= 1 and np.isfinite(z).all() else None
