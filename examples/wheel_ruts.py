"""A roller on sand: it is pulled over waves, leaves a rut with banks, and returns in its own rut."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import symbody as sb

RADIUS, WIDTH, MASS = 0.4, 0.3, 250.0
SPEED = 1.0  # m/s
BACK = 4.0  # s after which it returns


def main() -> None:
    ground = sb.Terrain(lambda x, y: 0.05 * np.sin(1.5 * x), spacing=0.05, area=(0.0, 0.0, 7.0, 2.0), soil="dry sand")
    m = sb.Model("roller")
    m.ground.point("start", (1.0, 1.0, 0.05 + RADIUS))
    frame = m.body("frame", on="ground.start", joints="T1 T3", mass=MASS)
    m.body("roller", on=frame, joints="R2", mass=1.0, inertia=0.5 * MASS * RADIUS**2)
    m.input("speed", 0.0, "m/s")
    m.joint_force("frame.T1")(lambda q, qd, p: 5000.0 * (p.speed - qd))  # N, of the rope
    ground.wheel(m, "wheel", "roller", RADIUS, WIDTH)
    run = ground.simulate(m, 2.0 * BACK, 1e-3, inputs={"speed": lambda t: SPEED if t < BACK else -SPEED})

    force = -np.sign(run["frame.T1.qd"]) * run["wheel.soil.force.x"]
    first, second = (force[(run.t > t) & (run.t < t + BACK - 1.0)].mean() for t in (0.8, BACK + 0.8))
    print(f"resistance: {first:.0f} N in fresh sand, {second:.0f} N in the rut, {MASS * 9.81:.0f} N of weight")
    print(f"the rut is {-(ground.heights - ground.start.heights).min():.3f} m deep")
    print(f"change of volume: {ground.volume - volume_of(ground.start):.1e} m³")
    print("picture:", draw(ground, run, Path("out/wheel-ruts.png")))
    assert second < 1.05 * first
    assert (ground.start.heights - ground.heights).max() > 0.03


def volume_of(ground: sb.terrain.HeightMap) -> float:
    """Volume above z = 0 (m³)."""
    return float(ground.heights.sum() * ground.spacing**2)


def draw(ground: sb.Terrain, run: sb.Run, path: Path) -> Path:
    """What changed, and the path of the wheel."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    changed = 1000.0 * (ground.heights - ground.start.heights)
    x, y = ground.start.x, ground.start.y
    shown = above.pcolormesh(x, y, changed, cmap="PuOr", vmin=-60.0, vmax=60.0)
    figure.colorbar(shown, ax=above, label="change / mm")
    above.set(ylabel="y / m", title="A roller leaves a rut with banks", aspect="equal")
    row = len(y) // 2
    below.plot(x, ground.start.heights[row], label="ground before")
    below.plot(x, ground.heights[row], label="ground after")
    below.plot(run["wheel.position.x"], run["wheel.position.z"] - RADIUS, ":", label="lowest point of the wheel")
    below.set(xlabel="x / m", ylabel="z / m")
    below.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path


if __name__ == "__main__":
    main()
