"""Groups of the platform's parameters, their sizes, and their relative standard deviations in each group.

A standard deviation is relative to the parameter's value in the data. A parameter that is zero there, by symmetry, is
relative to a tenth of the largest one of its kind (mass, first moment, inertia, friction) in its group.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symbody.motion.data import Array
from symbody.motion.regressors import FRICTION_NAMES, ParameterSet

NOTHING = 1e-9  # kg, kg m, kg m²: zero up to rounding
ZERO_SIZE = 0.1  # size of a parameter that is zero, relative to the largest one of its kind
SLIDERS, PLATFORM, LEG_FRICTION, LEG_INERTIA = "sliders", "platform", "friction of legs", "inertia of legs"
BOUNDS = {SLIDERS: 4.0, PLATFORM: 2.0, LEG_FRICTION: 5.0, LEG_INERTIA: 5.0}  # %, printed (Houda 2020, §3.6.2)


def group_of(lead: str) -> str:
    """The group of a parameter, by its short name."""
    if lead.startswith("table"):
        return SLIDERS
    if lead.startswith("platform"):
        return PLATFORM
    return LEG_FRICTION if lead in FRICTION_NAMES else LEG_INERTIA


def kind_of(lead: str) -> str:
    """Mass "m", first moment "mx", inertia "I", or friction "viscous", "dry"."""
    kind = lead.split(".")[-2 if lead in FRICTION_NAMES else -1]
    return "I" if kind.startswith("I") else "mx" if kind in ("mx", "my", "mz") else kind


def groups(what: ParameterSet) -> dict[str, NDArray[np.bool_]]:
    """Masks of the parameters of each group, without parameters that are zero by symmetry."""
    there = np.abs(what.values) > NOTHING
    names = np.array([group_of(lead) for lead in what.leads])
    return {group: (names == group) & there for group in BOUNDS}


def sizes(what: ParameterSet) -> Array:
    """Sizes (p,) that make standard deviations relative."""
    found = np.abs(what.values)
    classes = np.array([f"{group_of(lead)} {kind_of(lead)}" for lead in what.leads])
    largest = np.array([found[classes == one].max() for one in classes])
    return np.where(found > NOTHING, found, ZERO_SIZE * largest)


def largest_percent(sigma: Array, what: ParameterSet) -> dict[str, float]:
    """The largest 100 σ/|x| of each group, with x from the data."""
    percent = 100.0 * sigma / sizes(what)
    return {group: float(np.max(percent[own])) for group, own in groups(what).items()}
