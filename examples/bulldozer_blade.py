"""A bulldozer blade: it sinks into sand, cuts it loose, pushes a heap ahead of it, and lifts off again."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import symbody as sb

MASS = 3000.0  # kg
DEPTH = 0.12  # m


def main() -> None:
    ground = sb.Terrain(lambda x, y: 0.03 * np.sin(2.0 * x + y), spacing=0.1, area=(0.0, 0.0, 9.0, 5.0), particles=1500)
    m = sb.Model("bulldozer")
    m.ground.point("start", (1.5, 2.5, 0.0))
    carrier = m.body("carrier", on="ground.start", joints="T1", mass=MASS)
    blade = m.body("blade", on=carrier, joints="T3", mass=300.0)
    m.input("speed", 0.0, "m/s")
    m.input("height", 0.2, "m")
    m.joint_force("carrier")(lambda q, qd, p: 3e4 * (p.speed - qd))
    m.joint_force("blade")(lambda q, qd, p: 4e5 * (p.height - q) - 2e4 * qd + 300.0 * 9.81)
    ground.tool(m, "cutting", blade, sb.ToolBox((0.08, 2.0, 0.8), centre=(0.0, 0.0, 0.4), rpy=(0.0, -0.2, 0.0)))
    before = ground.volume
    run = ground.simulate(
        m, 9.0, 1e-3, inputs={"speed": ([0, 0.5, 7, 7.5], [0, 0.6, 0.6, 0]), "height": heights()}, every=0.01
    )
    cut, merged = ground.cut_and_merged
    print(
        f"{cut} particles of {ground.particle_volume * ground.soil.density:.2f} kg were cut, {merged} are ground again"
    )
    print(f"largest force on the blade: {-run['cutting.soil.force.x'].min() / 1000.0:.1f} kN")
    print(f"energy that the soil took: {run['soil.absorbed'][-1] / 1000.0:.1f} kJ")
    print(f"change of volume: {ground.volume - before:.1e} m³")
    print("picture:", draw(ground, run, Path("out/bulldozer-blade.png")))
    assert abs(ground.volume - before) < 1e-9
    assert cut > 100


def heights() -> tuple[list[float], list[float]]:
    """Times (s) and heights (m) of the blade's edge."""
    return [0.0, 0.5, 1.5, 6.0, 7.0], [0.2, 0.2, -DEPTH, -DEPTH, 0.3]


def draw(ground: sb.Terrain, run: sb.Run, path: Path) -> Path:
    """The ground from above with its particles, and the force on the blade."""
    figure = Figure(figsize=(8, 6), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(2, 1))
    shown = above.pcolormesh(ground.start.x, ground.start.y, ground.heights, cmap="copper")
    figure.colorbar(shown, ax=above, label="height / m")
    above.plot(*ground.particles[:, :2].T, "k.", markersize=2)
    above.set(
        xlabel="x / m", ylabel="y / m", aspect="equal", title="After the blade: a trench, banks, and a heap at its end"
    )
    below.plot(run.t, -run["cutting.soil.force.x"] / 1000.0, label="against the motion")
    below.plot(run.t, run["cutting.soil.force.z"] / 1000.0, label="upwards")
    below.set(xlabel="t / s", ylabel="force / kN")
    below.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path


if __name__ == "__main__":
    main()
