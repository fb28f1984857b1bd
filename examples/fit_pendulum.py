"""A pendulum with a noisy encoder: length and damping from one swing, and parameters that cannot be identified."""

import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import symbody as sb
from symbody import machines

LENGTH, DAMPING, NOISE = 1.12, 0.09, 0.01  # m, N m s/rad, rad: true values, and the noise of the encoder


def main() -> None:
    m = machines.model("pendulum")
    m.parameter("damping", 0.02, "N m s/rad")
    m.joint_force("bob")(lambda q, qd, p: -p.damping * qd)
    s = sb.system(m)

    s.parameters.update({"length": LENGTH, "damping": DAMPING})
    truth = sb.simulate(s, until=4.0, dt=1e-3, every=0.02)
    s.parameters.update({"length": 1.0, "damping": 0.02})
    noise = NOISE * np.random.default_rng(4).normal(size=len(truth.t))
    log = {"t": truth.t, "bob.q": truth["bob.q"] + noise}

    found = sb.fit(s, log, ["length", "damping"], bounds={"damping": (0.0, 1.0)}, dt=5e-3)
    for row in found.table:
        print(f"{row['parameter']:>8} {row['value']:.4f} ± {row['deviation']:.4f}  ({row['deviation_%']:.2f} %)")
    print(f"noise found: {found.noise['bob.q']:.4f} rad")
    picture, figure = Path("out/fit-pendulum.png"), Figure(figsize=(7, 5), layout="constrained")
    found.draw(figure)
    picture.parent.mkdir(exist_ok=True)
    figure.savefig(picture, dpi=100)
    print("picture:", picture)
    assert abs(found.values["length"] - LENGTH) < 4 * found.deviations["length"]
    assert abs(found.values["damping"] - DAMPING) < 4 * found.deviations["damping"]

    with warnings.catch_warnings(record=True):  # the warning names them
        warnings.simplefilter("always")
        both = sb.fit(s, log, ["length", "damping", "mass"], dt=5e-3)
    print("cannot be separated:", "; ".join(both.indistinct))
    assert len(both.indistinct) == 1  # damping and mass only as damping/mass


if __name__ == "__main__":
    main()
