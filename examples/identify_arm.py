"""A six-axis arm on a force plate: a motion that excites its inertial parameters, and their estimates."""

import numpy as np

import symbody as sb
from symbody import machines

NOISE = np.array([0.5, 0.5, 0.5, 0.1, 0.1, 0.1])  # N, N m: of a force plate under the base


def main() -> None:
    arm = machines.model("arm6")
    motion = sb.excitation(arm, 10.0, amplitude=1.5, speed=2.5, measured="reactions", samples=400, tries=20)
    print(f"condition number {motion.condition:.1f} along a Fourier series of 10 s; largest speed 2.5 rad/s")

    ground = sb.compile(arm, "reaction")(motion.q, motion.qd, motion.qdd)
    exact = np.hstack([ground.force, ground.torque])
    measured = exact + NOISE * np.random.default_rng(3).normal(size=exact.shape)
    found = sb.identify(arm, motion.q, motion.qd, motion.qdd, reactions=measured)
    print(found)
    print("noise found:", ", ".join(f"{x:.2f}" for x in found.noise.values()), "(N, N m)")
    surest = sorted(found.table, key=lambda row: -abs(row["value"]) / row["deviation"])[:8]
    for row in surest:
        name = row["parameter"] if len(row["parameter"]) < 50 else f"{row['parameter'][:47]} …"
        print(f"  {row['value']:9.4f} ± {row['deviation']:.4f}  (exactly {row['model']:9.4f})  {name}")
    errors = np.abs(found.values - found.before) / found.deviations
    print(
        f"{np.sum(errors < 3)} of {len(errors)} parameters within three standard deviations; worst {errors.max():.2f}"
    )
    assert abs(surest[0]["value"] - 31.1) < 0.02  # kg: the mass of the whole arm on the plate
    assert errors.max() < 4.0


if __name__ == "__main__":
    main()
