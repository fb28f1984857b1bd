"""Small pieces of HTML for notebooks: an object's summary, and records as a table."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

MOST_ROWS = 40  # of a table in a notebook


def in_words(value: Any) -> str:
    """A value as text: floats with four digits; None is empty."""
    if isinstance(value, list | tuple):
        return ", ".join(map(in_words, value))
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def records_html(records: Sequence[Mapping[str, Any]], upright: bool = False) -> str:
    """Records as a table with one row each. With upright, few records with many fields get one column each."""
    names = list(dict.fromkeys(key for record in records for key in record))
    cells = [[in_words(record.get(name)) for name in names] for record in records]
    lines = [[name.replace("_", " ") for name in names], *cells]
    if upright and 2 * len(records) < len(names):
        lines = [list(line) for line in zip(*lines, strict=True)]
    rows = [
        "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in line) + "</tr>"
        for line, kind in zip(lines, ("th", *["td"] * len(lines)), strict=False)
    ]
    return f"<table>{''.join(rows)}</table>"


def object_html(title: str, rows: Mapping[str, Any], records: Sequence[Mapping[str, Any]] = ()) -> str:
    """A title, one line for each entry that has a value, and a table of the first MOST_ROWS records."""
    lines = "".join(
        f"<tr><th>{html.escape(key)}</th><td>{html.escape(in_words(value))}</td></tr>"
        for key, value in rows.items()
        if value not in (None, "")
    )
    more = f"<p>… {len(records)} in all</p>" if len(records) > MOST_ROWS else ""
    below = records_html(records[:MOST_ROWS]) + more if records else ""
    return f"<strong>{html.escape(title)}</strong><table>{lines}</table>{below}"
