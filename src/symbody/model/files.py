"""Model files by their suffix: `load` and `save`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.model.check import check
from symbody.model.dropped import tell_dropped
from symbody.model.joint_laws import LIMITS
from symbody.model.model import Model
from symbody.model.safe_file import FilePath, naming
from symbody.model.snapping import Snapping, note, shift
from symbody.model.tree import hold_driven as hold

# Kinds of files by suffix: NAME_file.py has read_NAME, and some write_NAME; imported when a file of the kind is met.
ROBOTS = {".urdf": "urdf", ".xacro": "xacro", ".xml": "mjcf", ".mjcf": "mjcf", ".sdf": "sdf"}
WRITERS = {".yaml": "yaml", ".yml": "yaml", ".mbs": "mbs"}
READERS = {**WRITERS, **ROBOTS}
INERTIA = ("possible", "as given")  # whether moments of inertia that no body can have are refused
OPTIONS = {  # how some kinds of files are read, and which
    "floating": (".urdf", ".xacro", ".sdf"),
    "mimic": (".urdf", ".xacro"),
    "limits": tuple(ROBOTS),
    "packages": (".xacro", ".sdf", ".xml", ".mjcf"),
    "arguments": (".xacro",),
    "keyframe": (".xml", ".mjcf"),
}
_SNAPPED = (".urdf", ".xacro")  # read with the angles that they write snapped; of others points are


def load(
    path: FilePath,
    *,
    floating: bool | None = None,
    mimic: str | None = None,
    limits: str | None = None,
    packages: Mapping[str, FilePath] | None = None,
    arguments: Mapping[str, Any] | None = None,
    keyframe: str | None = None,
    hold_driven: bool = False,
    inertia: str = "possible",
    snap: float = 0.0,
) -> Model:
    """Read and check a model from a .yaml, .mbs, .urdf, .xacro, MJCF (.xml, .mjcf) or .sdf file.

    `model.notes` has what was changed, `model.dropped` what was left out; a warning tells what the motion would feel.
    floating: whether the root is free; a .urdf or .xacro fixes it (default), an .sdf frees it unless it says otherwise.
    mimic (.urdf, .xacro): "constraint", or "ignore" for ordinary joints.
    limits (robots): position limits of joints are "ignore", "stop" (elastic stops) or "end" (a run ends there).
    packages (.xacro, .sdf, MJCF): folders of packages by name, where includes may come from.
    arguments (.xacro): values of $(arg …). keyframe (MJCF): the pose to start from.
    hold_driven: driven joints without a trajectory stay at q0.
    inertia: "possible", or "as given" to let pass moments of inertia that no body can have.
    snap: angles so near (rad) to a multiple of 45° are taken for it, such as 1e-5 for a π/2 of five digits.
    """
    suffix = Path(path).suffix.lower()
    given: dict[str, Any] = {"floating": floating, "mimic": mimic, "limits": limits}
    given |= {"packages": packages, "arguments": arguments, "keyframe": keyframe}
    own = {name: value for name, value in given.items() if value is not None}
    with naming(path):
        if suffix not in READERS:
            raise ModelError(f"unknown kind of file '{suffix}'", cure=f"use {', '.join(READERS)}")
        if inertia not in INERTIA:
            raise ModelError(f"inertia='{inertia}'", element="options", cure=f"use {' or '.join(map(repr, INERTIA))}")
        if limits not in (None, *LIMITS):
            raise ModelError(f"limits='{limits}'", element="options", cure=f"use {' or '.join(map(repr, LIMITS))}")
        for name in own:
            if suffix not in OPTIONS[name]:
                cure = f"leave it out: it is for {', '.join(OPTIONS[name])} files"
                raise ModelError(f"{suffix} files take no option {name}", element="options", cure=cure)
        model = _read(suffix, path, snap, own)
        if hold_driven:
            hold(model)
        model.inertia_as_given = inertia == "as given"
        check(model)
    tell_dropped(model.dropped, os.fspath(path))
    return model


def _read(suffix: str, path: FilePath, snap: float, options: dict[str, Any]) -> Model:
    """A model as its file says it, with angles snapped."""
    reader = _of_kind("read", READERS[suffix])
    if suffix in _SNAPPED:
        read: Model = reader(path, snap=snap, **options)
        return read
    model: Model = reader(path, **options)
    if snap:
        snapping = Snapping(snap)
        snapping.points(model)
        model.notes.append(note(snapping, shift(reader(path, **options), model)))
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
        _of_kind("write", WRITERS[suffix])(model, path, **options)


def _of_kind(does: str, kind: str) -> Any:
    """The function that reads or writes files of a kind."""
    return getattr(import_module(f"symbody.model.{kind}_file"), f"{does}_{kind}")
