"""A kart on its test bench: the side forces of its axles, from a load cell and a potentiometer."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from symbody.machines.kart_bench import case


def main(path: Path = Path("out/axle-forces.png")) -> None:
    bench = case("unknown", until=4.0)  # the filter has no tyre model: axle forces are random inputs
    (run,) = bench.observed([0])
    figure = Figure(figsize=(8, 5), layout="constrained")
    for axes, name in zip(figure.subplots(2, 1, sharex=True), ("front.side", "rear.side"), strict=True):
        k = run.place(name)
        truth, mean, band = run.truth[:, k], run.mean[:, k], 2.0 * run.sigma[:, k]
        largest = np.abs(truth).max()
        error, inside = run.rmse(name), run.coverage(name)
        print(f"{name}: error {error:.1f} N of {largest:.0f} N, ± {band[-1] / 2.0:.1f} N, inside {inside:.0%}")
        axes.fill_between(run.t, mean - band, mean + band, alpha=0.3, label="band of 95 %")
        axes.plot(run.t, mean, lw=1.0, label="estimate")
        axes.plot(run.t, truth, "k--", lw=1.0, label="truth")
        axes.set(ylabel=f"{name} (N)")
        axes.legend(fontsize="small")
        assert error < 0.15 * largest
        assert inside > 0.85
    axes.set(xlabel="t (s)")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=100)
    print("picture:", path)


if __name__ == "__main__":
    main()
