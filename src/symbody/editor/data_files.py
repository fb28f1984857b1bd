"""Files that an analysis may read: tables next to the model's file, and uploads from a browser."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from symbody.links.rejected import Rejected
from symbody.safe_name import file_name

KINDS = (".csv", ".parquet", ".mcap")
MOST = 200  # names that are listed
MOST_BYTES = 200_000_000  # of all files of browsers


class DataFiles:
    """Tables by their names. beside: the model's file, if there is one."""

    def __init__(self, beside: Callable[[], Path | None]):
        self._beside = beside
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Remove the files that browsers have sent."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def keep(self, name: str, content: bytes) -> None:
        """Keep a file of a browser until the editor ends."""
        safe = file_name(Path(name.replace("\\", "/")).name)
        if Path(safe).suffix.lower() not in KINDS:
            raise Rejected("not a table", f"send a {', '.join(KINDS)} file")
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="symbody-data-")
        folder = Path(self._folder.name)
        if sum(path.stat().st_size for path in folder.iterdir()) + len(content) > MOST_BYTES:
            raise Rejected("too many files", f"at most {MOST_BYTES // 10**6} MB are kept")
        (folder / safe).write_bytes(content)

    def _folders(self) -> list[Path]:
        path = self._beside()
        own = [Path(self._folder.name)] if self._folder is not None else []
        return [*own, *([path.parent] if path is not None else [])]

    def names(self) -> list[str]:
        """The names of all tables."""
        found: dict[str, None] = {}
        for folder in self._folders():
            try:
                found |= dict.fromkeys(p.name for p in sorted(folder.iterdir()) if p.suffix.lower() in KINDS)
            except OSError:
                continue
        return [*found][:MOST]

    def path(self, name: str) -> Path:
        """The file of a name; Rejected if there is none, or if it is not a plain name."""
        if Path(name).name == name and "\\" not in name and Path(name).suffix.lower() in KINDS:
            for folder in self._folders():
                if (folder / name).is_file():
                    return (folder / name).resolve()
        raise Rejected("no such file", f"{name[:80]}: put it beside the model, or choose it on the page")
