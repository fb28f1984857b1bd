"""A quarter car over a bump: exact gradients of a whole run, their cost, and the most comfortable strut."""

from time import perf_counter

import numpy as np

import symbody as sb
from symbody import machines

BUMP = 0.03 * np.sin(np.pi * np.minimum(np.arange(2001) * 1e-3 / 0.2, 1.0)) ** 2  # m
RUN = {"until": 2.0, "dt": 1e-3, "inputs": {"road": BUMP}}


def fastest(run, times: int = 5) -> float:
    """Seconds of the fastest of some runs."""
    spent = []
    for _ in range(times):
        start = perf_counter()
        run()
        spent.append(perf_counter() - start)
    return min(spent)


def main() -> None:
    car = machines.model("quarter-car")
    car.parameters["drop"].value = 0.0
    s = sb.sensitivity_system(sb.system(car), "heave.qdd**2", outputs=[])
    exact, compared = sb.sensitivity(s, **RUN).gradient, sb.finite_differences(s, **RUN)["psi"]
    print("ψ = ∫ heave.qdd² dt over a bump of 3 cm; dψ/dp exactly, and by central differences of whole runs:")
    for p, slope in exact.items():
        print(f"  {p:8s} {slope:+.8e}  {compared[p]:+.8e}")
    once, plain = fastest(lambda: sb.sensitivity(s, **RUN)), fastest(lambda: sb.sensitivity(s.plain, **RUN))
    many = 2 * len(s.by) * plain
    times = f"{1e3 * once:.1f} ms, by differences {1e3 * many:.1f} ms"
    print(f"{len(s.by)} parameters in {times}: {many / once:.1f} times as long")
    print("; ".join(s.notes))

    wanted = {"k_strut": (1e4, 4e4), "c_strut": (500.0, 4000.0)}
    load = "(tyre.force.z - 3787)**2"  # N²: deviation from the static load, which reduces grip
    grip = sb.sensitivity(s.base, load, [], **RUN).value
    best = sb.optimise(s.base, "heave.qdd**2", wanted, constraints={"grip": (load, (None, grip))}, **RUN)
    before = best.history[0].values["psi"]
    print(f"comfort {before:.4f} → {best.value:.4f} m²/s³ with the same grip, in {len(best.history)} runs:")
    for row in best.table:
        print(f"  {row['parameter']:8s} {row['before']:8.0f} → {row['best']:8.0f}")

    spread = {"k_strut": ("normal", best.parameters["k_strut"], 1000.0), "k_tyre": ("uniform", 1.7e5, 2.3e5)}
    found = sb.monte_carlo(car, spread, 40, measures=["max(heave.q)", "rms(heave.qdd)"], seed=1, **RUN)
    for row in found.table:
        print(f"of {row['runs']} cars as they are built: {row['measure']} = {row['mean']:.4f} ± {row['deviation']:.4f}")
    assert all(abs(slope - compared[p]) < 1e-6 * abs(slope) for p, slope in exact.items())
    assert best.value < 0.5 * before


if __name__ == "__main__":
    main()
