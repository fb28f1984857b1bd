"""Orders of computations for few registers (codegen/register_order.py)."""

from bisect import bisect_left

import pytest
from random_programs import random_program

from symbody.codegen.register_order import by_inputs, cost, dataflow, depth_first, later, register_order
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


def numbers(order, nodes):
    return [nodes.index(node) for node in order]


def most(order, flow):
    """The largest number of values that live at once."""
    return bisect_left(range(len(order)), True, key=lambda room: cost(order, flow, room) == 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_order_computes_each_value_once_and_after_its_operands(seed):
    results = random_program(seed, steps=200).expressions
    nodes = computed(results)
    flow = dataflow(nodes)
    orders = [depth_first(flow, numbers(filter(nodes.__contains__, results), nodes)), *by_inputs(nodes, flow)]
    for order in orders:
        assert is_an_order([nodes[k] for k in order], nodes)
        assert is_an_order([nodes[k] for k in later(order, flow)], nodes)
        assert most(later(order, flow), flow) <= most(order, flow)
    best = register_order(nodes, results, room=5)
    assert is_an_order(best, nodes)
    assert cost(numbers(best, nodes), flow, 5) == min(cost(later(order, flow), flow, 5) for order in orders)


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
    flow = dataflow(nodes)
    room = size * (size + 1) // 2 + size + 2
    assert cost(numbers(register_order(nodes, results, room), nodes), flow, room) == 0
    assert cost(depth_first(flow, numbers(results, nodes)), flow, room) > 0
