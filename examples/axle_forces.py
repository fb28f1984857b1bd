"""A kart on its test bench: the side forces of its axles, from a load cell and a potentiometer."""

import numpy as np

from symbody.machines.kart_bench import case


def main() -> None:
    bench = case("unknown", until=4.0)  # the filter knows no law of tyres: axle forces are inputs that wander
    (run,) = bench.observed([0])
    for name in ("front.side", "rear.side"):
        band, largest = run.sigma[-1, run.place(name)], np.abs(run.truth[:, run.place(name)]).max()
        print(
            f"{name}: off by {run.rmse(name):.1f} N of {largest:.0f} N, ± {band:.1f} N, inside {run.coverage(name):.0%}"
        )
        assert run.rmse(name) < 0.15 * largest
        assert run.coverage(name) > 0.85


if __name__ == "__main__":
    main()
