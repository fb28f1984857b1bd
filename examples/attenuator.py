"""A crash attenuator with 1, 3 and 10 bodies per block, hit by a car and a bus: over 300 degrees of freedom."""

import time
from pathlib import Path
from typing import Any

import numpy as np

import symbody as sb
from symbody import machines
from symbody.machines.attenuator import BLOCKS
from symbody.machines.crash import felt, severity

DT, EVERY = 2.5e-5, 2e-4  # s: steps, records
PARTS = (1, 3, 10)  # bodies per block
SPEEDS = {"car": 90, "bus": 70}  # km/h


def main() -> None:
    print("impactor of 600 kg at 50 km/h, one row of blocks, truck locked:")
    impacts = {f"{n} per block": go(made(machines.model("attenuator", n), "impactor"), "impactor", 0.2) for n in PARTS}
    indices = [severity(run.t, felt(run, "impactor")).max() for run in impacts.values()]
    print(f"  these indices differ by {100 * (max(indices) / min(indices) - 1):.2f} %")
    energy = 600.0 * (50.0 / 3.6) ** 2 / 2  # J: of the impactor; nearly all of it is dissipated, and never more
    assert all(0.9 * energy < run["block_heat"][-1] < energy for run in impacts.values())
    assert max(indices) < 1.01 * min(indices)
    crashes = {}
    for vehicle, speed in SPEEDS.items():
        for locked in (False, True):
            print(f"{vehicle} at {speed} km/h, three rows of blocks, truck {'locked' if locked else 'on its brakes'}:")
            s = made(machines.model("crash", vehicle, PARTS[-1], locked), "vehicle")
            for friction in (1.0,) if locked else (0.3, 0.5, 0.7):
                s.parameters["truck_friction"] = friction
                case = f"{vehicle}, truck locked" if locked else f"{vehicle}, truck on µ = {friction}"
                crashes[case] = go(s, "vehicle", 0.7, "" if locked else f"friction {friction}: ")
    draw(impacts, "impactor", Path("out/attenuator-impactor.png"))
    draw({case: run for case, run in crashes.items() if "0.3" not in case}, "vehicle", Path("out/attenuator-crash.png"))


def made(model: sb.Model, sensor: str) -> sb.System:
    """The compiled system, with its figures."""
    began = time.perf_counter()
    s = sb.system(model, outputs=[f"{sensor}.*", "row*.q", "*_heat"])
    ready, rates = time.perf_counter() - began, s.rates_function
    compiled = rates.compile_s + s.outputs_function.compile_s
    print(f"  {model.nv} degrees of freedom, {len(s.states)} states, {rates.operations.total} operations;", end=" ")
    print(f"ready after {ready:.1f} s, {compiled:.1f} s of it for the compiler")
    return s


def go(s: sb.System, sensor: str, until: float, label: str = "") -> sb.Run:
    """The crash, with what it does to those in the vehicle."""
    began = time.perf_counter()
    run = sb.simulate(s, until, DT, every=EVERY)
    step = (time.perf_counter() - began) / until * DT
    index = severity(run.t, felt(run, sensor)).max()
    print(f"  {label}ASI {index:.4f}, {crushed(run)[:, -1].sum():.2f} m crushed, {step * 1e6:.1f} µs per step")
    return run


def crushed(run: sb.Run) -> np.ndarray:
    """By how much each block of the middle (or only) row is compressed (m), the free end first."""
    row = "row2" if any(name.startswith("row2") for name in run.names) else "row1"
    parts = [[run[n] for n in run.names if n.startswith(f"{row}_{i}_")] for i in range(BLOCKS, 0, -1)]
    return np.array([np.sum(part, axis=0) for part in parts])


def draw(runs: dict[str, sb.Run], sensor: str, path: Path) -> None:
    """Acceleration, severity and deformation of each case."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 7.5), layout="constrained")
    (slowing, asi), (total, blocks) = axes
    for case, run in runs.items():
        acceleration = felt(run, sensor)
        over_time = severity(run.t, acceleration)
        slowing.plot(run.t, -smooth(acceleration[:, 0], 25) / 9.81, lw=1.2, label=case)
        asi.plot(run.t[: len(over_time)] + 0.05, over_time, lw=1.5, label=f"{case}: {over_time.max():.3f}")
        total.plot(run.t, crushed(run).sum(axis=0), lw=1.5, label=case)
    last = list(runs)[-1] if sensor == "impactor" else next(case for case in runs if "car" in case)
    for k, depth in enumerate(crushed(runs[last])):
        blocks.plot(runs[last].t, depth, lw=1.2, label=f"block {k + 1}" if k in (0, BLOCKS - 1) else None)
    titles: dict[Any, str] = {
        slowing: "deceleration, mean over 5 ms (g)",
        asi: "severity of the last 50 ms, and the index ASI",
        total: "compression of the attenuator (m)",
        blocks: f"compression of its blocks (m): {last}",
    }
    for ax, title in titles.items():
        ax.set(title=title, xlabel="t (s)")
        ax.legend(fontsize="small")
        ax.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
    print("picture:", path)


def smooth(values: np.ndarray, count: int) -> np.ndarray:
    """Moving mean."""
    return np.convolve(values, np.full(count, 1.0 / count), mode="same")


if __name__ == "__main__":
    main()
