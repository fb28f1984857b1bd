"""`symbody bench --load`: a loop alone, and together with many browsers, a hand, noise, packets and a recording."""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tqdm import tqdm

from symbody.errors import ModelError
from symbody.studio.live import Live
from symbody.studio.server import Studio
from symbody.studio.visitor import LOOKING
from symbody.web.rights import offered
from symbody_bench.load_clients import OFFERS
from symbody_bench.pictures import between
from symbody_bench.realtime_load import stolen
from symbody_bench.realtime_loops import standing
from symbody_bench.studio_scenes import urgent

NAMES = ("stewart",)
BROWSERS, TOGETHER = 100, 25  # watching browsers, and how many of them share a process
SECONDS = 60.0  # under load, and alone at most
SETTLED = 3.0  # s before counting starts
NICE = {"watch": 10, "touch": 10, "flood": 10}  # low priority: they represent other computers
ENDING = 30.0  # s in which a client must report its counts


def load_bench(
    output: Path,
    names: Sequence[str] = NAMES,
    seconds: float = SECONDS,
    *,
    browsers: int = BROWSERS,
    progress: bool = True,
) -> dict[str, Any]:
    """Measure models alone and under load; write the rows into a folder."""
    if browsers < 1:
        raise ModelError(f"a load of {browsers} browsers", element="bench", cure="give at least one")
    rows: list[dict[str, Any]] = []
    clients: list[dict[str, Any]] = []
    rights: tuple[str, ...] = ()
    beside = os.getloadavg()[0]
    with tqdm(total=2 * len(names), disable=not progress, unit="run") as bar:
        for name in names:
            live = Live(urgent(standing(name)))
            with Studio(live) as studio:
                bar.set_description(f"{name}, alone")
                rows.append({"model": name, "loop": "alone", **measured(live, min(seconds, SECONDS))})
                bar.update()
                bar.set_description(f"{name}, under load")
                with loaded(studio, live, browsers) as counted:
                    rows.append({"model": name, "loop": "under load", **measured(live, seconds)})
                clients += [{"model": name, **one} for one in counted]
                bar.update()
                rights = live.loop.statistics().rights
    result: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.release()}",
        "beside": f"{beside:.1f} other programs ran before it began (load average)",
        "times": "of the loop in µs",
        "rights": list(rights),
        "load": rows,
        "clients": clients,
    }
    output.mkdir(parents=True, exist_ok=True)
    file = output / "load.json"
    file.write_text(json.dumps(result, indent=2))
    return result | {"files": [str(file)]}


def measured(live: Live, seconds: float) -> dict[str, Any]:
    """Statistics of the loop over some seconds, transitions to the safe state, and CPU time (s) stolen by the host."""
    time.sleep(SETTLED)
    before, taken = live.loop.statistics(), stolen()
    time.sleep(seconds)
    after = live.loop.statistics()
    safe = sum(after.faults.values()) - sum(before.faults.values())
    return between(before, after) | {"safe": safe, "stolen": round(stolen() - taken, 2)}


@contextmanager
def loaded(studio: Studio, live: Live, browsers: int) -> Iterator[list[dict[str, Any]]]:
    """Start all clients; after their end the list holds the counts of each."""
    counted: list[dict[str, Any]] = []
    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory()))
        port, here = str(free_port()), str(studio.port)
        roles = [("node", live.loop.name, port), ("flood", port), ("record", live.loop.name, str(folder / "load.mcap"))]
        roles += [("serial", live.loop.name), ("pause", here, live.loop.name)]
        sizes = [TOGETHER] * (browsers // TOGETHER) + [browsers % TOGETHER] * bool(browsers % TOGETHER)
        # 25 from each address of this computer: more without the token would be refused
        roles += [("watch", here, str(size), f"127.0.0.{k}", str(LOOKING)) for k, size in enumerate(sizes, 2)]
        roles += [("touch", here)]
        offers = ",".join(offered(studio.token))
        works = [(role, opened.enter_context(client(offers, role, *arguments))) for role, *arguments in roles]
        for role, work in works:
            await_ready(role, work)
        yield counted
        counted += [{"client": role, **told(work)} for role, work in works]
        if live.loop.state != "running":
            raise ModelError(f"the loop is {live.loop.state}: {live.loop.reason}", element=live.title, cure="try again")


@contextmanager
def client(offers: str, role: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A client process; killed at the end if it still runs."""
    command = [sys.executable, "-m", "symbody_bench.load_clients", role, *arguments]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    known = os.environ | {OFFERS: offers}
    with subprocess.Popen(command, env=known, preexec_fn=lambda: os.nice(NICE.get(role, 0)), **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def await_ready(role: str, work: subprocess.Popen[str]) -> None:
    """Wait until a client is ready."""
    assert work.stdout is not None
    if work.stdout.readline() != "ready\n":
        raise ModelError("a client does not start", element=role, cure="see its output above")


def told(work: subprocess.Popen[str]) -> dict[str, Any]:
    """End a client and return its counts."""
    out, _ = work.communicate(timeout=ENDING)
    counted: dict[str, Any] = json.loads(out or "{}")
    return counted


def free_port() -> int:
    """A free port for packets."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
