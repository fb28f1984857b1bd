"""`symbody validate`: problems with known solutions, solved and compared; and folders of models."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from symbody.cli.before import output_folder, require_extra
from symbody.cli.benchmarks import require_benchmarks
from symbody.cli.model_argument import reading, reading_options
from symbody.cli.printing import print_result

SUMMARY = (
    "Solve benchmark problems, or examine all models of a folder, and compare with references; 1 if one is missed."
)


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="out/validate", help="folder for the plots (default: out/validate)")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="problems such as A02, or models (may be repeated)"
    )
    parser.add_argument("--corpus", metavar="DIR", help="instead: examine every model file of a folder")
    parser.add_argument("--limit", type=float, default=120.0, help="s for one model of a corpus (default 120)")
    parser.add_argument(
        "--compare-only", action="store_true", help="models of a corpus are compared, neither compiled nor simulated"
    )
    reading_options(parser)


def run(arguments: argparse.Namespace) -> dict[str, Any] | list[dict[str, Any]]:
    """The table: a list of records in JSON; leaves with status 1 where a threshold is missed."""
    require_benchmarks("validate")
    if arguments.corpus:
        return _corpus(arguments)
    require_extra("a picture")
    output_folder(arguments.output)
    from symbody_bench.validate.run import run_validation

    figures, files = run_validation(Path(arguments.output), arguments.only, progress=not arguments.json)
    records = [figure.record() for figure in figures]
    missed = [f"{figure.name}: {figure.figure}" for figure in figures if not figure.met]
    table = {"figures": records, "missed": missed, "plots": [str(path) for path in files]}
    return _left(arguments, records, table, missed)


def _corpus(arguments: argparse.Namespace) -> dict[str, Any] | list[dict[str, Any]]:
    """Every model of a folder: a table, what was refused and why, and what differs from its reference."""
    from symbody_bench.validate.corpus import by_folder, disagreements, run_corpus

    folder, progress = Path(arguments.corpus), not arguments.json
    given = reading(arguments)
    records = run_corpus(folder, arguments.only, given, arguments.limit, progress, arguments.compare_only)
    missed = disagreements(records)
    refused = [{"refused": record["model"], "reason": reason} for record in records for reason in record["refused"]]
    rows = [{key: value for key, value in record.items() if key != "refused"} for record in records]
    return _left(
        arguments,
        records,
        {"models": rows, "refusals": refused, "folders": by_folder(records), "missed": missed},
        missed,
    )


def _left(
    arguments: argparse.Namespace, records: list[dict[str, Any]], table: dict[str, Any], missed: list[str]
) -> dict[str, Any] | list[dict[str, Any]]:
    """The table, or its records in JSON; where something is missed, both are printed here, and the status is 1."""
    if not missed:
        return records if arguments.json else table
    if arguments.json:
        print(json.dumps(records, indent=2))
    else:
        print_result(table)
    raise SystemExit(1)
