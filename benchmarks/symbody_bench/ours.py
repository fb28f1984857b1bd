"""This engine on the benchmark's models, measured by the same clock as the other engines."""

from __future__ import annotations

import json
import sys
import tempfile
from time import perf_counter

import numpy as np

from symbody.analysis.random_states import random_state
from symbody.codegen import Function
from symbody.equations.compile import compile
from symbody.model.model import Model
from symbody_bench.clock import Compiled, run_measured, time_call, time_compiled
from symbody_bench.models import by_name
from symbody_bench.numeric import Array
from symbody_bench.peers import FUNCTIONS, STATES, Measured

BATCH = 1024  # states per batch


def _inputs(function: str, q: Array, v: Array, a: Array) -> list[Array]:
    return [q] if function == "mass" else [q, v, a]


def symbody_c(name: str, model: Model, live: str = "none") -> list[Measured]:
    """Inverse, mass matrix and direct dynamics, called from C; cold times in a fresh process with an empty cache."""
    rng = np.random.default_rng(0)
    states = [random_state(model, rng) for _ in range(STATES)]
    results = []
    for function in FUNCTIONS:
        cold = cold_figures(name, function, live)
        f = compile(model, function, live=live, loads=False)
        sizes = [int(np.prod(shape, dtype=int)) for shape in f.signature.outputs.values()]
        timed = [_inputs(function, *state) for state in states]
        time = time_compiled(compiled(f), timed, sizes)
        chosen = " ".join(note.split(":")[0] for note in f.notes if "chosen" in note)
        results.append(
            Measured(
                "symbody",
                model.name,
                function,
                time,
                f.operations.total,
                cold["generate_s"],
                cold["compile_s"],
                cold["total_s"],
                cold["memory_MB"],
                chosen,
            )
        )
        results += _from_python(f, model, function, timed)
        if function == "mass":
            results.append(_lower_half(model, live, timed))
    return results


def _lower_half(model: Model, live: str, timed: list[list[Array]]) -> Measured:
    """The lower half of the mass matrix, called from C: half of the numbers to write."""
    f = compile(model, "mass", live=live, loads=False, symmetric="lower")
    sizes = [int(np.prod(shape, dtype=int)) for shape in f.signature.outputs.values()]
    time = time_compiled(compiled(f), timed, sizes)
    return Measured("symbody_lower", model.name, "mass", time, f.operations.total, note="its lower half")


def compiled(f: Function) -> Compiled:
    """A generated function for the clock."""
    return Compiled(f.address, f.hoisted.ctypes.data, [f])


def _from_python(f: Function, model: Model, function: str, timed: list[list[Array]]) -> list[Measured]:
    """The same function called from Python, one state at a time and in a batch (time per state)."""
    one = timed[0]
    single = time_call(lambda: f(*one))
    many = [
        np.ascontiguousarray(np.tile(np.stack(column), (BATCH // STATES, 1))) for column in zip(*timed, strict=True)
    ]
    batch = time_call(lambda: f(*many)) / BATCH
    return [
        Measured("symbody_python", model.name, function, single),
        Measured("symbody_batch", model.name, function, batch, note=f"{BATCH} states in one call"),
    ]


def cold_figures(name: str, function: str, live: str, module: str = __name__) -> dict[str, float]:
    """Seconds from nothing to the first result, and peak memory, in a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as empty:
        ran = run_measured(["env", f"SYMBODY_CACHE={empty}", sys.executable, "-m", module, name, function, live])
    if ran.status:
        raise RuntimeError(ran.errors)
    figures: dict[str, float] = json.loads(ran.output.splitlines()[-1])
    return figures | {"memory_MB": ran.megabytes}


def warm(name: str, function: str, live: str = "none") -> float:
    """Seconds to load a cached function and call it once, without imports."""
    compile(by_name(name), function, live=live, loads=False)
    return warm_seconds(name, function, live)


def warm_seconds(name: str, function: str, live: str, module: str = __name__) -> float:
    """The number that `main` of a module prints in a fresh process."""
    ran = run_measured([sys.executable, "-m", module, name, function, live])
    return float(json.loads(ran.output.splitlines()[-1])["total_s"])


def main(name: str, function: str, live: str) -> None:
    """Build one function and call it once; print the figures."""
    model = by_name(name)
    q, v, a = random_state(model, np.random.default_rng(0))
    start = perf_counter()
    f = compile(model, function, live=live, loads=False)
    f(*_inputs(function, q, v, a))
    took = {"total_s": perf_counter() - start, "generate_s": f.generate_s, "compile_s": f.compile_s}
    print(json.dumps(took))


if __name__ == "__main__":
    main(*sys.argv[1:4])
