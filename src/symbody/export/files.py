"""Where an export goes: whole files in one step, and no folder of somebody else's work written into by mistake."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from symbody.errors import ModelError
from symbody.model.safe_file import FilePath, write_text

CURE = "check that the folder exists and may be written"


def template(name: str, words: Mapping[str, str]) -> str:
    """A hand-written text with its capital words replaced, all at once: what is put in is not looked at again."""
    text = resources.files("symbody.export").joinpath("runtime", name).read_text(encoding="utf-8")
    longest_first = sorted(words, key=len, reverse=True)
    return re.sub("|".join(longest_first), lambda word: words[word[0]], text)


def write_folder(folder: FilePath, files: Mapping[str, str], overwrite: bool) -> list[Path]:
    """Write files into a new or empty folder, or with `overwrite` into any; what else is there is left alone."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        present = sorted(entry.name for entry in target.iterdir())
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be written: {error}", cure=CURE, file=os.fspath(folder)) from error
    if present and not overwrite:
        cure = "choose another folder, or allow overwriting"
        raise ModelError(f"the folder is not empty: it holds '{present[0]}'", cure=cure, file=os.fspath(folder))
    for name, text in files.items():
        write_text(target / name, text)
    return [target / name for name in files]
