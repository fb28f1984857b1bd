"""Friction of contacts from the elements' laws, compiled for one tick.

(v, z, mode, p) → force, z, mode, derivatives by v and by z, along one direction across the normal; p: load (N), mu_s,
mu_k, break-away deflection (m), v_min (m/s), beta (N s/m), h (s).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from symbody.codegen import Function, build
from symbody.codegen.program import Input, Output, Program
from symbody.elements.friction_reset import ResetIntegrator
from symbody.elements.friction_static import Coulomb
from symbody.elements.numbers import Scalar
from symbody.expr.derive import derivative
from symbody.expr.functions import absolute, clip, sign, where
from symbody.expr.node import ZERO, Expr
from symbody.expr.node_table import fresh_graph
from symbody.expr.vector import variables

INPUTS = {"v": 1, "z": 1, "mode": 1, "p": 7}
Rubbed = tuple[Expr, Expr, Expr]  # force against v, deflection and mode after the tick


class Rubbing(NamedTuple):
    """The numbers of a contact: load (N), coefficients, deflection (m), v_min (m/s), beta (N s/m), tick (s)."""

    load: Scalar
    mu_s: Scalar
    mu_k: Scalar
    deflection: Scalar
    v_min: Scalar
    beta: Scalar
    h: Scalar


Law = Callable[[Expr, Expr, Expr, Rubbing], Rubbed]


def _bristle(law: ResetIntegrator, v: Expr, z: Expr, h: Expr) -> tuple[Expr, Expr]:
    """Force and deflection of the bristle spring after one more tick."""
    bent = law.bent_further(v, z, h)
    return law.force(v, (bent,)), bent


def reset_integrator(v: Expr, z: Expr, mode: Expr, g: Rubbing) -> Rubbed:
    """Thesis (4.6–4.8): (1 + a) K_r z + β v in stiction, K_r z while it slides; K_r z₀ = μ_k f_n, 1 + a = μ_s/μ_k."""
    Fs = g.mu_s * g.load
    law = ResetIntegrator(Fc=g.mu_k * g.load, Fs=Fs, sigma0=Fs / g.deflection, sigma1=g.beta, sigma2=0.0)
    return (*_bristle(law, v, z, g.h), mode)


def modified_dahl(v: Expr, z: Expr, mode: Expr, g: Rubbing) -> Rubbed:
    """μ_k f_n z/z₀ with |z| ≤ z₀: the same spring without a peak and without damping."""
    Fc = g.mu_k * g.load
    law = ResetIntegrator(Fc=Fc, Fs=Fc, sigma0=Fc / g.deflection, sigma1=0.0, sigma2=0.0)
    return (*_bristle(law, v, z, g.h), mode)


def classical(v: Expr, z: Expr, mode: Expr, g: Rubbing) -> Rubbed:
    """Coulomb friction, smoothed within ± v_min: it creeps instead of sticking."""
    return Coulomb(Fc=g.mu_k * g.load, v0=g.v_min, sigma2=0.0).force(v), ZERO, ZERO


def finger_pad(v: Expr, z: Expr, mode: Expr, g: Rubbing) -> Rubbed:
    """Nahvi: a spring k about the last sticking point, up to μ_s f_n; then μ_k f_n against v.

    Below v_min it sticks again, with the deflection that it had while sliding. mode: 0 sticks, 1 slides.
    """
    k = g.mu_s * g.load / g.deflection
    slid = g.mu_k * g.load / k * sign(v)
    bent = z + g.h * v
    breaks = absolute(k * bent) > g.mu_s * g.load
    slides = where(mode > 0.5, absolute(v) > g.v_min, breaks)
    after = where(slides, slid, where(mode > 0.5, z, bent))
    return k * after, clip(after, -g.deflection, g.deflection), where(slides, 1.0, 0.0)


LAWS: dict[str, Law] = {
    "reset-integrator": reset_integrator,
    "finger-pad": finger_pad,
    "modified-dahl": modified_dahl,
    "classical": classical,
}


def friction_program(name: str) -> Program:
    """One of the laws as a program."""
    with fresh_graph():
        v, z, mode = (variables(x, 1)[0] for x in ("v", "z", "mode"))
        g = Rubbing(*variables("p", 7))
        force, after, sliding = LAWS[name](v, z, mode, g)
        by_v = derivative(force, v)
        by_z = derivative(force, z)
        results = {"force": force, "bent": after, "sliding": sliding, "by_v": by_v - g.h * by_z, "by_z": by_z}
        outputs = {key: Output((1,), (x if isinstance(x, Expr) else ZERO + x,)) for key, x in results.items()}
        summary = "friction of a contact for a tick, and its derivatives by velocity and deflection"
        return Program(name.replace("-", "_"), "contact", summary, {k: Input(n) for k, n in INPUTS.items()}, outputs)


@cache
def friction_functions() -> tuple[Function, ...]:
    """All laws, compiled, in the order of `LAWS`."""
    return tuple(build(friction_program(name)) for name in LAWS)
