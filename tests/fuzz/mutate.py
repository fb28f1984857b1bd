"""Inputs changed a little, and again and again where that led to lines of the package that were not run before.

Atheris does this faster where it is installed (`fuzz.py`); this needs nothing.
"""

import hashlib
import random
import signal
import sys
import time
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from targets import accepted, words

CORPUS = Path(__file__).parent / "corpus"
LONGEST = 20_000  # bytes of an input
SLOW = 2  # s of a processor that no input may take; tracing takes some ten times more
TRACED = 10
FEWEST = 12  # tries of a target, also on a busy computer
WAYS = ("flip", "set", "insert", "delete", "repeat", "move", "number")


def corpus(name):
    """The inputs that are kept for a target."""
    return list(_kept(name))


@cache
def _kept(name):
    return tuple(path.read_bytes() for path in sorted((CORPUS / name).iterdir()))


def edited(data, way, place, amount, word):
    """An input after one change; every number is taken as far as it goes."""
    at = place % (len(data) + 1)
    size = 1 + amount % 16
    match way:
        case "flip" if at < len(data):
            return data[:at] + bytes([data[at] ^ 1 << amount % 8]) + data[at + 1 :]
        case "set" if at < len(data):
            return data[:at] + bytes([amount % 256]) + data[at + 1 :]
        case "insert":
            return data[:at] + word + data[at:]
        case "delete":
            return data[:at] + data[at + size :]
        case "repeat":
            return data[:at] + data[at : at + size] * (1 + amount // 16 % 64) + data[at + size :]
        case "move":
            other = amount % (len(data) + 1)
            return data[:other] + data[at : at + size] + data[other:]
        case "number":
            return data[:at] + amount.to_bytes(8, "little")[: 1 << amount % 4] + data[at + (1 << amount % 4) :]
    return data


def change(data, rng, others, vocabulary):
    """Some changes by chance, or a part of another input."""
    if rng.random() < 0.1:
        other = rng.choice(others)
        return (data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :])[:LONGEST]
    for _ in range(1 << rng.randrange(4)):
        word = rng.choice(vocabulary) if rng.random() < 0.7 else rng.randbytes(rng.randrange(1, 5))
        data = edited(data, rng.choice(WAYS), rng.getrandbits(32), rng.getrandbits(32), word)
    return data[:LONGEST]


class Slow(Exception):
    """An input that takes too long."""


@contextmanager
def in_time(seconds):
    """`Slow` after so many seconds of the processor, where the system has such a clock."""

    def stop(*_):
        raise Slow(f"more than {seconds} s")

    if not hasattr(signal, "SIGVTALRM"):
        yield
        return
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class Coverage:
    """Steps from line to line in the package, as they are run."""

    def __init__(self):
        self.seen = set()
        self._ours = {}

    def new(self, action):
        """How many steps an action takes that were not seen before."""
        before = len(self.seen)
        sys.settrace(self._enter)
        try:
            action()
        finally:
            sys.settrace(None)
        return len(self.seen) - before

    def _enter(self, frame, event, argument):
        code = frame.f_code
        if code not in self._ours:
            parts = Path(code.co_filename).parts
            self._ours[code] = "symbody" in parts and "tests" not in parts
        if not self._ours[code]:
            return None
        last = 0

        def line(frame, event, argument):
            nonlocal last
            if event == "line":
                self.seen.add((code, last, frame.f_lineno))
                last = frame.f_lineno
            return line

        return line


def fuzz(name, seconds, seed=0):
    """Tries, steps seen, and inputs with what came of them that should not have, in some seconds and `FEWEST` tries."""
    rng, coverage, vocabulary = random.Random(seed), Coverage(), words(name)
    kept, found, tries, end = corpus(name), [], 0, time.monotonic() + seconds
    waiting = list(kept)
    while tries < FEWEST or time.monotonic() < end:
        data = waiting.pop() if waiting else change(rng.choice(kept), rng, kept, vocabulary)
        tries += 1
        try:
            with in_time(SLOW * TRACED):
                if coverage.new(lambda data=data: accepted(name, data)):
                    kept.append(data)
        except (Exception, Slow) as error:
            found.append((data, error))
            if len(found) > 20:
                break
    return tries, len(coverage.seen), found


def saved(folder, name, data):
    """A file with an input that should not have done what it did."""
    path = Path(folder) / name / hashlib.sha256(data).hexdigest()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        path.write_bytes(data)
    return path
