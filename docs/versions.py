"""The list of versions of the site: `python docs/versions.py FOLDER` writes versions.json and index.html there."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

STABLE = "stable"
INDEX = (
    f'<!doctype html><meta charset="utf-8"><title>symbody</title><meta http-equiv="refresh" content="0; url={STABLE}/">'
)


def version_numbers(folder: str) -> tuple[int, ...]:
    """(1, 2, 3) of "v1.2.3"; other names have no numbers."""
    found = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)\S*", folder)
    return tuple(map(int, found.groups())) if found else ()


def versions(folder: Path) -> list[str]:
    """The folders of versions, the newest first."""
    names = [path.name for path in folder.iterdir() if path.is_dir() and version_numbers(path.name)]
    return sorted(names, key=version_numbers, reverse=True)


def write_versions(folder: Path) -> None:
    """Write the list that the pages read, and a first page that leads to the newest version."""
    listed = [{"name": STABLE, "path": f"{STABLE}/"}, *({"name": v, "path": f"{v}/"} for v in versions(folder))]
    (folder / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(INDEX + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_versions(Path(sys.argv[1]))
