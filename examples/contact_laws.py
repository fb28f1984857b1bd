"""A comparison of contact laws: bouncing balls, and a felt that is compressed slowly and fast."""

from pathlib import Path

import numpy as np

import symbody as sb
from symbody.elements import Contact, Felt, HuntCrossley, Penalty, sphere_on_plane

MASS, RADIUS, HEIGHT = 0.01, 0.01, 0.05  # kg, m, m: the weight of a piano's hammer
FLOORS: dict[str, Contact] = {
    "penalty": Penalty(stiffness=5e3, damping=2.0),
    "Hunt–Crossley, restitution 0.6": HuntCrossley.bouncing(stiffness=1e5, restitution=0.6, speed=1.0),
    "felt": Felt(stiffness=2e9, exponent=3.0, hysteresis=0.4, relaxation=1e-3),
}
PRESSES = {"in 0.2 ms": 2e-4, "in 2 ms": 2e-3, "in 20 ms": 2e-2}  # s


def main(path: Path = Path("out/contact-laws.png")) -> None:
    bounces = {name: sb.simulate(dropped(law), 0.6, 5e-6, every=5e-05, outputs=["*"]) for name, law in FLOORS.items()}
    for name, run in bounces.items():
        lost = np.trapezoid(run["floor.dissipated"], run.t)
        print(f"{name:30}: {rebound(run):.2f} of the speed after the first bounce, {1e3 * lost:.2f} mJ lost in 0.6 s")
    s = sb.system(pressed(), inputs=["press.q"], outputs=["felt.*"])
    loops = {name: loop(s, time) for name, time in PRESSES.items()}
    for name, run in loops.items():
        depth, force = run["felt.depth"], run["felt.load"]
        share = np.trapezoid(force, depth) / np.trapezoid(force[: len(run) // 2], depth[: len(run) // 2])
        print(f"felt pressed by 1 mm {name:9}: up to {force.max():.2f} N, keeps {share:.0%} of the work")
    print("picture:", draw(bounces, loops, path))
    # all of them fall by HEIGHT first; Hunt and Crossley's damping is set for 1 m/s, about the speed of this fall
    fall = np.sqrt(2 * 9.81 * HEIGHT)
    assert all(abs(-run["z.qd"].min() - fall) < 0.01 * fall for run in bounces.values())
    assert abs(rebound(bounces["Hunt–Crossley, restitution 0.6"]) - 0.6) < 0.02


def dropped(law: Contact) -> sb.Model:
    """A ball above a floor."""
    m = sb.Model("ball")
    ball = m.body("ball", joints=[sb.Joint("z", "T3", q0=(RADIUS + HEIGHT,))], mass=MASS)
    sphere_on_plane(m, "floor", ball, RADIUS, m.ground, law=law)
    return m


def rebound(run: sb.Run) -> float:
    """The share of the speed with which the ball leaves the floor for the first time."""
    v, touching = run["z.qd"], run["floor.depth"] > 0.0
    first = np.argmax(touching)
    leaves = first + np.argmax(~touching[first:])
    return float(-v[leaves] / v[first])


def pressed() -> sb.Model:
    """A blunt point whose motion is an input, above a felt."""
    m = sb.Model("press", gravity=(0, 0, 0))
    press = m.body("press", joints=[sb.Joint("press", "T3", "driven")], mass=MASS)
    sphere_on_plane(m, "felt", press, 0.0, m.ground, law=FLOORS["felt"])
    return m


def loop(s: sb.System, time: float) -> sb.Run:
    """Down by a millimetre and up again, each in a time (s)."""
    steps = 4000
    t = np.linspace(0.0, 2 * time, steps + 1)
    depth = 0.5e-3 * (1 - np.cos(np.pi * t / time))
    speed = 0.5e-3 * np.pi / time * np.sin(np.pi * t / time)
    acceleration = 0.5e-3 * (np.pi / time) ** 2 * np.cos(np.pi * t / time)
    return sb.simulate(s, t[-1], t[1], inputs={"press.q": -depth, "press.qd": -speed, "press.qdd": -acceleration})


def draw(bounces: dict[str, sb.Run], loops: dict[str, sb.Run], path: Path) -> Path:
    """Heights over time, forces of the first bounce over depth, and the loops of the felt."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (heights, first, felt) = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
    for name, run in bounces.items():
        heights.plot(run.t, 1e3 * (run["z.q"] - RADIUS), label=name)
        early = (run.t < 0.115) & (run["floor.depth"] > 0.0)
        first.plot(1e3 * run["floor.depth"][early], run["floor.load"][early], label=name)
    for name, run in loops.items():
        felt.plot(1e3 * run["felt.depth"], run["felt.load"], label=name)
    heights.set(title="balls dropped on a floor", xlabel="t (s)", ylabel="height (mm)")
    first.set(title="their first bounce", xlabel="depth (mm)", ylabel="force (N)")
    felt.set(title="felt, pressed slowly and fast", xlabel="depth (mm)", ylabel="force (N)")
    for ax in (heights, first, felt):
        ax.legend(fontsize="small")
        ax.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return path


if __name__ == "__main__":
    main()
