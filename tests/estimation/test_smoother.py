"""What is known afterwards is known better, and on a linear machine exactly as well as theory says."""

from functools import cache

import numpy as np
from test_error_state import oscillator, pendulum

import symbody as sb
from orderings import SEEDS, Ordering, check
from symbody.estimation.estimate import estimate
from symbody.estimation.smoother import smoothed


def test_on_a_linear_machine_it_is_least_squares_over_all_measurements():
    """The estimates that make all measurements and the start together most likely, solved at once."""
    s, dt, sigma = oscillator(), 5e-3, 0.02
    rng, n = np.random.default_rng(5), 40
    z = 0.1 * rng.normal(size=n)
    twin = estimate(s, ["mass.q"], {"mass.q": sigma}, {"mass.qd": 0.4}, dt=dt, start={"mass.q": 0.1, "mass.qd": 0.2})
    F, Q = None, twin.doubt.over(dt)
    found = smoothed(twin, np.zeros((n, 0)), z[:, np.newaxis])
    twin.predict()
    F = twin.transition()
    rows, right = [], []

    def add(block, value, covariance):
        W = np.linalg.inv(np.linalg.cholesky(covariance))
        rows.append(W @ block)
        right.append(W @ value)

    unknowns = 2 * (n + 1)
    at = lambda k: np.eye(unknowns)[2 * k : 2 * k + 2]  # noqa: E731
    add(at(0), s.x0, np.diag([0.01, 0.04]))
    for k in range(n):
        add(at(k + 1) - F @ at(k), np.zeros(2), Q)
        add(at(k + 1)[:1], z[k : k + 1], np.array([[sigma**2]]))
    A, b = np.vstack(rows), np.concatenate(right)
    best = np.linalg.solve(A.T @ A, A.T @ b).reshape(n + 1, 2)[1:]
    spread = np.sqrt(np.diag(np.linalg.inv(A.T @ A))).reshape(n + 1, 2)[1:]
    assert np.abs(found.mean - best).max() < 1e-7  # steps of rk4 are right to that
    assert np.allclose(found.sigma, spread, rtol=1e-4)


def test_afterwards_a_pendulum_is_known_better():
    """Over ten times six starts at random, as uncertain as the filter assumes."""
    s, dt, sigma = pendulum(), 1e-2, 0.05
    told = ["arm.q"], {"arm.q": sigma}, {"arm.qd": 0.01}

    @cache
    def errors(seed):
        """Root mean squares of the errors of angle and rate: of the filter, and of both directions."""
        rng, squares = np.random.default_rng(seed), []
        for _ in range(6):
            truth = sb.simulate(s, 0.6, dt, x0=s.x0 + 0.05 * rng.normal(size=2))
            z = truth["arm.q"][1:, np.newaxis] + sigma * rng.normal(size=(len(truth) - 1, 1))
            u = np.zeros((len(z), 0))
            forward, *_ = estimate(s, *told, dt=dt).follow(u, z)
            both = smoothed(estimate(s, *told, dt=dt), u, z)
            true = np.column_stack([truth["arm.q"], truth["arm.qd"]])[1:]
            squares.append([np.mean((one - true) ** 2, axis=0) for one in (forward, both.mean)])
        return dict(zip(("filter", "smoother"), np.sqrt(np.mean(squares, axis=0)), strict=True))

    for k, what in enumerate(("angle", "rate")):
        check(Ordering(f"error of the {what}", "smoother", "filter", lambda name, seed, k=k: errors(seed)[name][k]))
    assert np.all(np.mean([errors(seed)["smoother"] / errors(seed)["filter"] for seed in SEEDS], axis=0) < 0.9)
