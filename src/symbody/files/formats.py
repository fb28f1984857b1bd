"""Model files of all formats: `load` and `save`, by the suffix of the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.files.joint_laws import LIMITS
from symbody.files.safe_file import FilePath, naming
from symbody.files.snapping import Snapping, note, shift
from symbody.model.check import check
from symbody.model.dropped import tell_dropped
from symbody.model.model import Model
from symbody.model.tree import hold_driven as hold

# Formats by suffix: NAME_file.py has read_NAME, and some have write_NAME. They are imported on first use.
ROBOTS = {".urdf": "urdf", ".xacro": "xacro", ".xml": "mjcf", ".mjcf": "mjcf", ".sdf": "sdf"}
WRITERS = {".yaml": "yaml", ".yml": "yaml", ".mbs": "mbs"}
READERS = {**WRITERS, **ROBOTS}
INERTIA = ("possible", "as given")  # whether impossible moments of inertia raise an error
OPTIONS = {  # options that only some formats have
    "floating": (".urdf", ".xacro", ".sdf"),
    "mimic": (".urdf", ".xacro"),
    "limits": tuple(ROBOTS),
    "packages": (".xacro", ".sdf", ".xml", ".mjcf"),
    "arguments": (".xacro",),
    "keyframe": (".xml", ".mjcf"),
    "reader": (".xml", ".mjcf"),
}
_SNAPPED = (".urdf", ".xacro")  # read with snapped angles; for other formats the points are snapped


def load(
    path: FilePath,
    *,
    floating: bool | None = None,
    mimic: str | None = None,
    limits: str | None = None,
    packages: Mapping[str, FilePath] | None = None,
    arguments: Mapping[str, Any] | None = None,
    keyframe: str | None = None,
    reader: str | None = None,
    hold_driven: bool = False,
    inertia: str = "possible",
    snap: float = 0.0,
) -> Model:
    """Read a model from a file and check it.

    `model.notes` lists what was changed and `model.dropped` what was left out. If something that was left out would
    change the motion, there is a warning.

    Parameters
    ----------
    path : str or Path
        A .yaml, .mbs, .urdf, .xacro, .xml or .mjcf (MJCF), or .sdf file.
    floating : bool, optional
        Whether the root is free (.urdf, .xacro, .sdf). Default: fixed for .urdf and .xacro, as written in an .sdf file.
    mimic : str, optional
        "constraint" (default), or "ignore" to read mimic joints as ordinary joints (.urdf, .xacro).
    limits : str, optional
        Position limits of joints in robot files: "ignore" (default; data only), "stop" (elastic stops), "end" (the run
        ends there).
    packages : mapping of str to path, optional
        Folders of packages by name; included files may be there (.xacro, .sdf, MJCF).
    arguments : mapping, optional
        Values of $(arg …) in a .xacro file.
    keyframe : str, optional
        The pose of an MJCF file to start from.
    reader : str, optional
        Of an MJCF file: "symbody" (default), or "mujoco", where MuJoCo is installed: it expands composites and other
        generated elements before the file is read. It may read files outside the model's folder.
    hold_driven : bool
        Whether driven joints without a trajectory stay at q0. Default False.
    inertia : str
        "possible" (default), or "as given" to accept moments of inertia that no body can have.
    snap : float
        rad, default 0. Angles that are closer than this to a multiple of 45° are rounded to it; 1e-5 fits a π/2 with
        five digits.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        With file, element and cure.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> sb.save(m, folder / "pendulum.yaml")
    >>> sb.load(folder / "pendulum.yaml").nv
    1
    """
    suffix = Path(path).suffix.lower()
    given: dict[str, Any] = {"floating": floating, "mimic": mimic, "limits": limits}
    given |= {"packages": packages, "arguments": arguments, "keyframe": keyframe, "reader": reader}
    own = {name: value for name, value in given.items() if value is not None}
    with naming(path):
        if Path(path).is_dir():
            raise ModelError("this is a folder", cure="give the name of a model file in it")
        if suffix not in READERS:
            raise ModelError(f"unknown kind of file '{suffix}'", cure=f"use {', '.join(READERS)}")
        if inertia not in INERTIA:
            raise ModelError(
                f"unknown option inertia='{inertia}'", element="options", cure=f"use {' or '.join(map(repr, INERTIA))}"
            )
        if limits not in (None, *LIMITS):
            raise ModelError(
                f"unknown option limits='{limits}'", element="options", cure=f"use {' or '.join(map(repr, LIMITS))}"
            )
        for name in own:
            if suffix not in OPTIONS[name]:
                cure = f"remove it: only {', '.join(OPTIONS[name])} files have it"
                raise ModelError(f"{suffix} files do not have the option {name}", element="options", cure=cure)
        model = _read(suffix, path, snap, own)
        if hold_driven:
            hold(model)
        model.inertia_as_given = inertia == "as given"
        check(model)
    tell_dropped(model.dropped, os.fspath(path))
    return model


def _read(suffix: str, path: FilePath, snap: float, options: dict[str, Any]) -> Model:
    """Read a model file, with angles snapped."""
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
    """Check a model and write it to a .yaml or .mbs file. The file is replaced in one step.

    Laws that are Python functions cannot be written: they raise ModelError, or are left out with `laws="drop"`.
    `symbody.save` writes traced laws as formulas.

    Parameters
    ----------
    model : Model
        The model, which is checked first.
    path : path
        A .yaml or .mbs file.
    **options
        Of the format, such as `laws="drop"`.

    Raises
    ------
    ModelError
        For another suffix, an invalid model, or a law that cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import symbody as sb
    >>> from symbody import files
    >>> path = Path(tempfile.mkdtemp()) / "pendulum.yaml"
    >>> files.save(sb.machines.open("pendulum"), path, laws="drop")
    >>> sb.load(path).nv
    1
    """
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        cure = f"use {', '.join(WRITERS)}"
        raise ModelError(f"cannot write '{suffix}' files", cure=cure, file=os.fspath(path))
    with naming(path):
        check(model)
        _of_kind("write", WRITERS[suffix])(model, path, **options)


def _of_kind(does: str, kind: str) -> Any:
    """The function that reads or writes files of a format."""
    return getattr(import_module(f"symbody.files.{kind}_file"), f"{does}_{kind}")
