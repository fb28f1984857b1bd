"""Adjoints of programs: the transpose of differences, through closures, of adjoints again, and by parameters."""

import numpy as np
import pytest

from symbody.codegen import build
from symbody.codegen.adjoint import adjoint_program, taped_programs, with_parameters
from symbody.codegen.program import Closure, Input, Output, Program
from symbody.expr.graph import needed
from symbody.expr.node import cos, parameter, sin, variable
from symbody.expr.node_table import fresh_graph


def circle() -> Program:
    """A point (x, y) on a circle of radius r about (a, 0): y is found by Newton's method; y' = −(x − a)/y."""
    with fresh_graph():
        x, a, r, y = variable("x[0]"), variable("x[1]"), parameter("r"), variable("v[0]")
        h = (x - a) * (x - a) + y * y - r * r
        closure = Closure("v", "guess", (h / (2 * y),))
        outputs = {"z": Output((2,), (y * sin(x), x * y))}
        return Program("circle", "m", "z", {"x": Input(2), "guess": Input(1)}, outputs, {"r": 2.0}, closure=closure)


def exact(x, a, r):
    """z and its derivatives by x, a, r, by hand."""
    y = np.sqrt(r * r - (x - a) ** 2)
    dy = np.array([-(x - a) / y, (x - a) / y, r / y])
    z = np.array([y * np.sin(x), x * y])
    slopes = np.array([dy * np.sin(x) + [y * np.cos(x), 0, 0], x * dy + [y, 0, 0]])
    return z, slopes


@pytest.mark.parametrize("backend", ["c", "python"])
def test_an_adjoint_goes_through_what_newtons_method_finds(backend):
    program = circle()
    f, g = build(program, backend=backend), build(adjoint_program(program, ["x"]), backend=backend)
    x, guess, w = np.array([0.9, 0.3]), np.array([1.0]), np.array([0.7, -1.1])
    z, slopes = exact(0.9, 0.3, 2.0)
    np.testing.assert_allclose(f(x, guess), z, rtol=1e-14)
    np.testing.assert_allclose(g(x, guess, w), w @ slopes[:, :2], rtol=1e-12)
    batch = g(np.tile(x, (5, 1)), guess, np.tile(w, (5, 1)))
    np.testing.assert_allclose(batch, np.tile(w @ slopes[:, :2], (5, 1)), rtol=1e-12)


def test_parameters_become_an_input_with_slopes_of_its_own():
    program = with_parameters(circle(), ["r"])
    assert program.parameters == {}
    f, g = build(program, backend="c"), build(adjoint_program(program, ["x", "p"]), backend="c")
    r = np.array([[1.7], [2.5]])
    x, guess, w = np.array([0.9, 0.3]), np.array([1.0]), np.array([0.7, -1.1])
    for k in range(2):
        z, slopes = exact(0.9, 0.3, r[k, 0])
        np.testing.assert_allclose(f(x, r, guess)[k], z, rtol=1e-14)
        found = g(x, r, guess, w)
        np.testing.assert_allclose(np.r_[found.d_x[k], found.d_p[k]], w @ slopes, rtol=1e-12)


def test_the_adjoint_of_an_adjoint_has_second_derivatives():
    program = circle()
    once = adjoint_program(program, ["x"])
    twice = build(adjoint_program(once, ["x"]), backend="c")
    slope = build(once, backend="c")
    x, guess, w, v = np.array([0.9, 0.3]), np.array([1.0]), np.array([0.7, -1.1]), np.array([0.2, 0.5])
    h = 1e-6
    differences = [(slope(x + h * e, guess, w) - slope(x - h * e, guess, w)) @ v / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(twice(x, guess, w, v), differences, rtol=1e-8)


def test_inputs_that_nothing_depends_on_have_slopes_of_zero():
    with fresh_graph():
        q = variable("q[0]")
        program = Program("f", "m", "y", {"q": Input(2), "u": Input(1)}, {"y": Output((), (cos(q),))})
    g = build(adjoint_program(program, ["q", "u"]), backend="c")
    found = g(np.array([0.4, 1.0]), np.zeros(1), np.ones(1))
    np.testing.assert_allclose(found.d_q, [-np.sin(0.4), 0.0])
    assert found.d_u.tolist() == [0.0]


@pytest.mark.parametrize("backend", ["c", "python"])
def test_a_tape_has_what_is_dear_and_the_adjoint_needs_no_newtons_method(backend):
    """The root on the circle, and sine and cosine of x, are computed once; what comes back is the same."""
    forward, backward = taped_programs(circle(), ["x"])
    assert backward.closure is None
    assert "guess" not in backward.inputs
    assert not {"sin", "cos", "sqrt"} & {node.op for node in needed(backward.results)}
    f, g = build(forward, backend=backend), build(backward, backend=backend)
    x, guess, w = np.array([0.9, 0.3]), np.array([1.0]), np.array([0.7, -1.1])
    z, slopes = exact(0.9, 0.3, 2.0)
    made = f(x, guess)
    np.testing.assert_allclose(made.z, z, rtol=1e-14)
    assert sorted(made.tape) == pytest.approx(sorted([np.sqrt(4.0 - 0.36), np.sin(0.9), np.cos(0.9)]))
    np.testing.assert_allclose(g(x, w, made.tape), w @ slopes[:, :2], rtol=1e-12)


def test_without_anything_dear_the_tape_is_empty():
    with fresh_graph():
        q = variable("q[0]")
        program = Program("f", "m", "y", {"q": Input(1)}, {"y": Output((1,), (q * q,))})
    forward, backward = (build(one, backend="c") for one in taped_programs(program, ["q"]))
    made = forward(np.array([3.0]))
    assert made.tape.shape == (0,)
    assert backward(np.array([3.0]), np.array([2.0]), made.tape).tolist() == [12.0]
