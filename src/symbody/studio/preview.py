"""The first picture of a machine that is still being prepared: at its start pose.

It is kept in the cache, and shown at the next start while the machine is prepared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Preview = dict[str, Any]  # title, views, arrangement and scene, as `contract.PreviewData` declares them
MakePreview = Callable[[], Preview]

_listener: ContextVar[Callable[[MakePreview], None] | None] = ContextVar("listener", default=None)


def offer_preview(make: MakePreview) -> None:
    """Offer a first picture; it is made if the next stages take long and somebody listens."""
    if listener := _listener.get():
        listener(make)


@contextmanager
def previews_heard(listener: Callable[[MakePreview], None]) -> Iterator[None]:
    """Call the listener with the pictures that this thread offers meanwhile."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def preview_message(preview: Preview) -> str:
    """The message to a page."""
    return json.dumps({"preview": preview})


def kept_preview(name: str) -> str | None:
    """The message with the first picture of a machine at its last start with this version of symbody."""
    from symbody.codegen.cache import remembered  # imports NumPy: the page is served before

    found = (remembered(_key(name)) or {}).get("message")
    return found if isinstance(found, str) else None


def keep_preview(name: str, preview: Preview) -> None:
    """Keep a first picture for the next start."""
    from symbody.codegen.cache import remember

    remember(_key(name), {"message": preview_message(preview)})


def _key(name: str) -> str:
    return f"first views of {name}"
