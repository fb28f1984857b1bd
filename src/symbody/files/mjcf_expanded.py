"""MJCF files with composites and other elements that MuJoCo generates: MuJoCo writes them out as plain bodies."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath

READERS = ("symbody", "mujoco")
EXPANDED = "expanded.xml"


def expanded_by_mujoco(path: FilePath, folder: Path) -> Path:
    """A file in `folder` with the model of an MJCF file after MuJoCo has parsed and compiled it (mujoco.MjSpec)."""
    try:
        mujoco: Any = import_module("mujoco")
    except ImportError as error:
        cure = "pip install 'symbody[mujoco]', or leave `reader` out"
        raise ModelError("mujoco is not installed", element="reader", cure=cure) from error
    try:
        spec = mujoco.MjSpec.from_file(os.fspath(path))
        spec.compile()
        text = spec.to_xml()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise ModelError(f"MuJoCo cannot read it: {error}", element="reader", cure="correct the file") from error
    made = folder / EXPANDED
    made.write_text(text, encoding="utf-8")
    return made
