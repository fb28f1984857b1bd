"""A first picture of a machine that is still being prepared: as it stands at its start.

One that was shown before is kept in the cache, and drawn again while everything else is read.
"""

from __future__ import annotations

import json
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


def preview_message(preview: Preview) -> str:
    """What a page is told of it."""
    return json.dumps({"preview": preview})


def kept_preview(name: str) -> str | None:
    """The message with the first picture that a machine of this name had at its last start, by the same symbody."""
    from symbody.codegen.cache import remembered  # the page is served before this is imported

    found = (remembered(_key(name)) or {}).get("message")
    return found if isinstance(found, str) else None


def keep_preview(name: str, preview: Preview) -> None:
    """Keep a first picture for the next start."""
    from symbody.codegen.cache import remember

    remember(_key(name), {"message": preview_message(preview)})


def _key(name: str) -> str:
    return f"first picture of {name}"
