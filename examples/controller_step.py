"""A controller at 1 kHz balances a pole on its cart: each call advances the machine by one step."""

import time

import numpy as np
from scipy.linalg import solve_continuous_are

import symbody as sb
from symbody import machines

DT, SECONDS, PUSH = 1e-3, 10.0, 12.0  # s, s, N: the largest force


def regulator(s: sb.System) -> np.ndarray:
    """K of the force −K x that is best for ∫ xᵀQx + uᵀRu dt about the upright pole, from the exact A and B."""
    about = s.linear(0.0, np.zeros(len(s.states)))
    Q, R = np.diag([1.0, 10.0, 0.1, 1.0]), np.array([[0.1]])
    return np.linalg.solve(R, about.B.T @ solve_continuous_are(about.A, about.B, Q, R))


def main() -> None:
    s = sb.system(machines.model("cart-pole"))
    assert s.states == ["x.q", "tilt.q", "x.qd", "tilt.qd"]
    K, pole = regulator(s), sb.stepper(s, "rk4", dt=DT)

    x = pole.reset(np.array([0.0, 0.3, 0.0, 0.0]))  # 17 degrees from upright
    began = time.perf_counter()
    for k in range(round(SECONDS / DT)):
        u = np.clip(-K @ x, -PUSH, PUSH)
        x = pole.step(x, u)
        if k == 4000:
            s.parameters["pole"] = 0.2  # a weight is added: no new compilation
    took = (time.perf_counter() - began) * DT / SECONDS
    print(
        f"after {pole.t:.0f} s the pole is {x[1]:.1e} rad from upright; {took * 1e6:.0f} µs a step, controller included"
    )
    assert np.abs(x).max() < 1e-3

    starts = np.zeros((200, 4))  # the tilts that it can recover from
    starts[:, 1] = np.linspace(0.0, 1.2, len(starts))
    s.parameters["pole"] = 0.1
    x, crowd = starts, sb.stepper(s, "rk4", dt=DT)
    for _ in range(4000):
        x = crowd.step(x, np.clip(-x @ K.T, -PUSH, PUSH))
    caught = starts[np.abs(x[:, 1]) < 0.05, 1]
    print(f"it catches the pole from up to {caught.max():.2f} rad")
    assert 0.6 < caught.max() < 1.0


if __name__ == "__main__":
    main()
