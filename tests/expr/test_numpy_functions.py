"""NumPy's and math's functions of expressions give what they give of numbers."""

import math

import numpy as np
import pytest

import symbody as sb
from symbody.expr.graph import evaluate
from symbody.expr.node import Expr, variable
from symbody.expr.numpy_functions import FUNCTIONS, MATH, UFUNCS, with_expressions

BOUNDED = ("arcsin", "arccos", "asin", "acos")  # take −1 … 1


def numbers(name, arity):
    """Places where the function is defined and no branch lies near."""
    rng = np.random.default_rng(len(name))
    return rng.uniform(0.1, 0.9 if name in BOUNDED else 2.5, (5, arity)).tolist()


def traced(function, x):
    """The function of symbols, evaluated at numbers."""
    symbols = [variable(f"x{i}") for i in range(len(x))]
    made = function(*symbols)
    assert isinstance(made, Expr)
    return evaluate([made], {f"x{i}": value for i, value in enumerate(x)})[0]


@pytest.mark.parametrize("name", UFUNCS)
def test_an_element_wise_function_of_an_expression(name):
    function = getattr(np, name)
    for x in numbers(name, function.nin):
        assert traced(function, x) == pytest.approx(float(function(*x)), rel=1e-13)


@pytest.mark.parametrize("name", [name for name in UFUNCS if getattr(np, name).nin == 2])
def test_with_a_number_of_numpy_on_either_side(name):
    function = getattr(np, name)
    for a, b in numbers(name, 2):
        assert traced(lambda x, a=a: function(np.float64(a), x), [b]) == pytest.approx(float(function(a, b)))
        assert traced(lambda x, b=b: function(x, np.float64(b)), [a]) == pytest.approx(float(function(a, b)))


@pytest.mark.parametrize("name", MATH)
def test_a_law_may_use_the_module_math(name):
    arity = getattr(np, {"pow": "power", "fabs": "absolute"}.get(name, name), None)
    x = numbers(name, 2 if name in ("atan2", "pow", "hypot") else 1)[0]
    law = eval(f"lambda *x: math.{name}(*x)", {"math": math})
    named = eval(f"lambda *x: {name}(*x)", {name: getattr(math, name)})
    for one in (law, named):
        assert traced(with_expressions(one), x) == pytest.approx(getattr(math, name)(*x), rel=1e-13)
        assert with_expressions(one)(*x) == getattr(math, name)(*x)  # of numbers: math itself
    assert arity is not None or name in ("asin", "acos", "atan", "atan2")


def test_a_law_without_math_is_itself():
    def law(q, qd, p):
        return q

    assert with_expressions(law) is law
    assert with_expressions(np.sin) is np.sin


@pytest.mark.parametrize("x", [-2.0, -0.3, 0.0, 0.4, 5.0])
def test_choices_and_tables(x):
    xs, ys = [-1.0, 0.0, 2.0], [3.0, -1.0, 4.0]
    for function in (
        lambda q: np.clip(q, -0.5, 0.5),
        lambda q: np.clip(q, None, 0.5),
        lambda q: np.clip(q, a_min=-0.5, a_max=None),
        lambda q: np.where(q < 0.1, 2.0 * q, q**2),
        lambda q: np.interp(q, xs, ys),
        lambda q: np.interp(q, np.array(xs), np.array(ys), left=7.0, right=-8.0),
        lambda q: abs(q),
        lambda q: 2.0 ** (0.5 * q),
        lambda q: np.where(np.logical_and(q > -1.0, q < 1.0), 1.0, 0.0),
    ):
        assert traced(lambda q, f=function: f(q) + 0.0 * q, [x]) == pytest.approx(float(function(x)), abs=1e-14)


def test_arrays_of_expressions():
    x, y = variable("x"), variable("y")
    force = np.array([[1.0, 2.0], [0.0, 3.0]]) @ np.array([x, y]) - x * np.array([1.0, 1.0])
    values = evaluate(
        [*force, np.linalg.norm(np.array([x, y])), np.sum(np.sin(np.array([x, y])))], {"x": 0.6, "y": 0.8}
    )
    assert values == pytest.approx([1.6, 1.8, 1.0, math.sin(0.6) + math.sin(0.8)], rel=1e-14)


def test_expressions_side_by_side_and_functions_of_two_arrays():
    x, y = variable("x"), variable("y")
    row = np.stack([x, y, 2.0 * x], axis=-1)
    assert row.shape == (3,)
    assert row.dtype == object
    assert np.stack([row, row], axis=-2).shape == (2, 3)
    angles = np.arctan2(row, row[::-1])
    at = {"x": 0.3, "y": -0.7}
    assert evaluate(list(angles), at) == pytest.approx(np.arctan2([0.3, -0.7, 0.6], [0.6, -0.7, 0.3]))


@pytest.mark.parametrize("function", [np.floor, np.linalg.inv, lambda x: np.add.reduce(x), np.cumsum])
def test_what_cannot_be_traced_is_named_with_what_can(function):
    with pytest.raises(TypeError, match=r"cannot be traced; NumPy functions that can: .*arctan2.*where"):
        function(variable("x"))


def test_every_function_of_the_table_is_tried_above():
    assert set(FUNCTIONS) == {"clip", "where", "interp", "stack"}


def test_a_pendulum_with_laws_as_numpy_users_write_them():
    """The same motion as with functions of our own."""

    def model(law):
        m = sb.Model("pendulum", gravity=(0, 0, -9.81))
        m.body("bar", joints=[sb.Joint("hinge", "R2")], mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        m.joint_force("hinge")(law)
        return sb.system(m)

    def ordinary(q, qd, p):
        return (
            -0.3 * np.tanh(10.0 * qd) - np.interp(q, [-1.0, 0.0, 1.0], [-2.0, 0.0, 5.0]) + math.sin(q) * abs(qd) ** 1.5
        )

    def own(q, qd, p):
        f = sb.functions
        spring = f.table(f.clip(q, -1.0, 1.0), [-1.0, 0.0, 1.0], [-2.0, 0.0, 5.0])
        return -0.3 * f.tanh(10.0 * qd) - spring + f.sin(q) * f.absolute(qd) ** 1.5

    x = [0.7, -1.2]
    assert model(ordinary).rates(0.0, x) == pytest.approx(model(own).rates(0.0, x), abs=0.0)
