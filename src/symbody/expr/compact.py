"""Common factors extracted from sums: a·b + a·c → a·(b + c), if the products are used nowhere else.

This is done once, on the finished graph, when all uses are known; so a shared product is never computed twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from symbody.expr.graph import needed, uses
from symbody.expr.node import ONE, ZERO, Expr, add, div, mul, node_of, sub

Term = tuple[bool, list[Expr]]  # negative?, factors

_SUM = ("add", "sub", "neg")


def compacted(outputs: Sequence[Expr]) -> list[Expr]:
    """The same values with fewer multiplications."""
    nodes = needed(outputs)
    inner = _inner(nodes, uses(nodes, outputs))
    new: dict[Expr, Expr] = {}
    for node in nodes:
        if node not in inner:
            new[node] = _rebuilt(node, inner, new)
    return [new[o] for o in outputs]


def _inner(nodes: Sequence[Expr], used: Counter[Expr]) -> set[Expr]:
    """Sums used once, in a sum; products used once, in a sum or product: they merge into their user."""
    found: set[Expr] = set()
    for user in nodes:
        within = (*_SUM, "mul") if user.op in _SUM else ("mul",) if user.op == "mul" else ()
        found.update(a for a in user.args if a.op in within and used[a] == 1 and a.level == user.level)
    return found


def _rebuilt(node: Expr, inner: set[Expr], new: dict[Expr, Expr]) -> Expr:
    if not node.args:
        return node
    if node.op in _SUM:
        return _factored(_terms(node, inner, new))
    if node.op == "mul":
        return _product(_factors(node, inner, new))
    args = tuple(new[a] for a in node.args)
    return div(*args) if node.op == "div" else node_of(node.op, args, node.value)


def _terms(root: Expr, inner: set[Expr], new: dict[Expr, Expr]) -> list[Term]:
    """The flat signed terms of a sum, each as a list of factors."""
    result: list[Term] = []
    waiting = [(root, False)]
    while waiting:
        node, negative = waiting.pop()
        if node is root or (node in inner and node.op in _SUM):
            if node.op == "neg":
                waiting.append((node.args[0], not negative))
            else:
                a, b = node.args
                waiting.append((b, negative != (node.op == "sub")))
                waiting.append((a, negative))
        else:
            result.append((negative, _factors(node, inner, new)))
    return result


def _factors(root: Expr, inner: set[Expr], new: dict[Expr, Expr]) -> list[Expr]:
    """The flat factors of a product; a product that is also used elsewhere stays one factor."""
    result: list[Expr] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.op == "mul" and (node in inner or node not in new):
            waiting.extend(reversed(node.args))
        else:
            result.append(new[node])
    return result


def _product(factors: list[Expr]) -> Expr:
    if not factors:
        return ONE
    result = factors[0]
    for f in factors[1:]:
        result = mul(result, f)
    return result


def _share_factors(terms: list[Term]) -> bool:
    """Whether a factor is in several terms."""
    seen: set[Expr] = set()
    for _, factors in terms:
        if not seen.isdisjoint(factors):
            return True
        seen.update(factors)
    return False


def _factored(terms: list[Term]) -> Expr:
    """Σ ±Π factors; the factor that most terms share is extracted first."""
    if not _share_factors(terms):
        total = ZERO
        for negative, factors in terms:
            x = _product(factors)
            total = sub(total, x) if negative else add(total, x)
        return total
    shared = Counter(f for _, factors in terms for f in dict.fromkeys(factors))
    best = max(shared, key=shared.__getitem__)
    with_it: list[Term] = []
    without: list[Term] = []
    for negative, factors in terms:
        if best in factors:
            left = list(factors)
            left.remove(best)
            with_it.append((negative, left))
        else:
            without.append((negative, factors))
    grouped = mul(best, _factored(with_it))
    return add(_factored(without), grouped) if without else grouped
