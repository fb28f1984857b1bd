"""Files of runs: Parquet and CSV, written atomically and read back exactly; tables of other tools are read, too."""

from __future__ import annotations

import tempfile
from pathlib import Path

from symbody.errors import ModelError
from symbody.files.formats import load
from symbody.files.safe_file import FilePath, naming
from symbody.files.yaml_text import yaml_text
from symbody.model.model import Model
from symbody.output_file import replacing
from symbody.results.csv_file import read_csv, write_csv
from symbody.results.parquet_file import read_parquet, write_parquet
from symbody.results.table import Notes, Table, reading

READERS = {".parquet": read_parquet, ".csv": read_csv}
WRITERS = {".parquet": write_parquet, ".csv": write_csv}


def write_table(table: Table, path: FilePath) -> Path:
    """Write a table to .parquet or .csv; an existing file is replaced atomically."""
    with naming(path):
        write = WRITERS[_suffix(path)]
        with replacing(path) as partial:
            write(table, partial)
    return Path(path)


def read_table(path: FilePath) -> Table:
    """Read a table from .parquet or .csv."""
    read = READERS[_suffix(path)]
    with reading(path):
        return read(path)


def _suffix(path: FilePath) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise ModelError(f"unknown file type '{suffix[:20]}' of a result", cure=f"use {' or '.join(READERS)}")
    return suffix


def model_text(model: Model | None) -> str:
    """A model as YAML; "" if there is none or a file cannot hold it."""
    try:
        return yaml_text(model, laws="drop") if model else ""
    except ModelError:
        return ""


def model_of(notes: Notes) -> Model | None:
    """The model stored in a result file, or None."""
    if not notes.model:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.yaml"
        try:
            file.write_text(notes.model, encoding="utf-8")
            model = load(file, inertia="as given")  # it was already accepted for the run
        except ModelError as error:
            error.file = None  # the name of the temporary file does not help the user
            raise
        except UnicodeEncodeError as error:
            cure = "the file is damaged: save it again"
            raise ModelError("the stored model is not valid Unicode", element="model", cure=cure) from error
        except OSError as error:
            problem = f"no temporary file for the stored model: {error}"
            raise ModelError(problem, element="model", cure="free some space") from error
    model.file = None
    return model
