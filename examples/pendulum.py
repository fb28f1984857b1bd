"""A double pendulum: build, compile, change a parameter, simulate."""

import numpy as np

import symbody as sb


def main() -> None:
    m = sb.Model("pendulum", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.5, unit="m")
    arm = m.body(
        "arm", joints=[sb.Joint("arm", "R2", q0=(1.0,))], mass=1.0, com=(0, 0, -length / 2), inertia=(0.02, 0.02, 0)
    )
    tip = arm.point("tip", (0, 0, -length))
    m.body("bob", on=tip, joints="R2", mass=0.3, com=(0, 0, -0.1), inertia=(1e-3, 1e-3, 1e-3))

    inverse = sb.compile(m, "inverse")
    q, rest = np.array([1.0, 0.0]), np.zeros(2)
    held = inverse(q, rest, rest)
    print("holding torques (N m):", held)
    inverse.parameters["length"] = 1.0
    print("with an arm twice as long:", inverse(q, rest, rest))
    print("operations per call:", inverse.operations.total)

    motion = sb.simulate(m, until=2.0, dt=1e-3)
    print(f"after {motion.t[-1]:g} s: q = {motion.q[-1].round(4)}, energy drift {motion.energy_drift:.1e}")

    by_hand = 9.81 * np.sin(1.0) * (1.0 * 0.25 + 0.3 * (0.5 + 0.1))  # both weights, each times its lever arm
    assert abs(held[0] - by_hand) < 1e-12
    assert motion.energy_drift < 1e-9


if __name__ == "__main__":
    main()
