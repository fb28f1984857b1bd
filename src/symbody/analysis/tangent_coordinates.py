"""Small displacements of a state: one number per velocity; for quaternions a rotation vector in body axes."""

from __future__ import annotations

import numpy as np

from symbody.stepping.rates_jacobian import state_matrix
from symbody.system.state_indices import velocity_places
from symbody.system.system import Array, System


def tangent(s: System, x: Array) -> Array:
    """T of δx = T δz: one δz per velocity (for quaternions a rotation vector in body axes), then velocities, states."""
    nq, nv = len(s.layout.coordinates), len(s.layout.velocities)
    T = np.zeros((len(x), len(x) - nq + nv))
    for k, place in enumerate(velocity_places(s)):
        if place >= 0:
            T[k, place - nq] = 1.0
    for q, w in s.quaternions:
        T[q : q + 4, w - nq : w - nq + 3] = 0.5 * _turning(x[q : q + 4])
    T[nq:, nv:] = np.eye(len(x) - nq)
    return T


def _turning(e: Array) -> Array:
    """G of dq/dt = ½ G ω for a quaternion and the angular velocity in body axes."""
    w, x, y, z = e
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def inverse_tangent(T: Array) -> Array:
    """δz from δx; the columns of T are orthogonal."""
    return np.asarray((T / np.sum(T * T, axis=0)).T)


def displaced(s: System, x: Array, dx: Array) -> Array:
    """x + δx with unit quaternions; one row per row of δx."""
    moved = x + dx
    for q, _ in s.quaternions:
        moved[..., q : q + 4] /= np.linalg.norm(moved[..., q : q + 4], axis=-1, keepdims=True)
    return np.asarray(moved)


def tangent_matrix(s: System, t: float, x: Array, u: Array) -> Array:
    """A of δż = A δz about a state (also about a steady rotation: δφ̇ = 2Gᵀδq̇ + 2Ġᵀδq)."""
    T = tangent(s, x)
    A = inverse_tangent(T) @ state_matrix(s, t, x, u, s.dependent(t, x, u)) @ T
    rates, nq = s.rates(t, x, u), len(s.layout.coordinates)
    for q, w in s.quaternions:
        own = slice(w - nq, w - nq + 3)
        A[own, own] += _turning(rates[q : q + 4]).T @ _turning(x[q : q + 4])
    return np.asarray(A)


def state_sizes(s: System) -> Array:
    """Typical sizes of the tangent coordinates: 1 m, rad, m/s or rad/s; for states their scales."""
    return np.concatenate([np.ones(2 * len(s.layout.velocities)), s.definition.state_scales])
