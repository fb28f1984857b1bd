"""`symbody bench --start`: time of machines to their first rates and first picture, with an empty and a filled cache.

Each start is a separate process (`start_once.py`; for the picture `symbody studio`, with a browser that is open).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from compileall import compile_dir
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Any

from tqdm import tqdm

import symbody
from symbody import machines
from symbody.errors import ModelError
from symbody.studio.photograph import SIZE, browser, chromium
from symbody_bench.start_once import PARTS

NAMES = ("four-bar", "stewart", "quarter-car", "piano", "car", "car-suspension", "crane", "humanoid30")
LIMIT = 600.0  # s for one start
LATER = 3  # starts with a filled cache; the median counts
SETTLING, QUIET = 120.0, 2.0  # s for optimised builds; s without a build after which they are finished
EMPTY = 1.5  # s until an empty tab is idle
# The page requests a picture, and another process draws it. When the page begins the next one, the first is on the
# screen; reading a pixel makes sure of that.
WITNESS = """
const look = () => {
  if (!(window.studio?.drawn > 0)) return void requestAnimationFrame(look);
  const gl = studio.seen.renderer.getContext();
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  window.pictured = performance.timeOrigin + performance.now();
};
requestAnimationFrame(look);
"""  # ms since 1970


def start_up_bench(folder: Path, names: Sequence[str] = NAMES, progress: bool = True) -> dict[str, Any]:
    """A row for each machine: seconds with an empty cache and with a filled one."""
    compile_dir(Path(symbody.__file__).parent, quiet=2)  # to bytecode, as every installation does
    with browser() if chromium() else nullcontext() as chrome:
        rows = [_row(name, chrome) for name in tqdm(names, desc="starting", disable=not progress)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "start.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return {"start_up": rows}


def _row(name: str, chrome: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="symbody-start-") as cache:
        cold, warm = _started(name, cache), _started(name, cache)
    total = {"cold_s": sum(cold[part] for part in PARTS), "warm_s": sum(warm[part] for part in PARTS)}
    own = {"system_cold_s": cold["system"], "system_warm_s": warm["system"]}
    row = {"machine": name, "operations": cold["operations"], **own, **total, "import_s": warm["import"]}
    if chrome and name in machines.names():
        with tempfile.TemporaryDirectory(prefix="symbody-start-") as cache:
            first = first_picture(name, cache, chrome, SETTLING)
            later = [first_picture(name, cache, chrome) for _ in range(LATER)]
        warm_parts = {part: median(parts[part] for parts in later) for part in first}
        row |= {f"{part}_cold_s": first[part] for part in first} | {
            f"{part}_warm_s": warm_parts[part] for part in first
        }
    return row


def _environment(cache: str) -> dict[str, str]:
    return {**os.environ, "SYMBODY_CACHE": cache, "SYMBODY_TIER": "auto"}


def first_picture(name: str, cache: str, chrome: Any, settling: float = 0.0) -> dict[str, float]:
    """Seconds from starting `symbody studio` to its address, to the first picture, and until it is interactive.

    The first picture shows the machine at rest; a machine that takes long to compile becomes interactive later. The
    browser is already open with an empty tab, as a user's is. settling: time (s) that the studio may continue until its
    optimised functions are built, as in normal use.
    """
    command = [sys.executable, "-m", "symbody", "studio", name, "--port", "0", "--no-open"]
    page = chrome.new_page(viewport=SIZE, bypass_csp=True)
    page.add_init_script(WITNESS)
    page.evaluate("0")  # makes sure that its process runs
    time.sleep(EMPTY)
    begun = time.time()
    with subprocess.Popen(command, env=_environment(cache), stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            told = next((line for line in server.stderr if line.startswith("studio: ")), "")
            if not told:
                raise ModelError("its page was not served", element=name, cure=f"try symbody studio {name}")
            served = time.time() - begun
            page.goto(told.split()[1], wait_until="commit")
            page.wait_for_function("window.studio?.status?.state", timeout=1000.0 * LIMIT)
            lives = time.time() - begun
            seen = page.evaluate("pictured") / 1000.0 - begun
            _settle(Path(cache), settling)
            return {"served": served, "picture": seen, "live": lives}
        finally:
            page.close()
            server.terminate()


def _settle(cache: Path, patience: float) -> None:
    """Wait until nothing was built for a while."""
    began = quiet = time.monotonic()
    while time.monotonic() - began < patience and time.monotonic() - quiet < QUIET:
        if any((cache / "objects").glob("*")):
            quiet = time.monotonic()
        time.sleep(0.1)


def _started(name: str, cache: str) -> dict[str, Any]:
    """One start in a separate process; it ends at once, like a script that does not wait for optimised code."""
    command = [sys.executable, "-m", "symbody_bench.start_once", name]
    try:
        done = subprocess.run(command, env=_environment(cache), capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired as error:
        raise ModelError(
            f"its start took more than {LIMIT:g} s", element=name, cure="choose others with --only"
        ) from error
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or ["nothing"]
        raise ModelError(f"its start failed: {said[0]}", element=name, cure="try symbody check")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
