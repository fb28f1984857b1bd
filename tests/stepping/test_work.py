"""∫P dt from powers at steps: order, error of jumps, a shortened last step; the work of pairs of forces and rates."""

import numpy as np
import pytest

from symbody.stepping.work import work_of_pairs, work_of_steps


def power(t):
    return np.cos(7.0 * t) + t**3


def work(t):
    return np.sin(7.0 * t) / 7.0 + t**4 / 4.0


@pytest.mark.parametrize("at", [[0, 100], [3, 50, 50, 97], list(range(101)), [5]])
def test_a_smooth_power_is_integrated_with_order_4(at):
    wrong = []
    for n in (100, 200):
        numbers = np.array(at) * n // 100
        joules, error = work_of_steps(power(np.arange(n + 1) / n), 1 / n, numbers)
        wrong.append(np.abs(joules - work(numbers / n)).max())
        assert wrong[-1] <= error.max() + 1e-15
    assert np.log2(wrong[0] / wrong[1]) > 3.7


@pytest.mark.parametrize("jump", [0.301, 0.304, 0.306, 0.309])
def test_the_error_of_a_jump_is_estimated(jump):
    t = np.arange(101) / 100
    joules, error = work_of_steps(np.where(t > jump, 5.0, 1.0), 0.01, np.array([0, 20, 100]))
    assert error[1] == pytest.approx(0.0, abs=1e-15)  # before the jump
    assert abs(joules[-1] - (jump + 5.0 * (1.0 - jump))) <= error[-1] + 0.02  # half a step of 4 W
    assert error[-1] > 0.0


def test_the_last_step_may_be_shorter():
    t = np.r_[np.arange(101) / 100, 1.004]
    joules, _ = work_of_steps(power(t), 0.01, np.array([100, 101]), rest=0.004)
    np.testing.assert_allclose(joules, work(t[-2:]), atol=2e-7)


def test_the_work_of_pairs_is_that_of_a_spring_whatever_the_step():
    x, v = np.array([1.0, -0.6, 0.2]), np.array([0.0, -32.0, 48.0])  # the trapezoidal rule: Δx = h (v₀ + v₁)/2, h = 0.1
    pairs = np.c_[-40.0 * x, v]
    np.testing.assert_allclose(work_of_pairs(pairs, 0.1), -20.0 * np.diff(x**2))
