"""Drafts: the newest text of a document in a folder of the user, written in one step after each edit.

A draft survives a crash of the server, of the browser and of the computer. It is removed when the file is saved.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from symbody.errors import ModelError
from symbody.output_file import write_text


@dataclass(frozen=True)
class Draft:
    """A text that was not saved; base: digest of the file's content that it began with."""

    text: str
    base: str


def digest(content: bytes | None) -> str:
    """A digest of the content of a file; empty without a file."""
    return hashlib.sha256(content).hexdigest() if content is not None else ""


def draft_folder() -> Path:
    """$SYMBODY_DRAFTS, or else the user's folder for the state of programs; not the cache, which may be emptied."""
    if chosen := os.environ.get("SYMBODY_DRAFTS"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "symbody" / "drafts"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "symbody" / "drafts"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "symbody" / "drafts"


def draft_path(path: Path | None) -> Path:
    """Where the draft of a file is kept."""
    name = hashlib.sha256(str(path.resolve() if path else "new").encode()).hexdigest()[:24]
    return draft_folder() / f"{name}.json"


def keep_draft(path: Path | None, draft: Draft) -> None:
    """Replace the draft of a file in one step."""
    place = draft_path(path)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_text(place, json.dumps({"text": draft.text, "base": draft.base, "of": path.name if path else ""}))


def kept_draft(path: Path | None) -> Draft | None:
    """The draft of a file, if there is a complete one."""
    try:
        given = json.loads(draft_path(path).read_text(encoding="utf-8"))
        text, base = given["text"], given["base"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return Draft(text, base) if isinstance(text, str) and isinstance(base, str) else None


def forget_draft(path: Path | None) -> None:
    """Remove the draft of a file."""
    draft_path(path).unlink(missing_ok=True)


class DraftKeeper:
    """Writes drafts in a thread of its own: the newest one counts, and edits never wait for a disk."""

    def __init__(self, failed: Callable[[str], None] = lambda problem: None):
        self._failed = failed  # called with the reason, or with "" when a draft could be written again
        self._waiting: tuple[Path | None, Draft | None] | None = None
        self._came = threading.Condition()
        self._busy = self._closed = False
        self._thread = threading.Thread(target=self._write, name="drafts", daemon=True)
        self._thread.start()

    def keep(self, path: Path | None, draft: Draft | None) -> None:
        """Write a draft soon; None removes it."""
        with self._came:
            self._waiting = path, draft
            self._came.notify_all()

    def flush(self, timeout: float = 10.0) -> bool:
        """Wait until the newest draft is on the disk; whether it is."""
        with self._came:
            return self._came.wait_for(lambda: self._waiting is None and not self._busy, timeout)

    def close(self) -> None:
        """Write what waits, and end."""
        self.flush()
        with self._came:
            self._closed = True
            self._came.notify_all()

    def _write(self) -> None:
        while True:
            with self._came:
                self._came.wait_for(lambda: self._waiting is not None or self._closed)
                if self._waiting is None:
                    return
                (path, draft), self._waiting, self._busy = self._waiting, None, True
            try:
                if draft is None:
                    forget_draft(path)
                else:
                    keep_draft(path, draft)
                self._failed("")
            except (OSError, ModelError) as error:  # a full disk: the editor says so, and tries again at the next edit
                self._failed(f"the draft cannot be kept: {error}")
            finally:
                with self._came:
                    self._busy = False
                    self._came.notify_all()
