"""A pole on a cart learns to balance: 64 copies in a Gymnasium vector environment, improved from round to round."""

from importlib.util import find_spec

import numpy as np

import symbody as sb
from symbody import machines

COPIES, ROUNDS, STEPS = 64, 8, 250
LIMITS = {"x.q": (-2.4, 2.4), "tilt.q": (-0.35, 0.35)}  # m, rad


def main() -> None:
    if not find_spec("gymnasium"):
        print("pip install 'symbody[gym]'")
        return
    from symbody.bridges.gymnasium import Environment, VectorEnvironment

    s = sb.system(machines.model("cart-pole"))
    task = {"limits": LIMITS, "spread": {"tilt.q": 0.15, "tilt.qd": 0.3, "x.q": 0.3}, "dt": 0.02, "steps": STEPS}
    many = VectorEnvironment(s, reward, {"force": (-10.0, 10.0)}, num_envs=COPIES, **task)
    rng, mean, spread = np.random.default_rng(0), np.zeros(4), np.full(4, 15.0)
    for k in range(ROUNDS):  # the cross-entropy method over the gains of a linear law
        gains = mean + spread * rng.normal(size=(COPIES, 4))
        total = returns(many, gains, seed=k)
        best = gains[np.argsort(total)[-COPIES // 8 :]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.3
        print(f"round {k + 1}: best return {total.max():6.1f}, mean {total.mean():6.1f} of {STEPS}")

    one = Environment(s, reward, {"force": (-10.0, 10.0)}, **task)
    seen, _ = one.reset(seed=100)
    steps, ended, cut = 0, False, False
    while not (ended or cut):
        seen, _, ended, cut, _ = one.step(np.array([mean @ seen], dtype=np.float32))
        steps += 1
    print(f"the learned law balances the pole for {steps} of {STEPS} steps")
    assert steps == STEPS


def reward(y: dict[str, np.ndarray], u: dict[str, np.ndarray]) -> np.ndarray:
    """One for each step upright, less a little for being away from the middle."""
    return 1.0 - 0.1 * y["x.q"] ** 2 - y["tilt.q"] ** 2


def returns(many, gains: np.ndarray, seed: int) -> np.ndarray:
    """What each copy gathers with its own gains until it first ends."""
    seen, _ = many.reset(seed=seed)
    total, alive = np.zeros(len(gains)), np.ones(len(gains), dtype=bool)
    for _ in range(STEPS):
        force = np.sum(gains * seen, axis=1, keepdims=True).astype(np.float32)
        seen, worth, ended, cut, _ = many.step(force)
        total += worth * alive
        alive &= ~(ended | cut)
    return total


if __name__ == "__main__":
    main()
