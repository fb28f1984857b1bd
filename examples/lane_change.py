"""A car of 87 coordinates and 24 loops changes lanes at 10 m/s: its size, its motion, and its computing time."""

import time
from pathlib import Path

import numpy as np

import symbody as sb
from symbody import machines

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
DT, UNTIL = 1e-3, 6.0
WEIGHT = 9.81 * 1479.9  # N: of all its bodies


def main() -> None:
    model = machines.model("car")
    outputs = ["*.q", "?.qd", "*.spin.qd", "*.tyre.force.*", "rack.effort", "seat.acceleration.*"]
    began = time.perf_counter()
    s = sb.system(model, outputs=outputs)
    ready = time.perf_counter() - began
    print_model(model, s, ready)

    took = []
    for _ in range(5):
        began = time.perf_counter()
        sb.simulate(s, UNTIL, DT, every=100 * DT)
        took.append(time.perf_counter() - began)
    print(f"a step of {DT * 1e3:g} ms (fourth order): {min(took) / UNTIL * DT * 1e6:.0f} µs,", end=" ")
    print(f"{UNTIL / min(took):.1f} times faster than real time")

    run = sb.simulate(s, UNTIL, DT)
    loops = sb.compile(model, "constraints", loads=False)
    gap = max(np.abs(loops(q).h).max() for q in run.q[::50])
    roll, yaw = np.degrees(run["roll.q"]), np.degrees(run["yaw.q"])
    print(f"after {UNTIL:g} s: {run['y.q'][-1]:.2f} m aside, heading {yaw[-1]:.2f}°, {run['x.qd'][-1]:.2f} m/s")
    print(f"largest roll {np.abs(roll).max():.1f}°, largest share of the friction {grip(s, run).max():.2f}")
    print(f"rack: up to {np.abs(run['rack.effort']).max():.0f} N; loops open by at most {gap:.0e} m")

    s.parameters["bar_front"] = s.parameters["bar_rear"] = 0.0  # no compiler needed
    loose = sb.simulate(s, UNTIL, DT)
    print(f"without anti-roll bars the roll would be {np.degrees(np.abs(loose['roll.q']).max()):.1f}°")
    print("picture:", draw(s, run, loose, Path("out/car-lane-change.png")))
    carried = sum(run[f"{wheel}.tyre.force.z"][-1] for wheel in WHEELS)
    assert abs(carried - WEIGHT) < 0.01 * WEIGHT
    assert gap < 1e-9


def print_model(model: sb.Model, s: sb.System, ready: float) -> None:
    """Size, cost and time of the equations."""
    rates, free = s.rates_function, len(s.partition.free)
    print(f"{model.nq} coordinates, {len(model.cuts)} loops, {free} degrees of freedom, {len(s.parameters)} parameters")
    compiled = rates.compile_s + s.outputs_function.compile_s
    print(f"dx/dt: {rates.operations.total} operations;", end=" ")
    print(f"ready after {ready:.1f} s, {compiled:.1f} s of it for the compiler")


def grip(s: sb.System, run: sb.Run) -> np.ndarray:
    """Force of each tyre in the road's plane, by what friction allows."""
    forces = np.array([[run[f"{wheel}.tyre.force.{axis}"] for axis in "xyz"] for wheel in WHEELS])
    return np.hypot(forces[:, 0], forces[:, 1]) / (s.parameters["friction"] * forces[:, 2])


def draw(s: sb.System, run: sb.Run, loose: sb.Run, path: Path) -> Path:
    """Path, steering and roll, loads and friction over time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 7), layout="constrained")
    road, motion, loads, used = axes.ravel()
    road.plot(run["x.q"], run["y.q"], lw=2)
    for y in (-1.75, 1.75, 5.25):
        road.axhline(y, color="grey", ls="--" if y == 1.75 else "-", lw=1)
    road.set(xlabel="x (m)", ylabel="y (m)", title="path, and the edges of the lanes", ylim=(-2.5, 6))
    motion.plot(run.t, 1e3 * run["rack.q"], label="rack (mm)", color="grey")
    motion.plot(run.t, run["seat.acceleration.y"], label="lateral acceleration (m/s²)")
    motion.plot(run.t, np.degrees(run["roll.q"]), label="roll (°)")
    motion.plot(loose.t, np.degrees(loose["roll.q"]), label="roll without anti-roll bars (°)", ls="--")
    for wheel, share in zip(WHEELS, grip(s, run), strict=True):
        loads.plot(run.t, 1e-3 * run[f"{wheel}.tyre.force.z"], label=wheel.replace("_", " "))
        used.plot(run.t, share, label=wheel.replace("_", " "))
    motion.set(title="steering and roll", xlabel="t (s)")
    loads.set(title="wheel loads (kN)", xlabel="t (s)")
    used.set(title="share of the friction that is used", xlabel="t (s)", ylim=(0, 1))
    for ax in (motion, loads, used):
        ax.legend(fontsize="small")
    for ax in axes.ravel():
        ax.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return path


if __name__ == "__main__":
    main()
