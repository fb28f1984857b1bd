"""An order of computations in which few values live at once, so that they fit the registers of a graphics card.

Several orders are made, and the one with the least cost is taken: the number of values above ROOM, summed over the
computations. Depth first suits a few large expressions (Sethi and Ullman 1970). By inputs suits sums over many parts,
such as the legs of a platform that add to one matrix: one leg is finished before the next one begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from symbody.expr.node import VARIABLE, Expr

ROOM = 60  # values that fit the registers of a thread in double precision, beside its state
TRIALS = 16  # orders by inputs, at most
DEEPEST = 30  # levels of operands that move together


def register_order(nodes: Sequence[Expr], targets: Sequence[Expr], room: int = ROOM) -> list[Expr]:
    """The nodes, given oldest first, in the cheapest of the orders."""
    users = users_of(nodes)
    orders = [depth_first(nodes, targets), *by_inputs(nodes, users)]
    return min((later(order, users) for order in orders), key=lambda order: cost(order, users, room))


def cost(order: Sequence[Expr], users: Mapping[Expr, Sequence[Expr]], room: int) -> int:
    """Values above `room` that live at the same time, summed over the order. Outputs are stored at once."""
    place = {node: k for k, node in enumerate(order)}
    ends = Counter(max((place[user] for user in users[node]), default=k) for node, k in place.items())
    alive = total = 0
    for k in range(len(order)):
        alive += 1
        total += max(0, alive - room)
        alive -= ends[k]
    return total


def depth_first(nodes: Sequence[Expr], targets: Sequence[Expr]) -> list[Expr]:
    """The nodes in the order in which the targets need them; of two operands first the one that needs more registers.

    The number of registers is that of a tree (Sethi and Ullman 1970).
    """
    registers: dict[Expr, int] = {}
    for node in nodes:
        counts = sorted((registers[a] for a in set(node.args) if a in registers), reverse=True)
        registers[node] = max((count + k for k, count in enumerate(counts)), default=1)
    done: dict[Expr, None] = {}
    for target in targets:
        waiting = [(target, False)]
        while waiting:
            node, ready = waiting.pop()
            if node in done or node not in registers:
                continue
            if ready:
                done[node] = None
                continue
            waiting.append((node, True))
            waiting.extend((a, False) for a in sorted(node.args, key=lambda a: registers.get(a, 0)))
    return list(done)


def by_inputs(nodes: Sequence[Expr], users: Mapping[Expr, Sequence[Expr]]) -> list[list[Expr]]:
    """Orders by the rarest input of each value: what depends on common inputs only comes first.

    They differ in the ranks from which on all values of a rank are computed before the next rank; those of lower ranks
    are computed when they are needed.
    """
    rank = _ranks(nodes)
    last = [node for node in nodes if all(rank[user] > rank[node] for user in users[node])]  # of their ranks
    last.sort(key=rank.__getitem__)
    levels = sorted(set(rank.values()))
    return [
        depth_first(nodes, [node for node in last if rank[node] >= level or not users[node]])
        for level in levels[:: 1 + len(levels) // TRIALS]
    ]


def _ranks(nodes: Sequence[Expr]) -> dict[Expr, int]:
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
    return {node: largest[found] for node, found in inputs.items()}


def _symbols(x: Expr) -> list[Expr]:
    """The variables in an expression that is given."""
    return [x] if not x.args else [symbol for a in x.args for symbol in _symbols(a)]


def later(order: Sequence[Expr], users: Mapping[Expr, Sequence[Expr]]) -> list[Expr]:
    """The same order with each value just before its first use, if no operand has to live longer for that.

    Operands that have no other use move with it.
    """
    place: dict[Expr, tuple[int, int]] = {}  # place of the computation that it precedes, and order before that one
    last: dict[Expr, tuple[int, int]] = {}  # place of the last use
    never = (-1, -1)

    def movable(node: Expr, to: tuple[int, int], levels: int) -> bool:
        return all(
            a not in users
            or last.get(a, never) >= to
            or (levels > 0 and len(users[a]) == 1 and movable(a, to, levels - 1))
            for a in node.args
        )

    for k in range(len(order) - 1, -1, -1):
        node = order[k]
        place[node] = k, k
        first = min((place[user] for user in users[node]), default=None)
        if first is not None and movable(node, first, DEEPEST):
            place[node] = first[0], k
        for a in node.args:
            last[a] = max(last.get(a, never), place[node])
    return sorted(order, key=place.__getitem__)


def users_of(nodes: Sequence[Expr]) -> dict[Expr, list[Expr]]:
    """The nodes that use each node."""
    users: dict[Expr, list[Expr]] = {node: [] for node in nodes}
    for node in nodes:
        for a in dict.fromkeys(node.args):
            if a in users:
                users[a].append(node)
    return users
