"""Model files that a browser sends to the gallery: in parts, bounded and checked; the cache keeps the last ones."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.errors import SymbodyError
from symbody.links.rejected import Rejected
from symbody.web.checks import integer, text
from symbody.web.verbs import checked

if TYPE_CHECKING:
    from symbody.model.model import Model

KINDS = (".urdf", ".xacro", ".xml", ".mjcf", ".sdf", ".mbs", ".yaml")
LARGEST = 2_000_000  # characters of a file
PART = 3000  # characters of a message
MOST_RECENT = 6
_RECENT = "files that were dropped into the gallery"


@dataclass(frozen=True)
class BeginFile:
    """A model file follows, in parts."""

    name: str = checked(text(1, 120))
    size: int = checked(integer(1, 10**12))  # characters


@dataclass(frozen=True)
class FilePart:
    """The next part of the file."""

    part: str = checked(text(1, PART))


@dataclass
class Upload:
    """A file of which parts have come."""

    name: str
    size: int
    parts: list[str] = field(default_factory=list)
    come: int = 0

    def __post_init__(self) -> None:
        if Path(self.name).suffix.lower() not in KINDS:
            raise Rejected("not a model file", f"{self.name}: drop a file of the kind {', '.join(KINDS)}")
        if self.size > LARGEST:
            raise Rejected(
                "the file is too large",
                f"{self.name}: at most {LARGEST:,} characters; open it with symbody studio FILE",
            )

    def add(self, part: str) -> str | None:
        """The whole text after its last part; None: more are to come."""
        self.parts.append(part)
        self.come += len(part)
        if self.come > self.size:
            raise Rejected("wrong size", self.name)
        return "".join(self.parts) if self.come == self.size else None


def slug(name: str) -> str:
    """The name of a file as a part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", Path(name).stem.lower()).strip("-")[:40] or "file"


class DroppedFiles:
    """Files that were dropped, in a folder of their own until `close()`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="symbody-")
        self._count = 0

    def close(self) -> None:
        self._folder.cleanup()

    def model(self, name: str, content: str) -> Model:
        """The model of a file; `Rejected` with the reason if it cannot be read."""
        from symbody.files.formats import load  # here, because the page is served before

        self._count += 1
        folder = Path(self._folder.name) / str(self._count)  # looks of bodies are read from it later
        folder.mkdir()
        path = folder / f"{slug(name)}{Path(name).suffix.lower()}"
        path.write_text(content, encoding="utf-8")
        try:
            return load(path)
        except SymbodyError as error:
            raise Rejected("the file cannot be opened", str(error).replace(f"{folder}/", "")) from error


def recent_files() -> list[tuple[str, str]]:
    """Names and texts of the last files, the newest first."""
    from symbody.codegen.cache import remembered  # imports NumPy: the page is served before

    kept: list[Any] = (remembered(_RECENT) or {}).get("files", [])
    good = [one for one in kept if isinstance(one, list) and len(one) == 2 and all(isinstance(x, str) for x in one)]
    return [(name, content) for name, content in good][:MOST_RECENT]


def keep_recent(name: str, content: str) -> None:
    """Keep a file as the newest one; an older one of the same name is replaced."""
    from symbody.codegen.cache import remember

    others = [[other, text] for other, text in recent_files() if other != name]
    remember(_RECENT, {"files": [[name, content], *others][:MOST_RECENT]})
