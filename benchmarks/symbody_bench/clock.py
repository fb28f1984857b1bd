"""One clock for all engines: Python callables, and compiled functions timed in a C loop without Python.

A compiled function to be timed is `void f(const double **in, double **out, void *user)`: pointers to its input
vectors, to its output vectors, and user data. Other signatures need an adapter in C (`casadi_adapter`, or the caller's
own).
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import thread_time
from typing import Any

import numpy as np

from symbody.codegen.background import one_at_a_time
from symbody.codegen.cache import cache_folder, marked_folder
from symbody.codegen.compiler import identity
from symbody_bench.numeric import Array

REPEATS = 100  # short ones: on a busy computer some run undisturbed, and the best one counts
SECONDS = 0.003  # per repeat
NATIVE = ("-O3", "-march=native")

# `states` holds one row of input pointers per state: the calls walk through them, as in a simulation.
LOOP = r"""
#define _POSIX_C_SOURCE 200809L
#include <time.h>

typedef void (*sb_function)(const double **in, double **out, void *user);

/* Nanoseconds per call over n calls, the k-th with the inputs states[(k % n_states)*n_in ...].
   The clock is that of this thread: it stands still while other programs have the processor. */
double sb_time(sb_function f, const double **states, double **out, void *user, long n_states, long n_in, long n)
{
    struct timespec a, b;
    long k, s = 0;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    for (k = 0; k < n; k++) {
        f(states + s*n_in, out, user);
        if (++s == n_states) s = 0;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    return ((b.tv_sec - a.tv_sec)*1e9 + (b.tv_nsec - a.tv_nsec))/(double)n;
}

typedef struct {
    int (*f)(const double **arg, double **res, long long *iw, double *w, int mem);
    long long *iw;
    double *w;
} sb_casadi;

/* CasADi's signature behind ours. */
void sb_casadi_call(const double **in, double **out, void *user)
{
    const sb_casadi *c = (const sb_casadi *)user;
    c->f(in, out, c->iw, c->w, 0);
}

typedef struct {
    void (*f)(const void *model, void *data);
    const void *model;
    void *data;
    double *to[3];
    long size[3];
    const double *from;
    long n_out;
} sb_engine;

/* An engine that keeps its state in its own arrays (MuJoCo): copy in, compute, copy out. */
void sb_engine_call(const double **in, double **out, void *user)
{
    const sb_engine *e = (const sb_engine *)user;
    long i, k;
    for (i = 0; i < 3; i++)
        for (k = 0; k < e->size[i]; k++) e->to[i][k] = in[i][k];
    e->f(e->model, e->data);
    for (k = 0; k < e->n_out; k++) out[0][k] = e->from[k];
}
"""


class CasadiCall(ctypes.Structure):
    """sb_casadi of the C source above."""

    _fields_ = (("f", ctypes.c_void_p), ("iw", ctypes.c_void_p), ("w", ctypes.c_void_p))


class EngineCall(ctypes.Structure):
    """sb_engine of the C source above."""

    _fields_ = (
        ("f", ctypes.c_void_p),
        ("model", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("to", ctypes.c_void_p * 3),
        ("size", ctypes.c_long * 3),
        ("from_", ctypes.c_void_p),
        ("n_out", ctypes.c_long),
    )


@dataclass
class Compiled:
    """A compiled function ready for the clock; `keep` holds objects that must outlive it."""

    address: int
    user: int | None = None
    keep: list[Any] = field(default_factory=list)


class BuildError(Exception):
    """A peer could not be built; the message gives the reason."""


def bench_folder() -> Path:
    """The folder of the benchmark's builds, next to symbody's own compiled code."""
    folder = marked_folder(cache_folder()) / "bench"
    folder.mkdir(exist_ok=True)
    return folder


@dataclass
class Ran:
    """A finished process: its output, its seconds, and its peak memory including its children (MB)."""

    output: str
    errors: str
    status: int
    seconds: float
    megabytes: float


# A process inherits the peak memory of its parent. This small process in between measures without that.
_LAUNCHER = """
import resource, subprocess, sys, time
start = time.perf_counter()
status = subprocess.call(sys.argv[1:])
seconds = time.perf_counter() - start
sys.stderr.write(f"\\n{status} {seconds} {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}")
"""


def run_measured(command: Sequence[str], timeout: float | None = None) -> Ran:
    """Run a program to its end; after `timeout` seconds it is killed and BuildError is raised."""
    launch = [sys.executable, "-S", "-c", _LAUNCHER, *command]
    pipe = subprocess.PIPE
    process = subprocess.Popen(launch, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as error:
        os.killpg(process.pid, signal.SIGKILL)  # with its children: a compiler is a driver and a worker
        process.communicate()
        raise BuildError(f"{Path(command[0]).name} stopped after {timeout:.0f} s") from error
    errors, _, figures = errors.rpartition("\n")
    status, seconds, kilobytes = figures.split()
    return Ran(output, errors, int(status), float(seconds), float(kilobytes) / 1024)


@dataclass
class Built:
    """A compiled file, and the cost of compiling it."""

    file: Path
    seconds: float
    megabytes: float


def build(
    command: Sequence[str],
    sources: Sequence[Path],
    name: str,
    timeout: float | None = None,
    headers: Mapping[Path, str] | None = None,
) -> Built:
    """Run a compiler, or find its result (or that it takes too long) in the cache, for this compiler and processor.

    headers: folders of packages that are included, by their versions. Where sources and headers lie does not matter.
    """
    if not shutil.which(command[0]):
        raise BuildError(f"no {command[0]} on this machine")
    headers = headers or {}
    command = [*command, *(word for folder in headers for word in ("-isystem", str(folder)))]
    places = {str(path) for path in (*sources, *headers)}
    key = [identity(command[:1]), *(word for word in command if word not in places), *headers.values()]
    digest = hashlib.sha256("\0".join(key).encode())
    for source in sources:
        digest.update(source.read_bytes())
    target = bench_folder() / f"{digest.hexdigest()[:20]}-{name}"
    record = target.with_name(target.name + ".json")
    with one_at_a_time(target):  # Pinocchio's templates take minutes: a second process waits for the first
        cost = json.loads(record.read_text()) if record.exists() else {}
        if timeout is not None and cost.get("stopped_after", 0.0) >= timeout:
            raise BuildError(f"compiling takes more than {timeout:.0f} s")
        if not target.exists() or "seconds" not in cost:
            cost = _compile(command, target, timeout)
            record.write_text(json.dumps(cost))
    if "seconds" not in cost:
        raise BuildError(f"compiling takes more than {timeout:.0f} s")
    return Built(target, cost["seconds"], cost["megabytes"])


def _compile(command: Sequence[str], target: Path, timeout: float | None) -> dict[str, float]:
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / target.name
        try:
            ran = run_measured([*command, "-o", str(made)], timeout)
        except BuildError:
            return {"stopped_after": timeout or 0.0}
        if ran.status:
            first = next((line for line in ran.errors.splitlines() if "error" in line), ran.errors[-300:])
            raise BuildError(f"{command[0]} failed: {first.strip()[:300]}")
        made.replace(target)  # atomic: another process sees all of it or nothing
    return {"seconds": ran.seconds, "megabytes": ran.megabytes}


def build_c(source: Path, name: str, flags: Sequence[str] = NATIVE, timeout: float | None = None) -> Built:
    """Compile a C file to a shared library with the benchmark's flags."""
    compiler = os.environ.get("CC", "cc")
    return build([*compiler.split(), *flags, "-fPIC", "-shared", str(source), "-lm"], [source], name, timeout)


@cache
def loop() -> ctypes.CDLL:
    """The timing loop and its adapters, compiled once."""
    source = bench_folder() / f"{hashlib.sha256(LOOP.encode()).hexdigest()[:20]}-loop.c"
    if not source.exists():
        source.write_text(LOOP)
    library = ctypes.CDLL(str(build_c(source, "loop.so").file))
    pointers = [ctypes.c_void_p] * 4
    library.sb_time.argtypes = [*pointers, ctypes.c_long, ctypes.c_long, ctypes.c_long]
    library.sb_time.restype = ctypes.c_double
    return library


def casadi_adapter(function: Any, work: int) -> Compiled:
    """A function generated by CasADi, with `work` doubles of scratch memory, for the clock."""
    w = np.zeros(max(work, 1))
    iw = np.zeros(1, dtype=np.int64)
    call = CasadiCall(_address(function), iw.ctypes.data, w.ctypes.data)
    return Compiled(_address(loop().sb_casadi_call), ctypes.addressof(call), [function, w, iw, call])


def engine_adapter(function: Any, model: int, data: int, to: Sequence[Array], from_: Array) -> Compiled:
    """An engine's `void f(model, data)`, with its own input and output arrays, for the clock."""
    call = EngineCall(f=_address(function), model=model, data=data, from_=from_.ctypes.data, n_out=from_.size)
    for i, array in enumerate(to):
        call.to[i], call.size[i] = array.ctypes.data, array.size
    return Compiled(_address(loop().sb_engine_call), ctypes.addressof(call), [function, call, to, from_])


def call_compiled(function: Compiled, inputs: Sequence[Array], outputs: Sequence[int]) -> list[Array]:
    """One call; `outputs` are the sizes of the vectors it writes."""
    results = [np.zeros(size) for size in outputs]
    kept = [np.ascontiguousarray(x, dtype=np.float64) for x in inputs]
    loop().sb_time(function.address, _pointers(kept), _pointers(results), function.user, 1, len(kept), 1)
    return results


def time_compiled(
    function: Compiled, states: Sequence[Sequence[Array]], outputs: Sequence[int | None], repeats: int = REPEATS
) -> float:
    """Microseconds per call, the best of several repeats over the given states; an output None is a null pointer."""
    rows = [np.ascontiguousarray(x, dtype=np.float64) for state in states for x in state]
    results = [None if size is None else np.zeros(size) for size in outputs]
    pointers, out = _pointers(rows), _pointers(results)
    n_states, n_in = len(states), len(states[0])

    def run(n: int) -> float:
        return float(loop().sb_time(function.address, pointers, out, function.user, n_states, n_in, n))

    n = _calls(lambda k: run(k) * 1e-9 * k, n_states)
    return min(run(n) for _ in range(repeats)) / 1000


def time_call(function: Callable[[], object], repeats: int = REPEATS) -> float:
    """Microseconds per call of a Python callable, including the call overhead, the best of several repeats."""

    def run(n: int) -> float:
        start = thread_time()
        for _ in range(n):
            function()
        return thread_time() - start

    n = _calls(run, 1)
    return min(run(n) for _ in range(repeats)) / n * 1e6


def _calls(seconds: Callable[[int], float], least: int) -> int:
    """The number of calls that fill one repeat; finding it also warms up."""
    n = least
    while (took := seconds(n)) < SECONDS / 4:
        n *= 4
    return max(least, round(n * SECONDS / took))


def _pointers(arrays: Sequence[Array | None]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(None if a is None else a.ctypes.data for a in arrays))


def _address(function: Any) -> int:
    found = ctypes.cast(function, ctypes.c_void_p).value
    if not found:
        raise BuildError("a compiled function has no address")
    return found
