"""A quarter of an electric car accelerates on three tyres and brakes: slip, grip, current and energies."""

from pathlib import Path

import numpy as np

import symbody as sb
from symbody.elements import BristleTyre, DcMotor, MagicTyre, SaturatingTyre, Tyre, dc_motor, tyre

TYRES: dict[str, Tyre] = {
    "saturating": SaturatingTyre(),
    "magic formula": MagicTyre(),
    "bristles": BristleTyre(renewal=7.0 / 6.0 / 0.2),  # a patch of 0.2 m
}
MOTOR = DcMotor(resistance=0.02, torque_constant=0.35, inductance=2e-4, ratio=8.0, efficiency=0.95, current_limit=380.0)
UNTIL, BRAKE = 6.0, 3.5  # s


def main(path: Path = Path("out/electric-wheel.png")) -> None:
    runs = {}
    for name, law in TYRES.items():
        voltage = lambda t: 60.0 * min(t / 0.2, 1.0) if t < BRAKE else 0.0  # noqa: E731
        runs[name] = run = sb.simulate(quarter(law), UNTIL, 1e-4, every=0.001, inputs={"motor_voltage": voltage})
        energy = sb.energy_balance(run, elements=["motor", "tyre"])
        slip = np.abs(slipping(run)).max()
        print(f"{name:13}: {run['x.qd'].max():.1f} m/s, slips by up to {slip:.1f} m/s;", end=" ")
        print(f"{1e-3 * energy.given.max():.1f} kJ taken, {1e-3 * energy.lost[-1]:.1f} kJ lost,", end=" ")
        print(f"{1e-3 * (energy.given.max() - energy.given[-1]):.1f} kJ returned; {energy.drift:.1f} J unaccounted for")
        assert energy.drift < 1e-4 * energy.given.max()
    print("picture:", draw(runs, path))


def quarter(law: Tyre) -> sb.Model:
    """380 kg on one driven wheel that stays upright."""
    m = sb.Model("electric wheel")
    stand = law.radius - 400.0 * 9.81 / law.stiffness
    body = m.body("body", joints=[sb.Joint("x", "T1"), sb.Joint("z", "T3", q0=(stand,))], mass=380.0)
    rotor = 0.01 * MOTOR.ratio**2  # kg m², behind the gear
    wheel = m.body("wheel", body, [sb.Joint("spin", "R2")], mass=20.0, inertia=(0.6, 1.05 + rotor, 0.6))
    dc_motor(m, "motor", "spin", MOTOR)
    tyre(m, "tyre", wheel, law)
    return m


def slipping(run: sb.Run) -> np.ndarray:
    """Velocity (m/s) by which the tyre's surface outruns the road."""
    p = run.parameters
    radius = p["tyre_radius"] - p["tyre_sag"] * (p["tyre_radius"] - run["z.q"])
    return radius * run["spin.qd"] - run["x.qd"]


def draw(runs: dict[str, sb.Run], path: Path) -> Path:
    """Speed, slip, current and power over time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 7), layout="constrained")
    speed, slip, current, power = axes.ravel()
    for name, run in runs.items():
        speed.plot(run.t, run["x.qd"], label=name)
        slip.plot(run.t, slipping(run), label=name)
        current.plot(run.t, run["motor.current"], label=name)
        power.plot(run.t, 1e-3 * run["motor.supplied"], label=name)
    for ax, title in zip(axes.ravel(), ("speed (m/s)", "slip (m/s)", "current (A)", "power taken (kW)"), strict=True):
        ax.set(title=title, xlabel="t (s)")
        ax.legend(fontsize="small")
        ax.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return path


if __name__ == "__main__":
    main()
