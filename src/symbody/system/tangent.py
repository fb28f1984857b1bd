"""Derivatives of a large system: one program along any direction of (x, u, p), called for each direction.

Written out, the columns of a humanoid's Jacobian are 2·10⁵ operations, which take half a minute to derive and compile.
Along one direction there are about ten thousand. A call then takes several times as long, but still milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from symbody.codegen.function import Function
from symbody.codegen.program import Program
from symbody.expr.node import parameter
from symbody.expr.substitute import substituted
from symbody.expr.vector import variables
from symbody.system.channels import channels, selected_channels
from symbody.system.derivatives import along, implicit
from symbody.system.programs import program_of
from symbody.system.trace import Traced

Array = np.ndarray
WIDE = 200_000  # columns times operations of the rates: above it, the full Jacobian takes many seconds to compile


def tangent_program(traced: Traced, outputs: Sequence[str] | None) -> Program:
    """d(ẋ, y) along (dx, du, dp), exact, through the loops."""
    every, n = channels(traced), len(traced.x)
    y = [every[name] for name in selected_channels(traced, every, outputs)]
    blocks = {"dx": traced.x, "du": traced.u, "dp": [parameter(name) for name in traced.tree.live]}
    seeds = {
        s: d for name, symbols in blocks.items() for s, d in zip(symbols, variables(name, len(symbols)), strict=True)
    }
    moved = along(implicit(traced), [*traced.rates, *y], seeds)
    known = substituted(moved, dict(zip(traced.a, traced.udd, strict=True)))
    vectors = {"xd": known[:n], "y": known[n:]}
    more = {name: len(symbols) for name, symbols in blocks.items()}
    return program_of("tangent", "derivatives of dx/dt and y along dx, du, dp", traced, vectors, more=more)


def slopes(tangent: Function, t: Array, x: Array, u: Array, guess: Array) -> list[Array]:
    """∂ẋ and ∂y by x, then by u, then by p: one call for each direction, all in one batch."""
    sizes = [tangent.signature.inputs[name][0] for name in ("dx", "du", "dp")]
    ends = np.cumsum([0, *sizes])
    directions = np.eye(ends[-1])
    found = tangent(t, x, u, guess, *(directions[:, a:b] for a, b in pairwise(ends)))
    return [part[a:b].T for a, b in pairwise(ends) for part in found]
