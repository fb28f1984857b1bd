"""Orderings of cueing methods over ten descents: indicators, travel and felt errors (comparison.py, response.py)."""

from functools import cache

import numpy as np
import pytest

from orderings import Ordering, check
from symbody.codegen import only_tier
from symbody.codegen.compiler import find_compiler
from symbody.motion.built_in_platform import platform_data
from symbody.motion.cueing import descent
from symbody.motion.cueing.comparison import METHODS, compared, cued
from symbody.motion.cueing.response import lack

DATA = platform_data()
SHORT, SHORTEST = 20.0, 8.0  # s, of descents for the swarm, and for predictive cueing
TABLE = 1.1  # m, length of the table


@pytest.fixture(scope="module", autouse=True)
def _optimised():
    """Small models that run for hours in all."""
    with only_tier("optimised" if find_compiler() else "quick"):
        yield


@cache
def descended(name, seed):
    """A method on a whole descent."""
    return cued(name, descent(5e-3, seed), DATA)


@cache
def begun(name, seed):
    """A method on the first part of a descent; a small swarm tunes."""
    return cued(name, descent(5e-3, seed).until(SHORT), DATA, particles=8, iterations=5, seed=seed)


@cache
def started(name, seed):
    """A method on the start of a descent, which has its strongest acceleration."""
    return cued(name, descent(5e-3, seed).until(SHORTEST), DATA, particles=8, iterations=5, seed=seed)


def indicator(name, seed):
    return descended(name, seed).score.pi


def early_indicator(name, seed):
    return begun(name, seed).score.pi


def first_indicator(name, seed):
    return started(name, seed).score.pi


def early_tilt_rate(name, seed):
    return begun(name, seed).score.tilt_rate


def travel(name, seed):
    """Travel (m) of a table that restores all that the hexapod does not restore."""
    return TABLE if name == "table" else float(np.ptp(lack(descended(name, seed).run).position))


def felt_peak(name, seed):
    run = begun(name, seed).run
    return float(np.abs(run["felt.x"] - run["scene.felt.x"]).max())


ORDERINGS = [
    Ordering("PI", "classic, hexapod", "classic, table", indicator),
    Ordering("PI", "adaptive, hexapod", "adaptive, table", indicator),
    Ordering("PI", "optimal, hexapod", "optimal, table", indicator),
    Ordering("PI", "classic, table", "adaptive, hexapod", indicator),
    Ordering("PI", "adaptive, table", "optimal, table", indicator),
    Ordering("travel for the lack", "adaptive, hexapod", "classic, hexapod", travel),
    Ordering("travel for the lack", "table", "adaptive, hexapod", travel),
]
SLOW_ORDERINGS = [
    Ordering("PI", "classic, hexapod", "swarm, hexapod", early_indicator),
    Ordering("PI", "classic, table", "swarm, table", early_indicator),
    Ordering("felt error", "swarm, table", "classic, table", felt_peak),
    Ordering("tilt rate", "classic, table", "swarm, table", early_tilt_rate),
]
PREDICTIVE_ORDERINGS = [
    Ordering("PI", name, "predictive, table", first_indicator)
    for name in ("optimal, table", "adaptive, table", "swarm, table")
]


@pytest.mark.slow
@pytest.mark.parametrize("ordering", ORDERINGS, ids=str)
def test_the_table_helps_and_methods_are_in_the_order_of_the_document(ordering):
    check(ordering)


@pytest.mark.slow
@pytest.mark.parametrize("ordering", SLOW_ORDERINGS, ids=str)
def test_a_swarm_improves_what_was_set_by_hand(ordering):
    check(ordering)


@pytest.mark.slow
@pytest.mark.parametrize("ordering", PREDICTIVE_ORDERINGS, ids=str)
def test_predictive_cueing_is_ahead_of_all_others(ordering):
    pytest.importorskip("daqp")
    check(ordering)


def test_methods_are_compared_by_name_with_and_without_the_table():
    record = descent(5e-3).until(3.0)
    found = compared(record, DATA, METHODS[:2])
    assert list(found) == ["classic, hexapod", "classic, table"]
    assert found["classic, hexapod"].score.table == 0.0 < found["classic, table"].score.table
    assert [one.method.name for one in found.values()] == list(found)
    tuned = cued("swarm, hexapod", record, DATA, particles=3, iterations=2)
    assert tuned.method.name == "swarm, hexapod"
    assert len(tuned.search.history) == 2
