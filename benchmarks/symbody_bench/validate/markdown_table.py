"""Markdown tables that a command writes into a page, between two comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from symbody.errors import ModelError

END = "<!-- end of the table -->"


def markdown_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table; cells that are empty or zero stay blank."""
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n".join(lines + [f"| {' | '.join(str(row[key] or '') for key in columns)} |" for row in rows])


def written_rows(path: Path, start: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows of the table after the line `start` in a Markdown file, as texts; none if there is no such table."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = [line for line in text.partition(start)[2].partition(END)[0].splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines[2:]]
    return [dict(zip(columns, row, strict=True)) for row in cells if len(row) == len(columns)]


def write_between(path: Path, start: str, table: str) -> None:
    """Write a table into a Markdown file, between the line `start` and the next END, or into a new file."""
    text = path.read_text(encoding="utf-8") if path.exists() else f"{start}\n{END}\n"
    before, found, rest = text.partition(start)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        cure = f"put the lines {start} and {END} where the table belongs"
        raise ModelError("the file has no place for the table", element="--table", cure=cure, file=path)
    path.write_text(f"{before}{start}\n\n{table}\n\n{END}{after}", encoding="utf-8")
