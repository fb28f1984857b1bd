"""The angle of a pendulum after one second by its length: jax.grad through a thousand steps of compiled code."""

from importlib.util import find_spec

import numpy as np

import symbody as sb
from symbody import machines

SECONDS, DT = 1.0, 1e-3


def main() -> None:
    if not find_spec("jax"):
        print("pip install 'symbody[jax]'")
        return
    import jax

    from symbody.bridges import to_jax

    jax.config.update("jax_enable_x64", True)
    s = sb.system(machines.model("pendulum"), outputs=["bob.q"])
    f = to_jax(s, parameters=["length"])

    def end(length):
        """The angle after a second, by the rule of fourth order."""

        def step(x, _):
            k1 = f(0.0, x, p=length)
            k2 = f(0.0, x + DT / 2 * k1, p=length)
            k3 = f(0.0, x + DT / 2 * k2, p=length)
            k4 = f(0.0, x + DT * k3, p=length)
            return x + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return jax.lax.scan(step, s.x0, length=round(SECONDS / DT))[0][0]

    angle, slope = jax.jit(jax.value_and_grad(end))(np.array([1.0]))
    ours = sb.sensitivity(s, sb.Objective(final="bob.q"), ["length"], until=SECONDS, dt=DT)
    print(f"angle {angle:.6f} rad, by the length {slope[0]:.9f} rad/m; sb.sensitivity {ours.gradient['length']:.9f}")
    assert abs(slope[0] - ours.gradient["length"]) < 1e-8


if __name__ == "__main__":
    main()
