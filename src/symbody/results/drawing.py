"""Who draws a result: `visual/` registers its functions here, so that results need not know how they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from symbody.late_modules import import_late

Drawing = TypeVar("Drawing", bound=Callable[..., Any])
_DRAWINGS: dict[str, Callable[..., Any]] = {}


def register_drawing(kind: str) -> Callable[[Drawing], Drawing]:
    """Register a function that draws one kind of picture: "channels", "comparison", "summary", "animation"."""

    def register(function: Drawing) -> Drawing:
        _DRAWINGS[kind] = function
        return function

    return register


def draw(kind: str, *arguments: Any, **options: Any) -> Any:
    """A picture by the function registered for its kind."""
    import_late("drawings")
    return _DRAWINGS[kind](*arguments, **options)
