"""A system as functions and a script for Octave and MATLAB."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from symbody.codegen.sources import sources
from symbody.export.files import template, write_folder
from symbody.export.parts import SystemParts, parts_of
from symbody.export.units import EXPONENTS
from symbody.files.safe_file import FilePath
from symbody.system import loop_path
from symbody.system.system import LEAP2, System

# numbers of loop_path.py in close.m
_PATH = (
    "CONVERGED",
    "CORRECTIONS",
    "FIRST",
    "LONGEST",
    "SHORTEST",
    "MISS",
    "BEND",
    "AHEAD",
    "DETERMINANT",
    "MOST_STEPS",
)


def export_octave(system: System, folder: FilePath, *, overwrite: bool = False) -> list[Path]:
    """Write the generated functions and `simulate_NAME.m`, which integrates and plots.

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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = Path(tempfile.mkdtemp())
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> made = sb.export_octave(sb.system(m), folder / "scripts")
    """
    return write_folder(folder, octave_files(parts_of(system)), overwrite)


def octave_files(parts: SystemParts) -> dict[str, str]:
    """All files of the folder: text by file name."""
    files: dict[str, str] = {}
    hoists: list[str] = []
    arguments: dict[str, str] = {}
    loops = parts.loops
    programs = {"rates": parts.rates, "outputs": parts.observe}
    programs |= {"given": loops.given, "loop_step": loops.step} if loops else {}
    arguments |= {"GIVEN_ARGUMENT": "", "LOOP_STEP_ARGUMENT": ""}
    for key, program in programs.items():
        own = sources(program, "matlab")
        files |= own
        hoisted = f"{parts.name}_{key}_hoist" if f"{parts.name}_{key}_hoist.m" in own else ""
        hoists += [f"    s.{key}_h = {hoisted}(s.p);"] if hoisted else []
        arguments[f"{key.upper()}_ARGUMENT"] = f", s.{key}_h" if hoisted else ""
    words = {
        "NAME": parts.name, "STATES": _texts(parts.states), "INPUTS": _texts(parts.inputs),
        "PARAMETERS": _texts(parts.parameters), "OUTPUTS": _texts(parts.outputs),
        "START_X": _numbers(parts.x0), "START_U": _numbers(parts.u0), "START_P": _numbers(parts.parameters.values()),
        "START_GUESS": _numbers(parts.guess), "BALLS": " ".join(str(i + 1) for i in parts.balls[::2]),
        "HOISTS": "\n".join(hoists), **arguments,
        "RELEVANT": _numbers(loops.relevant if loops else ()),
        "QUATERNIONS": " ".join(str(i + 1) for i in (loops.balls if loops else ())),
        "LOOP_NAMES": _texts(name for name, _ in (loops.rows if loops else ())),
        "GAP_UNITS": _texts(unit.translate(EXPONENTS) for _, unit in (loops.rows if loops else ())),
        **{f"LOOP_{name}": repr(float(getattr(loop_path, name))) for name in _PATH}, "LOOP_LEAP": repr(LEAP2**0.5),
    }  # fmt: skip
    files[f"{parts.name}_close.m"] = template("octave/close.m", words)
    files[f"{parts.name}_system.m"] = template("octave/system.m", words)
    files[f"simulate_{parts.name}.m"] = template("octave/simulate.m", words)
    return files


def _texts(names: Iterable[str]) -> str:
    return ", ".join("'" + name.replace("'", "''") + "'" for name in names)


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(repr, values))
