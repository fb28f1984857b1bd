"""Results as Parquet, through pyarrow: a column for each channel with its unit, the notes beside the schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.model.safe_file import FilePath
from symbody.results.table import (
    TIME,
    Notes,
    Table,
    bounded,
    foreign_columns,
    notes_text,
    read_notes,
)

_PREFIX = b"symbody."


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        cure = "pip install 'symbody[parquet]', or use .csv"
        raise ModelError("Parquet files need pyarrow, which is not installed", cure=cure) from error
    return pyarrow, pyarrow.parquet


def write_parquet(table: Table, path: Path) -> None:
    """Write a table of float64 columns, times first."""
    arrow, parquet = _arrow()
    units = {TIME: "s", **table.notes.units}
    try:
        fields = [
            arrow.field(name, arrow.float64(), nullable=False, metadata={"unit": units.get(name, "")})
            for name in (TIME, *table.names)
        ]
        notes = {_PREFIX + key.encode(): text.encode() for key, text in notes_text(table.notes).items()}
        columns = [arrow.array(np.ascontiguousarray(x)) for x in (table.t, *table.values.T)]
        parquet.write_table(arrow.Table.from_arrays(columns, schema=arrow.schema(fields, notes)), path)
    except UnicodeEncodeError as error:
        raise ModelError("a name that is not text", element=repr(error.object[:40]), cure="rename it") from error


def read_parquet(path: FilePath) -> Table:
    """Read a table of ours, or of other tools with numbers in its columns and times in `t` or `time`."""
    arrow, parquet = _arrow()
    try:
        with parquet.ParquetFile(path) as file:
            bounded(file.metadata.num_rows, file.metadata.num_columns)
            table = file.read()
        columns = [_numbers(arrow, field.name, table.column(k)) for k, field in enumerate(table.schema)]
    except (arrow.ArrowException, OSError, ValueError) as error:
        problem = " ".join(str(error).split())[:200]
        raise ModelError(f"not a Parquet file that can be read: {problem}", cure="save it again") from error
    texts = {k.removeprefix(_PREFIX).decode(errors="replace"): v.decode(errors="replace")
             for k, v in (table.schema.metadata or {}).items() if k.startswith(_PREFIX)}  # fmt: skip
    names = [field.name for field in table.schema]
    if texts and names[:1] == [TIME]:
        notes, place = read_notes(texts), 0
    else:
        names, units, place = foreign_columns(names)
        notes = Notes(units)
    values = np.column_stack([np.empty((len(table), 0)), *columns[:place], *columns[place + 1 :]])
    return Table(names[:place] + names[place + 1 :], columns[place], values, notes)


def _numbers(arrow: Any, name: str, column: Any) -> np.ndarray:
    """A column as numbers; nothing is NaN."""
    kind = column.type
    if not any(is_kind(kind) for is_kind in (arrow.types.is_floating, arrow.types.is_integer, arrow.types.is_boolean)):
        raise ModelError(f"a column of {kind}", element=name[:40], cure="leave it out: a result holds numbers")
    return np.asarray(column.cast(arrow.float64()).to_numpy(), dtype=float)
