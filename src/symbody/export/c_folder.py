"""A system as a folder of C99 for a microcontroller or another program: no allocation, only math.h, no Python."""

from __future__ import annotations

from pathlib import Path

from symbody.export.files import template, write_folder
from symbody.export.parts import SystemParts, parts_of
from symbody.export.system_c import c_text, generated, loop_functions, system_files
from symbody.files.safe_file import FilePath
from symbody.system.system import System


def export_c(system: System, folder: FilePath, *, overwrite: bool = False) -> list[Path]:
    """Write a folder of C99: generated code, fixed steps, `main.c`, Makefile and README.

    Parameters
    ----------
    system : System
        The system, with its present parameters, initial state and inputs.
    folder : path
        A new or empty folder.
    overwrite : bool
        Allow a folder that is not empty (default False).

    Returns
    -------
    list of Path
        The written files.

    Raises
    ------
    ModelError, CompileError
        If the folder is not empty, or a law is a Python function.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> made = sb.export_c(sb.system(m), folder / "code")
    """
    return write_folder(folder, c_files(parts_of(system)), overwrite)


def c_files(parts: SystemParts) -> dict[str, str]:
    """All files of the folder: text by file name."""
    rates, outputs, loops = generated(parts.rates, parts), generated(parts.observe, parts), loop_functions(parts)
    words = {
        "NAME": parts.name,
        "TITLE": parts.title,
        "HEADER": c_text(",".join(["t", *parts.outputs])),
        "INPUT_NAMES": _names(parts.inputs),
        "PARAMETER_NAMES": _names(list(parts.parameters)),
        "CONTENT": "\n".join(_content(parts)),
    }
    functions = [rates, outputs, *loops]
    words |= {"FUNCTIONS": " ".join(f.name for f in functions)}
    files = {name: text for f in functions for name, text in f.files.items()}
    files |= system_files(parts, rates, outputs, loops)
    templates = {"main.c": "main.c.in", "Makefile": "Makefile", "README.md": "README.md"}
    return files | {name: template(f"folder/{file}", words) for name, file in templates.items()}


def _names(names: list[str]) -> str:
    return ", ".join(map(c_text, [*names, ""]))  # the last one prevents an empty array


def _content(parts: SystemParts) -> list[str]:
    """The tables of the README: the indices of states, inputs, parameters and outputs."""
    lines = []
    families = {"x": parts.states, "u": parts.inputs, "p": list(parts.parameters), "y": parts.outputs}
    values = {"x": parts.x0, "u": parts.u0, "p": list(parts.parameters.values()), "y": []}
    for array, names in families.items():
        lines += ["", f"| {array} | name | start |", "|---|---|---|"]
        starts = [f"{value:.9g}" for value in values[array]] or [""] * len(names)
        lines += [f"| {k} | {name} | {start} |" for k, (name, start) in enumerate(zip(names, starts, strict=True))]
    return lines
