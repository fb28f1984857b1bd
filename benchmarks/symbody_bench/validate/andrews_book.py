"""The seven body mechanism in the book's own equations: seven angles, matrices by hand, index 1.

E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, VI.9; the names are theirs.
"""

from __future__ import annotations

import numpy as np
from numpy import cos, sin
from scipy.integrate import solve_ivp

Array = np.ndarray
ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
START = [-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550]
START += [-0.222668390165885885, 1.23054744454982119]
MOTOR, STIFFNESS, REST = 0.033, 4530.0, 0.07785  # N m, N/m, m
M1, M2, M3, M4, M5, M6, M7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498  # kg
I1, I2, I3, I4, I5, I6, I7 = 2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5  # kg m²
XB, YB, XC, YC = -0.03635, 0.03273, 0.014, 0.072  # m, and so on
D, DA, E, EA, R, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
S, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421


def mass(q: Array) -> Array:
    """M(q), 7 × 7."""
    _, theta, _, phi, _, omega, _ = q
    M, e, f = np.zeros((7, 7)), E - EA, ZF - FA
    M[0, 0] = M1 * RA**2 + M2 * (R**2 - 2 * DA * R * cos(theta) + DA**2) + I1 + I2
    M[0, 1] = M[1, 0] = M2 * (DA**2 - DA * R * cos(theta)) + I2
    M[1, 1] = M2 * DA**2 + I2
    M[2, 2] = M3 * (SA**2 + SB**2) + I3
    M[3, 3] = M4 * e**2 + I4
    M[3, 4] = M[4, 3] = M4 * (e**2 + ZT * e * sin(phi)) + I4
    M[4, 4] = M4 * (ZT**2 + 2 * ZT * e * sin(phi) + e**2) + M5 * (TA**2 + TB**2) + I4 + I5
    M[5, 5] = M6 * f**2 + I6
    M[5, 6] = M[6, 5] = M6 * (f**2 - U * f * sin(omega)) + I6
    M[6, 6] = M6 * (f**2 - 2 * U * f * sin(omega) + U**2) + M7 * (UA**2 + UB**2) + I6 + I7
    return M


def forces(q: Array, v: Array) -> Array:
    """f(q, q̇): motor, spring and velocity-dependent terms."""
    _, theta, gamma, phi, _, omega, _ = q
    dbeta, dtheta, _, dphi, ddelta, domega, depsilon = v
    x, y = SD * cos(gamma) + SC * sin(gamma), SD * sin(gamma) - SC * cos(gamma)  # of D, from B
    dx, dy = x + XB - XC, y + YB - YC
    pull = -STIFFNESS * (1.0 - REST / np.hypot(dx, dy))
    e, f = M4 * ZT * (E - EA), M6 * U * (ZF - FA)
    return np.array(
        [
            MOTOR - M2 * DA * R * dtheta * (dtheta + 2 * dbeta) * sin(theta),
            M2 * DA * R * dbeta**2 * sin(theta),
            pull * (dy * x - dx * y),
            e * ddelta**2 * cos(phi),
            -e * dphi * (dphi + 2 * ddelta) * cos(phi),
            -f * depsilon**2 * cos(omega),
            f * domega * (domega + 2 * depsilon) * cos(omega),
        ]
    )


def loops(q: Array, v: Array) -> tuple[Array, Array]:
    """G(q), 6 × 7, and dG/dt q̇: the ends of K2 and of K3, K4, K6 coincide."""
    beta, theta, gamma, phi, delta, omega, epsilon = q
    a, b, c = beta + theta, phi + delta, omega + epsilon
    da, db, dc = v[0] + v[1], v[3] + v[4], v[5] + v[6]
    G = np.zeros((6, 7))
    G[::2, 0], G[1::2, 0] = -R * sin(beta) + D * sin(a), R * cos(beta) - D * cos(a)
    G[::2, 1], G[1::2, 1] = D * sin(a), -D * cos(a)
    G[:2, 2] = -S * cos(gamma), -S * sin(gamma)
    G[2:4, 3] = -E * cos(b), -E * sin(b)
    G[2:4, 4] = -E * cos(b) + ZT * sin(delta), -E * sin(b) - ZT * cos(delta)
    G[4:, 5] = ZF * sin(c), -ZF * cos(c)
    G[4:, 6] = ZF * sin(c) - U * cos(epsilon), -ZF * cos(c) - U * sin(epsilon)
    crank = np.array([cos(beta), sin(beta)]) * -R * v[0] ** 2 + np.array([cos(a), sin(a)]) * D * da**2
    others = [
        S * v[2] ** 2 * np.array([sin(gamma), -cos(gamma)]),
        E * db**2 * np.array([sin(b), -cos(b)]) + ZT * v[4] ** 2 * np.array([cos(delta), sin(delta)]),
        ZF * dc**2 * np.array([cos(c), sin(c)]) + U * v[6] ** 2 * np.array([sin(epsilon), -cos(epsilon)]),
    ]
    return G, np.concatenate([crank + x for x in others])


def rates(_: float, y: Array) -> Array:
    """d(q, q̇)/dt with M q̈ + Gᵀλ = f, G q̈ = −Ġ q̇."""
    q, v = y[:7], y[7:]
    G, drift = loops(q, v)
    matrix = np.block([[mass(q), G.T], [G, np.zeros((6, 6))]])
    return np.concatenate([v, np.linalg.solve(matrix, np.concatenate([forces(q, v), -drift]))[:7]])


def motion(t: Array) -> Array:
    """The angles (rad) at given times, one row each."""
    start = np.array([*START, *[0.0] * 7])
    found = solve_ivp(rates, (0.0, t[-1]), start, "DOP853", t_eval=t, rtol=1e-12, atol=1e-14)
    return np.asarray(found.y[:7].T)
