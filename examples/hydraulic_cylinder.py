"""A boom on a hydraulic cylinder: holding pressures, a lift and a stop, and the energy balance of the pump."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import symbody as sb
from symbody.elements import BrownMcPhee

DT = 5e-4  # s
LIFT, HOLD, SINK, END = 0.5, 2.0, 2.5, 4.0  # s: the valve opens, shuts, opens the other way


def boom() -> sb.Model:
    """A boom of 3 m and 250 kg with a load of 300 kg at its tip, 20° below the horizontal."""
    m = sb.Model("boom")
    arm = m.body(
        "arm", m.ground, [sb.Joint("arm", "R2", q0=(np.radians(20.0),))], 250.0, (1.5, 0.0, 0.0), (3, 190, 190)
    )
    m.body("load", arm.point("tip", (3.0, 0.0, 0.0)), mass=300.0)
    foot, eye = m.ground.point("foot", (0.3, 0.0, -1.0)), arm.point("eye", (1.1, 0.0, 0.0))
    c = m.circuit("hydraulics")
    T, line, a, b = c.tank("T"), c.volume("line", 5e-4, wall=550e6, start=1.2e7), c.volume("a"), c.volume("b")
    c.pump("pump", T, line, displacement=4e-6, speed=150.0, leakage=2e-12)  # 25 cm³ a turn, 1430 turns a minute
    c.relief_valve("relief", line, T, opening=1.2e7, slope=2e-9)
    c.valve("spool", line, T, a, b, cv=1.5e-8, command="u")
    c.hose("hose_a", a, 8e-5, wall=550e6)
    c.hose("hose_b", b, 8e-5, wall=550e6)
    shape = {"bore": 0.08, "rod_diameter": 0.045, "closed": 0.75, "stroke": 0.6, "wall": 31.5e9}
    c.cylinder("lift", foot, eye, a, b, **shape, friction=BrownMcPhee())
    return m


def command(t: float) -> float:
    """Volts at the valve: up, hold, down."""
    return 6.0 if LIFT <= t < HOLD else -3.0 if SINK <= t < END else 0.0


def main(folder: Path = Path("out")) -> None:
    folder.mkdir(exist_ok=True)
    m = sb.static_pressures(boom(), back=1e6)
    circuit = m.circuits["hydraulics"]
    pressures = ", ".join(f"{node} {circuit.elements[node].start / 1e5:.1f} bar" for node in ("line", "a", "b"))
    holds = sb.holding_forces(m)["lift"]
    print(f"{holds / 1e3:.2f} kN hold the boom: {pressures}")
    s = sb.system(m, outputs=["*"])
    run = sb.simulate(s, until=5.0, dt=DT, method="rodas4", inputs={"u": command})
    up, down = (run["lift.rate"][round(t / DT)] for t in (HOLD - 0.1, END - 0.1))
    print(f"the cylinder goes out at {up * 1e3:.0f} mm/s, in at {-down * 1e3:.0f} mm/s")
    account = sb.energy_balance(run, elements=["*"])
    for name in ("relief", "spool", "lift"):
        print(f"{np.trapezoid(run[f'{name}.dissipated'], run.t):7.0f} J lost in {name}")
    print(f"{account.work:7.0f} J supplied by the pump; the balance has an error of {account.drift:.1g} J")
    print("pictures:", sb.save_circuit(circuit, folder / "circuit-boom.png"), draw(run, folder / "hydraulic-boom.png"))

    eye, foot = 1.1 * np.exp(-1j * np.radians(20.0)), 0.3 - 1.0j  # by hand: moments about the boom's hinge
    lever = abs((eye.conjugate() * (eye - foot)).imag) / abs(eye - foot)
    assert abs(holds * lever - 9.81 * (250.0 * 1.5 + 300.0 * 3.0) * np.cos(np.radians(20.0))) < 1e-3
    assert account.drift < 1e-4 * account.work


def draw(run: sb.Run, path: Path) -> Path:
    """Command and spool, pressures, and the motion of the cylinder over time."""
    figure = Figure(figsize=(7.5, 5.5), layout="constrained")
    volts, bars, motion = figure.subplots(3, 1, sharex=True)
    volts.plot(run.t, [command(t) for t in run.t], lw=1, label="command")
    volts.plot(run.t, run["spool_spool"], lw=1.2, label="spool")
    for node in ("line", "a", "b"):
        bars.plot(run.t, run[f"{node}_p"] / 1e5, lw=1.2, label=node)
    motion.plot(run.t, 1e3 * run["lift.rate"], lw=1.2, label="lift")
    units = ("signal (V)", "pressure (bar)", "rate of length (mm/s)")
    for ax, unit in zip((volts, bars, motion), units, strict=True):
        ax.set(ylabel=unit)
        ax.grid(alpha=0.3)
        ax.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    motion.set(xlabel="t (s)")
    figure.savefig(path, dpi=80)
    return path


if __name__ == "__main__":
    main()
