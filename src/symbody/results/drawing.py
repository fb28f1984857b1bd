"""Registry of drawing functions: `visual/` registers them here, so that results do not import it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from symbody.lazy_imports import import_registered

Drawing = TypeVar("Drawing", bound=Callable[..., Any])
_DRAWINGS: dict[str, Callable[..., Any]] = {}


def register_drawing(kind: str) -> Callable[[Drawing], Drawing]:
    """Register a function for one kind of picture: "channels", "comparison", "summary", "animation"."""

    def register(function: Drawing) -> Drawing:
        _DRAWINGS[kind] = function
        return function

    return register


def draw(kind: str, *arguments: Any, **options: Any) -> Any:
    """Draw a picture with the function registered for its kind."""
    import_registered("drawings")
    return _DRAWINGS[kind](*arguments, **options)
