"""Lazy imports: modules that register themselves are imported when first needed, names of a package when first used."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

_REGISTERED: dict[str, list[str]] = {}  # modules by purpose, until they are imported


def register_lazy(purpose: str, *modules: str) -> None:
    """Name modules that `import_registered(purpose)` imports: "drawings" of results, "services" of models."""
    _REGISTERED.setdefault(purpose, []).extend(modules)


def import_registered(purpose: str) -> None:
    """Import the modules registered for a purpose, once."""
    for module in _REGISTERED.pop(purpose, ()):
        import_module(module)


def required(module: str, extra: str) -> Any:
    """An optional package, or an error that says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        from symbody.errors import ModelError  # here, so that `import symbody` stays quick

        raise ModelError(f"{module} is not installed", cure=f"pip install 'symbody[{extra}]'") from error


class LazyPackage(ModuleType):
    """A package that imports its names when they are first used: see `lazy_names`."""

    _HOMES: dict[str, str]  # name → module that defines it
    _MODULES: dict[str, str]  # name → module that it is

    def __getattr__(self, name: str) -> Any:
        if name in self._MODULES:
            return import_module(self._MODULES[name])
        if name not in self._HOMES:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        found = getattr(import_module(self._HOMES[name]), name)
        setattr(self, name, found)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        """A submodule does not replace a function of the same name: `symbody.system` is both."""
        if name not in self._HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self._HOMES, *self._MODULES})


def lazy_names(
    package: str, names: Mapping[str, str], modules: Iterable[str] = (), deprecated: Mapping[str, str] | None = None
) -> list[str]:
    """Make a package import its names when they are first used; returns `names`, sorted, for `__all__`.

    names: {module: names that it defines}, such as {"studio.machine": "Aim Control"}. modules: attributes that are
    modules themselves, such as "haptics" or "expr.functions"; the attribute is the last part. deprecated: as names, but
    not in `__all__`.
    """
    here, homes = sys.modules[package], _homes(names)
    vars(here)["_HOMES"] = homes | _homes(deprecated or {})
    vars(here)["_MODULES"] = {module.rpartition(".")[2]: f"symbody.{module}" for module in modules}
    here.__class__ = LazyPackage
    return sorted(homes)


def _homes(names: Mapping[str, str]) -> dict[str, str]:
    return {name: f"symbody.{module}" for module, listed in names.items() for name in listed.split()}
