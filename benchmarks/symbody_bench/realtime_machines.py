"""Step times of the studio's machines while they are operated, without and with a browser."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody import machines
from symbody.errors import ModelError
from symbody.realtime.loop_layout import STATES
from symbody.realtime.loop_memory import Shared
from symbody.realtime.statistics import Histogram, histogram_of
from symbody.studio.live import Live
from symbody.studio.machine import Machine
from symbody.studio.messages import Pilot
from symbody.studio.photograph import browser
from symbody.studio.server import Studio
from symbody_bench.realtime_part import BenchPart
from symbody_bench.realtime_plots import plot_times

MACHINES = {one.name: one.page for one in machines.entries() if one.has_page}
GOALS = {"piano": 100.0, "car": 500.0, "haptic-bench": 50.0, "tractor": 1200.0}  # µs: limit for 99 % of the steps
SECONDS = 30.0
SETTLED = 3.0  # s before counting starts, for the first pictures of a browser
LOOK = 0.2  # s between reads of the records; keys are held as long
SIZE = {"width": 1000, "height": 700}
OPENING = 60.0  # s until a browser has drawn
PICTURE = "realtime-machines.png"


def machines_part(names: Sequence[str], output: Path, seconds: float = SECONDS, progress: bool = False) -> BenchPart:
    """Operate machines by their pilots, and then by a browser."""
    part, panels = BenchPart(), dict[str, dict[str, Histogram]]()
    with tqdm([(name, n) for name in names for n in (0, 1)], disable=not progress, unit="run") as bar:
        for name, browsers in bar:
            label = "one browser" if browsers else "no browser"
            bar.set_description(f"{name}, {label}")
            try:
                row, found = played(MACHINES[name](), seconds, watched=bool(browsers))
            except ModelError as error:
                part.missing.append(f"{name}, {label}: {error}")
                continue
            goal = GOALS.get(name)
            kept = goal and found["step"].quantile(0.99) <= 1e-6 * goal
            part.rows.append({"machine": name, "browsers": browsers, **row, "goal 99 %": goal, "kept": kept})
            for kind, h in found.items():
                panels.setdefault(kind, {})[f"{name}, {label}"] = h
                part.histograms[f"{name}, {label}, {kind}"] = h
    if panels:
        part.files.append(plot_times(panels, output / PICTURE, "machines of the studio, while they are operated"))
    return part


def played(machine: Machine, seconds: float, watched: bool) -> tuple[dict[str, Any], dict[str, Histogram]]:
    """Figures and distributions of a machine's loop over some seconds; watched: a browser also operates it."""
    with ExitStack() as opened:
        live = Live(machine)
        studio = opened.enter_context(Studio(live))
        page = _opened(opened, studio.address) if watched else None
        pilot = next(iter(machine.pilots), "")
        if page is None:
            live.obey(Pilot(pilot))
        else:
            page.evaluate("name => studio.send({do: 'pilot', name})", pilot)
        _rest(page, SETTLED)
        drawn, before = page.evaluate("studio.drawn") if page else 0, live.loop.statistics()
        start = time.monotonic()
        rows = _records(live.loop, machine, seconds, page)
        passed, after = time.monotonic() - start, live.loop.statistics()
        pictures = round((page.evaluate("studio.drawn") - drawn) / passed, 1) if page else None
    state, late, took = rows.T
    late, took = late[state == STATES.index("running")], took[state == STATES.index("running")]
    if not len(took):
        raise ModelError(
            f"the loop does not run: {live.loop.reason}", element=machine.title, cure="try it in the studio"
        )
    found = {"latency": histogram_of(late), "step": histogram_of(took)}
    overruns = int(np.count_nonzero(late + took > 1.0 / machine.rate))
    safe = ", ".join(f"{why} {n - before.faults[why]}" for why, n in after.faults.items() if n > before.faults[why])
    counts = {"steps": len(took), "overruns": overruns, "cut short": after.capped - before.capped, "safe": safe}
    return counts | found["latency"].record("latency") | found["step"].record("step") | {"pictures/s": pictures}, found


def _records(loop: Shared, machine: Machine, seconds: float, page: Any) -> np.ndarray:
    """State, latency (s) and duration (s) of all periods; in the second half a browser presses keys."""
    places = [loop.names.index(f"loop.{name}") for name in ("state", "late", "took")]
    keys = cycle([key for control in machine.controls[:1] for key in control.keys] or [""])
    since, found = loop.records()[0], []
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0.0:
        key = next(keys) if page and left < seconds / 2 else ""
        if key:
            page.keyboard.down(key)
        _rest(page, LOOK)
        if key:
            page.keyboard.up(key)
        since, rows = loop.records(since)
        found.append(rows[:, places])
    return np.concatenate(found)


def _opened(opened: ExitStack, address: str) -> Any:
    """A page that draws the machine."""
    # the driver evaluates text, which the page's own policy forbids
    page = opened.enter_context(browser()).new_page(viewport=SIZE, bypass_csp=True)
    page.set_default_timeout(1e3 * OPENING)
    page.goto(address)
    page.wait_for_function("studio.drawn > 0 && studio.status.state")
    return page


def _rest(page: Any, seconds: float) -> None:
    """Wait, and let a browser work."""
    if page:
        page.wait_for_timeout(1e3 * seconds)
    else:
        time.sleep(seconds)
