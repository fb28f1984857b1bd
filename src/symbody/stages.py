"""Progress of long work: the code that works reports each stage, and the code that shows progress listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

STAGES = READING, TRACING, COMPILING, FORESEEING, DRAWING = (
    "reading the model",
    "tracing the equations",
    "compiling the equations",
    "looking ahead",
    "drawing the scene",
)  # in the order in which they begin

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def reach_stage(stage: str) -> None:
    """Report that one of `STAGES` begins. Without a listener nothing happens."""
    if listener := _listener.get():
        listener(stage)


@contextmanager
def stages_heard(listener: Callable[[str], None]) -> Iterator[None]:
    """Call `listener` with each stage that this thread reaches inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
