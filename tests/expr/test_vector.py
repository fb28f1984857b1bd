"""Vectors and matrices of expressions against NumPy, component by component."""

import numpy as np
import pytest

from symbody.expr.graph import evaluate
from symbody.expr.node import ONE, ZERO, Expr, const, variable
from symbody.expr.vector import (
    Mat,
    Vec,
    congruent,
    cross,
    dot,
    identity,
    norm,
    outer,
    skew,
    stack,
    symmetric_outer,
    unit,
    variables,
    zero_matrix,
    zeros,
)

RNG = np.random.default_rng(7)
SIZES = {"a": (3,), "b": (3,), "x": (4,), "A": (3, 4), "B": (3, 4), "C": (4, 3), "R": (3, 3), "E": (3, 3)}
NUMBERS = {name: RNG.normal(size=size) for name, size in SIZES.items()}
NUMBERS["a"][1] = NUMBERS["A"][0, 2] = NUMBERS["R"][1, 1] = 0.0  # structural zeros take paths of their own
NUMBERS["E"] += NUMBERS["E"].T
VALUES = {f"{name}[{i}]": x for name, array in NUMBERS.items() for i, x in enumerate(array.ravel())} | {"c": 1.7}
C = variable("c")


def symbolic(name):
    """The vector or matrix of symbols with these values; zeros are ZERO."""
    symbols = [variable(f"{name}[{i}]") if x else ZERO for i, x in enumerate(NUMBERS[name].ravel())]
    if len(SIZES[name]) == 1:
        return Vec(symbols)
    width = SIZES[name][1]
    return Mat([Vec(symbols[i : i + width]) for i in range(0, len(symbols), width)])


def value(x):
    if isinstance(x, Expr):
        return evaluate([x], VALUES)[0]
    return np.array([value(y) for y in x])


a, b, x, A, B, D, R, E = map(symbolic, ("a", "b", "x", "A", "B", "C", "R", "E"))
na, nb, nx, nA, nB, nD, nR, nE = (NUMBERS[name] for name in ("a", "b", "x", "A", "B", "C", "R", "E"))


@pytest.mark.parametrize(
    ("ours", "numpy"),
    [
        (a + b, na + nb),
        (a - b, na - nb),
        (b - a, nb - na),
        (-a, -na),
        (C * a, 1.7 * na),
        (a * C, 1.7 * na),
        (2.0 * a, 2.0 * na),
        (a / C, na / 1.7),
        (a @ b, na @ nb),
        (dot(a, b), na @ nb),
        (norm(a), np.linalg.norm(na)),
        (cross(a, b), np.cross(na, nb)),
        (cross(b, a), np.cross(nb, na)),
        (skew(a) @ b, np.cross(na, nb)),
        (outer(a, b), np.outer(na, nb)),
        (symmetric_outer(a, b), np.outer(na, nb) + np.outer(nb, na)),
        (stack(a, b), np.r_[na, nb]),
        (x.take([3, 0]), nx[[3, 0]]),
        (A + B, nA + nB),
        (A - B, nA - nB),
        (-A, -nA),
        (C * A, 1.7 * nA),
        (3.0 * A, 3.0 * nA),
        (A.T, nA.T),
        (A @ x, nA @ nx),
        (A @ D, nA @ nD),
        (A.T @ a, nA.T @ na),
        (R @ E @ R.T, nR @ nE @ nR.T),
        (congruent(R, E), nR @ nE @ nR.T),
        (A.column(2), nA[:, 2]),
        (A.rows([2, 0]), nA[[2, 0]]),
        (A.block([2, 0], [3, 1]), nA[np.ix_([2, 0], [3, 1])]),
        (unit(1), np.eye(3)[1]),
        (identity(), np.eye(3)),
        (zero_matrix(2, 3), np.zeros((2, 3))),
    ],
)
def test_as_numpy_has_it(ours, numpy):
    np.testing.assert_allclose(value(ours), numpy, rtol=1e-14, atol=1e-14)
    assert isinstance(ours, {0: Expr, 1: Vec, 2: Mat}[np.ndim(numpy)])


def test_put_changes_a_copy():
    before = variables("x", 4)
    after = before.put([2, 0], [ONE, ZERO])
    assert after == [ZERO, before[1], ONE, before[3]]
    assert before == variables("x", 4)


def test_in_place_operators_make_new_vectors():
    total = kept = a
    total += b
    total *= 2.0
    np.testing.assert_allclose(value(total), 2.0 * (na + nb))
    assert kept is a
    assert value(a) == pytest.approx(na)


def test_copies_of_matrices_have_rows_of_their_own():
    copy = A.copy()
    copy[0][0] = ZERO
    assert A[0][0] is not ZERO


def test_lists_and_vectors_are_not_mixed_up():
    joined = [ONE]
    with pytest.raises(TypeError, match="concatenate"):
        joined += a
    with pytest.raises(TypeError, match="concatenate"):
        joined + a
    with pytest.raises(TypeError):
        C * [ONE]


def test_lengths_must_agree():
    for wrong in (lambda: a + x, lambda: a - x, lambda: dot(a, x), lambda: A @ a, lambda: cross(a, x)):
        with pytest.raises(ValueError, match=r"zip|unpack"):
            wrong()


def test_zeros_cost_nothing():
    assert zeros() + a == a
    assert a - zeros() == a
    assert const(2.0) * zeros() == zeros()
    assert cross(unit(0), unit(1)) == unit(2)
    assert cross(a, zeros()) == zeros()
    assert identity() @ b == b
    assert dot(a, zeros()) is ZERO
