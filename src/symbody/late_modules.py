"""What is imported when it is first needed: modules that serve a purpose, and the names of a package."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

_SERVING: dict[str, list[str]] = {}  # modules by purpose


def register_late(purpose: str, *modules: str) -> None:
    """Name the modules that serve a purpose: "drawings" of results, "services" of models."""
    _SERVING.setdefault(purpose, []).extend(modules)


def import_late(purpose: str) -> None:
    """Import what was named, once."""
    for module in _SERVING.pop(purpose, ()):
        import_module(module)


class LatePackage(ModuleType):
    """A package that imports its names when they are first used: see `late_names`."""

    _PLACES: dict[str, str]  # modules by the names that they have
    _MODULES: dict[str, str]  # modules by the names that they are

    def __getattr__(self, name: str) -> Any:
        if name in self._MODULES:
            return import_module(self._MODULES[name])
        if name not in self._PLACES:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = getattr(import_module(self._PLACES[name]), name)
        setattr(self, name, found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        """A module of the package does not take the place of a function: `symbody.system` is both."""
        if name not in self._PLACES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self._PLACES, *self._MODULES})


def late_names(package: str, homes: Mapping[str, str], modules: Mapping[str, str] | None = None) -> None:
    """Have a package import names when they are first used, since all of them together take long.

    homes: names by the module that has them, `{"studio.live": "Live", "studio.machine": "Aim Control"}`. modules: what
    is a module itself, by its name.
    """
    here = sys.modules[package]
    vars(here)["_PLACES"] = {name: f"symbody.{home}" for home, names in homes.items() for name in names.split()}
    vars(here)["_MODULES"] = {name: f"symbody.{module}" for name, module in (modules or {}).items()}
    here.__class__ = LatePackage
