"""Results as CSV: comment lines with the notes, a header, one row per time; numbers are read back exactly."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np

from symbody.errors import ModelError
from symbody.files.read_budget import TABLE, ReadBudget
from symbody.files.safe_file import FilePath
from symbody.results.table import (
    NUMBER,
    TIME,
    Notes,
    Table,
    bounded,
    foreign_columns,
    notes_text,
    read_notes,
)

MAX_LINE = 50_000_000  # characters; the longest line holds the model
CHUNK = 5000  # rows written at once
WAITING = 200_000  # values buffered as Python numbers, about 6 MB
_MAGIC = "# symbody run"
_DAMAGED = "the file is damaged: save it again"


def write_csv(table: Table, path: Path) -> None:
    """Write a table; the comment lines start with `#`."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        try:
            file.write(f"{_MAGIC}\n")
            file.writelines(f"# {key}: {text}\n" for key, text in notes_text(table.notes).items())
            file.write(f"{','.join(_quoted(name) for name in (TIME, *table.names))}\n")
        except UnicodeEncodeError as error:
            raise ModelError(
                "the name is not valid Unicode", element=repr(error.object[:40]), cure="rename it"
            ) from error
        rows = csv.writer(file, lineterminator="\n")
        for k in range(0, len(table.t), CHUNK):
            part = slice(k, k + CHUNK)
            rows.writerows(np.column_stack([table.t[part], table.values[part]]).tolist())


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"' if any(c in name for c in ',"\r\n') or not name else name


def read_csv(path: FilePath) -> Table:
    """Read a table of symbody or of other tools: separated by commas, semicolons or tabs, times in `t` or `time`."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return _table(file, ReadBudget.of(os.fstat(file.fileno()).st_size, TABLE))
    except UnicodeDecodeError as error:
        raise ModelError(f"byte {error.start} is not UTF-8 text", cure="save the file in the UTF-8 encoding") from error
    except csv.Error as error:
        raise ModelError(f"not a table: {error}", cure=_DAMAGED) from error


def _table(file: TextIO, budget: ReadBudget) -> Table:
    lines = _lines(file)
    first, comments = _comments(lines)
    if not first.strip():
        raise ModelError("the file is empty", cure="give a table with a header")
    ours = bool(comments) and comments[0].startswith(_MAGIC)
    delimiter = "," if ours else max(",;\t", key=first.count)
    rows = csv.reader(_chained(first, lines), delimiter=delimiter, strict=True)
    headers = next(rows)
    bounded(0, len(headers))
    if ours:
        if headers[0] != TIME:
            raise ModelError("the header does not begin with the times", cure=_DAMAGED)
        notes = read_notes(dict(_entry(line) for line in comments[1:]))
        names, place = headers, 0
    else:
        names, units, place = foreign_columns(headers)
        notes = Notes(units)
    values = _numbers(rows, len(names), "," if delimiter == ";" else ".", budget)
    return Table(names[:place] + names[place + 1 :], values[:, place], np.delete(values, place, axis=1), notes)


def _numbers(rows: Iterator[list[str]], columns: int, decimal: str, budget: ReadBudget) -> np.ndarray:
    """All rows as numbers; an empty cell is NaN."""
    chunks: list[np.ndarray] = []
    waiting: list[list[float]] = []
    for count, row in enumerate(rows, start=1):
        if not row:  # a blank line
            continue
        if len(row) != columns:
            problem = f"{len(row)} cells instead of {columns}"
            raise ModelError(problem, element=f"row {count}", cure="the file is truncated or damaged: save it again")
        try:
            waiting.append([float(cell) for cell in row])
        except ValueError:
            waiting.append([_number(cell, decimal, count) for cell in row])
        if len(waiting) * columns >= WAITING:
            budget.spend("bytes", NUMBER * len(waiting) * columns)
            chunks.append(np.array(waiting))
            waiting = []
            bounded(count, columns)
    return np.vstack([*chunks, np.array(waiting, dtype=float).reshape(-1, columns)])


def _number(cell: str, decimal: str, row: int) -> float:
    try:
        return float(cell.replace(decimal, ".")) if cell.strip() else float("nan")
    except ValueError:
        cure = "write numbers, or leave the cell empty"
        raise ModelError(f"'{cell[:40]}' is not a number", element=f"row {row}", cure=cure) from None


def _comments(lines: Iterator[str]) -> tuple[str, list[str]]:
    """The first line that is not a comment, and the comments before it."""
    comments: list[str] = []
    for line in lines:
        if not line.startswith("#"):
            return line, comments
        comments.append(line)
    return "", comments


def _entry(line: str) -> tuple[str, str]:
    key, _, text = line.removeprefix("# ").partition(": ")
    return key, text


def _lines(file: TextIO) -> Iterator[str]:
    while line := file.readline(MAX_LINE):
        if len(line) == MAX_LINE:
            raise ModelError(f"a line has more than {MAX_LINE} characters", cure="this is not a table: save it again")
        yield line


def _chained(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines
