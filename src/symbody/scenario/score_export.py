"""Attempts and logs of a score book as CSV or Parquet files."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from symbody.output_file import make_folder, replacing, write_text
from symbody.results.csv_file import write_csv
from symbody.results.parquet_file import arrow_modules, write_parquet
from symbody.results.table import Notes, Table
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.standings import PlayedAttempt, attempt_scores, scored

Kind = Literal["csv", "parquet"]


def export_scores(
    book: ScoreBook, game: str, measures: Mapping[str, Any], folder: Path, kind: Kind = "csv"
) -> list[Path]:
    """Write attempts.KIND and a file log-NUMBER.KIND for each attempt with a log; returns their paths."""
    make_folder(folder)
    played = book.attempts(game)
    paths = [folder / f"attempts.{kind}"]
    write_attempts(played, measures, paths[0], kind)
    for one in played:
        log = book.log(one.number)
        if len(log["t"]):
            path = folder / f"log-{one.number}.{kind}"
            names = [name for name in log if name != "t"]
            values = np.column_stack([log[name] for name in names]) if names else np.zeros((len(log["t"]), 0))
            table = Table(names, log["t"], values, Notes())
            with replacing(path) as part:
                (write_csv if kind == "csv" else write_parquet)(table, part)
            paths.append(path)
    return paths


def write_attempts(played: Sequence[PlayedAttempt], measures: Mapping[str, Any], path: Path, kind: Kind) -> None:
    """A table of attempts: number, player, option, state, score, measures; a missing number is empty."""
    counted = scored(played, measures)
    scores = dict(zip([one.number for one in counted], attempt_scores(counted, measures), strict=True))
    columns: dict[str, list[Any]] = {
        "attempt": [one.number for one in played],
        "player": [one.player for one in played],
        "option": [one.option for one in played],
        "state": [one.state for one in played],
        "score": [scores.get(one.number) for one in played],
        **{name: [one.results.get(name) for one in played] for name in measures},
    }
    if kind == "csv":
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(columns)
        lines.writerows(zip(*columns.values(), strict=True))
        write_text(path, text.getvalue())
        return
    arrow, parquet = arrow_modules()
    kinds = {"attempt": arrow.int64(), "player": arrow.string(), "option": arrow.string(), "state": arrow.string()}
    fields = [arrow.field(name, kinds.get(name, arrow.float64())) for name in columns]
    with replacing(path) as part:
        parquet.write_table(arrow.table(columns, schema=arrow.schema(fields)), part)
