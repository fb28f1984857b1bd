"""Who draws a result: `visual/` registers its functions here, so that results need not know how they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

Drawing = TypeVar("Drawing", bound=Callable[..., Any])
_DRAWINGS: dict[str, Callable[..., Any]] = {}
_LATE: list[str] = []  # modules that register drawings, imported when one is first wanted


def register_drawing(kind: str) -> Callable[[Drawing], Drawing]:
    """Register a function that draws one kind of picture: "channels", "comparison", "summary", "animation"."""

    def register(function: Drawing) -> Drawing:
        _DRAWINGS[kind] = function
        return function

    return register


def late_drawings(*modules: str) -> None:
    """Name modules that register drawings; `symbody/__init__.py` names those of `visual/`."""
    _LATE.extend(modules)


def draw(kind: str, *arguments: Any, **options: Any) -> Any:
    """A picture by the function registered for its kind."""
    while kind not in _DRAWINGS and _LATE:
        import_module(_LATE.pop(0))
    return _DRAWINGS[kind](*arguments, **options)
