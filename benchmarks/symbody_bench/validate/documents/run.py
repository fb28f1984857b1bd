"""`symbody validate --documents`: every row computed, subjects in processes of their own, and one table."""

from __future__ import annotations

import faulthandler
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tqdm import tqdm

from symbody.errors import ModelError
from symbody_bench.validate.documents.row import COLUMNS, FAILED, SAME, VERDICTS, Row
from symbody_bench.validate.markdown_table import markdown_table, write_between, written_rows

LIMIT = 120.0  # s for one row
START = "<!-- table of symbody validate --documents -->"
PACKAGE = "symbody_bench.validate.documents"
HERE, NO_SUBJECTS = Path(__file__).parent, ("__init__", "row", "run")
ENDED = 200  # letters of an error that are kept
Record = dict[str, Any]


@cache
def subjects() -> dict[str, Sequence[Row]]:
    """The rows by subject, which is a module of this folder, in alphabetical order."""
    return {name: rows_of(name) for name in sorted(path.stem for path in HERE.glob("*.py")) if name not in NO_SUBJECTS}


def rows_of(subject: str) -> Sequence[Row]:
    """The rows of a module of this folder."""
    rows: Sequence[Row] = import_module(f"{PACKAGE}.{subject}").ROWS
    return rows


def selection(only: Sequence[str] | None = None) -> list[tuple[str, int]]:
    """(subject, number) of the rows of an item, such as E4, or whose subject, document or text has one of the words."""
    rows = {(name, k): row for name, made in subjects().items() for k, row in enumerate(made)}

    def has(key: tuple[str, int], word: str) -> bool:
        row = rows[key]
        told = f"{key[0]} {row.document} {row.what}".lower()
        return word.lower() == row.item.lower() or word.lower() in told

    for word in only or ():
        if not any(has(key, word) for key in rows):
            items = ", ".join(dict.fromkeys(row.item for row in rows.values()))
            raise ModelError("no row of the documents", element=word, cure=f"use one of {items}, or a subject")
    chosen = [key for key in rows if not only or any(has(key, word) for word in only)]
    return sorted(chosen, key=lambda key: (rows[key].document, natural(rows[key].item)))


def natural(item: str) -> list[tuple[bool, int, str]]:
    """E2 before E10."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", item)]


def run_documents(
    only: Sequence[str] | None = None, limit: float = LIMIT, jobs: int = 1, progress: bool = False
) -> list[Record]:
    """A record for each row, in the order of the table; at most `limit` s for a row, `jobs` subjects at a time."""
    wanted = selection(only)
    by_subject = {name: [k for subject, k in wanted if subject == name] for name, _ in wanted}
    found: dict[tuple[str, int], Record] = {}
    with (
        tqdm(total=len(wanted), disable=not progress, unit="row") as bar,
        ThreadPoolExecutor(max(1, min(jobs, len(by_subject)))) as pool,
    ):

        def computed(name: str) -> None:
            for k, record in _of_subject(name, by_subject[name], limit):
                found[name, k] = record
                bar.set_description(f"{name}: {record['item']}")
                bar.update()

        list(pool.map(computed, by_subject))
    return [found[key] for key in wanted]


def unexplained(records: Sequence[Record]) -> list[str]:
    """Rows that were not computed, and differences without a reason."""
    wrong = [r for r in records if r["verdict"] == FAILED or (r["verdict"] != SAME and not r["reason"])]
    return [f"{r['item']}, {r['figure or statement']}: {r['reason'] or 'differs without a reason'}" for r in wrong]


def counts(records: Sequence[Record]) -> dict[str, int]:
    """Numbers of rows by verdict."""
    return {verdict: sum(r["verdict"] == verdict for r in records) for verdict in VERDICTS}


def write_documents(path: Path, records: Sequence[Record]) -> None:
    """Write the table into a Markdown file; rows of the file that were not computed now stay as they are."""
    known = {_identity(row): row for row in written_rows(path, START, COLUMNS)}
    order = [(row.document, row.item, row.what) for name, k in selection() for row in [subjects()[name][k]]]
    all_rows = known | {_identity(row): row for row in records}
    rows = [all_rows[key] for key in order if key in all_rows]
    told = ", ".join(f"{n} {verdict}" for verdict, n in counts(rows).items() if n)
    write_between(path, START, f"{len(rows)} rows: {told}.\n\n{markdown_table(COLUMNS, rows)}")


def _identity(record: Record) -> tuple[str, str, str]:
    return record["document"], record["item"], record["figure or statement"]


# -- processes ---------------------------------------------------------------------------------------------------------


def _of_subject(name: str, numbers: Sequence[int], limit: float) -> Iterator[tuple[int, Record]]:
    """The rows of a subject, in one process, so that they share runs; after a row that ends it, in another one."""
    waiting, rows = list(numbers), subjects()[name]
    while waiting:
        command = [sys.executable, "-m", f"{PACKAGE}.run", name, str(limit), *map(str, waiting)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            for line in process.stdout:
                yield waiting.pop(0), json.loads(line)
        if waiting:
            number = waiting.pop(0)
            most = limit * rows[number].patience
            yield number, rows[number].failed(f"it took more than {most:g} s, or ended its process")


def _record(row: Row) -> Record:
    """The row computed; an error of ours is its reason."""
    try:
        return row.record(row.compute())
    except Exception as error:  # a row must not end the others
        return row.failed(f"{type(error).__name__}: {str(error).splitlines()[0][:ENDED] if str(error) else ''}")


def main(name: str, limit: float, numbers: Sequence[int]) -> None:
    """Compute rows of a subject, a line of JSON for each; a row that takes longer than the limit ends the process."""
    results, rows = sys.stdout, rows_of(name)
    for number in numbers:
        faulthandler.dump_traceback_later(limit * rows[number].patience, exit=True)  # also while compiled code runs
        with redirect_stdout(sys.stderr):
            record = _record(rows[number])
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps(record), file=results, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), [int(word) for word in sys.argv[3:]])
