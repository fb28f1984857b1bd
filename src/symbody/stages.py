"""At which stage long work is: told by whoever does it, heard by whoever shows it to a person who waits."""

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
    """Say that one of `STAGES` begins; nothing happens where nobody listens."""
    if listener := _listener.get():
        listener(stage)


@contextmanager
def stages_heard(listener: Callable[[str], None]) -> Iterator[None]:
    """Hear the stages that this thread reaches meanwhile."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
