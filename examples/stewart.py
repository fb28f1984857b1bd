"""A Stewart platform: leg forces for heave and roll by inverse dynamics; a simulation reproduces the motion."""

import numpy as np

import symbody as sb
from symbody import machines


def main() -> None:
    model = machines.model("stewart")
    s = sb.system(model)
    legs = list(model.joint_laws)  # the slides that take the inputs f1 … f6
    inverse = s.inverse(legs)
    print(f"{s}")

    def wanted(t: float) -> np.ndarray:
        """Accelerations of the platform: heave of 20 mm and roll of some degrees, both at 1 Hz, from rest."""
        w = 2 * np.pi
        return np.array([0, 0, 0.02 * w**2 * np.cos(w * t), 0.05 * w**2 * np.cos(w * t), 0, 0])

    # step by step: efforts for the wanted accelerations, held over a millisecond
    dt, x, forces = 1e-3, s.x0.copy(), []
    for n in range(1000):
        forces.append(inverse(x, wanted(n * dt), u=np.zeros(6)))  # the whole force, with the weight
        run = sb.simulate(s, dt, dt, x0=x, inputs=dict(zip(s.inputs, forces[-1], strict=True)))
        x = np.array([run[name][-1] for name in s.states])
    forces = np.array(forces)
    print(f"leg forces from {forces.min():.0f} to {forces.max():.0f} N; after one period the platform is back:")
    print("  offset", np.round(1e3 * (x - s.x0)[:3], 2), "mm")
    assert np.abs(x - s.x0)[:3].max() < 1e-3  # m: the given motion ends where it starts


if __name__ == "__main__":
    main()
