"""All friction laws on one slide: force over velocity, hysteresis before sliding, and stick-slip."""

from pathlib import Path

import numpy as np

import symbody as sb
from symbody.elements import FRICTION, SEAL, Friction, Spring, on_joint, on_link

SPEED, STIFFNESS, MASS = 2e-3, 2e4, 100.0  # m/s, N/m, kg: a block pulled by a spring
LOAD = 3000.0  # N: friction by efficiency is a fraction of it
BENT = SEAL.Fs / SEAL.sigma0  # m: the largest deflection of bristles


def main(path: Path = Path("out/friction-models.png")) -> None:
    laws = {name: kind() for name, kind in FRICTION.items()}
    moved = {name: prescribed(law) for name, law in laws.items()}
    swept = {name: oscillated(s, 30e-3, 2.0) for name, s in moved.items()}
    small = {name: oscillated(s, 0.05 * 2 * np.pi * 1.5 * BENT, 0.05) for name, s in moved.items()}
    dragged = {name: sb.simulate(drawn(law), 100.0, 1e-3, method="rodas4", every=0.005) for name, law in laws.items()}
    for name, run in dragged.items():
        v, late = run["block.qd"], run.t > 50.0
        slips = np.count_nonzero((v[1:] > 0.05) & (v[:-1] <= 0.05))
        slides = f"sticks, slips {slips} times" if slips else f"slides on at {1e3 * v[late].mean():.2f} mm/s"
        print(f"{name:16}: {slides}; highest pull {run['spring.tension'].max():.0f} N,", end=" ")
        print(f"lost {np.trapezoid(run['seal.dissipated'], run.t):.0f} J in {run.t[-1]:.0f} s")
    print("picture:", draw(swept, small, dragged, path))
    for run in dragged.values():  # the work of the pull is dissipated, or in the spring and in the moving block
        pull = run["spring.tension"]
        work, lost = SPEED * np.trapezoid(pull, run.t), np.trapezoid(run["seal.dissipated"], run.t)
        kept = pull[[0, -1]] ** 2 / (2 * STIFFNESS) + MASS * run["block.qd"][[0, -1]] ** 2 / 2
        assert abs(work - lost - (kept[1] - kept[0])) < 0.02 * work


def prescribed(law: Friction) -> sb.System:
    """A slide whose motion is an input."""
    m = sb.Model("slide", gravity=(0, 0, 0))
    m.body("slide", m.ground, [sb.Joint("slide", "T1", nature="driven")], mass=1.0)
    on_joint(m, "seal", "slide", law, load=lambda q, qd, p: LOAD)
    return sb.system(m, inputs=["slide.q"], outputs=["slide.q", "slide.qd", "seal.slide.Q"])


def oscillated(s: sb.System, velocity: float, hertz: float) -> sb.Run:
    """Three oscillations with a largest velocity (m/s)."""
    omega, steps = 2 * np.pi * hertz, 30_000
    t = np.linspace(0.0, 3 / hertz, steps + 1)
    motion = {"slide.q": velocity / omega * np.sin(omega * t), "slide.qd": velocity * np.cos(omega * t), "slide.qdd": 0}
    return sb.simulate(s, t[-1], t[1], method="rodas4", inputs=motion)


def drawn(law: Friction) -> sb.System:
    """A block on a spring whose other end moves steadily."""
    m = sb.Model("drawn block", gravity=(0, 0, 0))
    puller = m.body("puller", m.ground, [sb.Joint("puller", "T1", "driven", (1.0,), (SPEED,))], mass=1.0)
    block = m.body("block", m.ground, "T1", mass=MASS)
    m.trajectory("puller")(lambda t, p: 1.0 + SPEED * t)
    on_link(m, "spring", block, puller, Spring(STIFFNESS, rest=1.0))
    on_joint(m, "seal", "block", law, load=lambda q, qd, p: LOAD)
    return sb.system(m, outputs=["block.*", "spring.tension", "seal.dissipated"])


def draw(swept: dict[str, sb.Run], small: dict[str, sb.Run], dragged: dict[str, sb.Run], path: Path) -> Path:
    """Force over velocity, without and with memory; force over small displacements; the pull of the spring."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 8), layout="constrained")
    (static, dynamic), (before, pull) = axes
    for k, name in enumerate(swept):
        memory, style = bool(FRICTION[name].states), "--" if name.startswith("modified") else "-"
        look = {"color": f"C{k}", "lw": 1.4, "ls": style}
        run, last = swept[name], slice(len(swept[name]) * 2 // 3, None)
        (dynamic if memory else static).plot(1e3 * run["slide.qd"][last], -run["seal.slide.Q"][last], **look)
        if memory:
            run, last = small[name], slice(len(small[name]) * 2 // 3, None)
            before.plot(1e6 * run["slide.q"][last], -run["seal.slide.Q"][last], **look)
        pull.plot(dragged[name].t, dragged[name]["spring.tension"], label=name, **look)
    static.set(title="without memory, ±30 mm/s at 2 Hz", xlabel="velocity (mm/s)", ylabel="friction (N)")
    dynamic.set(title="with memory, ±30 mm/s at 2 Hz", xlabel="velocity (mm/s)", ylabel="friction (N)")
    before.set(title="before and at break-away, 0.05 Hz", xlabel="displacement (µm)", ylabel="friction (N)")
    pull.set(
        title=f"a block drawn at {1e3 * SPEED:g} mm/s by a spring", xlabel="t (s)", ylabel="pull (N)", xlim=(0, 100)
    )
    for ax in axes.ravel():
        ax.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=len(swept))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return path


if __name__ == "__main__":
    main()
