"""Small displacements of a state: one number for each velocity, of quaternions a rotation vector in the body."""

from __future__ import annotations

import numpy as np

from symbody.stepping.rates_jacobian import state_matrix
from symbody.system.places import velocity_places
from symbody.system.system import Array, System


def tangent(s: System, x: Array) -> Array:
    """T of δx = T δz: one δz for each velocity (of quaternions a rotation vector in the body), velocity and state."""
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
    """G of dq/dt = ½ G ω for a quaternion and the angular velocity in the body."""
    w, x, y, z = e
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def inverse_tangent(T: Array) -> Array:
    """δz of δx: the columns of T are orthogonal."""
    return np.asarray((T / np.sum(T * T, axis=0)).T)


def displaced(s: System, x: Array, dx: Array) -> Array:
    """x + δx with unit quaternions; for rows of δx a row each."""
    moved = x + dx
    for q, _ in s.quaternions:
        moved[..., q : q + 4] /= np.linalg.norm(moved[..., q : q + 4], axis=-1, keepdims=True)
    return np.asarray(moved)


def tangent_matrix(s: System, t: float, x: Array, u: Array) -> Array:
    """A of δż = A δz about a state (or about a steady turn: δφ̇ = 2Gᵀδq̇ + 2Ġᵀδq)."""
    T = tangent(s, x)
    A = inverse_tangent(T) @ state_matrix(s, t, x, u, s.dependent(t, x, u)) @ T
    rates, nq = s.rates(t, x, u), len(s.layout.coordinates)
    for q, w in s.quaternions:
        own = slice(w - nq, w - nq + 3)
        A[own, own] += _turning(rates[q : q + 4]).T @ _turning(x[q : q + 4])
    return np.asarray(A)


def state_sizes(s: System) -> Array:
    """Typical sizes of the tangent coordinates: 1 m, rad, m/s or rad/s; of states their scales."""
    tied = len(s.layout.tied)
    scales = [s.model.states[name].scale for name in s.layout.states[tied:]]
    return np.concatenate([np.ones(2 * len(s.layout.velocities) + tied), scales])
