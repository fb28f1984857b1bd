"""Runs in files: Parquet and CSV, written in one step and read back exactly; tables of other tools are read, too."""

from __future__ import annotations

import tempfile
from pathlib import Path

from symbody.errors import ModelError
from symbody.model.files import load
from symbody.model.model import Model
from symbody.model.safe_file import FilePath, naming, replacing
from symbody.model.yaml_text import yaml_text
from symbody.results.csv_file import read_csv, write_csv
from symbody.results.parquet_file import read_parquet, write_parquet
from symbody.results.table import Notes, Table, ordinary

READERS = {".parquet": read_parquet, ".csv": read_csv}
WRITERS = {".parquet": write_parquet, ".csv": write_csv}


def write_table(table: Table, path: FilePath) -> Path:
    """Write a table to .parquet or .csv, replacing the file in one step."""
    with naming(path):
        write = WRITERS[_suffix(path)]
        with replacing(path) as partial:
            write(table, partial)
    return Path(path)


def read_table(path: FilePath) -> Table:
    """Read a table from .parquet or .csv."""
    read = READERS[_suffix(path)]
    ordinary(path)
    return read(path)


def _suffix(path: FilePath) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise ModelError(f"unknown kind of result '{suffix[:20]}'", cure=f"use {' or '.join(READERS)}")
    return suffix


def model_text(model: Model | None) -> str:
    """A model as YAML; "" where there is none, or where it is one that files cannot hold."""
    try:
        return yaml_text(model, laws="drop") if model else ""
    except ModelError:
        return ""


def model_of(notes: Notes) -> Model | None:
    """The model that a result file carries, if it does."""
    if not notes.model:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.yaml"
        file.write_text(notes.model, encoding="utf-8")
        try:
            model = load(file, inertia="as given")  # it was accepted when it ran
        except ModelError as error:
            error.file = None  # the temporary one helps nobody
            raise
    model.file = None
    return model
