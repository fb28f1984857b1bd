"""The thread of the loop never allocates: malloc counts its calls by thread, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from symbody.codegen.compiler import find_compiler

pytestmark = pytest.mark.posix  # the real-time loop

COUNTING = """
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long counts[1 << 22];

static void counted(void)
{
    static __thread long *mine;
    mine = mine ? mine : counts + syscall(SYS_gettid) % (1 << 22);
    ++*mine;
}

long allocations(long thread) { return counts[thread % (1 << 22)]; }
void *malloc(size_t n) { counted(); return __libc_malloc(n); }
void *calloc(size_t n, size_t m) { counted(); return __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { counted(); return __libc_realloc(p, n); }
"""

RUNNING = """
import ctypes, json, os
from threading import get_native_id
import symbody as sb
from symbody import machines
from symbody.realtime import LiveFilter, Loop, Safety
from loop_models import cart

del os.environ["LD_PRELOAD"]  # compilers need not count
allocations = ctypes.CDLL(None).allocations
allocations.restype, allocations.argtypes = ctypes.c_long, [ctypes.c_long]
GREEDY = "#include <stdlib.h>\\ndouble greedy(double q, double qd) { double *volatile x = malloc(8000); x[999] = q; "
GREEDY += "q = x[999]; free(x); return -q; }"
cases = {
    "rk4": (machines.model("four-bar"), "rk4"),
    "trapezoidal": (machines.model("four-bar"), "trapezoidal"),
    "greedy": (cart(sb.c_law("greedy", GREEDY)), "rk4"),
}
made = {}
watched = sb.system(cart())
twin = LiveFilter(sb.estimate(watched, ["x.q"], {"x.q": 0.01}, 0.05))
stepped = {name: (sb.system(model), method) for name, (model, method) in cases.items()} | {"filter": (twin, None)}
for name, (s, method) in stepped.items():
    with Loop(s, method=method, safety=Safety(stale=None, overrun=None)) as loop:
        before, mine = allocations(loop.thread), allocations(get_native_id())
        while loop.latest().step < 300:
            loop.give({loop.channels.given[0]: 0.0})
            loop.parameters.update(dict(loop.parameters))
            loop.history()
        made[name] = allocations(loop.thread) - before, allocations(get_native_id()) - mine, loop.latest().step
print(json.dumps(made))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    command = find_compiler()
    folder = tmp_path_factory.mktemp("counting")
    source, library = folder / "counting.c", folder / "counting.so"
    source.write_text(COUNTING)
    built = subprocess.run([*command, "-O1", "-fPIC", "-shared", str(source), "-o", str(library)], check=False)
    if built.returncode or sys.platform != "linux":
        pytest.skip("malloc cannot be interposed here")
    environment = os.environ | {"LD_PRELOAD": str(library), "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", RUNNING], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("method", ["rk4", "trapezoidal", "filter"])
def test_no_step_allocates(made, method):
    of_the_loop, of_python, steps = made[method]
    assert steps >= 300
    assert of_the_loop == 0
    assert of_python > 100  # which fed and watched it meanwhile: they are counted


def test_a_law_that_allocates_is_noticed(made):
    of_the_loop, _, _ = made["greedy"]
    assert of_the_loop >= 4 * 300 - 40
