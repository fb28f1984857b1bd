"""`symbody bench --start`: how long machines take from an empty cache to their first rates, and from a filled one.

Each start is a process of its own (`start_once.py`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from symbody.errors import ModelError
from symbody_bench.start_once import PARTS

NAMES = ("four-bar", "stewart", "quarter-car", "piano", "car", "car-suspension", "crane", "humanoid30")
LIMIT = 600.0  # s for one start


def start_up_bench(folder: Path, names: Sequence[str] = NAMES, progress: bool = True) -> dict[str, Any]:
    """A row for each machine: seconds from an empty cache, seconds from a filled one, and the first by the second."""
    rows = [_row(name) for name in tqdm(names, desc="starting", disable=not progress)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "start.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return {"start_up": rows}


def _row(name: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="symbody-start-") as cache:
        cold, warm = _started(name, cache), _started(name, cache)
    total = {"cold_s": sum(cold[part] for part in PARTS), "warm_s": sum(warm[part] for part in PARTS)}
    own = {"system_cold_s": cold["system"], "system_warm_s": warm["system"]}
    return {"machine": name, "operations": cold["operations"], **own, **total, "import_s": warm["import"]}


def _started(name: str, cache: str) -> dict[str, Any]:
    """One start in a process of its own; it leaves at once, as a user's script would that needs no faster code."""
    environment = {**os.environ, "SYMBODY_CACHE": cache, "SYMBODY_TIER": "auto"}
    command = [sys.executable, "-m", "symbody_bench.start_once", name]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"its start took more than {LIMIT:g} s", element=name, cure="choose others: --only") from error
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or ["nothing"]
        raise ModelError(f"its start failed: {said[0]}", element=name, cure="see symbody check")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
