"""An analysis of the command line as a job: the command in a process of its own, and its result as tables and files."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symbody.editor.analyses import COMMAND, Analysis
from symbody.editor.jobs import LARGEST, OUTPUT, Job, Report, last_line
from symbody.errors import SymbodyError
from symbody.results.files import read_table

OUT = "out"
MOST_ROWS = 500  # of a table
MOST_RECORDS = 2000  # of a plot
LARGEST_TEXT, LARGEST_FILE = 2_000_000, 20_000_000  # bytes of a file that is shown, or only saved
TEXTS = (".c", ".h", ".py", ".m", ".txt", ".json", ".md", ".csv", ".html", ".xml")
PLOTTED = (".csv",)
WRITING = ("simulate", "modal", "inverse", "sweep", "estimate", "generate", "export")  # commands with --output


class AnalysisJob(Job):
    """A command such as `sweep`; its files are written into a folder of the job and sent to the page."""

    def __init__(self, form: Analysis, text: str, arguments: list[str], report: Report):
        self._arguments = arguments
        self._begin(form["name"], text, report)

    def _command(self, folder: Path) -> list[str]:
        output = [f"--output={folder / OUT}"] if self.kind in WRITING else []
        return [*COMMAND, self.kind, str(folder / "model.yaml"), "--json", *output, *self._arguments]

    def _result(self, folder: Path, errors: bytes) -> dict[str, Any]:
        if (folder / OUTPUT).stat().st_size > LARGEST:
            return {"problem": "the result is too large"}
        try:
            result = json.loads((folder / OUTPUT).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {"problem": last_line(errors)}
        if not isinstance(result, dict):
            return {"problem": last_line(errors)}
        if "error" in result:
            return {"problem": str(result["error"]).replace(f"{folder}/", "")}
        return {"tables": tables_of(result, str(folder)), **files_of(folder / OUT)}


# -- results -----------------------------------------------------------------------------------------------------------


def tables_of(result: Mapping[str, Any], folder: str = "") -> list[dict[str, Any]]:
    """The result of a command: a table of its numbers and words, then one for each list of records."""
    facts: list[list[Any]] = []
    tables: list[dict[str, Any]] = []
    for name, value in result.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            tables.append(_table(name, value))
        elif isinstance(value, list):
            facts += [[name if k == 0 else "", _cell(x, folder)] for k, x in enumerate(value[:MOST_ROWS])]
        elif isinstance(value, dict):
            facts += [[f"{name} {key}", _cell(x, folder)] for key, x in value.items()]
        else:
            facts.append([name, _cell(value, folder)])
    return [{"title": "", "head": ["", ""], "rows": facts}, *tables] if facts else tables


def _table(name: str, records: list[dict[str, Any]]) -> dict[str, Any]:
    flat = [_flat(record) for record in records[:MOST_ROWS]]
    head = list(dict.fromkeys(key for row in flat for key in row))
    return {"title": name, "head": head, "rows": [[row.get(key) for key in head] for row in flat]}


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in record.items():
        found |= {f"{key} {x}": y for x, y in _flat(value).items()} if isinstance(value, dict) else {key: _cell(value)}
    return found


def _cell(value: Any, folder: str = "") -> str | float | None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    if isinstance(value, list):
        return ", ".join(str(_cell(x)) for x in value)
    text = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    return text.replace(f"{folder}/{OUT}/", "").replace(f"{folder}/", "") if folder else text


def files_of(folder: Path) -> dict[str, Any]:
    """Files that a command has written: texts, pictures, other files to save, and the first table as curves."""
    found: dict[str, Any] = {"files": {}, "pictures": {}, "downloads": []}
    left = LARGEST // 2  # bytes: a third more in base64
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if not path.is_file() or path.is_symlink() or path.stat().st_size > LARGEST_FILE:
            continue
        name, left = path.relative_to(folder).as_posix(), left - path.stat().st_size
        if left < 0:
            break
        if path.suffix == ".png":
            found["pictures"][name] = base64.b64encode(path.read_bytes()).decode()
        elif path.suffix in TEXTS and path.stat().st_size <= LARGEST_TEXT:
            found["files"][name] = path.read_text(encoding="utf-8", errors="replace")
        else:
            found["downloads"].append({"name": name, "base64": base64.b64encode(path.read_bytes()).decode()})
        if path.suffix in PLOTTED and "t" not in found:
            found |= curves_of(path)
    return {name: value for name, value in found.items() if value}


def curves_of(path: Path) -> dict[str, Any]:
    """The columns of a table over its times; nothing if it has none."""
    from symbody.editor.job import shortened

    try:
        table = read_table(path)
    except (SymbodyError, ValueError):
        return {}
    step = max(1, -(-len(table.t) // MOST_RECORDS))
    units = dict(zip(table.names, getattr(table, "units", ()), strict=False))
    return {
        "t": shortened(table.t[::step]),
        "channels": {name: shortened(x[::step]) for name, x in zip(table.names, table.values.T, strict=True)},
        "units": {name: units.get(name, "") for name in table.names},
    }
