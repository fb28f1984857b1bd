"""The step of the package's build that bundles the pages of the browser (`frontend/build.py`)."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface[Any]):
    """Runs before a wheel is made, or a checkout is installed in place."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        runpy.run_path(str(Path(self.root) / "frontend" / "build.py"))["build"]()
