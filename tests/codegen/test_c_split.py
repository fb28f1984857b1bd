"""Functions cut into parts: nothing is lost, and a place of the workspace holds one living value at a time."""

from itertools import pairwise

import pytest
from random_programs import random_program

from symbody.codegen.schedule import Block, Let, schedule
from symbody.codegen.targets.c_split import Parts, _used, split


def block_of(seed: int) -> Block:
    return schedule(random_program(seed, steps=120)).body


@pytest.mark.parametrize("longest", [1, 3, 10, 10_000])
@pytest.mark.parametrize("seed", range(5))
def test_parts_hold_all_statements_in_order_and_none_is_too_long(seed: int, longest: int) -> None:
    block = block_of(seed)
    cut = split(block, longest)
    assert [s for part in cut.parts for s in part] == block.statements
    assert max(map(len, cut.parts)) <= longest
    assert len(cut.parts) == -(-len(block.statements) // max(map(len, cut.parts)))


def crossing(block: Block, cut: Parts) -> dict[object, tuple[int, int]]:
    """Of each temporary that a later part uses: its own part, and the last that uses it."""
    last = {}
    for k, part in enumerate(cut.parts):
        for statement in part:
            for node in _used(block, statement):
                if cut.home.get(node, k) < k:
                    last[node] = (cut.home[node], k)
    return last


@pytest.mark.parametrize("longest", [1, 3, 10])
@pytest.mark.parametrize("seed", range(5))
def test_a_place_holds_one_living_value_at_a_time(seed: int, longest: int) -> None:
    block = block_of(seed)
    cut = split(block, longest)
    crosses = crossing(block, cut)
    assert crosses
    assert set(cut.places) == set(crosses)
    assert set(cut.places.values()) == set(range(cut.size))
    for place in range(cut.size):
        spans = sorted(crosses[node] for node, at in cut.places.items() if at == place)
        assert all(end < start for (_, end), (start, _) in pairwise(spans))
    assert cut.size < len(crosses)  # places are used again


def test_what_is_not_cut_needs_no_workspace() -> None:
    cut = split(block_of(0), 10_000)
    assert (len(cut.parts), cut.size, cut.places) == (1, 0, {})


def test_nothing_is_one_empty_part() -> None:
    assert split(Block([], set()), 10).parts == [[]]


def test_temporaries_are_numbered_in_order() -> None:
    block = block_of(1)
    cut = split(block, 5)
    assert list(cut.number) == [s.node for s in block.statements if isinstance(s, Let)]
    assert list(cut.number.values()) == list(range(len(cut.number)))
