"""Runs in files: Parquet and CSV, written in one step and read back exactly; tables of other tools are read, too."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from symbody.analysis.result_files_csv import read_csv, write_csv
from symbody.analysis.result_files_parquet import read_parquet, write_parquet
from symbody.analysis.result_files_table import Notes, Table, ordinary, replacing
from symbody.analysis.run import Run
from symbody.errors import ModelError
from symbody.model.files import load
from symbody.model.model import Model
from symbody.model.safe_file import FilePath, naming
from symbody.model.yaml_text import yaml_text

READERS = {".parquet": read_parquet, ".csv": read_csv}
WRITERS = {".parquet": write_parquet, ".csv": write_csv}


def save_run(run: Run, path: FilePath) -> Path:
    """Write a run to .parquet or .csv, with units, metadata and the model (without laws that are functions)."""
    with naming(path):
        write = WRITERS[_suffix(path)]
        notes = Notes(run.units, run.meta, _model_text(run))
        with replacing(path) as partial:
            write(Table(run.names, run.t, run.values, notes), partial)
    return Path(path)


def load_run(path: FilePath, model: Model | None = None) -> Run:
    """Read a run; `model` takes the place of the one in the file."""
    with naming(path):
        read = READERS[_suffix(path)]
        ordinary(path)
        table = read(path)
        notes = table.notes
        model = model or (_model(notes.model) if notes.model else None)
        return Run(None, table.t, table.values, names=table.names, units=notes.units, meta=notes.meta, model=model)


def to_dataframe(run: Run) -> Any:
    """A pandas table over the index `t`."""
    try:
        import pandas
    except ImportError as error:
        raise ModelError("pandas is not installed", cure="pip install pandas, or use run.values") from error
    frame = pandas.DataFrame(run.values, index=pandas.Index(run.t, name="t"), columns=run.names)
    frame.attrs = {"units": dict(run.units), "meta": dict(run.meta)}
    return frame


def _suffix(path: FilePath) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise ModelError(f"unknown kind of result '{suffix[:20]}'", cure=f"use {' or '.join(READERS)}")
    return suffix


def _model_text(run: Run) -> str:
    """The model as YAML; "" where there is none, or where it is one that files cannot hold."""
    try:
        return yaml_text(run.model, laws="drop") if run.has_model else ""
    except ModelError:
        return ""


def _model(text: str) -> Model:
    """The model that a result carries."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.yaml"
        file.write_text(text, encoding="utf-8")
        try:
            model = load(file)
        except ModelError as error:
            error.file = None  # the temporary one helps nobody
            raise
    model.file = None
    return model
