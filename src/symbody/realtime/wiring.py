"""Which measure of a device is which input of a model, and which output is which command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from symbody.errors import ModelError
from symbody.nearest import did_you_mean

Array = np.ndarray


def wiring(
    wanted: Sequence[str], offered: Sequence[str], wires: Mapping[str, str | float] | None = None
) -> Callable[[Array], Array]:
    """From values of `offered` to values of `wanted`: by `wires` {wanted: offered, or a number}, else the same name.

    Without wires, and as many of both, they go in order.
    """
    given = dict(wires or {})
    if not given and len(wanted) == len(offered):
        given = dict(zip(wanted, offered, strict=True))
    for name in given:
        if name not in wanted:
            raise ModelError("no such end of a wire", element=name, cure=did_you_mean(name, wanted, "ends"))
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
                else "wire it to a number, or say what there is"
            )
            raise ModelError(f"nothing offers '{source}'", element=name, cure=cure)

    def through(values: Array) -> Array:
        padded = np.append(np.asarray(values, dtype=float), 0.0)  # the last stands for what is fixed
        return np.where(place >= 0, padded[place], fixed)

    return through
