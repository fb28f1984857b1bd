"""The contents of any result file (names, times, values, notes), and limits for untrusted files."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath

Array = np.ndarray
MAX_BYTES = 4_000_000_000  # of a file; an hour of a hundred channels at 1 kHz is 3 GB of Parquet
MAX_VALUES = 500_000_000  # 4 GB in memory
MAX_COLUMNS = 100_000
NUMBER = 8  # bytes of a value in memory
FORMAT = 1
TIME = "t"
TIMES = ("t", "time")  # accepted names of the column of times
SECONDS = ("", "s", "sec", "second", "seconds")


@dataclass
class Notes:
    """Contents of a file besides the numbers; `model` is the model as YAML, "" if there is none."""

    units: dict[str, str] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    model: str = ""


@dataclass
class Table:
    """Names of the channels, times, one row of values per time, and notes."""

    names: list[str]
    t: Array
    values: Array
    notes: Notes


def notes_text(notes: Notes) -> dict[str, str]:
    """Notes as JSON by key; `read_notes` reads them back."""
    entries = {"format": FORMAT, "meta": notes.meta, "units": notes.units, "model": notes.model}
    return {key: json.dumps(value, default=_plain) for key, value in entries.items()}


def read_notes(texts: dict[str, str]) -> Notes:
    """The notes of a file of symbody; raises ModelError if anything is wrong with them."""
    found: dict[str, Any] = {"format": FORMAT, "meta": {}, "units": {}, "model": ""}
    kinds = {"format": int, "meta": dict, "units": dict, "model": str}
    for key in kinds.keys() & texts.keys():
        try:
            found[key] = json.loads(texts[key])
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{key} is not JSON", element=key, cure="the file is damaged: save it again") from error
        if not isinstance(found[key], kinds[key]):
            raise ModelError(f"{key} has the wrong type", element=key, cure="the file is damaged: save it again")
    if found["format"] != FORMAT:
        raise ModelError(f"unknown format {found['format']} of a result", cure="read it with a newer symbody")
    if not all(isinstance(unit, str) for unit in found["units"].values()):
        raise ModelError("a unit is not text", element="units", cure="the file is damaged: save it again")
    numbers = found["meta"].get("parameters", {})
    if not (isinstance(numbers, dict) and all(type(x) in (int, float) for x in numbers.values())):
        raise ModelError("a parameter is not a number", element="meta", cure="the file is damaged: save it again")
    return Notes(found["units"], found["meta"], found["model"])


def _plain(value: Any) -> Any:
    """NumPy numbers and arrays as JSON values; anything else as text."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else str(value)


def foreign_columns(headers: Sequence[str]) -> tuple[list[str], dict[str, str], int]:
    """Names, units and the index of the times in a table of other tools: `time (s)`, `x [m]` or plain names."""
    names, units = [], {}
    for header in headers:
        name, unit = _name_and_unit(header.strip())
        names.append(name)
        if unit:
            units[name] = unit
    times = [k for k, name in enumerate(names) if name.lower() in TIMES]
    if not times:
        listed = ", ".join(repr(name[:30]) for name in names[:5])
        raise ModelError(f"no times among the columns {listed}", cure="name the column of times 't' or 'time'")
    unit = units.pop(names[times[0]], "")
    if unit.lower() not in SECONDS:
        raise ModelError(f"the times are in '{unit[:20]}'", element=names[times[0]], cure="convert them to seconds")
    return names, units, times[0]


def _name_and_unit(header: str) -> tuple[str, str]:
    """Split `x [m]` or `x (m)` into name and unit; the unit is empty if there is none."""
    place = max(header.rfind(bracket, 0, -1) for bracket in "[]()")
    if header[-1:] in ("]", ")") and place > 0 and header[place] in "[(" and header[:place].strip():
        return header[:place].strip(), header[place + 1 : -1].strip()
    return header, ""


def bounded(rows: int, columns: int) -> None:
    """Raise if a table has too many values for memory."""
    if columns > MAX_COLUMNS or rows * columns > MAX_VALUES:
        cure = "record fewer channels, or save with a larger time between records"
        raise ModelError(f"{rows} rows of {columns} columns are too many", cure=cure)


@contextmanager
def reading(path: FilePath) -> Iterator[None]:
    """Raise ModelError if the path is not a regular file of acceptable size, or if it cannot be read."""
    _ordinary(path)
    try:
        yield
    except OSError as error:
        problem = f"the file cannot be read: {error.strerror or error}"
        raise ModelError(problem, cure="check the permissions and the disk") from error


def _ordinary(path: FilePath) -> None:
    try:
        found = os.stat(path)
    except FileNotFoundError as error:
        raise ModelError("no such file", cure="check the name and the folder") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"the file cannot be read: {error}", cure="check the name and the permissions") from error
    if not stat.S_ISREG(found.st_mode):
        raise ModelError("not a regular file", cure="give the name of a file")
    if found.st_size > MAX_BYTES:
        raise ModelError(f"the file is larger than {MAX_BYTES // 10**9} GB", cure="split the file")
