"""A first picture of a machine that is still being prepared: as it stands at its start."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Preview = dict[str, Any]  # title, seated and scene, as `frontend/src/contract.ts` has them
MakePreview = Callable[[], Preview]

_listener: ContextVar[Callable[[MakePreview], None] | None] = ContextVar("listener", default=None)


def offer_preview(make: MakePreview) -> None:
    """Say that there is something to draw; it is made where what follows takes long, and a browser waits."""
    if listener := _listener.get():
        listener(make)


@contextmanager
def previews_heard(listener: Callable[[MakePreview], None]) -> Iterator[None]:
    """Hear what this thread offers meanwhile."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
