"""Derivatives must agree with complex steps and differences; tables and text of expressions."""

import pytest

from symbody.expr import functions as fn
from symbody.expr.derive import derivative, jacobian
from symbody.expr.graph import evaluate, operations
from symbody.expr.node import cos, power, sin, sqrt, variable

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
    with pytest.raises(ValueError, match="rising"):
        fn.table(x, [0, 0], [1, 2])


def test_text_of_an_expression():
    x, y = variable("x"), variable("y")
    assert str(x - (y - x * y)) == "x - (y - x*y)"
    assert str(-(x + y) / sin(x)) == "-(x + y)/sin(x)"
