"""`symbody validate --corpus DIR`: check every model of a folder, each in its own process with a time limit."""

from __future__ import annotations

import json
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext, SpawnContext
from pathlib import Path
from typing import Any

from tqdm import tqdm

from symbody.errors import ModelError, printable
from symbody.files.formats import OPTIONS
from symbody_bench.validate.corpus_model import Examined, examine_alone
from symbody_bench.validate.markdown_table import markdown_table, write_between

SUFFIXES = (".urdf", ".mbs", ".xacro", ".sdf", ".xml", ".mjcf")
_MJCF = re.compile(rb"<mujoco[\s>].*<(worldbody|include)[\s>]", re.DOTALL)  # complete models, not parts of models
VERDICTS = ("equal", "warned", "nothing moves", "not read", "not compared", "different")
LIMIT = 120.0  # s for one model
START = "<!-- table of symbody validate --corpus -->"
# Largest relative differences from references. MuJoCo's principal axes of inertia are accurate to about 1e-8.
AGREES = {"pinocchio": 1e-9, "mujoco": 1e-7, "drake": 1e-9, "printed": 1e-9}


def models_in(folder: Path, only: list[str] | None = None) -> list[Path]:
    """Model files in a folder and below whose paths contain one of the given words; all for None."""
    if not folder.is_dir():
        raise ModelError(
            "no such folder", element="--corpus", cure=f"give a folder of {', '.join(SUFFIXES)} files", file=folder
        )
    found = sorted(path for path in folder.rglob("*") if _is_model(path))
    chosen = [path for path in found if not only or any(word.lower() in _name(path, folder).lower() for word in only)]
    if not chosen:
        cure = f"there are {len(found)} models" if found else f"give a folder with {' or '.join(SUFFIXES)} files"
        raise ModelError("no model was found", element="--corpus", cure=cure, file=folder)
    return chosen


def _is_model(path: Path) -> bool:
    """By its suffix; an .xml file must be an MJCF, because other files have that suffix, too."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES or not path.is_file():
        return False
    return suffix != ".xml" or _MJCF.search(path.read_bytes()) is not None


def run_corpus(
    folder: Path,
    only: list[str] | None = None,
    options: Mapping[str, Any] | None = None,
    limit: float = LIMIT,
    progress: bool = False,
    compare_only: bool = False,
    jobs: int = 1,
    keep: Path | None = None,
) -> list[dict[str, Any]]:
    """A record for each model of a folder; options are those of `sb.load`, where they apply to its kind of file.

    compare_only: do not compile or simulate. jobs: number of models at the same time. keep: a file for the record of
    each model, a line of JSON each; models that it has are not examined again.
    """
    known = kept_records(keep) if keep else {}

    def record(path: Path) -> dict[str, Any]:
        if _name(path, folder) in known:
            return known[_name(path, folder)]
        kind = path.suffix.lower()
        own = {key: value for key, value in (options or {}).items() if kind in OPTIONS.get(key, SUFFIXES)}
        found = _examined(path, own, limit, compare_only)
        made = {"model": _name(path, folder), **found, "verdict": verdict(found)}
        if keep:
            with keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps(made) + "\n")
        return made

    paths = models_in(folder, only)
    with ThreadPoolExecutor(jobs) as pool:
        return list(tqdm(pool.map(record, paths), total=len(paths), disable=not progress, unit="model"))


def kept_records(path: Path) -> dict[str, dict[str, Any]]:
    """Records of a file by model; empty if there is no file. A line that was interrupted is examined again."""
    found: dict[str, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        found[record["model"]] = record
    return found


def verdict(record: Mapping[str, Any]) -> str:
    """The result: equal to its references (warned: but for what the reader reported), different, or not compared."""
    errors = {key: record[key] for key in AGREES if record.get(key) is not None}
    if record.get("joints") is None:
        return "not read"
    if record.get("freedoms") == 0:
        return "nothing moves"
    if record.get("fields") or not all(error <= AGREES[key] for key, error in errors.items()):
        return "different"
    if not errors:
        return "not compared"
    return "warned" if record.get("warned") else "equal"


def by_folder(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Numbers of models by folder and result."""
    counts: dict[str, Counter[str]] = {}
    for record in records:
        folder, _, _ = record["model"].rpartition("/")
        counts.setdefault(folder.partition("/")[0] or ".", Counter())[record["verdict"]] += 1
    return [
        {"folder": name, "files": found.total(), **{v: found[v] for v in VERDICTS}} for name, found in counts.items()
    ]


def disagreements(records: list[dict[str, Any]]) -> list[str]:
    """Models that differ from a reference by more than rounding, and numbers that differ without a warning."""
    errors = [(r["model"], key, r[key]) for r in records for key in AGREES if r.get(key) is not None]
    found = [f"{name}: {key} {error:.2g}" for name, key, error in errors if not error <= AGREES[key]]
    return found + [f"{record['model']}: {line}" for record in records for line in record.get("differences") or ()]


def folder_table(records: Sequence[Mapping[str, Any]]) -> str:
    """The numbers of models by folder and result, as a Markdown table with a line for all."""
    rows = by_folder(records)
    total = {"folder": "all", **{key: sum(row[key] for row in rows) for key in ("files", *VERDICTS)}}
    return markdown_table(("folder", "files", *VERDICTS), [*rows, total])


def write_table(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write the table into a Markdown file, between the lines START and END; into a new file if there is none."""
    write_between(path, START, folder_table(records))


def _name(path: Path, folder: Path) -> str:
    return printable(path.relative_to(folder).as_posix())


def _examined(path: Path, options: Mapping[str, Any], limit: float, compare_only: bool) -> dict[str, Any]:
    """The result of checking a model in a separate process with an empty cache."""
    with tempfile.TemporaryDirectory(prefix="symbody-corpus-") as folder:
        told, said = Path(folder, "told.jsonl"), Path(folder, "said.txt")
        given = path, dict(options), compare_only, told, said, Path(folder, "cache")
        process = _processes().Process(target=examine_alone, args=given, daemon=True)
        process.start()
        try:
            process.join(limit)
            ended = _ended(process.exitcode, said, limit)
        finally:
            process.kill()
            process.join()
        lines = _text(told).splitlines()
    found: dict[str, Any] = json.loads(lines[-1]) if lines else asdict(Examined())
    stage = found.pop("stage")
    if ended:
        found["reasons"].append(f"{stage}: {ended}")
    return found


@cache
def _processes() -> SpawnContext | ForkServerContext:
    """Processes that start with the imports already done, where they can be forked from one that has done them."""
    if sys.platform != "linux":
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["symbody_bench.validate.corpus_model", "pinocchio", "mujoco"])
    return context


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _ended(status: int | None, said: Path, limit: float) -> str:
    """Why a process failed; "" if it finished its work. None: it still runs."""
    if status is None:
        return f"it took more than {limit:g} s"
    if status < 0:
        return f"the process was ended by {signal.Signals(-status).name}"
    last = _text(said).strip().splitlines()[-1:] or ["nothing"]
    return f"the process ended with status {status}: {last[0][:200]}" if status else ""
