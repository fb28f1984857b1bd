"""From expressions to statements: which values get a name, which are written inline or hoisted, and their order.

A value that is used once is written inside its use, as long as the line stays short. The others become temporaries.
Values that depend on parameters only are hoisted into an array `h`, which a separate function fills when a parameter
changes. Sines and cosines are computed in batches: first those whose angles need no other sine or cosine. An external
function is called once for all its outputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from symbody.codegen.program import Closure, Program
from symbody.codegen.register_order import register_order
from symbody.expr.external import Call, External, call_of
from symbody.expr.graph import ARITHMETIC, BIRTH, TRIGONOMETRIC, Operations, arguments, needed
from symbody.expr.node import CALLS, PARAMETER, VARIABLE, Expr

LINE = 10  # largest number of operations in one line
SHORT = 1  # the same if the order of the operations matters


@dataclass(frozen=True, eq=False)
class Let:
    """A temporary."""

    node: Expr


@dataclass(frozen=True, eq=False)
class Store:
    """An element of an output."""

    array: str
    index: int
    node: Expr


@dataclass(frozen=True, eq=False)
class SinCos:
    """Sines and cosines of a batch of angles, stored from index `start`."""

    start: int
    angles: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class CallOut:
    """A call of an external function: its outputs (or their derivatives by an argument), stored from index `start`."""

    start: int
    external: External
    args: tuple[Expr, ...]
    along: int | None


Statement = Let | Store | SinCos | CallOut
Target = tuple[str, int, Expr]  # array, index, value


@dataclass(frozen=True)
class Block:
    """Statements in order; `inline` has the nodes that are written inside their one use."""

    statements: list[Statement]
    inline: set[Expr]
    trig: dict[Expr, int] = field(default_factory=dict)  # angle → index of its sine and cosine
    sines: dict[tuple[str, Expr], Expr] = field(default_factory=dict)  # (op, angle) → the node, for those in batches
    calls: dict[Call, int] = field(default_factory=dict)  # call → index of its first output

    @property
    def called(self) -> int:
        """Number of values that external functions return."""
        return sum(external.outputs for external, _, _ in self.calls)

    def call_place(self, x: Expr) -> int:
        """Index of an output of an external function."""
        return self.calls[call_of(x)] + int(x.value[1])

    def flips(self, x: Expr) -> bool:
        """Whether −x can be written without a sign change: −(a − b) = b − a."""
        if x not in self.inline:
            return False
        return x.op == "sub" or (x.op in ("add", "mul", "div") and (self.flips(x.args[0]) or self.flips(x.args[1])))


@dataclass(frozen=True)
class Iteration:
    """The step of a closure as statements, and the array for its result."""

    closure: Closure
    block: Block
    step: str
    operations: Operations


@dataclass(frozen=True)
class Schedule:
    """A program as statements: the part computed at every call, the hoisted part, and an iteration of the closure."""

    program: Program
    body: Block
    hoist: Block
    slots: dict[Expr, int]  # hoisted node → index in h
    operations: Operations
    iteration: Iteration | None = None

    @property
    def kept(self) -> int:
        """Size of h: hoisted values, then the addresses of the Python functions that are called."""
        return len(self.slots) + len(self.program.callbacks)

    @property
    def statements(self) -> int:
        """Statements of one call; for the closure, of one iteration."""
        return len(self.body.statements) + (len(self.iteration.block.statements) if self.iteration else 0)


def schedule(program: Program, line: int = LINE, loops: bool = False, deep: bool = False) -> Schedule:
    """Choose temporaries, order and hoisted values; with `loops`, loops fill what they can.

    deep: in an order for few registers, with sines where they are needed.
    """
    if not loops:
        program = program.expanded()
    targets = _targets(program)
    turned = _turned(program.closure) if program.closure and deep else {}
    nodes, body = _each_call(targets, line, deep, turned)
    leaves = list(_leaves(nodes, targets))
    iteration = None
    if program.closure:
        iteration, more = _iteration(program, program.closure, line, deep, turned)
        leaves += more
    slots: dict[Expr, int] = {}
    for node in leaves:
        slots.setdefault(node, len(slots))
    hoisted = _needed(slots, PARAMETER)
    hoist = _block(hoisted, [("h", i, node) for node, i in slots.items()], [], PARAMETER, line)
    operations = replace(_count(nodes, body), hoisted=len(hoisted))
    if iteration:
        operations += iteration.operations
    for _, gram in program.grams:
        operations += gram.cost
    return Schedule(program, body, hoist, slots, operations, iteration)


def _turned(closure: Closure) -> dict[Expr, int]:
    """Unknown angles whose sines an iteration uses, numbered; after the last iteration their sines are turned."""
    sines = [node for node in needed(closure.expressions) if node.op in TRIGONOMETRIC]
    angles = dict.fromkeys(node.args[0] for node in sines)
    own = [x for x in angles if not x.args and str(x.value).startswith(f"{closure.unknowns}[")]
    return {x: k for k, x in enumerate(own)}


def _iteration(
    program: Program, closure: Closure, line: int, deep: bool, turned: dict[Expr, int]
) -> tuple[Iteration, list[Expr]]:
    """An iteration of the closure, and the parameter-level values that it uses."""
    (d,) = program.local_names("d")
    targets = [(d, i, e) for i, e in enumerate(closure.step)]
    nodes, block = _each_call(targets, line, deep, turned)
    return Iteration(closure, block, d, _count(nodes, block)), list(_leaves(nodes, targets))


def _each_call(targets: Sequence[Target], line: int, deep: bool, turned: dict[Expr, int]) -> tuple[list[Expr], Block]:
    """The nodes that a call or an iteration computes for its targets, and their statements."""
    nodes = _needed((e for _, _, e in targets), VARIABLE)
    if deep:
        here = [x for x in nodes if not (x.op in TRIGONOMETRIC and x.args[0] in turned)]
        order = register_order(here, [e for _, _, e in targets])
        return nodes, replace(_block(order, targets, [], VARIABLE, SHORT), trig=turned)
    return nodes, _block(nodes, targets, _batches(nodes), VARIABLE, line)


def _targets(program: Program) -> list[Target]:
    """Elements of the outputs, and of the vectors that loops multiply."""
    targets: list[Target] = []
    for name, output in program.outputs.items():
        left_out = output.covered()
        targets += [(name, i, e) for i, e in enumerate(output.elements) if i not in left_out]
    for name, gram in program.grams:
        targets += [(f"{name}_{side}", i, e) for side, xs in gram.sides().items() for i, e in enumerate(xs)]
    return targets


def _needed(outputs: Iterable[Expr], level: int, done: Collection[Expr] = ()) -> list[Expr]:
    """The computed nodes of one level that the outputs need, oldest first; finished ones are not searched."""
    found: set[Expr] = set()
    new = set(outputs)
    while new:
        new = {node for node in new if node.level == level and node.args and node not in done}
        found |= new
        new = arguments(new) - found
    return sorted(found, key=BIRTH)


def _leaves(nodes: Sequence[Expr], targets: Sequence[Target]) -> Iterator[Expr]:
    """Parameter-level values that the body uses."""
    for node in nodes:
        yield from (a for a in node.args if a.level == PARAMETER)
    yield from (e for _, _, e in targets if e.level == PARAMETER)


def _batches(nodes: Sequence[Expr]) -> list[list[Expr]]:
    """Angles grouped by the number of sines or cosines that must be known before them, in chains."""
    depth: dict[Expr, int] = {}  # only non-zero depths
    batches: list[dict[Expr, None]] = []
    for node in nodes:
        below = 0
        for a in node.args:
            if depth.get(a, 0) > below:
                below = depth[a]
        if node.op in TRIGONOMETRIC:
            while len(batches) <= below:
                batches.append({})
            batches[below][node.args[0]] = None
            below += 1
        if below:
            depth[node] = below
    return [list(batch) for batch in batches]


def _block(
    nodes: Sequence[Expr], targets: Sequence[Target], batches: Sequence[Sequence[Expr]], level: int, line: int
) -> Block:
    """Statements for the targets; first sines and cosines, and every output as soon as it is known."""
    gathered = {node for node in nodes if node.op in TRIGONOMETRIC} if batches else set()
    computed = [node for node in nodes if node not in gathered]
    calls = dict.fromkeys(call_of(node) for node in nodes if node.op in CALLS)
    ends = Counter(e for _, _, e in targets)
    ends.update(angle for batch in batches for angle in batch)
    ends.update(a for _, args, _ in calls for a in args)
    sines = {(node.op, node.args[0]): node for node in nodes if node in gathered}
    block = Block([], inlined([node for node in computed if node.op not in CALLS], ends, line), sines=sines)
    stores: dict[Expr, list[Store]] = {}
    for name, i, e in targets:
        stores.setdefault(e, []).append(Store(name, i, e))
    done: set[Expr] = set(gathered)
    for batch in batches:
        _emit(_needed(batch, level, done), block, done, stores)
        block.statements.append(SinCos(len(block.trig), tuple(batch)))
        for angle in batch:
            block.trig[angle] = len(block.trig)
    _emit(computed, block, done, stores)
    for passed_on in stores.values():  # inputs, constants, hoisted values, and sines
        block.statements.extend(passed_on)
    return block


def _emit(nodes: Iterable[Expr], block: Block, done: set[Expr], stores: dict[Expr, list[Store]]) -> None:
    """Append the statements of nodes that are not done yet."""
    for node in nodes:
        if node not in done:
            done.add(node)
            if node.op in CALLS:
                _call_out(node, block)
            elif node not in block.inline:
                block.statements.append(Let(node))
            block.statements.extend(stores.pop(node, ()))


def _call_out(node: Expr, block: Block) -> None:
    """Append the call that gives a node, unless another output already needed it."""
    key = call_of(node)
    if key not in block.calls:
        start = block.called
        block.calls[key] = start
        block.statements.append(CallOut(start, *key))


def inlined(nodes: Sequence[Expr], ends: Counter[Expr], line: int) -> set[Expr]:
    """Nodes used once whose text fits into the line of their use; `ends` counts the uses as outputs and angles."""
    counts = ends.copy()
    counts.update(chain.from_iterable([node.args for node in nodes]))
    inline: set[Expr] = set()
    size: dict[Expr, int] = {}
    for node in nodes:
        total = int(node.op != "neg")
        single = [a for a in node.args if counts[a] == 1 and a in size]
        if len(single) > 1:
            single.sort(key=size.__getitem__)
        for a in single:
            if total + size[a] <= line:
                inline.add(a)
                total += size[a]
        size[node] = total
    inline.update(node for node in ends if counts[node] == 1 and node in size)
    return inline


def _count(nodes: Sequence[Expr], body: Block) -> Operations:
    """Operations as written: sign changes that the text avoids are not counted."""
    kinds = Counter(ARITHMETIC.get(n.op, "trig" if n.op in TRIGONOMETRIC else "other") for n in nodes)
    kinds["neg"] -= sum(1 for n in nodes if n.op == "neg" and body.flips(n.args[0]))
    return Operations(**kinds)
