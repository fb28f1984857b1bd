"""Calls of external functions as nodes: shared, never folded, differentiated once, evaluated by Python."""

import math

import pytest

from symbody.expr.compact import compacted
from symbody.expr.derive import derivative, total_derivative
from symbody.expr.external import External, call
from symbody.expr.graph import evaluate, needed
from symbody.expr.node import ONE, VARIABLE, ZERO, const, parameter, sin, variable
from symbody.expr.substitute import substituted

SWIRL = External("swirl", 2, 2, lambda x, y: (x * math.sin(y), x * x + y))
X, Y, P = variable("x"), variable("y"), parameter("p")


def test_equal_calls_are_one_node():
    a, b = call(SWIRL, [X, Y])
    assert call(SWIRL, [X, Y]) == [a, b]
    assert a is not b
    assert call(SWIRL, [Y, X])[0] is not a
    other = External("swirl", 2, 2, SWIRL.function)
    assert call(other, [X, Y])[0] is not a


def test_calls_are_variable_whatever_their_arguments():
    for args in ([ONE, const(2.0)], [P, P * 2], [X, P]):
        nodes = call(SWIRL, args)
        assert [n.level for n in nodes] == [VARIABLE] * 2
        assert compacted(nodes) == nodes
        assert all(n.level == VARIABLE for n in compacted([nodes[0] * P]))


def test_values():
    a, b = call(SWIRL, [X + 1, P])
    assert evaluate([a * 2 + b, a], {"x": 0.5, "p": 0.3}) == pytest.approx(
        [3 * math.sin(0.3) + 2.25 + 0.3, 1.5 * math.sin(0.3)]
    )


def test_one_evaluation_calls_once():
    calls = []
    both = External("both", 1, 2, lambda x: calls.append(x) or (x, x))
    evaluate(call(both, [X]) + call(both, [Y]), {"x": 1.0, "y": 2.0})
    assert calls == [1.0, 2.0]


def test_derivatives_agree_with_the_analytic_ones():
    a, b = call(SWIRL, [X * X, sin(Y)])
    at = {"x": 0.7, "y": 1.1}
    s = math.sin(1.1)
    found = evaluate([derivative(e, v) for e in (a, b) for v in (X, Y)], at)
    analytic = [1.4 * math.sin(s), 0.49 * math.cos(s) * math.cos(1.1), 4 * 0.7**3, math.cos(1.1)]
    assert found == pytest.approx(analytic, rel=1e-9)
    assert derivative(call(SWIRL, [X, ONE])[0], Y) is ZERO
    large = evaluate([derivative(call(SWIRL, [X, Y])[1], X)], {"x": 1e4, "y": 0.0})
    assert large == pytest.approx([2e4], rel=1e-9)  # the step grows with the argument
    assert len([n for n in needed(total_derivative([a], {X: ONE})) if n.op == "call_slope"]) == 1


def test_no_second_derivative():
    a, _ = call(SWIRL, [X, Y])
    with pytest.raises(ValueError, match="'swirl' has no second derivative"):
        derivative(derivative(a, X), Y)


def test_substitution_passes_through():
    a, b = call(SWIRL, [X, Y])
    assert substituted([a, b], {X: P}) == call(SWIRL, [P, Y])
    assert substituted([derivative(a, Y)], {X: P})[0] is derivative(call(SWIRL, [P, Y])[0], Y)
    assert substituted([a], {X: ONE, Y: ONE})[0].level == VARIABLE


def test_text():
    a, b = call(SWIRL, [X, Y])
    assert str(b) == "swirl[1](x, y)"
    assert str(derivative(a, Y)) == "swirl[0].slope[1](x, y)"


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: (x, x, x), "'f' must return 2 numbers, not 3"),
        (lambda x: x, "'f' must return 2 numbers, not 1"),
        (lambda x: (x, None), "'f' returned .* instead of numbers"),
        (lambda x: (x, 1j), "'f' returned .* instead of numbers"),
    ],
)
def test_wrong_results(function, words):
    with pytest.raises(ValueError, match=words):
        evaluate(call(External("f", 1, 2, function), [X]), {"x": 1.0})


def test_what_evaluation_cannot_do():
    with pytest.raises(ValueError, match="only compiled code"):
        evaluate(call(External("g", 1, 1, source="void g(const double *x, double *y) { y[0] = x[0]; }"), [X]), {"x": 1})
    with pytest.raises(ValueError, match="not complex"):
        evaluate(call(SWIRL, [X, Y]), {"x": 1j, "y": 1.0})
    with pytest.raises(ValueError, match="takes 2 numbers, not 1"):
        call(SWIRL, [X])


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"name": "2f", "function": abs}, "C identifier"),
        ({"inputs": 0, "function": abs}, "at least one input"),
        ({"outputs": 0, "function": abs}, "at least one input and one output"),
        ({}, "either"),
        ({"function": abs, "source": "void f(const double *x, double *y) {}"}, "either"),
        ({"source": "void g(const double *x, double *y) {}"}, r"must define void f\("),
        ({"source": "static void f(const double *x, double *y) {}"}, "not static"),
    ],
)
def test_wrong_definitions(facts, words):
    with pytest.raises(ValueError, match=words):
        External(**({"name": "f", "inputs": 1, "outputs": 1} | facts))


def test_kinds():
    assert SWIRL.kind == "python"
    assert External("f", 1, 1, source="void f(const double *x, double *y) { y[0] = x[0]; }").kind == "c"
