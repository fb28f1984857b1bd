"""Connections between measurements of a device and inputs of a model, and between outputs and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from symbody.errors import ModelError
from symbody.suggestions import did_you_mean

Array = np.ndarray


def wiring(
    wanted: Sequence[str], offered: Sequence[str], wires: Mapping[str, str | float] | None = None
) -> Callable[[Array], Array]:
    """Connect channels by name.

    Without wires, and with equal numbers of both, they are connected in order.

    Parameters
    ----------
    wanted : sequence of str
        Names of the results.
    offered : sequence of str
        Names of the given values.
    wires : mapping of str to str or float, optional
        {wanted: offered or a number}. Other names are connected to the same name.

    Returns
    -------
    function
        From values of `offered` to values of `wanted`.

    Raises
    ------
    ModelError
        For an unknown end or source of a wire.
    """
    given = dict(wires or {})
    if not given and len(wanted) == len(offered):
        given = dict(zip(wanted, offered, strict=True))
    for name in given:
        if name not in wanted:
            raise ModelError("unknown end of a wire", element=name, cure=did_you_mean(name, wanted, "ends"))
    place, fixed = np.full(len(wanted), -1), np.zeros(len(wanted))
    for k, name in enumerate(wanted):
        source = given.get(name, name)
        if not isinstance(source, str):
            fixed[k] = source
        elif source in offered:
            place[k] = list(offered).index(source)
        else:
            cure = (
                f"wire it to one of {', '.join(offered)}, or to a number"
                if offered
                else "wire it to a number, or give the names of the other side"
            )
            raise ModelError(f"unknown source '{source}' of a wire", element=name, cure=cure)

    def through(values: Array) -> Array:
        padded = np.append(np.asarray(values, dtype=float), 0.0)  # the last element is for fixed values
        return np.where(place >= 0, padded[place], fixed)

    return through
