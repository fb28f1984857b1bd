"""A system as a Functional Mock-up Unit: FMI 2 or 3, model exchange and co-simulation, binary and sources."""

from __future__ import annotations

import hashlib
import io
import math
import os
import uuid
import zipfile
from collections.abc import Mapping
from pathlib import Path

from symbody.errors import ModelError
from symbody.export.binary import binary_place, shared_library
from symbody.export.files import template
from symbody.export.model_description import build_description, model_description
from symbody.export.parts import jacobian_of, parts_of
from symbody.export.system_c import GeneratedFunction, generated, loop_functions, system_files
from symbody.export.variables import interface
from symbody.files.safe_file import FilePath
from symbody.output_file import replacing
from symbody.system.system import System

STEP = 1e-3  # s: default step of the integration inside a communication step


def export_fmu(
    system: System,
    path: FilePath,
    version: int = 2,
    *,
    step: float = STEP,
    derivatives: bool | None = None,
    binary: bool = True,
) -> Path:
    """Write an FMU with the present live parameters, initial state and inputs of the system.

    Parameters
    ----------
    system : System
        The system.
    path : path
        Output file, ending with .fmu.
    version : int
        FMI version, 2 (default) or 3.
    step : float
        Step of the fourth-order integration inside a communication step (s, default 0.001); a parameter of the FMU.
    derivatives : bool, optional
        Include the exact Jacobian (default: if its size is moderate).
    binary : bool
        Compile the sources for this platform (default True).

    Returns
    -------
    Path
        The written file.

    Raises
    ------
    ModelError, CompileError
        If an option is wrong, a law is a Python function, or there is no C compiler.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> sb.export_fmu(sb.system(m), folder / "pendulum.fmu", binary=False).name
    'pendulum.fmu'
    """
    target = Path(path)
    if version not in (2, 3):
        raise ModelError(f"unknown FMI version {version}", element="version", cure="use 2 or 3")
    if not (math.isfinite(step) and step > 0):
        raise ModelError(f"an internal step of {step} s", element="step", cure="give a positive number")
    if target.suffix != ".fmu" or os.path.isdir(target):
        raise ModelError(
            "the file name does not end with .fmu", cure="give a name such as machine.fmu", file=os.fspath(path)
        )
    archive = packed(fmu_files(system, version, step, derivatives, binary))
    with replacing(target) as partial:
        partial.write_bytes(archive)
    return target


def fmu_files(
    system: System, version: int, step: float, derivatives: bool | None, binary: bool
) -> dict[str, str | bytes]:
    """All files of the archive: content by path."""
    parts = parts_of(system)
    functions = [generated(parts.rates, parts), generated(parts.observe, parts)]
    loops = loop_functions(parts)
    rest = system_files(parts, functions[0], functions[1], loops)
    program = jacobian_of(system, parts, sum(f.statements for f in functions), derivatives)
    jacobian = generated(program, parts) if program else None
    functions += [*loops, *([jacobian] if jacobian else [])]
    face = interface(system.model, parts, step)
    main = f"fmi{version}.c"
    sources = {name: text for function in functions for name, text in function.files.items()} | rest
    sources |= _own(parts.name, main, step, jacobian, "")
    compiled = sorted(name for name in sources if name.endswith(".c"))

    def described(token: str) -> str:
        slopes = jacobian is not None
        return model_description(version, parts.title, parts.name, token, face, step, compiled, slopes)

    token = _token(described(""), *sources.values())
    sources |= _own(parts.name, main, step, jacobian, token)
    files: dict[str, str | bytes] = {"modelDescription.xml": described(token)}
    if version == 3:
        files["sources/buildDescription.xml"] = build_description(parts.name, compiled)
    files |= {f"sources/{name}": text for name, text in sources.items()}
    if binary:
        jobs = {f"{f.name}.c": (f.units, f.level) for f in functions}
        jobs |= {name: (1, "full") for name in compiled if name not in jobs}
        files[binary_place(version, parts.name)] = shared_library(sources, jobs)
    return files


def _own(name: str, main: str, step: float, jacobian: GeneratedFunction | None, token: str) -> dict[str, str]:
    """The hand-written part that implements FMI."""
    words = {"NAME": name, "INSTANTIATION_TOKEN": token, "INTERNAL_STEP": repr(step)}
    words |= {"NAME_JACOBIAN_H": str(jacobian.slots if jacobian else 0)}
    words |= {"NAME_JACOBIAN": str(int(jacobian is not None))}
    return {file: template(f"{file}.in", words) for file in (main, "both.h", "instance.h")}


def _token(*texts: str) -> str:
    """A hash: equal systems give equal files."""
    digest = hashlib.sha256("\0".join(texts).encode()).digest()
    return f"{{{uuid.UUID(bytes=digest[:16])}}}"


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """A zip archive that does not depend on the date."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # dated 1980
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return data.getvalue()
