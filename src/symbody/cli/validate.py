"""`symbody validate`: compare problems, models of a folder, random mechanisms or documents with references."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from symbody.cli.benchmarks import require_benchmarks
from symbody.cli.model_argument import reading, reading_options
from symbody.cli.preconditions import output_folder, require_extra
from symbody.cli.printing import print_result, shows_progress

SUMMARY = (
    "Check benchmark problems, models of a folder, random mechanisms or figures of documents against references; "
    "exit status 1 if one fails."
)
EXAMPLE = "--only A01"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="out/validate", help="folder for the plots (default: out/validate)")
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="problems such as A02, models, numbers of mechanisms, or items of documents such as E4 (may be repeated)",
    )
    parser.add_argument(
        "--documents", action="store_true", help="compute every figure and statement of the five documents instead"
    )
    parser.add_argument("--corpus", metavar="DIR", help="check every model file of this folder instead")
    parser.add_argument(
        "--limit", type=float, default=120.0, help="time limit for one model, mechanism or row, s (default 120)"
    )
    parser.add_argument("--mechanisms", type=int, metavar="N", help="simulate N random closed mechanisms instead")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random mechanisms (default 0)")
    parser.add_argument(
        "--ways",
        type=int,
        metavar="N",
        help="simulate each mechanism in N ways drawn at random (default: in every way)",
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="models, mechanisms or subjects at a time (default: as many as cores)"
    )
    parser.add_argument(
        "--compare-only", action="store_true", help="only compare the models of a corpus; do not compile or simulate"
    )
    parser.add_argument(
        "--table", metavar="FILE", help="write the table of a corpus or of documents into this Markdown file"
    )
    parser.add_argument(
        "--keep", metavar="FILE", help="keep the result of each model of a corpus, and continue from it"
    )
    reading_options(parser)


def run(arguments: argparse.Namespace) -> dict[str, Any] | list[dict[str, Any]]:
    """The table, or a list of records with --json. Exits with status 1 if a threshold is exceeded."""
    require_benchmarks("validate")
    if arguments.corpus:
        return _corpus(arguments)
    if arguments.mechanisms is not None:
        return _mechanisms(arguments)
    if arguments.documents:
        return _documents(arguments)
    require_extra("a picture")
    output_folder(arguments.output)
    from symbody_bench.validate.run import run_validation

    figures, files = run_validation(Path(arguments.output), arguments.only, progress=shows_progress(arguments))
    records = [figure.record() for figure in figures]
    missed = [f"{figure.name}: {figure.figure}" for figure in figures if not figure.met]
    table = {"figures": records, "missed": missed, "plots": [str(path) for path in files]}
    return _left(arguments, records, table, missed)


def _corpus(arguments: argparse.Namespace) -> dict[str, Any] | list[dict[str, Any]]:
    """Every model of a folder: a table, the rejected files with reasons, and differences from the references."""
    from symbody_bench.validate.corpus import by_folder, disagreements, run_corpus, write_table

    folder, progress = Path(arguments.corpus), shows_progress(arguments)
    given = reading(arguments)
    records = run_corpus(
        folder,
        arguments.only,
        given,
        arguments.limit,
        progress,
        arguments.compare_only,
        max(1, arguments.jobs or os.cpu_count() or 1),
        Path(arguments.keep) if arguments.keep else None,
    )
    missed = disagreements(records)
    if arguments.table:
        write_table(Path(arguments.table), records)
    reasons = [{"model": record["model"], "reason": reason} for record in records for reason in record["reasons"]]
    long = ("reasons", "differences")
    rows = [{key: value for key, value in record.items() if key not in long} for record in records]
    return _left(
        arguments,
        records,
        {"models": rows, "reasons": reasons, "folders": by_folder(records), "missed": missed},
        missed,
    )


def _mechanisms(arguments: argparse.Namespace) -> dict[str, Any] | list[dict[str, Any]]:
    """Random mechanisms: runs by closure, by method, reasons, and all that are wrong without a warning."""
    from symbody_bench.validate.mechanisms import by_way, reasons, run_mechanisms, silently_wrong

    a = arguments
    records = run_mechanisms(
        a.mechanisms, a.seed, a.only, a.ways, a.limit, progress=shows_progress(a), jobs=a.jobs
    )  # fmt: skip
    wrong = silently_wrong(records, a.seed)
    table = {
        "mechanisms": len(records),
        "seed": a.seed,
        "closures": by_way(records, "closure"),
        "methods": by_way(records, "method"),
        "reasons": reasons(records),
        "silently wrong": wrong,
    }
    return _left(arguments, records, table, wrong)


def _documents(arguments: argparse.Namespace) -> dict[str, Any] | list[dict[str, Any]]:
    """Every row of the documents, the numbers of rows by verdict, and differences without a reason."""
    from symbody_bench.validate.documents.run import counts, run_documents, unexplained, write_documents

    jobs = max(1, arguments.jobs or os.cpu_count() or 1)
    records = run_documents(arguments.only, arguments.limit, jobs, shows_progress(arguments))
    if arguments.table:
        write_documents(Path(arguments.table), records)
    missed = unexplained(records)
    return _left(arguments, records, {"rows": records, **counts(records), "missed": missed}, missed)


def _left(
    arguments: argparse.Namespace, records: list[dict[str, Any]], table: dict[str, Any], missed: list[str]
) -> dict[str, Any] | list[dict[str, Any]]:
    """The table, or its records with --json. If something failed, prints them here and exits with status 1."""
    if not missed:
        return records if arguments.json else table
    if arguments.json:
        print(json.dumps(records, indent=2))
    else:
        print_result(table)
    raise SystemExit(1)
