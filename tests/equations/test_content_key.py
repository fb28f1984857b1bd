"""Contents told apart: whatever may change what a law computes changes the key, or there is none."""

import random
import sys
import time
import types
from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
import scipy.linalg
import scipy.stats

from symbody.equations.content_key import NotComparable, content_key
from symbody.expr.functions import table
from symbody.expr.node import sin, variable


@dataclass
class Holder:
    value: object


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0), (1, True), (0.0, -0.0), ("1", 1), (b"a", "a"), ((1, 2), [1, 2]), ({"a": 1}, {"a": 2}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ({1, 2}, {1, 3}), (frozenset({1}), {1}), ([[1], 2], [1, [2]]),
        (np.arange(3), np.arange(3.0)), (np.arange(4), np.arange(4).reshape(2, 2)), (np.float64(1), np.float32(1)),
        (np.dtype("f4"), np.dtype("f8")),
        (np.zeros(5000), np.r_[np.zeros(2500), 1e-9, np.zeros(2499)]), (Holder(1), Holder(2)), (Slotted(1), Slotted(2)),
        (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2)), (len, sum), (np.sin, np.cos), (int, float),
        (variable("x") + 1.0, variable("x") + 2.0), (sin(variable("x")), sin(variable("y"))),
        (table(variable("x"), [0, 1], [0, 1]), table(variable("x"), [0, 1], [0, 2])),
    ],
)  # fmt: skip
def test_values_are_told_apart(one, other):
    assert content_key(one) != content_key(other)


def with_helper(module, factor):
    """An object whose law calls a method of its class, and that method is a factor."""
    kind = type("Spring", (), {"__module__": module, "helper": lambda self, q: factor * q})
    kind.law = lambda self, q, qd, p: -self.helper(q)
    return kind().law


def test_a_class_outside_of_the_generator_is_followed_to_its_methods():
    """The key of the sources has only the modules that generate code."""
    for module in ("symbody.machines.of_somebody", "somebody"):
        assert content_key(with_helper(module, 1.0)) == content_key(with_helper(module, 1.0))
        assert content_key(with_helper(module, 1.0)) != content_key(with_helper(module, 2.0))


class Pair(NamedTuple):
    first: float
    second: float = 2.0

    def total(self):
        return self.first + self.second


def test_named_tuples_are_compared():
    assert content_key(Pair(1.0)) == content_key(Pair(1.0, 2.0)) != content_key(Pair(1.0, 3.0))
    kinds = [namedtuple("Pair", "first second", defaults=default) for default in ((), (2.0,), (3.0,), (2.0,))]
    kinds[3].total = Pair.total
    assert len({content_key(kind) for kind in [*kinds, namedtuple("Pair", "first third")]}) == 5


def test_functions_of_scipy_are_named_and_random_ones_refused():
    assert content_key(scipy.linalg.lu) != content_key(scipy.linalg.qr)
    with pytest.raises(NotComparable):
        content_key(scipy.stats.norm.rvs)


def test_circles_end():
    ring = [1.0]
    ring.append(ring)
    other = [2.0]
    other.append(other)
    assert content_key(ring) != content_key(other)

    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(NotComparable, match="too deeply"):
        content_key(deep)

    def again(n):
        return again(n - 1) if n else 0.0

    assert content_key(again)


def clock(q, qd, p):
    return time.time() * q


def drawn(q, qd, p):
    return random.random() * q


def drawn_by_numpy(q, qd, p):
    return np.random.rand() * q


GENERATOR = np.random.default_rng(1)


def drawn_by_a_generator(q, qd, p):
    return GENERATOR.uniform() * q


def read(q, qd, p):
    with open("k.txt") as file:
        return float(file.read()) * q


def read_by_numpy(q, qd, p):
    return np.fromfile("k.bin")[0] * q


def imported(q, qd, p):
    import os

    return float(os.environ["K"]) * q


def found_by_name(q, qd, p):
    return eval("GENERATOR") * q


COUNT = 0


def counted(q, qd, p):
    global COUNT
    COUNT += 1
    return COUNT * q


@pytest.mark.parametrize(
    "law",
    [clock, drawn, drawn_by_numpy, drawn_by_a_generator, read, read_by_numpy, imported, found_by_name, counted],
    ids=lambda law: law.__name__,
)
def test_laws_that_look_elsewhere_have_no_key(law):
    with pytest.raises(NotComparable, match="it "):
        content_key(law)


def test_objects_of_extension_modules_have_no_key():
    for thing in (iter([1.0]), random.Random(1), memoryview(b"a"), sys.stdout, types.ModuleType("unknown")):
        with pytest.raises(NotComparable):
            content_key(thing)
