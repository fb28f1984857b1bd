"""The part of an expression that readers need, for modules that build none."""

from __future__ import annotations

from typing import Any, Protocol, Self

# Calls of external functions (external.py). They may have side effects: even with constant arguments they are
# computed at every call, and never folded or hoisted.
CALLS = ("call", "call_slope")


class ExprLike(Protocol):
    """A node for readers: its operation, arguments and data."""

    @property
    def op(self) -> str: ...

    @property
    def args(self) -> tuple[Self, ...]: ...

    @property
    def value(self) -> Any: ...
