"""`symbody validate`: problems with known solutions, solved and compared."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from symbody.cli.before import output_folder, require_extra
from symbody.cli.benchmarks import require_benchmarks
from symbody.cli.printing import print_result

SUMMARY = "Solve the multibody community's benchmark problems and compare with their references; 1 if one is missed."


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="out/validate", help="folder for the plots (default: out/validate)")
    parser.add_argument("--only", action="append", metavar="NAME", help="problems, such as A02 (may be repeated)")


def run(arguments: argparse.Namespace) -> dict[str, Any] | list[dict[str, Any]]:
    """The table: a list of records in JSON; leaves with status 1 where a threshold is missed."""
    require_benchmarks("validate")
    require_extra("a picture")
    output_folder(arguments.output)
    from symbody_bench.validate.run import run_validation

    figures, files = run_validation(Path(arguments.output), arguments.only, progress=not arguments.json)
    records = [figure.record() for figure in figures]
    missed = [f"{figure.name}: {figure.figure}" for figure in figures if not figure.met]
    table = {"figures": records, "missed": missed, "plots": [str(path) for path in files]}
    if not missed:
        return records if arguments.json else table
    if arguments.json:
        print(json.dumps(records, indent=2))
    else:
        print_result(table)
    raise SystemExit(1)
