"""Files of an export: written atomically, and only into new or empty folders unless asked otherwise."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath
from symbody.output_file import make_folder, write_text

CURE = "check that the folder exists and is writable"


def template(name: str, words: Mapping[str, str]) -> str:
    """A template with its capital words replaced in one pass: inserted text is not searched again."""
    text = resources.files("symbody.export").joinpath("runtime", name).read_text(encoding="utf-8")
    longest_first = sorted(words, key=len, reverse=True)
    return re.sub("|".join(longest_first), lambda word: words[word[0]], text)


def write_folder(folder: FilePath, files: Mapping[str, str], overwrite: bool) -> list[Path]:
    """Write files into a new or empty folder, or with `overwrite` into any; other files stay."""
    target = Path(folder)
    try:
        make_folder(target)
        present = sorted(entry.name for entry in target.iterdir())
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be written: {error}", cure=CURE, file=os.fspath(folder)) from error
    if present and not overwrite:
        cure = "choose another folder, or use overwrite=True"
        raise ModelError(f"the folder is not empty: it contains '{present[0]}'", cure=cure, file=os.fspath(folder))
    for name, text in files.items():
        write_text(target / name, text)
    return [target / name for name in files]
