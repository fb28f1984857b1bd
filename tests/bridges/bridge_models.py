"""What the bridges lead over in tests: an arm, a cart with a pole, a four-bar linkage; differences to compare with."""

from functools import cache

import numpy as np

import symbody as sb
from symbody import machines


@cache
def arm() -> sb.Function:
    """Inverse dynamics of a six-axis arm."""
    return sb.compile(machines.model("arm6"), "inverse", loads=False)


@cache
def cart_pole() -> sb.System:
    return sb.system(machines.model("cart-pole"))


@cache
def four_bar() -> sb.System:
    return sb.system(machines.model("four-bar"), outputs=["rocker.q", "coupler.qd"])


def differences(f, x, h=1e-6):
    """∂f/∂x by central differences, x last."""
    x = np.asarray(x, dtype=float)
    columns = [(np.asarray(f(x + h * e)) - np.asarray(f(x - h * e))) / (2 * h) for e in np.eye(len(x))]
    return np.stack(columns, axis=-1)


def tables() -> sb.System:
    """A mass on a spring by a table, with friction that changes with the place: all kinds of choices in one law."""
    m = sb.Model("tabled")
    m.body("sledge", joints=[sb.Joint("x", "T1", q0=(0.4,))], mass=2.0)
    fn = sb.functions

    @m.joint_force("x")
    def spring(q, qd, p):
        grip = fn.table2(q, qd, [-1, 0, 1], [-1, 1], [[1, 2], [3, 1], [0, 4]])
        stop = fn.where(q > 1.0, 50 * (q - 1.0) ** 2, fn.minimum(q, fn.tanh(qd)))
        return -fn.table(q, [-1, 0, 0.5, 2], [-3, 0, 1, 9]) - grip * fn.sign(qd) * abs(qd) - stop

    return sb.system(m)
