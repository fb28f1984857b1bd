"""A quarter car on five rods: over a kerb, its frequencies from the exact linearisation, and a softer damper, live."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import symbody as sb
from symbody import machines

WEIGHT = 9.81 * 386.0  # N: of all its bodies


def main() -> None:
    s = sb.system(machines.model("quarter-car"), outputs=["heave.q", "strut.*", "tyre.force.z", "toe.force.*"])
    print(s)
    settled = sb.simulate(s, until=5.0, dt=1e-3)
    load = settled["tyre.force.z"][-1]
    print(f"standing: {load:.0f} N under the tyre, strut at {settled['strut.length'][-1]:.4f} m")

    whole = sb.system(machines.model("quarter-car"), outputs=s.states)
    x = sb.simulate(whole, until=5.0, dt=1e-3).values[-1]
    kerbs: dict[str, sb.Run] = {}
    for damping in (1700.0, 600.0):
        whole.parameters["c_strut"] = s.parameters["c_strut"] = damping
        modes = np.linalg.eigvals(whole.linear(0.0, x).A)
        modes = modes[modes.imag > 0]
        text = ", ".join(f"{abs(m) / 2 / np.pi:.2f} Hz at {-m.real / abs(m):.0%}" for m in sorted(modes, key=abs))
        kerb = sb.simulate(s, until=2.0, dt=1e-3, x0=x, inputs={"road": lambda t: 0.05 * float(t > 0.2)})
        kerbs[f"damper {damping:.0f} N s/m"] = kerb
        rod = max(np.abs(kerb[f"toe.force.{a}"]).max() for a in "xyz")
        print(f"damper {damping:.0f} N s/m: {text}; kerb of 50 mm: {kerb['tyre.force.z'].max():.0f} N, rod {rod:.0f} N")
    print("picture:", draw(kerbs, Path("out/quarter-car.png")))
    assert abs(load - WEIGHT) < 1e-3 * WEIGHT  # the load of the tyre


def draw(kerbs: dict[str, sb.Run], path: Path) -> Path:
    """The chassis and the load of the tyre over a kerb, with each damper."""
    figure = Figure(figsize=(7, 5), layout="constrained")
    heave, tyre = figure.subplots(2, 1, sharex=True)
    for name, run in kerbs.items():
        heave.plot(run.t, 1e3 * run["heave.q"], label=name)
        tyre.plot(run.t, 1e-3 * run["tyre.force.z"], label=name)
    heave.set(ylabel="heave (mm)")
    tyre.set(xlabel="t (s)", ylabel="load of the tyre (kN)")
    heave.legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=100)
    return path


if __name__ == "__main__":
    main()
