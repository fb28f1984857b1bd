"""Model files by their suffix: `load` and `save`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.model.check import check
from symbody.model.mbs_file import read_mbs, write_mbs
from symbody.model.model import Model
from symbody.model.safe_file import FilePath, naming
from symbody.model.urdf_file import read_urdf
from symbody.model.yaml_file import read_yaml, write_yaml

READERS = {".yaml": read_yaml, ".yml": read_yaml, ".mbs": read_mbs, ".urdf": read_urdf}
WRITERS = {".yaml": write_yaml, ".yml": write_yaml, ".mbs": write_mbs}


def load(path: FilePath, **options: Any) -> Model:
    """Read and check a model from a .yaml, .mbs or .urdf file.

    Options of .urdf: floating=True gives the root a free joint, mimic="ignore" reads mimic joints as ordinary ones.
    """
    suffix = Path(path).suffix.lower()
    with naming(path):
        if suffix == ".xacro":
            raise ModelError("xacro is a macro language, not a model", cure="run `xacro file.xacro > file.urdf` first")
        if suffix not in READERS:
            raise ModelError(f"unknown kind of file '{suffix}'", cure=f"use {', '.join(READERS)}")
        if options and suffix != ".urdf":
            cure = "remove them: they are for .urdf files"
            raise ModelError(f"{suffix} files take no options ({', '.join(options)})", cure=cure)
        reader: Any = READERS[suffix]
        model: Model = reader(path, **options)
        check(model)
    return model


def save(model: Model, path: FilePath, **options: Any) -> None:
    """Check a model and write it to .yaml or .mbs, replacing the file in one step.

    A file cannot hold laws that are functions: it is refused, unless `laws="drop"` leaves them out.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        cure = f"use {', '.join(WRITERS)}"
        raise ModelError(f"cannot write '{suffix}' files", cure=cure, file=os.fspath(path))
    with naming(path):
        check(model)
        writer: Any = WRITERS[suffix]
        writer(model, path, **options)
