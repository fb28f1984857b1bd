"""Results as Parquet, by pyarrow: one column per channel with its unit, and the notes in the schema's metadata."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from symbody.errors import ModelError
from symbody.files.read_budget import TABLE, ReadBudget
from symbody.files.safe_file import FilePath
from symbody.results.parquet_pages import page_sizes
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

_PREFIX = b"symbody."
PLAIN = ("BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE")
HALF = 2  # bytes of a float16, which Parquet stores as bytes
BATCH = 1_000_000  # values read at once


def arrow_modules() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        cure = "pip install 'symbody[parquet]', or use .csv"
        raise ModelError("Parquet files need pyarrow, which is not installed", cure=cure) from error
    return pyarrow, pyarrow.parquet


def write_parquet(table: Table, path: Path) -> None:
    """Write a table of float64 columns, times first."""
    arrow, parquet = arrow_modules()
    units = {TIME: "s", **table.notes.units}
    try:
        fields = [
            arrow.field(name, arrow.float64(), nullable=False, metadata={"unit": units.get(name, "")})
            for name in (TIME, *table.names)
        ]
        notes = {_PREFIX + key.encode(): text.encode() for key, text in notes_text(table.notes).items()}
        columns = [arrow.array(np.ascontiguousarray(x)) for x in (table.t, *table.values.T)]
        whole = arrow.Table.from_arrays(columns, schema=arrow.schema(fields, notes))
        parquet.write_table(whole, path, use_dictionary=False)  # constant columns would look like a decompression bomb
    except UnicodeEncodeError as error:
        raise ModelError("the name is not valid Unicode", element=repr(error.object[:40]), cure="rename it") from error


def read_parquet(path: FilePath) -> Table:
    """Read a table of symbody, or of other tools with numeric columns and times in `t` or `time`."""
    arrow, parquet = arrow_modules()
    try:
        with open(path, "rb") as data:
            size = os.fstat(data.fileno()).st_size
            limits = dict.fromkeys(("thrift_string_size_limit", "thrift_container_size_limit"), size)
            with parquet.ParquetFile(data, **limits) as file:
                _check_kinds(arrow, file)
                _check_size(data, file.metadata, size)
                names, notes, place = _columns(file.schema_arrow)
                return Table(names, *_values(arrow, file, place), notes)
    except (arrow.ArrowException, OSError, ValueError) as error:
        problem = " ".join(str(error).split())[:200]
        raise ModelError(f"the Parquet file cannot be read: {problem}", cure="save it again") from error


def _columns(schema: Any) -> tuple[list[str], Notes, int]:
    """Names of the channels, notes, and the index of the times among the columns."""
    texts = {k.removeprefix(_PREFIX).decode(errors="replace"): v.decode(errors="replace")
             for k, v in (schema.metadata or {}).items() if k.startswith(_PREFIX)}  # fmt: skip
    names = [field.name for field in schema]
    if texts and names[:1] == [TIME]:
        return names[1:], read_notes(texts), 0
    names, units, place = foreign_columns(names)
    return names[:place] + names[place + 1 :], Notes(units), place


def _check_kinds(arrow: Any, file: Any) -> None:
    """Raise if the schema has columns that are not numbers."""
    number = (arrow.types.is_floating, arrow.types.is_integer, arrow.types.is_boolean)
    for field in file.schema_arrow:
        if not any(is_kind(field.type) for is_kind in number):
            problem, cure = f"a column of type {str(field.type)[:40]}", "leave it out: a result holds numbers"
            raise ModelError(problem, element=field.name[:40], cure=cure)
    for k in range(len(file.schema)):
        column = file.schema.column(k)  # the physical column in the file, whatever the metadata says
        if (column.physical_type not in PLAIN and column.length != HALF) or column.max_repetition_level:
            cure = "leave it out: a result holds numbers"
            raise ModelError(f"a column of type {column.physical_type}", element=column.name[:40], cure=cure)


def _check_size(data: BinaryIO, metadata: Any, size: int) -> None:
    """Raise if a file of this size would take too much memory, judging by the metadata and page headers."""
    rows, columns = metadata.num_rows, metadata.num_columns
    if rows < 0 or rows != sum(metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)):
        raise ValueError(f"{rows} rows do not match its row groups")
    bounded(rows, columns)
    budget = ReadBudget.of(size, TABLE)
    budget.spend("bytes", NUMBER * rows * columns)
    budget.spend("bytes", max(page_sizes(data), default=0))


def _values(arrow: Any, file: Any, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Times and the other columns as numbers, read in batches; a missing value is NaN."""
    rows, columns, at = file.metadata.num_rows, len(file.schema_arrow), 0
    t, values = np.empty(rows), np.empty((rows, columns - 1))
    for batch in file.iter_batches(max(1, BATCH // columns), use_threads=False):
        here = slice(at, at + len(batch))
        at = here.stop
        if at > rows:
            break
        numbers = [column.cast(arrow.float64()).to_numpy(zero_copy_only=False) for column in batch.columns]
        t[here] = numbers.pop(place)
        for k, column in enumerate(numbers):
            values[here, k] = column
    if at != rows:
        raise ValueError(f"the number of rows is not {rows} as in its metadata")
    return t, values
