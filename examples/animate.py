"""Results: simulate a four-bar linkage, save and load the run, compare it with a coarser run, and animate it."""

from pathlib import Path

import numpy as np

import symbody as sb
from symbody import machines


def main() -> None:
    s = sb.system(machines.model("four-bar"))
    run = sb.simulate(s, until=2.0, dt=1e-3, inputs={"torque": 0.05})
    print(run)
    print("crank.q is in", run.units["crank.q"], "and energy.kinetic in", run.units["energy.kinetic"])

    again = sb.Run.load(run.save("out/four-bar.csv"))  # or .parquet, which is smaller and faster
    print(f"read back: {again}, parameters {', '.join(again.parameters)}")

    coarse = sb.simulate(s, until=2.0, dt=1e-2, inputs={"torque": 0.05})
    print(run.compare(coarse, "*.q"))

    page = again.animate("out/four-bar.html", speed=0.5)  # opens in any browser, needs no network
    film = again.animate("out/four-bar.gif", fps=10, speed=1.0, size=(240, 180))
    for path in (page, film):
        print(f"{path}: {Path(path).stat().st_size // 1000} kB")

    # the loaded run closes the loop: the bars as complex numbers, from pivot to pivot
    names = ("crank", "coupler", "rocker")
    angles = again["crank.q"], again["crank.q"] + again["coupler.q"], again["rocker.q"]
    crank, coupler, rocker = (
        again.parameters[f"{name}_length"] * np.exp(-1j * angle) for name, angle in zip(names, angles, strict=True)
    )
    assert np.abs(crank + coupler - rocker - again.parameters["base"]).max() < 1e-9


if __name__ == "__main__":
    main()
