"""Modules of later rooms that register what earlier ones ask for: named by the front, imported when first needed."""

from __future__ import annotations

from importlib import import_module

_MODULES: dict[str, list[str]] = {}


def register_late(purpose: str, *modules: str) -> None:
    """Name the modules that serve a purpose: "drawings" of results, "services" of models."""
    _MODULES.setdefault(purpose, []).extend(modules)


def import_late(purpose: str) -> None:
    """Import what was named, once."""
    for module in _MODULES.pop(purpose, ()):
        import_module(module)
