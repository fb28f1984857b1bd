"""Batches in parts (threads.py): all of it once, also after a fork."""

import subprocess
import sys

import numpy as np
import pytest

from symbody.batch.threads import WORTH, in_parts


@pytest.mark.parametrize(("count", "threads"), [(0, 2), (1, 4), (7, 3), (1000, 4)])
def test_each_is_computed_once(count, threads):
    done = np.zeros(count, dtype=int)
    calls = []

    def compute(first, number):
        calls.append(number)
        done[first : first + number] += 1

    in_parts(count, WORTH, threads, compute)
    assert np.all(done == 1)
    assert len(calls) == max(1, min(threads, count))


def test_little_work_stays_in_this_thread():
    calls = []
    in_parts(1000, WORTH / 1e4, 4, lambda first, number: calls.append((first, number)))
    assert calls == [(0, 1000)]


def test_what_fails_in_a_thread_is_raised():
    def compute(first, number):
        if first:
            raise ValueError("there")

    with pytest.raises(ValueError, match="there"):
        in_parts(10, WORTH, 2, compute)


FORKED = """
import os
from symbody.batch.threads import WORTH, in_parts
in_parts(10, WORTH, 2, lambda first, number: None)
child = os.fork()
in_parts(10, WORTH, 2, lambda first, number: None)
if child:
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.posix
def test_a_fork_has_threads_of_its_own():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=60)
