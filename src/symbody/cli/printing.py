"""Results of commands as plain text: a table for a list of records, one line for any other entry."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from symbody.errors import printable


def print_result(result: dict[str, Any]) -> None:
    """Print a result as aligned text: one line per value or per sentence of a list, and tables."""
    wide = max([14, *(len(key) for key, value in result.items() if not _is_table(value))])
    for key, value in result.items():
        if _is_table(value):
            print(f"\n{key}")
            _print_table(value)
        elif isinstance(value, list) and value and all(isinstance(x, str) and " " in x for x in value):
            for i, sentence in enumerate(value):
                print(printable(f"{'' if i else key:>{wide}}  {sentence}"))
        elif value != []:
            print(printable(f"{key:>{wide}}  {f'{value:.7g}' if isinstance(value, float) else value}"))


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _flat(record: dict[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= _flat(value)
        elif isinstance(value, list):
            flat[key] = printable("; ".join(map(str, value)))
        elif isinstance(value, float):
            flat[key] = f"{value:.4g}"
        else:
            flat[key] = "-" if value is None else printable(str(value))
    return flat


def _print_table(records: list[dict[str, Any]]) -> None:
    rows = [_flat(record) for record in records]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    widths = {c: max(len(c), *(len(row.get(c, "")) for row in rows)) for c in columns}
    print("  ".join(c.ljust(widths[c]) for c in columns).rstrip())
    for row in rows:
        print("  ".join(row.get(c, "").ljust(widths[c]) for c in columns).rstrip())


def shows_progress(arguments: argparse.Namespace) -> bool:
    """Whether to show progress: stderr is a terminal and --json is not given, or $SYMBODY_PROGRESS is set."""
    return (sys.stderr.isatty() and not arguments.json) or bool(os.environ.get("SYMBODY_PROGRESS"))
