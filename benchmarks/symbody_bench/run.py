"""`symbody bench`: every engine on every model in one run; a table, ratios, and plots."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tqdm import tqdm

from symbody import machines
from symbody.codegen.compiler import find_compiler
from symbody_bench import (
    loops,
    loops_peers,
    motion_platform,
    multiphysics,
    peers,
    systems,
    throughput,
    workspace_scan,
)
from symbody_bench.loops import symbody_loops
from symbody_bench.models import CLOSED, NAMED, by_name
from symbody_bench.ours import symbody_c, warm
from symbody_bench.peers import Measured
from symbody_bench.plots import save_plots, save_system_plots

Engine = Callable[[str], list[Measured]]
QUICK = ("arm7", "chain10", "quarter-car")
COLUMNS = ["model", "function", "peer", "us_per_call", "operations"]
COLUMNS += ["generate_s", "compile_s", "first_call_s", "memory_MB", "note"]
# The design's goals for trees: this many times faster than these engines.
GOALS = {"pinocchio_cpp": 4.0, "pinocchio_casadi": 1.5}


def run_bench(
    output: Path, *, quick: bool = False, progress: bool = True, only: list[str] | None = None
) -> dict[str, Any]:
    """Measure, write `bench.json`, `bench.md` and plots into a folder, and return all figures."""
    names, models = selection(quick, only)
    hydraulic = [name for name in multiphysics.CASES if not quick and (not only or name in only)]
    measured: list[Measured] = []
    with tqdm(tasks(names, quick), disable=not progress, unit="measurement") as bar:
        for name, engine, measure in bar:
            bar.set_description(f"{name}: {engine}")
            measured += _renamed(measure(name), name)
    whole = system_tables(models, progress) | throughput_tables(models) | machine_tables(hydraulic, progress)
    whole["workspace"] = workspace_scan.scan_records() if "platform" in (only or []) or not (quick or only) else []
    if not only:
        measured += peers.sympy_kane(range(2, 5) if quick else range(2, 9))
    result = {
        "machine": f"{platform.machine()}, Python {platform.python_version()}, {_compiler()}",
        "measured": [m.as_dict() for m in measured],
        "ratios": ratios(measured),
        "warm_s": {name: _warm(name) for name in names},
        **whole,
    }
    output.mkdir(parents=True, exist_ok=True)
    (output / "bench.json").write_text(json.dumps(result, indent=2))
    (output / "bench.md").write_text("\n".join(filter(None, [table(measured), *map(markdown, whole.values())])))
    plots = save_plots(measured, output) + save_system_plots(whole["systems"], whole["closures"], output)
    result["files"] = [str(output / "bench.json"), str(output / "bench.md"), *map(str, plots)]
    return result


def selection(quick: bool = False, only: list[str] | None = None) -> tuple[list[str], list[str]]:
    """Models whose functions are measured, and machines that are measured as systems; some are both."""
    if only:
        whole = [n for n in only if n in machines.names() and n not in multiphysics.CASES]
        return [n for n in only if n not in {*whole, *multiphysics.CASES} or n in CLOSED], whole
    return (list(QUICK), list(systems.QUICK)) if quick else ([*NAMED, *CLOSED], list(systems.NAMES))


def throughput_tables(names: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Steps per second compared with other engines, and the cost of sensitivities compared with differences."""
    steps = [record for name in names if name in throughput.NAMES for record in throughput.throughput_records(name)]
    return {"throughput": steps, "sensitivities": [throughput.sensitivity_record()] if "quarter-car" in names else []}


def machine_tables(names: list[str], progress: bool = False) -> dict[str, list[dict[str, Any]]]:
    """Machines with hydraulics and friction: steps, other solvers, and the growth of cost with a circuit."""
    found: dict[str, list[dict[str, Any]]] = {"machines": [], "solvers": [], "growth": []}
    bar = tqdm(names, disable=not progress, unit="machine")
    for name in bar:
        bar.set_description(f"{name}: implicit steps")
        found["machines"] += multiphysics.step_records({name: multiphysics.CASES[name]})
        found["solvers"] += multiphysics.solver_records(name) if name in multiphysics.COMPARED else []
    found["growth"] += multiphysics.growth_records() if "crane" in names else []
    return found


def system_tables(names: list[str], progress: bool = False) -> dict[str, list[dict[str, Any]]]:
    """Records of the whole systems, and of their closures."""
    bar = tqdm(names, disable=not progress, unit="system")
    found: dict[str, list[dict[str, Any]]] = {"systems": [], "closures": []}
    for name in bar:
        bar.set_description(f"{name}: the System")
        found["systems"].append(systems.system_record(name))
        found["closures"] += systems.closure_records(name) if name in systems.COMPARED else []
    return found


def tasks(names: list[str], quick: bool = False) -> list[tuple[str, str, Engine]]:
    """Model, engine and its measuring function; a quick run omits the C++ for loops."""
    found = []
    for name in names:
        engines = (CLOSED_ENGINES if name in CLOSED else ENGINES) | OWN_ENGINES.get(name, {})
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

# Closed forms that belong to one machine.
OWN_ENGINES: dict[str, dict[str, Engine]] = {
    motion_platform.NAME: {"closed form": motion_platform.closed_forms},
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
    """Speed ratio of symbody per model, function and engine, with the goal if there is one."""
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
    """All figures of the functions as a Markdown table."""
    rows = [m.as_dict() for m in sorted(measured, key=lambda m: (m.model, m.function))]
    return markdown([{column: row[column] for column in COLUMNS} for row in rows])


def markdown(records: list[dict[str, Any]]) -> str:
    """Records of the same keys as a Markdown table."""
    if not records:
        return ""
    lines = ["| " + " | ".join(records[0]) + " |", "|" + "---|" * len(records[0])]
    lines += ["| " + " | ".join(map(_cell, record.values())) + " |" for record in records]
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
