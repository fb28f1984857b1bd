"""An interrupted run keeps what it has."""

import numpy as np
import pytest

import symbody as sb


def test_an_interrupted_run_keeps_what_it_has():
    """A law that interrupts, as Ctrl-C would: the steps before it are there."""
    m = sb.Model("cart", gravity=(0, 0, 0))
    m.body("cart", joints=[sb.Joint("cart", "T1", v0=(1.0,))], mass=1.0)

    @m.joint_force("cart")
    @sb.numeric
    def late(q, qd, p):
        if p.t > 5.5:
            raise KeyboardInterrupt
        return 0.0

    with pytest.warns(UserWarning, match="interrupted after t = 5"):
        run = sb.simulate(m, 10.0, 1e-3)
    assert run.meta["interrupted"]
    assert 4.9 < run.t[-1] < 5.6
    np.testing.assert_allclose(run["cart.q"], run.t, atol=1e-12)
