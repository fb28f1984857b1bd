"""A pole on a cart learns to swing up: thousands of copies in one batch, a small network for each, in PyTorch."""

from importlib.util import find_spec
from math import pi

import symbody as sb
from symbody import machines

COPIES, ROUNDS, STEPS = 4096, 250, 200  # a round has 200 control steps of 20 ms: 4 s
FORCE, SEEN, HIDDEN = 15.0, 6, 16  # N; inputs and units of the network
ENERGY = 30.0  # 2 m g l / J of the pole about its hinge, rounded, 1/s²
DT, SUBSTEPS = 0.005, 4


def main() -> None:
    if not find_spec("torch"):
        print("pip install 'symbody[torch]'")
        return
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    copies, rounds = (COPIES, ROUNDS) if device == "cuda" else (256, 2)  # without a card: only two rounds
    s = sb.system(machines.model("cart-pole"))
    b = sb.batch(s, copies, device=device, dt=DT)
    start = s.x0.copy()
    start[s.states.index("tilt.q")] = pi  # hanging
    b.reset(start)
    hanging = b.save()
    places = [s.states.index(name) for name in ("x.q", "x.qd", "tilt.q", "tilt.qd")]

    torch.manual_seed(3)
    sizes = (SEEN * HIDDEN, HIDDEN, HIDDEN)  # weights and offsets of the first layer, weights of the second
    mean, width = torch.zeros(sum(sizes), device=device, dtype=torch.float64), 0.4

    def returns(parameters: torch.Tensor) -> torch.Tensor:
        """The sum of rewards of each copy with its own network; the states stay on the device."""
        first, offset, second = parameters.split(sizes, dim=1)
        first = first.reshape(copies, HIDDEN, SEEN)
        total = torch.zeros(copies, device=device, dtype=torch.float64)
        b.restore(hanging)
        for _ in range(STEPS):
            x, xd, tilt, rate = torch.as_tensor(b.x)[:, places].unbind(dim=1)
            energy = rate * rate / ENERGY + tilt.cos() - 1.0  # zero upright at rest
            seen = torch.stack([x, 0.3 * xd, tilt.cos(), tilt.sin(), 0.2 * rate, energy * rate * tilt.cos()], dim=1)
            hidden = torch.tanh(torch.einsum("nij,nj->ni", first, seen) + offset)
            force = FORCE * torch.tanh((second * hidden).sum(dim=1, keepdim=True))
            b.step(force, SUBSTEPS)
            total += tilt.cos() - 0.1 * (x * x).clamp(max=10.0) - 0.005 * (rate * rate).clamp(max=100.0)
        return total

    for k in range(rounds):  # an evolution strategy: steps along the ranks of the returns, with mirrored samples
        half = torch.randn(copies // 2, len(mean), device=device, dtype=torch.float64)
        noise = torch.cat([half, -half])
        total = returns(mean + width * noise)
        ranks = total.argsort().argsort().double() / (copies - 1) - 0.5
        mean += 25.0 * width * (ranks[:, None] * noise).mean(dim=0)
        if k % 25 == 0 or k == rounds - 1:
            print(f"round {k + 1}: best return {total.max():7.1f}, mean {total.mean():7.1f} of {STEPS}")
    print(f"{rounds * copies * STEPS * SUBSTEPS:.2e} steps on {device}")
    assert not b.failures
    assert device == "cpu" or total.mean() > 20.0  # hanging gives -200


if __name__ == "__main__":
    main()
