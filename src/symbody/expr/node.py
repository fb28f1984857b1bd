"""The expression graph: scalar nodes, hash-consed and simplified during construction.

Building an expression that exists returns the existing node, so a common sub-expression never exists twice.
A node's `order` is its creation number: arguments are created before the nodes that use them, so sorting by `order`
is a topological sort. Its `level` says what it depends on: nothing (CONSTANT), parameters only (PARAMETER,
computed when a parameter changes), or variables (VARIABLE, computed at every call).
"""

from __future__ import annotations

import math
from itertools import count
from operator import attrgetter
from typing import Any

from symbody.errors import NotFiniteError
from symbody.expr.node_table import SUMS, graph_now
from symbody.expr.structure import CALLS as CALLS
from symbody.expr.text import to_text
from symbody.expr.theorems import SINES, addition_theorem, sine_and_cosine

CONSTANT, PARAMETER, VARIABLE = 0, 1, 2

# Sums and products are treated as flat (a+b+c, a·b·c) up to this many members, to cancel terms and to find equal
# expressions built in another order. Longer ones stay as built, which bounds the cost of a node.
FLAT = 8

# Data of a node: for a table its breakpoints and values.
Data = tuple[Any, ...]


class Expr:
    """A scalar expression; arithmetic and comparisons build new ones. Equal expressions are the same node."""

    __slots__ = ("args", "factors", "level", "op", "order", "origin", "scale", "sines", "terms", "value")

    op: str
    args: tuple[Expr, ...]
    value: Any  # the float of a constant, the name of a symbol, the data of a table
    order: int
    level: int
    origin: str  # the section of the equations that created it, for comments in generated code
    terms: dict[Expr, Expr] | None  # flat sum: {core: parameter-level coefficient}; None when too long
    factors: tuple[Expr, ...] | None  # flat product of its own level, sorted; None when too long
    scale: Expr  # the lower-level factor of those factors
    sines: int  # number of sines and cosines among those factors

    def __add__(self, other: Expr | float) -> Expr:
        if type(other) is Expr:
            return add(self, other)
        return NotImplemented if hasattr(other, "__len__") else add(self, wrap(other))  # an array adds itself

    def __radd__(self, other: float) -> Expr:
        return add(self, wrap(other))

    def __sub__(self, other: Expr | float) -> Expr:
        if type(other) is Expr:
            return sub(self, other)
        return NotImplemented if hasattr(other, "__len__") else sub(self, wrap(other))

    def __rsub__(self, other: float) -> Expr:
        return sub(wrap(other), self)

    def __mul__(self, other: Expr | float) -> Expr:
        if type(other) is Expr:
            return mul(self, other)
        return NotImplemented if hasattr(other, "__len__") else mul(self, wrap(other))  # a vector scales itself

    def __rmul__(self, other: float) -> Expr:
        return mul(self, wrap(other))

    def __truediv__(self, other: Expr | float) -> Expr:
        if type(other) is Expr:
            return div(self, other)
        return NotImplemented if hasattr(other, "__len__") else div(self, wrap(other))

    def __rtruediv__(self, other: float) -> Expr:
        return div(wrap(other), self)

    def __neg__(self) -> Expr:
        return neg(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return absolute(self)

    def __pow__(self, exponent: Expr | float) -> Expr:
        return NotImplemented if hasattr(exponent, "__len__") else power(self, exponent)

    def __rpow__(self, base: float) -> Expr:
        return power(wrap(base), self)

    def __lt__(self, other: Expr | float) -> Expr:
        return _compare("lt", self, wrap(other))

    def __le__(self, other: Expr | float) -> Expr:
        return _compare("le", self, wrap(other))

    def __gt__(self, other: Expr | float) -> Expr:
        return _compare("lt", wrap(other), self)

    def __ge__(self, other: Expr | float) -> Expr:
        return _compare("le", wrap(other), self)

    def __bool__(self) -> bool:
        if self.op == "const":
            return bool(self.value)
        raise TypeError("an expression has no truth value; use where(condition, a, b) instead of if")

    def __float__(self) -> float:
        if self.op == "const":
            return float(self.value)
        raise TypeError(f"{self} is not a number while a law is traced; use NumPy's functions or symbody.functions")

    def __repr__(self) -> str:
        return to_text(self)


_birth = count()  # shared by all graphs: a node is always newer than its arguments, in any graph
_BIRTH = attrgetter("order")


def _make(op: str, args: tuple[Expr, ...], level: int, value: Any = None) -> Expr:
    node = Expr.__new__(Expr)
    node.op = op
    node.args = args
    node.level = level
    node.value = value
    node.order = next(_birth)
    node.origin = graph_now.get().section
    node.terms = None
    node.factors = None
    node.scale = ONE
    node.sines = 0
    return node


def _constant(value: float) -> Expr:
    node = _make("const", (), CONSTANT, value)
    node.factors = ()
    return node


ONE: Expr = None  # type: ignore[assignment]  # its own scale: bound below
ZERO = _constant(0.0)
ONE = _constant(1.0)
MINUS_ONE = _constant(-1.0)
ZERO.scale = ONE.scale = ONE
ZERO.terms, ONE.terms, MINUS_ONE.terms = {}, {ONE: ONE}, {ONE: MINUS_ONE}
_LASTING = {0.0: ZERO, 1.0: ONE, -1.0: MINUS_ONE}


def const(value: float) -> Expr:
    """The constant node of a finite float."""
    value = float(value)
    lasting = _LASTING.get(value)
    if lasting is not None:
        return lasting
    table = graph_now.get().table
    node = table.get(value)
    if node is None:
        if not math.isfinite(value):
            cure = "check masses, lengths and values that are very large"
            raise NotFiniteError(f"a constant in the equations is not finite: {value}", cure=cure)
        node = table[value] = _constant(value)
        node.terms = {ONE: node}
    return node


def wrap(value: Expr | float) -> Expr:
    """An expression from an expression or a number."""
    return value if isinstance(value, Expr) else const(value)


def _symbol(name: str, level: int) -> Expr:
    key = ("sym", name, level)
    table = graph_now.get().table
    node = table.get(key)
    if node is None:
        node = table[key] = _make("sym", (), level, name)
        node.terms, node.factors = {node: ONE}, (node,)
    return node


def variable(name: str) -> Expr:
    """A symbol that changes at every call, such as `q[3]`."""
    return _symbol(name, VARIABLE)


def parameter(name: str) -> Expr:
    """A symbol that changes rarely; expressions of parameters only are hoisted out of the calls."""
    return _symbol(name, PARAMETER)


# -- flat views ---------------------------------------------------------------------------------------------------


def coefficient(x: Expr) -> tuple[Expr, Expr]:
    """x = c·core, where c depends on parameters only (numbers only, if x itself is parameter-level)."""
    op = x.op
    if op == "mul":
        p, v = x.args
        if p.level < x.level:
            return p, v
    elif op == "neg":
        c, core = coefficient(x.args[0])
        return neg(c), core
    elif x.level == CONSTANT:
        return x, ONE
    return ONE, x


def _terms(x: Expr) -> dict[Expr, Expr] | None:
    """Flat sum {core: coefficient} of x; a variable-level sum has its parameter-level part as coefficient of ONE."""
    if x.terms is None and x.op not in SUMS:
        if x.op == "neg":
            late = graph_now.get().late
            if late is not None:
                late.append(x)
            inner = _terms(x.args[0])
            x.terms = {core: neg(c) for core, c in inner.items()} if inner is not None else {x.args[0]: MINUS_ONE}
        else:
            c, core = coefficient(x)
            x.terms = {core: c}
    return x.terms


def _factors(x: Expr) -> tuple[Expr, ...]:
    return x.factors if x.factors is not None else (x,)


# -- arithmetic ---------------------------------------------------------------------------------------------------


def neg(a: Expr) -> Expr:
    """−a, with the sign moved to where it costs nothing."""
    op = a.op
    if op == "neg":
        return a.args[0]
    if op == "const":
        return MINUS_ONE if a is ONE else ONE if a is MINUS_ONE else const(-a.value)
    if op == "mul" and a.args[0].op == "const":
        return mul(const(-a.args[0].value), a.args[1])
    key = ("neg", a)
    table = graph_now.get().table
    node = table.get(key)
    if node is None:
        node = table[key] = _make("neg", (a,), a.level)
    return node


def add(a: Expr, b: Expr) -> Expr:
    """a + b."""
    if a.op == "neg":
        return neg(add(a.args[0], b.args[0])) if b.op == "neg" else _sum(b, a.args[0], True)
    return _sum(a, b.args[0], True) if b.op == "neg" else _sum(a, b, False)


def sub(a: Expr, b: Expr) -> Expr:
    """a − b."""
    if b.op == "neg":
        return add(a, b.args[0])
    if a.op == "neg":
        return neg(_sum(a.args[0], b, False))
    return _sum(a, b, True)


def _sum(a: Expr, b: Expr, minus: bool) -> Expr:
    """a ± b, neither of them a negation: cancelled, merged, condensed, and shared with equal sums."""
    if b is ZERO:
        return a
    if a is ZERO:
        return neg(b) if minus else b
    if a.op == "const" and b.op == "const":
        return const(a.value - b.value if minus else a.value + b.value)
    left = a.terms
    if left is None:
        left = _terms(a)
    right = b.terms
    if right is None:
        right = _terms(b)
    if left is None or right is None:
        return _new_sum(a, b, minus, None)
    if a.level != b.level:  # in a sum of variables, what depends on parameters only is one term: the coefficient of ONE
        if b.level == VARIABLE:
            left = {ONE: a}
        elif a.level == VARIABLE:
            right = {ONE: b}
    if not left.keys().isdisjoint(right):
        return _merged(left, right, minus)
    if _has_trig_product(right) and _has_trig_product(left):
        condensed = _condense(left, right, minus)
        if condensed is not None:
            return condensed
    if len(left) + len(right) > FLAT:
        return _new_sum(a, b, minus, None)
    flat = dict(left)
    flat.update({core: MINUS_ONE if c is ONE else neg(c) for core, c in right.items()} if minus else right)
    return _new_sum(a, b, minus, flat)


def _new_sum(a: Expr, b: Expr, minus: bool, flat: dict[Expr, Expr] | None) -> Expr:
    """The node a ± b, unless it or its negative exists already; the oldest term is positive."""
    if a.order > b.order and not minus:
        a, b = b, a
    table = graph_now.get().table
    if flat is None:
        key: Any = ("sub" if minus else "add", a, b)
        node = table.get(key)
        if node is None:
            if minus:
                opposite = table.get(("sub", b, a))
                if opposite is not None:
                    return neg(opposite)
            node = table[key] = _make(key[0], (a, b), max(a.level, b.level))
        return node
    key = frozenset(flat.items())
    node = table.get(key)
    if node is None:
        signs = [(core, MINUS_ONE if c is ONE else ONE if c is MINUS_ONE else neg(c)) for core, c in flat.items()]
        opposite = table.get(frozenset(signs))
        if opposite is not None:
            return neg(opposite)
        node = table[key] = _make("sub" if minus else "add", (a, b), max(a.level, b.level))
        node.terms = flat
    return node


def _merged(left: dict[Expr, Expr], right: dict[Expr, Expr], minus: bool) -> Expr:
    """Sum of two flat sums that share terms: 2a + b − a."""
    total = dict(left)
    for core, c in right.items():
        old = total.get(core, ZERO)
        total[core] = sub(old, c) if minus else add(old, c)
    return sum_of_terms(total)


def sum_of_terms(terms: dict[Expr, Expr]) -> Expr:
    """Σ coefficient·core."""
    result = ZERO
    for core, c in terms.items():
        if c is not ZERO:
            result = add(result, mul(c, core))
    return result


def _condense(left: dict[Expr, Expr], right: dict[Expr, Expr], minus: bool) -> Expr | None:
    """Trigonometric condensation between the terms of two sums: C1·C2 − S1·S2 → C12."""
    for core_r, c_r in right.items():
        for core_l, c_l in left.items():
            ours, theirs = mul(c_l, core_l.scale), mul(c_r, core_r.scale)
            same, opposite = ours is theirs, ours is neg(theirs)
            if minus:
                same, opposite = opposite, same
            if not same and not opposite:
                continue
            product = _theorem(core_l, core_r, opposite)
            if product is not None:
                rest_l = sum_of_terms({core: c for core, c in left.items() if core is not core_l})
                rest_r = sum_of_terms({core: c for core, c in right.items() if core is not core_r})
                rest = sub(rest_l, rest_r) if minus else add(rest_l, rest_r)
                return add(rest, mul(ours, product))
    return None


def _has_trig_product(terms: dict[Expr, Expr]) -> bool:
    """Whether a core of a flat sum has at least two sines or cosines as factors."""
    for core in terms:  # noqa: SIM110  # a generator takes twice as long
        if core.sines > 1:
            return True
    return False


def _theorem(x: Expr, y: Expr, opposite: bool) -> Expr | None:
    """x + y (x − y if opposite) as one product, if an addition theorem applies."""
    found = addition_theorem(_factors(x), _factors(y), opposite)
    if found is None:
        return None
    angle = add(found.a, found.b) if found.total else sub(found.a, found.b)
    result = sin(angle) if found.function == "sin" else cos(angle)
    for f in found.shared:
        result = mul(result, f)
    return neg(result) if found.negative else result


def mul(a: Expr, b: Expr) -> Expr:
    """a·b, with signs extracted and parameter-level factors collected in front."""
    if a is ONE or b is ZERO:
        return b
    if b is ONE or a is ZERO:
        return a
    if a.op == "neg":
        return mul(a.args[0], b.args[0]) if b.op == "neg" else neg(mul(a.args[0], b))
    if b.op == "neg":
        return neg(mul(a, b.args[0]))
    if a.level > b.level or (a.level == b.level and a.order > b.order):
        a, b = b, a
    if a.op == "const":
        value = a.value
        if b.op == "const":
            return const(value * b.value)
        if value == -1.0:
            return neg(b)
        if value == 2.0:
            doubled = _double_angle(b)
            if doubled is not None:
                return doubled
    level, factors, sines = b.level, b.factors, b.sines
    if factors is None and b.op != "mul" and b.op not in SUMS:  # its graph has ended
        factors = (b,)
    if a.level < level and b.op == "mul" and b.args[0].level < level:
        return mul(mul(a, b.args[0]), b.args[1])
    products = a.op == "mul" or b.op == "mul"
    if products:
        for x, y in ((a, b), (b, a)):
            if x.op == "mul" and x.args[0].op == "const" and x.args[0].value == 2.0:
                doubled = _double_angle(mul(x.args[1], y))
                if doubled is not None:
                    return doubled
    if a.level < level:
        scale = a if b.scale is ONE else mul(a, b.scale)
    elif products:
        scale = b.scale if a.scale is ONE else a.scale if b.scale is ONE else mul(a.scale, b.scale)
        factors, sines = tuple(sorted(_factors(a) + _factors(b), key=_BIRTH)), a.sines + sines
    else:
        scale, factors, sines = ONE, (a, b), a.sines + sines
    if factors is None or len(factors) > FLAT:
        scale, factors, sines = ONE, None, 0
    key = ("mul", a, b) if factors is None else ("mul", scale, factors)
    table = graph_now.get().table
    node = table.get(key)
    if node is None:
        node = table[key] = _make("mul", (a, b), level)
        node.factors, node.scale, node.sines = factors, scale, sines
    return node


def _double_angle(x: Expr) -> Expr | None:
    """2·sin a·cos a = sin 2a, inside any product."""
    pair = sine_and_cosine(_factors(x)) if x.sines > 1 else None
    if pair is None:
        return None
    angle, others = pair
    result = x.scale
    for other in others:
        result = mul(result, other)
    return mul(result, sin(mul(const(2.0), angle)))


def div(a: Expr, b: Expr) -> Expr:
    """a / b; division by something that depends on parameters only becomes multiplication by a hoisted reciprocal."""
    if b.op == "const":
        if b.value == 0.0:
            raise ZeroDivisionError("an expression is divided by zero")
        return const(a.value / b.value) if a.op == "const" else mul(const(1.0 / b.value), a)
    if a is ZERO:
        return ZERO
    if a is b:
        return ONE
    if a.op == "neg":
        return neg(div(a.args[0], b))
    if b.op == "neg":
        return neg(div(a, b.args[0]))
    if a is not ONE and b.level < a.level:
        return mul(div(ONE, b), a)
    if a.op == "mul" and b in _factors(a):
        factors = list(_factors(a))
        factors.remove(b)
        result = a.scale
        for f in factors:
            result = mul(result, f)
        return result
    return node_of("div", (a, b))


def node_of(op: str, args: tuple[Expr, ...], value: Any = None) -> Expr:
    """The node of an operation on these arguments; no simplification is applied."""
    key = (op, *args) if value is None else (op, *args, value)
    table = graph_now.get().table
    node = table.get(key)
    if node is None:
        level = VARIABLE if op in CALLS else max([a.level for a in args])
        node = table[key] = _make(op, args, level, value)
        node.terms, node.factors = {node: ONE}, (node,)
        if op in SINES:
            node.sines = 1
    return node


def power(a: Expr, exponent: Expr | float) -> Expr:
    """a**exponent; whole exponents become products, ½ a square root."""
    if isinstance(exponent, Expr):
        if exponent.op != "const":
            if a.op == "const" and a.value <= 0.0:
                raise ValueError("a variable exponent needs a positive base")
            return node_of("pow", (a, exponent))
        exponent = exponent.value
    n = float(exponent)
    if n == 0.5:
        return sqrt(a)
    if not n.is_integer() or abs(n) > 64:
        return const(a.value**n) if a.op == "const" else node_of("pow", (a, const(n)))
    result, square, k = ONE, a, abs(int(n))
    while k:
        if k & 1:
            result = mul(result, square)
        k >>= 1
        if k:
            square = mul(square, square)
    return div(ONE, result) if n < 0 else result


def _compare(op: str, a: Expr, b: Expr) -> Expr:
    if a.op == "const" and b.op == "const":
        return const(float(a.value < b.value if op == "lt" else a.value <= b.value))
    return node_of(op, (a, b))


# -- functions that the simplifier itself needs; the others are in functions.py ------------------------------------


def sin(x: Expr | float) -> Expr:
    """Sine of an angle (rad).

    Parameters
    ----------
    x : Expr or float
        An angle, rad.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.sin(0.0)
    0
    """
    x = wrap(x)
    if x.op == "const":
        return const(math.sin(x.value))
    if x.op == "neg":
        return neg(sin(x.args[0]))
    return node_of("sin", (x,))


def cos(x: Expr | float) -> Expr:
    """Cosine of an angle (rad).

    Parameters
    ----------
    x : Expr or float
        An angle, rad.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.cos(0.0)
    1
    """
    x = wrap(x)
    if x.op == "const":
        return const(math.cos(x.value))
    if x.op == "neg":
        x = x.args[0]
    return node_of("cos", (x,))


def sqrt(x: Expr | float) -> Expr:
    """Square root.

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.sqrt(4.0)
    2
    """
    x = wrap(x)
    return const(math.sqrt(x.value)) if x.op == "const" else node_of("sqrt", (x,))


def absolute(x: Expr | float) -> Expr:
    """|x|.

    Parameters
    ----------
    x : Expr or float
        A number.

    Returns
    -------
    Expr
        A number, or an expression if an argument is one.

    Examples
    --------
    >>> from symbody import functions
    >>> functions.absolute(-2.0)
    2
    """
    x = wrap(x)
    return const(abs(x.value)) if x.op == "const" else node_of("abs", (x.args[0] if x.op == "neg" else x,))
