"""SymPy's Kane method on a planar pendulum of n links: `python -m symbody_bench.sympy_pendulum N` prints seconds."""

from __future__ import annotations

import sys
from time import perf_counter


def generate(n: int) -> float:
    """Seconds to form mass matrix and forcing of n point-mass links, as in SymPy's own tutorial."""
    import sympy
    from sympy.physics import mechanics as mech

    q, u = mech.dynamicsymbols(f"q:{n}"), mech.dynamicsymbols(f"u:{n}")
    mass, length, gravity = sympy.symbols(f"m:{n}"), sympy.symbols(f"l:{n}"), sympy.Symbol("g")
    time = mech.dynamicsymbols._t
    start = perf_counter()
    inertial, joint = mech.ReferenceFrame("I"), mech.Point("O")
    joint.set_vel(inertial, 0)
    particles, forces, kinematics = [], [], []
    for i in range(n):
        frame = inertial.orientnew(f"A{i}", "Axis", [q[i], inertial.z])
        frame.set_ang_vel(inertial, u[i] * inertial.z)
        end = joint.locatenew(f"P{i}", length[i] * frame.x)
        end.v2pt_theory(joint, inertial, frame)
        particles.append(mech.Particle(f"Pa{i}", end, mass[i]))
        forces.append((end, mass[i] * gravity * inertial.x))
        kinematics.append(q[i].diff(time) - u[i])
        joint = end
    kane = mech.KanesMethod(inertial, q_ind=q, u_ind=u, kd_eqs=kinematics)
    kane.kanes_equations(particles, forces)
    return perf_counter() - start


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
