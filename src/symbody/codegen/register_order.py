"""An order of computations in which few values live at once, so that they fit the registers of a graphics card.

Several orders are made, and the one with the least cost is taken: the number of values above ROOM, summed over the
computations. Depth first suits a few large expressions (Sethi and Ullman 1970). By inputs suits sums over many parts,
such as the legs of a platform that add to one matrix: one leg is finished before the next one begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from symbody.expr.node import VARIABLE, Expr

ROOM = 60  # values that fit the registers of a thread in double precision, beside its state
TRIALS = 16  # orders by inputs, at most
DEEPEST = 30  # levels of operands that move together


class Dataflow(NamedTuple):
    """Computations by number, oldest first: the operands of each, fewest registers first, and its users."""

    operands: list[list[int]]
    users: list[list[int]]


def dataflow(nodes: Sequence[Expr]) -> Dataflow:
    """The flow of values between nodes, given oldest first.

    The number of registers of a node is that of a tree (Sethi and Ullman 1970).
    """
    number = {node: k for k, node in enumerate(nodes)}
    registers: list[int] = []
    flow = Dataflow([], [[] for _ in nodes])
    for k, node in enumerate(nodes):
        own = [number[a] for a in dict.fromkeys(reversed(node.args)) if a in number][::-1]
        counts = sorted((registers[a] for a in own), reverse=True)
        registers.append(max((count + i for i, count in enumerate(counts)), default=1))
        flow.operands.append(sorted(own, key=registers.__getitem__))
        for a in own:
            flow.users[a].append(k)
    return flow


def register_order(nodes: Sequence[Expr], targets: Sequence[Expr], room: int = ROOM) -> list[Expr]:
    """The nodes, given oldest first, in the cheapest of the orders."""
    flow, number = dataflow(nodes), {node: k for k, node in enumerate(nodes)}
    orders = [depth_first(flow, [number[x] for x in targets if x in number]), *by_inputs(nodes, flow)]
    best = min((later(order, flow) for order in orders), key=lambda order: cost(order, flow, room))
    return [nodes[k] for k in best]


def cost(order: Sequence[int], flow: Dataflow, room: int) -> int:
    """Values above `room` that live at the same time, summed over the order. Outputs are stored at once."""
    place = {node: k for k, node in enumerate(order)}
    ends = Counter(max([place[user] for user in flow.users[node]], default=k) for node, k in place.items())
    alive = total = 0
    for k in range(len(order)):
        alive += 1
        total += max(0, alive - room)
        alive -= ends[k]
    return total


def depth_first(flow: Dataflow, targets: Sequence[int]) -> list[int]:
    """The order in which the targets need their operands; of two operands first the one that needs more registers."""
    order: list[int] = []
    done = bytearray(len(flow.operands))
    for target in targets:
        waiting = [target]
        while waiting:
            node = waiting.pop()
            if node < 0:  # its operands are done
                node = ~node
                if not done[node]:
                    done[node] = True
                    order.append(node)
            elif not done[node]:
                waiting.append(~node)
                waiting += flow.operands[node]
    return order


def by_inputs(nodes: Sequence[Expr], flow: Dataflow) -> list[list[int]]:
    """Orders by the rarest input of each value: what depends on common inputs only comes first.

    They differ in the ranks from which on all values of a rank are computed before the next rank; those of lower ranks
    are computed when they are needed.
    """
    rank, users = _ranks(nodes), flow.users
    last = [k for k in range(len(nodes)) if all(rank[user] > rank[k] for user in users[k])]  # of their ranks
    last.sort(key=rank.__getitem__)
    levels = sorted(set(rank))
    return [
        depth_first(flow, [k for k in last if rank[k] >= level or not users[k]])
        for level in levels[:: 1 + len(levels) // TRIALS]
    ]


def _ranks(nodes: Sequence[Expr]) -> list[int]:
    """The largest rank of the inputs of each node. Ranks of inputs: by the number of values that depend on them.

    An input that appears only together with others has their largest rank.
    """
    own, bits = set(nodes), dict[Expr, int]()
    inputs: dict[Expr, int] = {}  # of each node, as bits of an integer
    for node in nodes:
        found = 0
        for a in node.args:
            if a in own:
                found |= inputs[a]
            elif a.level == VARIABLE:
                for x in _symbols(a):
                    found |= 1 << bits.setdefault(x, len(bits))
        inputs[node] = found
    sets = Counter(inputs.values())
    places = {found: [k for k in range(len(bits)) if found >> k & 1] for found in sets}
    dependent, together = [0] * len(bits), [-1] * len(bits)  # together: inputs that appear wherever this one does
    for found, count in sets.items():
        for k in places[found]:
            dependent[k] += count
            together[k] &= found
    rank: dict[int, int] = {}
    for place, k in enumerate(sorted(range(len(bits)), key=lambda k: -dependent[k])):
        rank[k] = max((r for other, r in rank.items() if together[k] >> other & 1), default=place)
    largest = {found: max((rank[k] for k in ks), default=-1) for found, ks in places.items()}
    return [largest[inputs[node]] for node in nodes]


def _symbols(x: Expr) -> list[Expr]:
    """The variables in an expression that is given."""
    return [x] if not x.args else [symbol for a in x.args for symbol in _symbols(a)]


def later(order: Sequence[int], flow: Dataflow) -> list[int]:
    """The same order with each value just before its first use, if no operand has to live longer for that.

    Operands that have no other use move with it.
    """
    operands, users = flow
    n = len(operands)
    place = [-1] * n  # n · place of the computation that it precedes + its own place before
    last = [-1] * n  # the same of the last use

    def movable(node: int, to: int, levels: int) -> bool:
        for a in operands[node]:
            if last[a] < to and not (levels and len(users[a]) == 1 and movable(a, to, levels - 1)):
                return False
        return True

    for k in range(len(order) - 1, -1, -1):
        node = order[k]
        here = n * k + k
        if users[node]:
            first = min([place[user] for user in users[node]])
            if movable(node, first, DEEPEST):
                here = first - first % n + k
        place[node] = here
        for a in operands[node]:
            if last[a] < here:
                last[a] = here
    return sorted(order, key=place.__getitem__)
