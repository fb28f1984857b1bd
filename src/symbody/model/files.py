"""Model files by their suffix: `load` and `save`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.model.check import check
from symbody.model.mbs_file import read_mbs, write_mbs
from symbody.model.mimic import MIMIC
from symbody.model.model import Model
from symbody.model.safe_file import FilePath, naming
from symbody.model.snapping import Snapping, note, shift
from symbody.model.tree import hold_driven as hold
from symbody.model.urdf_file import read_urdf
from symbody.model.yaml_file import read_yaml, write_yaml

READERS = {".yaml": read_yaml, ".yml": read_yaml, ".mbs": read_mbs, ".urdf": read_urdf}
INERTIA = ("possible", "as given")  # whether moments of inertia that no body can have are refused
WRITERS = {".yaml": write_yaml, ".yml": write_yaml, ".mbs": write_mbs}


def load(
    path: FilePath,
    *,
    floating: bool = False,
    mimic: str = "constraint",
    hold_driven: bool = False,
    inertia: str = "possible",
    snap: float = 0.0,
) -> Model:
    """Read and check a model from a .yaml, .mbs or .urdf file; `model.notes` says what was left out or changed.

    floating (.urdf): a free joint for the root. mimic (.urdf): "constraint", or "ignore" for ordinary joints.
    hold_driven: driven joints without a trajectory stay at q0.
    inertia: "possible", or "as given" to let pass moments of inertia that no body can have.
    snap: angles so near (rad) to a multiple of 45° are taken for it, such as 1e-5 for a π/2 of five digits.
    """
    suffix = Path(path).suffix.lower()
    with naming(path):
        if suffix == ".xacro":
            raise ModelError("xacro is a macro language, not a model", cure="run `xacro file.xacro > file.urdf` first")
        if suffix not in READERS:
            raise ModelError(f"unknown kind of file '{suffix}'", cure=f"use {', '.join(READERS)}")
        if inertia not in INERTIA:
            raise ModelError(f"inertia='{inertia}'", element="options", cure=f"use {' or '.join(map(repr, INERTIA))}")
        if suffix == ".urdf":
            model = read_urdf(path, floating, mimic, snap)
        else:
            own = [name for name, given in (("floating", floating), ("mimic", mimic != MIMIC[0])) if given]
            if own:
                cure = "leave it out: it is for .urdf files"
                raise ModelError(f"{suffix} files take no option {', '.join(own)}", element="options", cure=cure)
            model = _plain(suffix, path, snap)
        if hold_driven:
            hold(model)
        model.inertia_as_given = inertia == "as given"
        check(model)
    return model


def _plain(suffix: str, path: FilePath, snap: float) -> Model:
    """A model as its file says it, with angles snapped."""
    reader: Any = READERS[suffix]
    model: Model = reader(path)
    if snap:
        snapping = Snapping(snap)
        snapping.points(model)
        model.notes.append(note(snapping, shift(reader(path), model)))
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
