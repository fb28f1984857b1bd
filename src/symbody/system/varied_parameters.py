"""Live parameters of a system with other values for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from symbody.system.system import System


@contextmanager
def varied(s: System, **parameters: float) -> Iterator[None]:
    """Set live parameters inside a `with` block; their values before are restored after it.

    Parameters
    ----------
    s : System
        A compiled system.
    **parameters
        New values by name.

    Returns
    -------
    context manager
        The block gets nothing.
    """
    before = {name: s.parameters[name] for name in parameters}
    try:
        s.parameters.update(parameters)
        yield
    finally:
        s.parameters.update(before)
