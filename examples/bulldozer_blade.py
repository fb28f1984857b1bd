"""A bulldozer blade: it sinks into sand, cuts it loose, pushes a heap ahead of it, and lifts off again."""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import symbody as sb
from symbody import studio

CARRIER, BLADE = 3000.0, 300.0  # kg
PLATE = sb.ToolBox((0.08, 2.0, 0.8), centre=(0.0, 0.0, 0.4), rpy=(0.0, -0.2, 0.0))
DEPTH = 0.12  # m


def bulldozer() -> tuple[sb.Terrain, sb.Model]:
    """Sand, and a blade with the inputs `speed` (m/s) and `height` (m)."""
    ground = sb.Terrain(lambda x, y: 0.03 * np.sin(2.0 * x + y), spacing=0.1, area=(0.0, 0.0, 9.0, 5.0), particles=1500)
    m = sb.Model("bulldozer")
    m.ground.point("start", (1.5, 2.5, 0.0))
    carrier = m.body("carrier", on="ground.start", joints="T1", mass=CARRIER)
    blade = m.body("blade", on=carrier, joints="T3", mass=BLADE)
    m.input("speed", 0.0, "m/s")
    m.input("height", 0.2, "m")
    m.joint_force("carrier")(lambda q, qd, p: 3e4 * (p.speed - qd))
    m.joint_force("blade")(lambda q, qd, p: 4e5 * (p.height - q) - 2e4 * qd + BLADE * 9.81)
    ground.tool(m, "cutting", blade, PLATE)
    return ground, m


def main() -> None:
    ground, m = bulldozer()
    before = ground.volume
    speed, height = ([0, 0.5, 7, 7.5], [0, 0.6, 0.6, 0]), ([0, 0.5, 1.5, 6, 7], [0.2, 0.2, -DEPTH, -DEPTH, 0.3])
    run = ground.simulate(m, 9.0, 1e-3, inputs={"speed": speed, "height": height}, every=0.01)
    cut, merged = ground.cut_and_merged
    mass = ground.particle_volume * ground.soil.density
    print(f"{cut} particles of {mass:.2f} kg were cut, {merged} are ground again")
    print(f"largest force on the blade: {-run['cutting.soil.force.x'].min() / 1000.0:.1f} kN")
    print(f"energy that the soil took: {run['soil.absorbed'][-1] / 1000.0:.1f} kJ")
    print(f"change of volume: {ground.volume - before:.1e} m³")
    print("picture:", draw(ground, run, Path("out/bulldozer-blade.png")))
    assert abs(ground.volume - before) < 1e-9
    assert cut > 100


def draw(ground: sb.Terrain, run: sb.Run, path: Path) -> Path:
    """The ground from above with its particles, and the force on the blade."""
    figure = Figure(figsize=(8, 6), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=(2, 1))
    shown = above.pcolormesh(ground.start.x, ground.start.y, ground.heights, cmap="copper")
    figure.colorbar(shown, ax=above, label="height / m")
    above.plot(*ground.particles[:, :2].T, "k.", markersize=2)
    above.set(xlabel="x / m", ylabel="y / m", aspect="equal", title="After the blade: a trench, banks and a heap")
    below.plot(run.t, -run["cutting.soil.force.x"] / 1000.0, label="against the motion")
    below.plot(run.t, run["cutting.soil.force.z"] / 1000.0, label="upwards")
    below.set(xlabel="t / s", ylabel="force / kN")
    below.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    return path


def page() -> studio.Machine:
    """The bulldozer in the studio."""
    ground, m = bulldozer()
    s = ground.system(m, outputs=["*.q", "*.qd"])
    surface, loose = studio.soil_view(ground)
    drive = studio.Control(
        "speed", "Speed", -1.0, 1.0, unit="m/s", keys={"ArrowUp": studio.Aim(0.8), "ArrowDown": studio.Aim(-0.8)}
    )
    lift = studio.Control(
        "height", "Blade", -0.25, 0.4, 0.2, "m", 2.0, {"q": studio.Aim(0.4), "a": studio.Aim(-0.25)}, returns=False
    )
    place = np.column_stack([PLATE.rotation * PLATE.size, PLATE.centre])
    return studio.Machine(
        "Bulldozer blade", s, source=ground.chain(s), controls=[drive, lift], terrains=[surface],
        particles=[loose], looks={"blade": [studio.Look("box", place, "#e0a020")]}, marks=False, grid=False,
        pilots={"a scripted drive": scripted}, stale=1.0,
        plots=["cutting.soil.force.x", "soil.particles"], checks_energy=False,
        start="Lower the blade with A, lift it with Q, and drive with ↑ and ↓.",
        view=studio.Viewpoint(-60.0, 25.0, [(0.5, 0.5, 0.0), (7.5, 4.5, 0.0)]),
    )  # fmt: skip


def scripted(since: float, channels: Mapping[str, float]) -> dict[str, float]:
    """Down, ahead, and up before the ground ends."""
    ahead = channels["carrier.q"] < 5.0
    return {"speed": 0.6 if since > 0.5 and ahead else 0.0, "height": -DEPTH if since < 8.0 and ahead else 0.3}


if __name__ == "__main__":
    # with --studio it opens in the browser: arrow keys drive, Q lifts, A lowers
    if "--studio" in sys.argv:
        sb.studio(page()).wait()
    else:
        main()
