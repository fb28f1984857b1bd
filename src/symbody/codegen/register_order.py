"""An order of computations in which few values live at once, so that they fit the registers of a graphics card.

Several orders are made, and the one with the least cost is taken: the number of values above ROOM, summed over the
computations. Depth first suits a few large expressions (Sethi and Ullman 1970). Forward, the uses of a value follow it
as soon as they are possible: of many legs that add to one matrix, one leg is finished before the next one begins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from symbody.expr.node import Expr

ROOM = 60  # values that fit the registers of a thread in double precision, beside its state
REACHES = (0, 2, 8, 32)  # computations that a forward order makes at most to finish a use of the last value


def register_order(nodes: Sequence[Expr], targets: Sequence[Expr], room: int = ROOM) -> list[Expr]:
    """The nodes, given oldest first, in the cheapest of the orders."""
    depth = depth_first(nodes, targets)
    users = users_of(nodes)
    orders = [depth, later(depth, users)]
    orders += [later(forward(nodes, users, reach), users) for reach in REACHES]
    return min(orders, key=lambda order: cost(order, users, room))


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
    registers = _registers(nodes)
    done: dict[Expr, None] = {}
    for target in targets:
        _compute(target, registers, done)
    return list(done)


def forward(nodes: Sequence[Expr], users: Mapping[Expr, Sequence[Expr]], reach: int) -> list[Expr]:
    """The uses of the newest value first, if at most `reach` other computations are missing; long paths begin early."""
    registers, height = _registers(nodes), _heights(nodes, users)
    done: dict[Expr, None] = {}
    for first in sorted(nodes, key=height.__getitem__, reverse=True):
        waiting = _compute(first, registers, done)
        while waiting:
            best, fewest = None, reach + 1
            for user in users[waiting[-1]]:
                if user not in done and (count := _missing(user, registers, done, fewest)) < fewest:
                    best, fewest = user, count
            if best is None:
                waiting.pop()
            else:
                waiting.extend(_compute(best, registers, done))
    return list(done)


def later(order: Sequence[Expr], users: Mapping[Expr, Sequence[Expr]]) -> list[Expr]:
    """The same order with each value just before its first use, if no operand has to live longer for that."""
    place: dict[Expr, tuple[int, int]] = {}  # place of the computation that it precedes, and order before that one
    last: dict[Expr, tuple[int, int]] = {}  # place of the last use
    for k in range(len(order) - 1, -1, -1):
        node = order[k]
        place[node] = k, k
        first = min((place[user] for user in users[node]), default=None)
        if first is not None and all(a not in users or last.get(a, (-1, -1)) >= first for a in node.args):
            place[node] = first[0], k
        for a in node.args:
            last[a] = max(last.get(a, (-1, -1)), place[node])
    return sorted(order, key=place.__getitem__)


def users_of(nodes: Sequence[Expr]) -> dict[Expr, list[Expr]]:
    """The nodes that use each node."""
    users: dict[Expr, list[Expr]] = {node: [] for node in nodes}
    for node in nodes:
        for a in dict.fromkeys(node.args):
            if a in users:
                users[a].append(node)
    return users


def _registers(nodes: Sequence[Expr]) -> dict[Expr, int]:
    """Registers that the tree of each node needs."""
    registers: dict[Expr, int] = {}
    for node in nodes:
        counts = sorted((registers[a] for a in set(node.args) if a in registers), reverse=True)
        registers[node] = max((count + k for k, count in enumerate(counts)), default=1)
    return registers


def _heights(nodes: Sequence[Expr], users: Mapping[Expr, Sequence[Expr]]) -> dict[Expr, int]:
    """Length of the longest path to an output."""
    height: dict[Expr, int] = {}
    for node in reversed(nodes):
        height[node] = max((height[user] + 1 for user in users[node]), default=0)
    return height


def _missing(node: Expr, registers: Mapping[Expr, int], done: Mapping[Expr, None], limit: int) -> int:
    """Number of operands, direct or not, that are not computed yet; at least `limit` if there are as many."""
    found: set[Expr] = set()
    waiting = [node]
    while waiting and len(found) < limit:
        for a in waiting.pop().args:
            if a in registers and a not in done and a not in found:
                found.add(a)
                waiting.append(a)
    return len(found)


def _compute(node: Expr, registers: Mapping[Expr, int], done: dict[Expr, None]) -> list[Expr]:
    """Append a node and its missing operands to what is done, and return them."""
    made: list[Expr] = []
    waiting = [(node, False)]
    while waiting:
        one, ready = waiting.pop()
        if one in done or one not in registers:
            continue
        if ready:
            done[one] = None
            made.append(one)
            continue
        waiting.append((one, True))
        waiting.extend((a, False) for a in sorted(one.args, key=lambda a: registers.get(a, 0)))
    return made
