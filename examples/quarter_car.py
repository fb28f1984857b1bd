"""A quarter car on five rods: over a kerb, its frequencies from the exact linearisation, and a softer damper, live."""

import numpy as np

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
    for damping in (1700.0, 600.0):
        whole.parameters["c_strut"] = s.parameters["c_strut"] = damping
        modes = np.linalg.eigvals(whole.linear(0.0, x).A)
        modes = modes[modes.imag > 0]
        text = ", ".join(f"{abs(m) / 2 / np.pi:.2f} Hz at {-m.real / abs(m):.0%}" for m in sorted(modes, key=abs))
        kerb = sb.simulate(s, until=2.0, dt=1e-3, x0=x, inputs={"road": lambda t: 0.05 * float(t > 0.2)})
        rod = max(np.abs(kerb[f"toe.force.{a}"]).max() for a in "xyz")
        print(f"damper {damping:.0f} N s/m: {text}; kerb of 50 mm: {kerb['tyre.force.z'].max():.0f} N, rod {rod:.0f} N")
    assert abs(load - WEIGHT) < 1e-3 * WEIGHT  # what the tyre carries


if __name__ == "__main__":
    main()
