"""Parquet files in blocks of rows: memory is needed for one block, however long the file becomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from symbody.codegen.function import Array
from symbody.results.parquet_file import arrow_modules


class ParquetStream:
    """A file with columns of float64 and of texts; each `append` writes a row group. Use it as a context.

    units: of columns, for readers.
    """

    def __init__(
        self, path: Path, numbers: Sequence[str], texts: Sequence[str] = (), units: Mapping[str, str] | None = None
    ):  # fmt: skip
        self._arrow, parquet = arrow_modules()
        known = units or {}
        fields = [
            self._arrow.field(name, self._arrow.float64(), nullable=False, metadata={"unit": known.get(name, "")})
            for name in numbers
        ]
        fields += [self._arrow.field(name, self._arrow.string()) for name in texts]
        self._schema = self._arrow.schema(fields)
        self._writer = parquet.ParquetWriter(path, self._schema, use_dictionary=list(texts))

    def append(self, columns: Mapping[str, Array | Sequence[str | None]]) -> None:
        """Write a block of rows, given by column."""
        arrays = [
            self._arrow.array(np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x, type=field.type)
            for field in self._schema
            for x in [columns[field.name]]
        ]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self._writer.close()


def column_of(path: Path, name: str) -> Array:
    """A column of numbers, read block by block."""
    _, parquet = arrow_modules()
    with parquet.ParquetFile(path) as file:
        found, done = np.empty(file.metadata.num_rows), 0
        for batch in file.iter_batches(columns=[name], use_threads=False):
            found[done : done + len(batch)] = batch.column(0).to_numpy(zero_copy_only=False)
            done += len(batch)
    return found


def texts_of(path: Path, name: str) -> dict[int, str]:
    """The texts of a column by row number, without missing ones."""
    _, parquet = arrow_modules()
    found: dict[int, str] = {}
    done = 0
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=[name], use_threads=False):
            found |= {done + i: text for i, text in enumerate(batch.column(0).to_pylist()) if text is not None}
            done += len(batch)
    return found
