"""A batch in parts, a thread each: compiled code computes without Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

WORTH = 2e6  # operations that are worth a thread of their own: some 0.4 ms; chosen, not measured


def in_parts(count: int, operations: float, threads: int, compute: Callable[[int, int], None]) -> None:
    """compute(first, number) of all, each of so many operations; in as many threads as are worth it, this one too."""
    parts = max(1, min(threads, int(count * operations / WORTH)))
    ends = [count * k // parts for k in range(parts + 1)]
    others = [_pool(threads).submit(compute, first, end - first) for first, end in pairwise(ends[1:])]
    try:
        compute(0, ends[1])
    finally:  # nobody may go on while one of them writes
        for one in others:
            one.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads - 1, "symbody batch")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a fork has none of its parent's threads
