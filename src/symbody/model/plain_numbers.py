"""Convenient inputs: one number instead of a tuple of one, 9.81 for the gravity vector, a matrix for an inertia."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.model.formula import Formula, Number, Vector

GRAVITY = 9.81  # m/s², on Earth: the default of a model
SYMMETRIC = 1e-9  # largest difference of an inertia matrix from its transpose, relative to its largest entry
_SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def is_number(value: Any) -> bool:
    """Whether a value is one number or one formula."""
    return isinstance(value, Formula | str) or np.ndim(value) == 0


def several(value: Any) -> tuple[Any, ...]:
    """A tuple of numbers; one number becomes a tuple of one."""
    return (value,) if is_number(value) else tuple(value)


def number(value: Any, element: str = "") -> Number:
    """A number, or a formula from text. element: for the error."""
    if isinstance(value, Formula):
        return value
    if isinstance(value, str):
        return Formula(value)
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        problem, cure = f"expected one number, got {value!r:.60}", "write a number, or a formula over the parameters"
        raise ModelError(problem, element=element, cure=cure) from error


def triple(values: Sequence[Number], element: str = "") -> Vector:
    """Exactly three numbers. element: for the error."""
    listed = several(values)
    if len(listed) != 3:
        raise ModelError(f"expected three numbers, got {len(listed)}", element=element, cure="write them as (x, y, z)")
    x, y, z = listed
    return number(x, element), number(y, element), number(z, element)


def gravity_vector(value: Any) -> Any:
    """Gravity (m/s²) as a vector; one number g means (0, 0, −g)."""
    return (0.0, 0.0, -abs(float(value))) if np.ndim(value) == 0 and not isinstance(value, str) else tuple(value)


def inertia_six(value: Any, element: str) -> Sequence[Any]:
    """(xx, yy, zz, xy, xz, yz) from six numbers, three, a symmetric 3 × 3 matrix, or one number for all axes."""
    if is_number(value):
        return (value, value, value, 0.0, 0.0, 0.0)
    listed = list(value)
    if len(listed) == 3 and all(is_number(x) for x in listed):
        return (*listed, 0.0, 0.0, 0.0)
    if len(listed) == 6:
        return listed
    if np.shape(value) == (3, 3):
        matrix = np.asarray(value, float)
        if np.abs(matrix - matrix.T).max() > SYMMETRIC * np.abs(matrix).max():
            raise ModelError("the inertia is not symmetric", element=element, cure="give xy and yx the same value")
        return [float(matrix[place]) for place in _SIX]
    cure = "use (xx, yy, zz), (xx, yy, zz, xy, xz, yz), a symmetric 3 × 3 matrix, or one number for all axes"
    raise ModelError(f"the inertia has {len(listed)} numbers", element=element, cure=cure)
