"""Orders of computations for few registers (codegen/register_order.py)."""

import pytest
from random_programs import random_program

from symbody.codegen.register_order import by_inputs, cost, depth_first, later, register_order, users_of
from symbody.expr.graph import BIRTH, needed
from symbody.expr.node import variable

SEEDS = range(10)


def computed(results):
    """The nodes that are computed for some results, oldest first."""
    return sorted((node for node in needed(results) if node.args), key=BIRTH)


def is_an_order(order, nodes):
    place = {node: k for k, node in enumerate(order)}
    return sorted(order, key=BIRTH) == nodes and all(
        place[a] < place[node] for node in nodes for a in node.args if a in place
    )


def most(order, users):
    """The largest number of values that live at once."""
    return next(room for room in range(len(order) + 1) if cost(order, users, room) == 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_order_computes_each_value_once_and_after_its_operands(seed):
    results = random_program(seed, steps=200).expressions
    nodes = computed(results)
    users = users_of(nodes)
    orders = [depth_first(nodes, results), *by_inputs(nodes, users)]
    for order in orders:
        assert is_an_order(order, nodes)
        assert is_an_order(later(order, users), nodes)
        assert most(later(order, users), users) <= most(order, users)
    best = register_order(nodes, results, room=5)
    assert is_an_order(best, nodes)
    assert cost(best, users, 5) == min(cost(later(order, users), users, 5) for order in orders)


def legs(count, size):
    """A symmetric matrix: the sum over legs of the products of their vectors."""
    total = {}
    for leg in range(count):
        row = [variable(f"q[{leg}]") * float(i + 2) + variable("u[0]") for i in range(size)]
        for i in range(size):
            for j in range(i + 1):
                product = row[i] * row[j]
                total[i, j] = total[i, j] + product if (i, j) in total else product
    return list(total.values())


def test_of_many_legs_one_is_finished_before_the_next_begins():
    """Then the sums and the vector of one leg live at once: s(s + 1)/2 + s values and an intermediate one or two."""
    count, size = 8, 6
    results = legs(count, size)
    nodes = computed(results)
    users = users_of(nodes)
    room = size * (size + 1) // 2 + size + 2
    assert cost(register_order(nodes, results, room), users, room) == 0
    assert cost(depth_first(nodes, results), users, room) > 0
