"""Cost of calls: one state from Python, a batch and its gradient in JAX and PyTorch, the import.

The best of many short repeats, by the thread's clock if all work is done in it, otherwise by wall time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from symbody.analysis.random_states import random_state
from symbody.bridges.differentiable import differentiable
from symbody.bridges.jax import to_jax
from symbody.bridges.torch import to_torch
from symbody.codegen import Function, wait_optimised
from symbody.equations.compile import compile
from symbody.lazy_imports import required
from symbody_bench.clock import time_call, time_compiled
from symbody_bench.models import arm7
from symbody_bench.numeric import Array
from symbody_bench.ours import BATCH, compiled

REPEATS = 300
STARTS = 9  # Python processes that import symbody


def calls_bench(folder: Path) -> dict[str, Any]:
    """Rows for one call, for a batch with its gradient, and for the import; written to calls.json."""
    f = compile(arm7(), "inverse", live="none", loads=False)
    rng = np.random.default_rng(0)
    states = [random_state(arm7(), rng) for _ in range(BATCH)]
    result = {"call": call_rows(f, states[0]), "gradient": gradient_rows(f, states), "import": import_rows()}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "calls.json").write_text(json.dumps(result, indent=2), encoding="utf-8")
    return result


def call_rows(f: Function, state: tuple[Array, ...]) -> list[dict[str, Any]]:
    """One state: the work in C, and calls from Python."""
    q, qd, qdd = state
    out = f(q, qd, qdd)
    work = time_compiled(compiled(f), [state], [len(out)])
    times = {
        "in C": work,
        "f(q, qd, qdd)": time_call(lambda: f(q, qd, qdd)),
        "f(q, qd, qdd, out=Q)": time_call(lambda: f(q, qd, qdd, out=out)),
    }
    return [{"arm7 inverse": what, "us": us, "by_work": us / work} for what, us in times.items()]


def gradient_rows(f: Function, states: Sequence[tuple[Array, ...]]) -> list[dict[str, Any]]:
    """A batch and the gradient of Σ w·Q by q, q̇, q̈, in JAX and PyTorch, compared with the plain call and gradient."""
    arrays = [np.ascontiguousarray(np.stack(x)) for x in zip(*states, strict=True)]
    weights = np.ones((len(states), f.signature.outputs["Q"][0]))
    adjoint = differentiable(f, "", ()).adjoint(("q", "qd", "qdd")).function
    f(*arrays), adjoint(*arrays, weights)  # compiles the code for batches
    wait_optimised()
    times = {"call": wall(lambda: f(*arrays)), "gradient": wall(lambda: adjoint(*arrays, weights))}
    if find_spec("jax"):
        times |= _jax_times(f, arrays)
    if find_spec("torch"):
        times |= _torch_times(f, arrays)
    return [
        {
            f"batch of {len(states)}": what,
            "us": us,
            "by_call": us / times["call"],
            "by_gradient": us / times["gradient"],
        }
        for what, us in times.items()
    ]


def _jax_times(f: Function, arrays: list[Array]) -> dict[str, float]:
    jax: Any = required("jax", "jax")
    jax.config.update("jax_enable_x64", True)
    g = to_jax(f)
    x = [jax.numpy.asarray(a) for a in arrays]
    call = jax.jit(g)
    grad = jax.jit(jax.grad(lambda q, qd, qdd: g(q, qd, qdd).sum(), argnums=(0, 1, 2)))
    call(*x), grad(*x)
    wait_optimised()
    return {
        "JAX, call": wall(lambda: call(*x).block_until_ready()),
        "JAX, gradient": wall(lambda: jax.block_until_ready(grad(*x))),
    }


def _torch_times(f: Function, arrays: list[Array]) -> dict[str, float]:
    import torch

    g = to_torch(f)
    x = [torch.tensor(a, requires_grad=True) for a in arrays]

    def gradient() -> object:
        return torch.autograd.grad(g(*x).sum(), x)

    with torch.no_grad():
        call = wall(lambda: g(*x))
    y = g(*x).sum()
    return {
        "PyTorch, call": call,
        "PyTorch, backward alone": wall(lambda: torch.autograd.grad(y, x, retain_graph=True)),
        "PyTorch, call and gradient": wall(gradient),
    }


def wall(function: Callable[[], object]) -> float:
    """Microseconds of wall time, the best of many: libraries may use their own threads."""
    best = float("inf")
    for _ in range(REPEATS):
        began = perf_counter()
        function()
        best = min(best, perf_counter() - began)
    return 1e6 * best


def import_rows() -> list[dict[str, Any]]:
    """Seconds to import symbody, and NumPy alone, in fresh processes; the best of some."""
    return [{"import": name, "s": min(_import_seconds(name) for _ in range(STARTS))} for name in ("numpy", "symbody")]


def _import_seconds(name: str) -> float:
    code = f"import time; t = time.perf_counter(); import {name}; print(time.perf_counter() - t)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)
