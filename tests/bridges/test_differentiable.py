"""What all bridges share (differentiable.py): loops closed before a batch, in C and in NumPy."""

import numpy as np
import pytest
from bridge_models import four_bar

import symbody as sb
from far_states import crank_states, unreachable, wishbone
from symbody.bridges.differentiable import differentiable
from symbody.codegen.function import address_of


@pytest.mark.parametrize("threads", [1, 3])
def test_addresses_and_rows_give_the_same(threads):
    s, x = four_bar(), crank_states()
    bridge, y = differentiable(s, "rates", ()), np.empty((len(x), 2))
    bridge.at(len(x), {"x": address_of(x)}, [y], threads, False)
    np.testing.assert_allclose(y, s.rates(0.0, x), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(bridge.rows({"x": x})[0], y)


def test_one_open_state_is_an_error_and_a_row_is_nan():
    s = wishbone()
    bridge, x = differentiable(s, "outputs", ()), np.array([s.x0, unreachable(s)])
    y = np.empty((2, len(s.outputs)))
    bridge.at(2, {"x": address_of(x)}, [y], 1, False)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(bridge.rows({"x": x})[0]))
    np.testing.assert_array_equal(np.isnan(y).all(axis=1), [False, True])
    with pytest.raises(sb.AssemblyError, match=r"loop 'upper_ball' is open by 0\.057 m"):
        bridge.at(1, {"x": address_of(x[1:])}, [y[:1]], 1, True)
    with pytest.raises(sb.AssemblyError, match="loop 'upper_ball'"):
        bridge.rows({"x": x[1:]}, single=True)


def test_without_a_compiler_loops_are_followed_in_numpy():
    s = sb.system(four_bar().model, outputs=["rocker.q"], backend="python")
    x = crank_states()[:4]
    bridge = differentiable(s, "outputs", ("coupler_length",))
    assert bridge.paths is not None
    assert not bridge.paths.in_c
    expected = four_bar().observe(0.0, x)[:, :1]
    np.testing.assert_allclose(bridge.rows({"x": x})[0], expected, rtol=1e-9)
