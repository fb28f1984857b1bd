"""`symbody bench --batch`: states per second of batches against their size, on the processor and on a graphics card.

Functions: direct dynamics of trees. Systems: steps of rk4 (1 ms) of machines that move. single_states_per_s: one state
after the other in C, on one core.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from math import prod
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from symbody import machines
from symbody.analysis.random_states import random_state
from symbody.batch import Batch, CpuBatch, CudaFunction
from symbody.batch.cuda import CudaDevice
from symbody.batch.lanes import LaneDevice
from symbody.batch.system_kernel import KernelChoice
from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.errors import ModelError
from symbody.suggestions import did_you_mean
from symbody.system.system import System, system
from symbody_bench.batch_peers import installed, peer_direct, skipped
from symbody_bench.clock import time_compiled
from symbody_bench.models import by_name
from symbody_bench.ours import compiled
from symbody_bench.peers import STATES
from symbody_bench.systems import DT, begun, moving, time_steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FUNCTIONS = ("arm7", "humanoid30", "chain100")
SYSTEMS = ("quarter-car", "stewart", "crane", "car")
SIZES, FEW = tuple(10**k for k in range(7)), (1, 1000)
SECONDS, REPEATS = 0.3, 3  # of a measurement, about; the best repeat counts
LARGEST = 2e8  # numbers in the arrays of a batch
Row = dict[str, Any]


def batch_bench(folder: Path, only: Sequence[str] | None = None, quick: bool = False) -> dict[str, Any]:
    """Rows by model, function, device, precision and n; written to batch.json, and plots of their growth."""
    names = [*FUNCTIONS, *SYSTEMS]
    for name in only or ():
        if name not in names:
            raise ModelError(f"unknown model '{name}'", element="--only", cure=did_you_mean(name, names, "models"))
    chosen = only or (("arm7", "quarter-car") if quick else names)
    sizes, rows = FEW if quick else SIZES, list[Row]()
    for name in chosen:
        for row in _function_rows(name, sizes) if name in FUNCTIONS else _system_rows(name, sizes):
            rows.append(row)
            (folder / "batch.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return {"rows": rows, "skipped": skipped(), "plots": [str(path) for path in plots(rows, folder)]}


def devices() -> list[tuple[str, str, int]]:
    """Device, precision and threads of the rows."""
    cores = os.cpu_count() or 1
    found = [("cpu", "double", 1), *[("cpu", "double", cores)] * (cores > 1), ("cpu", "single", cores)]
    return found + [("cuda", precision, 0) for precision in ("double", "single")] * has_card()


def has_card() -> bool:
    """Whether a graphics card with CUDA can be used."""
    if find_spec("torch") is None and find_spec("cupy") is None:
        return False
    try:
        CudaDevice()
    except ModelError:
        return False
    return True


def per_second(states: int, run: Callable[[int], object], wait: Callable[[], object]) -> float:
    """States per second; run(k) computes all states k times."""
    run(1), wait()
    count, best = 1, 0.0
    for _ in range(20):
        began = perf_counter()
        run(count), wait()
        took = perf_counter() - began
        best = max(best, count * states / took)
        if took > SECONDS / REPEATS:
            break
        count = max(2 * count, min(1000 * count, int(count * SECONDS / REPEATS / max(took, 1e-7))))
    for _ in range(REPEATS - 1):
        began = perf_counter()
        run(count), wait()
        best = max(best, count * states / (perf_counter() - began))
    return best


def _row(model: str, function: str, device: str, precision: str, threads: int, n: int, rate: float, one: float) -> Row:
    place = device if device != "cpu" else f"cpu, {threads} thread{'s' * (threads > 1)}"
    return {
        "model": model, "function": function, "device": place, "precision": precision, "n": n,
        "states_per_s": rate, "single_states_per_s": one,
    }  # fmt: skip


# -- functions -------------------------------------------------------------------------------------------------------


def _function_rows(name: str, sizes: Sequence[int]) -> Iterator[Row]:
    model, rng = by_name(name), np.random.default_rng(0)
    f = compile(model, "direct", loads=False)
    states = [list(random_state(model, rng)) for _ in range(STATES)]
    outputs = [prod(shape) for shape in f.signature.outputs.values()]
    one = 1e6 / time_compiled(compiled(f), states, outputs)
    numbers = sum(size for size, _ in f.signature.inputs.values()) + sum(outputs)
    for device, precision, threads in devices():
        for n in sizes if (device, precision) != ("cpu", "single") else ():  # functions are compiled in double
            if n * numbers <= LARGEST:
                many = [np.resize(np.stack(column), (n, len(column[0]))) for column in zip(*states, strict=True)]
                rate = _function_rate(f, device, precision, threads, many)
                yield _row(name, "direct", device, precision, threads, n, rate, one)
    for peer in installed():
        for n in sizes:
            if n * numbers <= LARGEST:
                many = [np.resize(np.stack(column), (n, len(column[0]))) for column in zip(*states, strict=True)]
                compute, wait, _ = peer_direct(peer, model, *many)
                rate = per_second(n, lambda count, compute=compute: [compute() for _ in range(count)], wait)  # type: ignore[misc]
                yield _row(name, "direct", peer, "single", 0, n, rate, one)


def _function_rate(f: Function, device: str, precision: str, threads: int, many: list[Any]) -> float:
    n = len(many[0])
    if device == "cpu":
        on_cpu = CpuBatch(f, threads=threads)
        given = dict(zip(on_cpu.inputs, many, strict=True))
        return per_second(n, lambda count: [on_cpu.rows(given) for _ in range(count)], lambda: None)
    on_card = CudaFunction(f, precision)
    arrays = [on_card.device.array(x) for x in many]
    out = [on_card.device.full((prod(shape), n), 0.0).T for shape in on_card.outputs.values()]
    return per_second(n, lambda count: [on_card(*arrays, out=out) for _ in range(count)], on_card.device.wait)


# -- systems ---------------------------------------------------------------------------------------------------------


def _system_rows(name: str, sizes: Sequence[int]) -> Iterator[Row]:
    s = system(moving(name))
    us = time_steps(lambda: begun(s), REPEATS)
    if us is None:  # it cannot move that fast for a second
        s = system(machines.model(name))
        us = time_steps(lambda: begun(s), REPEATS)
    one = float("nan") if us is None else 1e6 / us
    for device, precision, threads in devices():
        for n in sizes:
            rate = _system_rate(s, device, precision, threads, n)
            yield _row(name, "step rk4", device, precision, threads, n, rate, one)


def _system_rate(s: System, device: str, precision: str, threads: int, n: int) -> float:
    """Steps of all states per second; the motion starts again after at most half a second."""
    place: Any = LaneDevice(threads, precision) if device == "cpu" else CudaDevice(precision)
    b = Batch(s, n, place, place.suited(KernelChoice((), "rk4", precision=precision)), DT)
    start, most = b.save(), 500

    def run(count: int) -> None:
        for first in range(0, count, most):
            b.restore(start)
            b.step(steps=min(most, count - first))

    rate = per_second(n, run, place.wait)
    if b.failures:
        raise RuntimeError(f"{s.model.name}: {len(b.failures)} of {n} states failed: {next(iter(b.failures.values()))}")
    return rate


# -- plots -----------------------------------------------------------------------------------------------------------


def figure(rows: Sequence[Row]) -> Figure:
    """States per second against n, a panel for each model; the dotted line is one state after the other."""
    from matplotlib.figure import Figure

    models = list(dict.fromkeys(row["model"] for row in rows))
    kinds = list(dict.fromkeys((row["device"], row["precision"]) for row in rows))  # some models lack some of them
    drawn = Figure(figsize=(3.2 * len(models), 3.6), layout="constrained")
    axes = drawn.subplots(1, len(models), squeeze=False)[0]
    for ax, model in zip(axes, models, strict=True):
        own = [row for row in rows if row["model"] == model]
        for k, kind in enumerate(kinds):
            line = [(row["n"], row["states_per_s"]) for row in own if (row["device"], row["precision"]) == kind]
            ax.loglog([n for n, _ in line], [y for _, y in line], ".-", lw=1.0, color=f"C{k}", label=", ".join(kind))
        ax.axhline(own[0]["single_states_per_s"], color="grey", lw=0.8, ls=":")
        ax.set(title=f"{model}, {own[0]['function']}", xlabel="states")
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("states per second")
    axes[0].legend(fontsize="x-small")
    return drawn


def plots(rows: Sequence[Row], folder: Path) -> list[Path]:
    """The figure as a file, where Matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return []
    path = folder / "batch.png"
    figure(rows).savefig(path, dpi=110)
    return [path]
