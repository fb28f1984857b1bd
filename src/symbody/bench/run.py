"""`symbody bench`: every engine on every model in one run; a table, ratios, and plots."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tqdm import tqdm

from symbody.bench import loops, loops_peers, peers
from symbody.bench.loops import symbody_loops
from symbody.bench.models import CLOSED, NAMED, by_name
from symbody.bench.ours import symbody_c, warm
from symbody.bench.peers import Measured
from symbody.bench.plots import save_plots
from symbody.codegen.compiler import find_compiler

Engine = Callable[[str], list[Measured]]
QUICK = ("arm7", "chain10", "quarter-car")
# The design's goals for trees: so many times faster than these.
GOALS = {"pinocchio_cpp": 4.0, "pinocchio_casadi": 1.5}


def run_bench(
    output: Path, *, quick: bool = False, progress: bool = True, only: list[str] | None = None
) -> dict[str, Any]:
    """Measure, write `bench.json`, `bench.md` and plots into a folder, and return all figures."""
    names = only or list(QUICK if quick else (*NAMED, *CLOSED))
    measured: list[Measured] = []
    with tqdm(tasks(names, quick), disable=not progress, unit="measurement") as bar:
        for name, engine, measure in bar:
            bar.set_description(f"{name}: {engine}")
            measured += _renamed(measure(name), name)
    if not only:
        measured += peers.sympy_kane(range(2, 5) if quick else range(2, 9))
    result = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}, {_compiler()}",
        "measured": [m.as_dict() for m in measured],
        "ratios": ratios(measured),
        "warm_s": {name: _warm(name) for name in names},
    }
    output.mkdir(parents=True, exist_ok=True)
    (output / "bench.json").write_text(json.dumps(result, indent=2))
    (output / "bench.md").write_text(table(measured))
    result["files"] = [str(output / "bench.json"), str(output / "bench.md"), *map(str, save_plots(measured, output))]
    return result


def tasks(names: list[str], quick: bool = False) -> list[tuple[str, str, Engine]]:
    """Model, engine and what measures it; a quick run leaves out the C++ that loops need."""
    found = []
    for name in names:
        engines = CLOSED_ENGINES if name in CLOSED else ENGINES
        found += [
            (name, engine, measure)
            for engine, measure in engines.items()
            if not (quick and name in CLOSED and engine.startswith("pinocchio"))
        ]
    return found


def _warm(name: str) -> float:
    return loops.warm(name, "constrained") if name in CLOSED else warm(name, "direct")


def _compiler() -> str:
    command = find_compiler()
    if command is None:
        return "no C compiler"
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    return (said.stdout.splitlines() or [" ".join(command)])[0]


ENGINES: dict[str, Engine] = {
    "symbody": lambda name: symbody_c(name, by_name(name)),
    "symbody, all numbers live": lambda name: _as(symbody_c(name, by_name(name), "all"), "symbody_live"),
    "pinocchio_python": lambda name: peers.pinocchio_python(by_name(name)),
    "pinocchio_cpp (the first build takes minutes)": lambda name: peers.pinocchio_cpp(by_name(name)),
    "pinocchio_casadi (the first build takes minutes)": lambda name: peers.pinocchio_casadi(by_name(name)),
    "mujoco": lambda name: peers.mujoco_c(by_name(name)),
}
CLOSED_ENGINES: dict[str, Engine] = {
    "symbody": lambda name: symbody_loops(name, by_name(name)),
    "symbody, all numbers live": lambda name: _as(symbody_loops(name, by_name(name), "all"), "symbody_live"),
    "numerical closure": lambda name: loops_peers.numeric_closure(by_name(name)),
    "pinocchio_cpp (the first build takes minutes)": lambda name: loops_peers.pinocchio_cpp(by_name(name)),
    "mujoco": lambda name: loops_peers.mujoco_c(by_name(name)),
}


def _as(measured: list[Measured], peer: str) -> list[Measured]:
    """Only the C timings, under another name."""
    kept = [m for m in measured if m.peer == "symbody"]
    for m in kept:
        m.peer = peer
    return kept


def _renamed(measured: list[Measured], model: str) -> list[Measured]:
    for m in measured:
        m.model = model
    return measured


def ratios(measured: list[Measured]) -> list[dict[str, Any]]:
    """How many times faster symbody is, per model, function and peer, with the goal where there is one."""
    ours = {(m.model, m.function): m for m in measured if m.peer == "symbody"}
    rows = []
    for m in measured:
        mine = ours.get((m.model, m.function))
        if m.peer.startswith("symbody") or mine is None or not m.us_per_call or not mine.us_per_call:
            continue
        row = {
            "model": m.model,
            "function": m.function,
            "peer": m.peer,
            "faster": round(m.us_per_call / mine.us_per_call, 2),
        }
        if m.operations and mine.operations:
            row["operations"] = round(m.operations / mine.operations, 2)
        rows.append(row | {"goal": GOALS.get(m.peer) if m.function in peers.FUNCTIONS else None})
    return rows


def table(measured: list[Measured]) -> str:
    """All figures as a Markdown table."""
    columns = (
        "model",
        "function",
        "peer",
        "us_per_call",
        "operations",
        "generate_s",
        "compile_s",
        "first_call_s",
        "memory_MB",
        "note",
    )
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for m in sorted(measured, key=lambda m: (m.model, m.function)):
        values = m.as_dict()
        lines.append("| " + " | ".join(_cell(values[c]) for c in columns) + " |")
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
