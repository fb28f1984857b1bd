"""Linear systems of expressions, against NumPy: orders, sparsity, and matrices that are singular by structure."""

import numpy as np
import pytest

from symbody.expr.graph import evaluate, operations
from symbody.expr.linear import ZeroPivot, factorise, factorise_blocks, factorise_sparse, minimum_degree
from symbody.expr.node import ZERO, variable
from symbody.expr.vector import Mat, Vec

RNG = np.random.default_rng(7)


def vector(n: int) -> Vec:
    return Vec([variable(f"b[{i}]") for i in range(n)])


def matrix(n: int, filled) -> Mat:
    """Symbols where `filled(i, j)`, else zeros."""
    symbols = [[variable(f"a[{i * n + j}]") if filled(i, j) else ZERO for j in range(n)] for i in range(n)]
    return Mat([Vec(row) for row in symbols])


def sparse(n: int, share: float):
    """A random matrix with a strong diagonal: its expressions, its numbers, and what the symbols stand for."""
    numbers = np.where(RNG.random((n, n)) < share, RNG.normal(size=(n, n)), 0.0) + n * np.eye(n)
    A = matrix(n, lambda i, j: numbers[i, j] != 0.0)
    values = {f"a[{i * n + j}]": numbers[i, j] for i in range(n) for j in range(n)}
    return A, numbers, values


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_solutions_are_those_of_numpy(share):
    A, numbers, values = sparse(6, share)
    b = vector(6)
    right = RNG.normal(size=6)
    values |= {f"b[{i}]": right[i] for i in range(6)}
    x = np.linalg.solve(numbers, right)
    np.testing.assert_allclose(evaluate(factorise(A).solve(b), values), x, rtol=1e-12)
    np.testing.assert_allclose(evaluate(factorise_sparse(A).solve(b), values), x, rtol=1e-12)
    y = np.linalg.solve(numbers.T, right)
    np.testing.assert_allclose(evaluate(factorise(A).solve_transposed(b), values), y, rtol=1e-12)


def test_stored_factors_solve_as_the_factors_do():
    A, numbers, values = sparse(5, 0.4)
    stored, factors = factorise_sparse(A).stored("lu")
    values |= {f"lu[{k}]": number for k, number in enumerate(evaluate(stored, values))}
    b = vector(5)
    values |= {f"b[{i}]": 1.0 + i for i in range(5)}
    x = np.linalg.solve(numbers, np.arange(1.0, 6.0))
    np.testing.assert_allclose(evaluate(factors.solve(b), values), x, rtol=1e-12)


def test_the_order_keeps_an_arrow_sparse():
    """Row and column 0 full, else a diagonal: taken first it fills everything, taken last nothing."""
    n = 8
    arrow = matrix(n, lambda i, j: i == j or 0 in (i, j))
    assert 0 in minimum_degree(arrow)[-2:]  # the last two are alike
    b = vector(n)
    assert operations(factorise_sparse(arrow).solve(b)).total < 0.2 * operations(factorise(arrow).solve(b)).total


def test_a_matrix_that_is_singular_by_structure_is_named():
    x = variable("x")
    with pytest.raises(ZeroPivot, match="pivot 1") as error:
        factorise(Mat([Vec([x, ZERO]), Vec([x, ZERO])]))
    assert error.value.index == 1


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1, 1), (2, 1, 2), (1, 2, 2)])
def test_blocks_solve_as_numpy_does(sizes):
    A, numbers, values = sparse(5, 1.0)
    right = RNG.normal(size=5)
    values |= {f"b[{i}]": right[i] for i in range(5)}
    factors = factorise_blocks(A, sizes)
    np.testing.assert_allclose(evaluate(factors.solve(vector(5)), values), np.linalg.solve(numbers, right), rtol=1e-11)
    transposed = np.linalg.solve(numbers.T, right)
    np.testing.assert_allclose(evaluate(factors.solve_transposed(vector(5)), values), transposed, rtol=1e-11)
    assert np.prod(evaluate(factors.pivots, values)) == pytest.approx(np.linalg.det(numbers), rel=1e-11)


def test_a_pair_that_turned_needs_no_other_order():
    """A rotation by a right angle has zeros on its diagonal, and a determinant of one."""
    c, s = variable("c"), variable("s")
    turned = Mat([Vec([c, -s]), Vec([s, c])])
    values = {"c": 0.0, "s": 1.0, "b[0]": 3.0, "b[1]": 4.0}
    assert evaluate(factorise_blocks(turned, (2,)).solve(vector(2)), values) == pytest.approx([4.0, -3.0])
    with pytest.raises(ZeroPivot, match="pivot 0"):
        factorise_blocks(Mat([Vec([c, c]), Vec([ZERO, ZERO])]), (2,))
