"""What every kind of result file holds: names, times, values, and notes on them; and files at arm's length."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.model.safe_file import FilePath

Array = np.ndarray
MAX_BYTES = 4_000_000_000  # of a file; an hour of a hundred channels at 1 kHz is 3 GB of Parquet
MAX_VALUES = 500_000_000  # 4 GB in memory
MAX_COLUMNS = 100_000
NUMBER = 8  # bytes of a value in memory
FREE = 16_000_000  # bytes that even the smallest file may unpack to
# Bytes in memory for each byte of a file. Deflate reaches 1032; a recording of 1000 channels that stand still some 600.
DENSEST = 1000
FORMAT = 1
TIME = "t"
TIMES = ("t", "time")  # what others call it
SECONDS = ("", "s", "sec", "second", "seconds")


@dataclass
class Notes:
    """What a file says besides the numbers; `model` is the model as YAML, "" where there is none."""

    units: dict[str, str] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    model: str = ""


@dataclass
class Table:
    """Names of the channels, times, a row of values for each time, and notes."""

    names: list[str]
    t: Array
    values: Array
    notes: Notes


def notes_text(notes: Notes) -> dict[str, str]:
    """Notes as JSON, by key; they come back with `read_notes`."""
    entries = {"format": FORMAT, "meta": notes.meta, "units": notes.units, "model": notes.model}
    return {key: json.dumps(value, default=_plain) for key, value in entries.items()}


def read_notes(texts: dict[str, str]) -> Notes:
    """The notes of a file of ours; whatever is wrong with them is a ModelError."""
    found: dict[str, Any] = {"format": FORMAT, "meta": {}, "units": {}, "model": ""}
    kinds = {"format": int, "meta": dict, "units": dict, "model": str}
    for key in kinds.keys() & texts.keys():
        try:
            found[key] = json.loads(texts[key])
        except (ValueError, RecursionError) as error:
            raise ModelError(
                f"its {key} is not JSON", element=key, cure="the file is damaged: save it again"
            ) from error
        if not isinstance(found[key], kinds[key]):
            raise ModelError(f"its {key} is of the wrong kind", element=key, cure="the file is damaged: save it again")
    if found["format"] != FORMAT:
        raise ModelError(f"format {found['format']} of a result", cure="read it with a newer symbody")
    if not all(isinstance(unit, str) for unit in found["units"].values()):
        raise ModelError("units that are not text", element="units", cure="the file is damaged: save it again")
    numbers = found["meta"].get("parameters", {})
    if not (isinstance(numbers, dict) and all(type(x) in (int, float) for x in numbers.values())):
        raise ModelError("parameters that are not numbers", element="meta", cure="the file is damaged: save it again")
    return Notes(found["units"], found["meta"], found["model"])


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as JSON has them; anything else as text."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else str(value)


def foreign_columns(headers: Sequence[str]) -> tuple[list[str], dict[str, str], int]:
    """Names, units and the place of the times in a table of other tools: `time (s)`, `x [m]` or plain names."""
    names, units = [], {}
    for header in headers:
        name, unit = _name_and_unit(header.strip())
        names.append(name)
        if unit:
            units[name] = unit
    times = [k for k, name in enumerate(names) if name.lower() in TIMES]
    if not times:
        listed = ", ".join(repr(name[:30]) for name in names[:5])
        raise ModelError(f"no times among the columns {listed}", cure="call the column of times 't' or 'time'")
    unit = units.pop(names[times[0]], "")
    if unit.lower() not in SECONDS:
        raise ModelError(f"times in '{unit[:20]}'", element=names[times[0]], cure="convert them to seconds")
    return names, units, times[0]


def _name_and_unit(header: str) -> tuple[str, str]:
    """`x [m]` or `x (m)` taken apart; no unit where there is none."""
    place = max(header.rfind(bracket, 0, -1) for bracket in "[]()")
    if header[-1:] in ("]", ")") and place > 0 and header[place] in "[(" and header[:place].strip():
        return header[:place].strip(), header[place + 1 : -1].strip()
    return header, ""


class ReadAllowance:
    """How many bytes a file of so many bytes may take in memory; what would be more is refused before it is made."""

    def __init__(self, size: int):
        self.most = self.left = FREE + DENSEST * size

    def take(self, count: int) -> None:
        """Use so many bytes of it."""
        self.left -= count
        if self.left < 0:
            problem = f"it unpacks to more than {self.most // 10**6} MB"
            raise ModelError(problem, cure="this is no ordinary recording: save it again, uncompressed")


def bounded(rows: int, columns: int) -> None:
    """Refuse a table with more rows or columns than memory is meant to hold."""
    if columns > MAX_COLUMNS or rows * columns > MAX_VALUES:
        cure = "record fewer channels, or save with a larger time between records"
        raise ModelError(f"{rows} rows of {columns} columns are too many", cure=cure)


def ordinary(path: FilePath) -> None:
    """Refuse what is not a file of bearable size."""
    try:
        found = os.stat(path)
    except FileNotFoundError as error:
        raise ModelError("no such file", cure="check the name and the folder") from error
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot be read: {error}", cure="check the name and the permissions") from error
    if not stat.S_ISREG(found.st_mode):
        raise ModelError("not an ordinary file", cure="give the name of a file")
    if found.st_size > MAX_BYTES:
        raise ModelError(f"larger than {MAX_BYTES // 10**9} GB", cure="split the file")
