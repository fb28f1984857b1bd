"""What reading an expression needs, for modules that build none."""

from __future__ import annotations

from typing import Any, Protocol, Self

# Calls of external functions (external.py). They may have a will of their own: even at constant arguments they are
# computed at every call, and never folded or hoisted.
CALLS = ("call", "call_slope")


class ExprLike(Protocol):
    """A node as it is read: its operation, its arguments, and its data."""

    @property
    def op(self) -> str: ...

    @property
    def args(self) -> tuple[Self, ...]: ...

    @property
    def value(self) -> Any: ...
