"""Derivatives must agree with complex steps and differences; tables and text of expressions."""

import pytest

from symbody.expr import functions as fn
from symbody.expr.derive import adjoint, derivative, jacobian
from symbody.expr.graph import evaluate, operations
from symbody.expr.node import cos, power, sin, sqrt, variable
from symbody.expr.substitute import substituted

SMOOTH = {
    "rational": lambda x, y: (x * y + 2) / (1 + x * x),
    "trigonometric": lambda x, y: sin(x * y) * cos(x) + fn.tan(x / 3),
    "roots and powers": lambda x, y: sqrt(1 + x * x) + power(x + 3, 2.5) + power(x, -3) + power(2 + y * y, x),
    "exponentials": lambda x, y: fn.exp(-x * x) * fn.log(2 + y * y + x) + fn.tanh(x * y),
    "inverse functions": lambda x, y: fn.asin(x / 3) + fn.acos(y / 3) + fn.atan(x * y) + fn.atan2(y, x),
    "choices": lambda x, y: fn.maximum(x, y) * fn.minimum(x * x, y) + fn.absolute(y) * x + fn.where(x < y, x, x * y),
    "table": lambda x, y: fn.table(x * y, [-2, -1, 0, 1], [1.0, 3.0, -2.0, 5.0]) * x,
    "table of two": lambda x, y: fn.table2(x, y, [0, 1, 2], [-2, -1, 0], [[1, 2, 4], [3, 1, 0], [2, 2, 5]]) + x,
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_agree_with_complex_steps(name):
    x, y = variable("x"), variable("y")
    f = SMOOTH[name](x, y)
    for at in (0.7, 1.4):
        values = {"x": at, "y": -1.3}
        (d,) = evaluate([derivative(f, x)], values)
        (step,) = evaluate([f], {"x": complex(at, 1e-30), "y": -1.3})
        assert d == pytest.approx(step.imag / 1e-30, rel=1e-12)


def test_second_derivatives_agree_with_differences():
    x, y = variable("x"), variable("y")
    f = SMOOTH["exponentials"](x, y) + SMOOTH["trigonometric"](x, y) + SMOOTH["table of two"](x, y)
    dxy = derivative(derivative(f, x), y)
    h = 1e-6

    def slope(y_value):
        return evaluate([derivative(f, x)], {"x": 0.7, "y": y_value})[0]

    assert evaluate([dxy], {"x": 0.7, "y": -1.3})[0] == pytest.approx(
        (slope(-1.3 + h) - slope(-1.3 - h)) / (2 * h), rel=1e-6
    )


def test_jacobian_shares_work_with_the_function():
    x = [variable(f"x[{i}]") for i in range(6)]
    f = x[0]
    for a in x[1:]:
        f = sin(f * a) + a
    (row,) = jacobian([f], x)
    assert operations([f, *row]).total < 15 * operations([f]).total
    values = {f"x[{i}]": 0.3 + 0.1 * i for i in range(6)}
    for i, d in enumerate(row):
        (step,) = evaluate([f], values | {f"x[{i}]": complex(values[f"x[{i}]"], 1e-30)})
        assert evaluate([d], values)[0] == pytest.approx(step.imag / 1e-30, rel=1e-12)


def test_tables_continue_along_their_end_pieces():
    x = variable("x")
    t = fn.table(x, [0, 1, 3], [0.0, 2.0, 0.0])
    assert [evaluate([t], {"x": v})[0] for v in (-1.0, 0.5, 1.0, 4.0)] == [-2.0, 1.0, 2.0, -1.0]
    with pytest.raises(ValueError, match="increasing"):
        fn.table(x, [0, 0], [1, 2])


def test_text_of_an_expression():
    x, y = variable("x"), variable("y")
    assert str(x - (y - x * y)) == "x - (y - x*y)"
    assert str(-(x + y) / sin(x)) == "-(x + y)/sin(x)"


def compiled_value(y, values):
    """As C computes it, where 0/0 is NaN and no error."""
    from symbody.codegen import build
    from symbody.codegen.program import Input, Output, Program

    names = {name: variable(f"{name}[0]") for name in values}
    (moved,) = substituted([y], {variable(name): new for name, new in names.items()})
    program = Program("value", "m", "y", {name: Input(1) for name in values}, {"y": Output((1,), (moved,))})
    return build(program, backend="c")(*([value] for value in values.values()))[0]


@pytest.mark.parametrize("name", SMOOTH)
def test_adjoints_are_the_transpose_of_the_jacobian(name):
    x, y, w = variable("x"), variable("y"), [variable("w0"), variable("w1")]
    outputs = [SMOOTH[name](x, y), SMOOTH[name](y * y + 0.1, x)]
    J, values = jacobian(outputs, [x, y]), {"x": 0.7, "y": -1.3, "w0": 0.4, "w1": -2.1}
    expected = [J[0][k] * w[0] + J[1][k] * w[1] for k in range(2)]
    assert evaluate(adjoint(outputs, w, [x, y]), values) == pytest.approx(evaluate(expected, values), rel=1e-12)


def test_an_adjoint_costs_the_same_for_any_number_of_symbols():
    x = [variable(f"x[{i}]") for i in range(40)]
    y = x[0]
    for z in x[1:]:
        y = sin(y) * z + y / (2 + z * z)
    whole = operations(adjoint([y], [variable("w")], x)).total
    assert whole < 6 * operations([y]).total
    assert whole < operations(jacobian([y], x)[0]).total / 5


def test_what_is_not_chosen_does_not_spoil_an_adjoint():
    """√x has an infinite slope at 0, where the other branch is taken."""
    x, w = variable("x"), variable("w")
    f = fn.where(x > 0, 3 * sqrt(x), 2 * x)
    values = {"x": 0.0, "w": 1.5}
    assert compiled_value(adjoint([f], [w], [x])[0], values) == 3.0
