"""A six-axis arm from a URDF file: torques along a trajectory, in one batch, and the force that its hand can exert."""

import numpy as np

import symbody as sb
from symbody import machines


def main() -> None:
    arm = machines.open("arm6")
    print(arm, "with coordinates", ", ".join(arm.coordinates))

    t = np.linspace(0.0, 2.0, 2001)[:, None]
    phase = np.arange(arm.nv) * 0.7
    q, qd, qdd = 0.6 * np.sin(2 * t + phase), 1.2 * np.cos(2 * t + phase), -2.4 * np.sin(2 * t + phase)
    torques = sb.compile(arm, "inverse")(q, qd, qdd)
    for name, peak in zip(arm.coordinates, np.abs(torques).max(axis=0), strict=True):
        print(f"  {name:10s} needs up to {peak:7.2f} N m")

    hand = list(arm.bodies.values())[-1]["origin"].path
    J = sb.compile(arm, "jacobian", point=hand)(q[0])
    force = np.linalg.lstsq(J[:3].T, torques[0], rcond=None)[0]
    print(f"at t = 0 the same torques would hold the force {force.round(1)} N at {hand}")

    base = sb.base_parameters(arm)
    print(f"{base.number} of {len(base.names)} inertial parameters can be identified from the torques, for example")
    print("  ", base.expressions[0])

    energy = sb.compile(arm, "energy")(q, qd)
    gained = (energy.kinetic + energy.potential)[[0, -1]] @ [-1.0, 1.0]
    work = np.trapezoid(np.sum(torques * qd, axis=1), t[:, 0])
    assert abs(work - gained) < 1e-4 * np.ptp(energy.potential)  # J: the work of the drives is the energy of the arm


if __name__ == "__main__":
    main()
