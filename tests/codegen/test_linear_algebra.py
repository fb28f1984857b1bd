"""linear_algebra.h against NumPy: LU with several right sides, scaled equations, Cholesky; singular matrices."""

import ctypes

import numpy as np
import pytest

from symbody.codegen import cache as store
from symbody.codegen.includes import TranslationUnit, c_file
from symbody.codegen.tiers import Code, can_compile, library

EXPORTED = """
int solve(int64_t n, int64_t w, double *A, int64_t *pivots, double *B, double least)
{
    if (!lu(n, A, pivots, least))
        return 0;
    lu_solve(n, w, A, pivots, B);
    return 1;
}
int solve_one(int64_t n, double *A, int64_t *pivots, double *b)
{
    if (!lu(n, A, pivots, 0.0))
        return 0;
    lu_solve_one(n, A, pivots, b);
    return 1;
}
int scaled(int64_t n, double *A, int64_t *pivots, double *b) { return solve_scaled(n, A, pivots, b); }
int factor(int64_t n, double *A) { return cholesky(n, A); }
void substitute(int64_t n, const double *L, double *x) { forward(n, L, x), backward(n, L, x); }
void multiply(int64_t n, const double *A, const double *B, double *C) { matrix_product(n, A, B, C); }
"""
SIZES = [1, 2, 3, 5, 8, 9, 16, 23]  # around the width of tiles and panels


@pytest.fixture(scope="module", params=["quick", "optimised"])
def c(request):
    if not can_compile():
        pytest.skip("no C compiler")
    text = TranslationUnit().paste(c_file("linear_algebra.h")) + EXPORTED
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SYMBODY_TIER", request.param)
        made, _ = library(Code(store.digest(text), lambda: {"algebra.c": text}, 1000))
        yield ctypes.CDLL(str(made.path))


def at(array):
    return ctypes.c_void_p(array.ctypes.data)


def size(n):
    return ctypes.c_int64(n)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("w", [1, 3, 4, 10])
def test_lu_solves_several_right_sides(c, n, w):
    rng = np.random.default_rng(n)
    A, B = rng.standard_normal((n, n)), rng.standard_normal((n, w))
    A[rng.random((n, n)) < 0.3] = 0.0
    A += np.diag(rng.permutation(np.arange(1.0, n + 1.0)))[:, ::-1]  # large elements away from the diagonal
    factors, x, pivots = A.copy(), B.copy(), np.zeros(n, dtype=np.int64)
    assert c.solve(size(n), size(w), at(factors), at(pivots), at(x), ctypes.c_double(0.0))
    np.testing.assert_allclose(A @ x, B, atol=1e-11)
    factors, b = A.copy(), B[:, 0].copy()
    assert c.solve_one(size(n), at(factors), at(pivots), at(b))
    np.testing.assert_allclose(A @ b, B[:, 0], atol=1e-11)


@pytest.mark.parametrize("n", [1, 4, 9, 12])
@pytest.mark.parametrize("wrong", [0.0, np.nan])
def test_a_singular_matrix_and_one_with_nan_have_no_factors(c, n, wrong):
    A, pivots = np.random.default_rng(1).standard_normal((n, n)), np.zeros(n, dtype=np.int64)
    A[:, n // 2] = wrong
    b = np.ones(n)
    assert not c.solve(size(n), size(1), at(A), at(pivots), at(b), ctypes.c_double(0.0))


@pytest.mark.parametrize("n", SIZES)
def test_scaled_equations_may_have_different_units(c, n):
    rng = np.random.default_rng(n)
    units = 10.0 ** rng.uniform(-12, 12, n)
    A, x = rng.standard_normal((n, n)) + 3.0 * np.eye(n), rng.standard_normal(n)
    S, b, pivots = units[:, None] * A, units * (A @ x), np.zeros(n, dtype=np.int64)
    assert c.scaled(size(n), at(S), at(pivots), at(b))
    np.testing.assert_allclose(b, x, rtol=1e-9, atol=1e-10)


def test_scaled_equations_that_are_singular_to_rounding_are_refused(c):
    A, pivots, b = np.array([[0.1, 0.3], [1e9 / 3.0, 1e9]]), np.zeros(2, dtype=np.int64), np.ones(2)
    assert not c.scaled(size(2), at(A), at(pivots), at(b))


@pytest.mark.parametrize("n", SIZES)
def test_cholesky_factors_and_solves(c, n):
    rng = np.random.default_rng(n)
    G, b = rng.standard_normal((n, n)), rng.standard_normal(n)
    A = G @ G.T + n * np.eye(n)
    L, x = A.copy(), b.copy()
    assert c.factor(size(n), at(L))
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(A), atol=1e-12 * n)
    c.substitute(size(n), at(L), at(x))
    np.testing.assert_allclose(A @ x, b, atol=1e-12)
    A[-1, -1] = -1.0
    assert not c.factor(size(n), at(A))


@pytest.mark.parametrize("n", SIZES)
def test_products(c, n):
    rng = np.random.default_rng(n)
    A, B, C = rng.standard_normal((3, n, n))
    c.multiply(size(n), at(A), at(B), at(C))
    np.testing.assert_allclose(C, A @ B, atol=1e-13 * n)
