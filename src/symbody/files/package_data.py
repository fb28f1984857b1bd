"""YAML files that are part of the package, such as the numbers of a built-in machine."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml


@cache
def package_data(package: str, name: str) -> Any:
    """The content of a YAML file next to the modules of a package, read once; callers do not change it."""
    return yaml.safe_load((files(package) / name).read_text(encoding="utf-8"))
