"""Linear filters as chains of integrators (filter_chain.py), against the solution of their differential equation."""

import numpy as np
import pytest

import symbody as sb
from symbody.motion.filter_chain import SMOOTHING, add_chain, monic, product, second_order, smoothed


def test_a_product_of_polynomials_is_that_of_numpy():
    a, b = [2.0, 3.0, 1.0], [5.0, 1.0]
    np.testing.assert_allclose(product(a, b)[::-1], np.polymul(a[::-1], b[::-1]))
    assert monic(a, b) == pytest.approx([10.0, 17.0, 8.0])
    assert second_order(0.5, 2.0) == [4.0, 2.0, 1.0]


def test_a_chain_solves_its_equation():
    """ẅ + 3ẇ + 2w = 1 from rest: w = ½ − e⁻ᵗ + ½ e⁻²ᵗ."""
    m = sb.Model("filter")
    w = add_chain(m, "w", lambda p: [2.0, 3.0], lambda s, p: 1.0)
    for k in range(3):
        m.signal(f"w{k}")(w(k))
    run = sb.simulate(sb.system(m), 3.0, 1e-3, energy="ignore")
    t, fall, fast = run.t, np.exp(-run.t), np.exp(-2.0 * run.t)
    np.testing.assert_allclose(run["w0"], 0.5 - fall + 0.5 * fast, atol=1e-9)
    np.testing.assert_allclose(run["w1"], fall - fast, atol=1e-9)
    np.testing.assert_allclose(run["w2"], -fall + 2.0 * fast, atol=1e-9)
    assert t[-1] == 3.0


def test_a_smoothed_ramp_follows_after_its_lag():
    m = sb.Model("lag")
    m.state("x")(lambda s, p: 1.0)
    found = smoothed(m, "x", lambda s, p: p.x, lambda s, p: 1.0)
    for name, law in zip(("y", "rate", "second"), found, strict=True):
        m.signal(name)(law)
    run = sb.simulate(sb.system(m), 0.1, 1e-4, energy="ignore")
    assert run["y"][-1] == pytest.approx(0.1 - 1.0 / SMOOTHING, abs=1e-9)
    assert run["rate"][-1] == pytest.approx(1.0, abs=1e-9)
    assert run["second"][-1] == pytest.approx(0.0, abs=1e-6)
