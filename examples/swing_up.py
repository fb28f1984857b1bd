"""A cart swings up its pole in two seconds with the least effort: the equations of the model in CasADi's Opti."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

import symbody as sb
from symbody import machines

SECONDS, INTERVALS, FORCE = 2.0, 60, 20.0  # s, -, N: the largest


def main() -> None:
    if not find_spec("casadi"):
        print("pip install 'symbody[casadi]'")
        return
    import casadi as ca

    from symbody.bridges import to_casadi

    s = sb.system(machines.model("cart-pole"))
    f = to_casadi(s)
    opti, h = ca.Opti(), SECONDS / INTERVALS
    X, U = opti.variable(4, INTERVALS + 1), opti.variable(1, INTERVALS)
    for k in range(INTERVALS):  # one step of fourth order each
        x, u = X[:, k], U[:, k]
        k1 = f(0.0, x, u)
        k2 = f(0.0, x + h / 2 * k1, u)
        k3 = f(0.0, x + h / 2 * k2, u)
        k4 = f(0.0, x + h * k3, u)
        opti.subject_to(X[:, k + 1] == x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    hanging, upright = np.array([0.0, np.pi, 0.0, 0.0]), np.zeros(4)
    opti.subject_to(X[:, 0] == hanging)
    opti.subject_to(X[:, INTERVALS] == upright)
    opti.subject_to(opti.bounded(-FORCE, U, FORCE))
    opti.minimize(h * ca.sumsqr(U))
    opti.set_initial(X, np.linspace(hanging, upright, INTERVALS + 1).T)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    found = opti.solve()

    stepper, way = sb.stepper(s, "rk4", dt=h, substeps=20), [hanging]
    for force in found.value(U):
        way.append(stepper.step(way[-1], np.array([force])))
    tilt = way[-1][1]
    print(f"effort {found.value(opti.f):.1f} N² s; stepped finely, the pole ends {tilt:.1e} rad from upright")
    run = sb.Run(s, h * np.arange(INTERVALS + 1), np.array(way), names=s.states)
    print("animation:", run.animate(Path("out/swing-up.html")))
    assert abs(tilt) < 0.02


if __name__ == "__main__":
    main()
