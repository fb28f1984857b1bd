"""Random programs that use every operation, and their values by the graph's own evaluation."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from symbody.codegen.program import Input, Output, Program
from symbody.expr.functions import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    exp,
    log,
    maximum,
    minimum,
    sign,
    table,
    table2,
    tan,
    tanh,
    where,
)  # fmt: skip
from symbody.expr.graph import evaluate
from symbody.expr.node import Expr, const, cos, neg, node_of, parameter, power, sin, sqrt, variable
from symbody.expr.node_table import section

XS, YS = (-1.0, 0.0, 0.5, 2.0), (-2.0, 0.25, 1.0)
LINE = (XS, (0.0, 1.0, -1.0, 4.0))
Z = ((1.0, 2.0, -1.0), (0.5, 0.0, 3.0), (2.0, -2.0, 1.0), (0.1, 0.7, 0.3))


def one_of_each(x: Expr, y: Expr) -> list[Expr]:
    """Every operation, on arguments for which all are defined."""
    surface = (XS, YS, tuple(z for row in Z for z in row))
    slopes = [node_of(op, (x, y), surface) for op in ("table2_slope_x", "table2_slope_y", "table2_twist")]
    return [
        x + y, x - y, neg(x), x * y, x / (y * y + 1), power(x * x + 1, y), sqrt(x * x + y), sin(x), cos(y), tan(x),
        asin(x * 0.1), acos(y * 0.1), atan(x), atan2(y, x), exp(x), log(y * y + 1), tanh(x), absolute(x), sign(x - y),
        minimum(x, y), maximum(x, y), x < y, x <= y, where(x < y, x, 2.0),
        table(x, *LINE), node_of("table_slope", (x,), LINE), table2(x, y, XS, YS, Z),
        *slopes, sin(cos(x) + y), cos(x + y), neg(x - y), neg(x * (x - y)),
    ]  # fmt: skip


def random_program(seed: int, steps: int = 60, live: bool = True) -> Program:
    """A program of random expressions; some outputs are constants, inputs or parameters, and one is asked for twice."""
    rng = random.Random(seed)
    q = [variable(f"q[{i}]") for i in range(4)]
    u = [variable(f"u[{i}]") for i in range(3)]
    values = {"body.mass": 1.25, "L": 0.5, "k": 2.0}
    p = [parameter(name) if live else const(v) for name, v in values.items()]
    pool = [*q, *u, *p, const(0.75), const(-1.5)]
    for step in range(steps):
        section(f"step {step // 10}")
        x, y = rng.choice(pool[-15:]), rng.choice(pool)
        z = tanh(rng.choice(one_of_each(tanh(x), absolute(tanh(y)) + 0.5)))
        pool.append(z)
    chosen = [*pool[-12:], *one_of_each(tanh(q[0] * p[0]), absolute(u[1]) + 0.5)]
    outputs = {
        "M": Output((3, 4), tuple(chosen[:12])),
        "c": Output((len(chosen) - 12,), tuple(chosen[12:])),
        "z": Output((5,), (const(0.0), const(2.5), q[1], p[0] * p[1], chosen[0])),
    }
    inputs = {"q": Input(4), "u": Input(3), "frc": Input(2, optional=True)}
    return Program("dynamics", f"random {seed}", "y = f(q, u)", inputs, outputs, values if live else {}, ("a note",))


def expected(program: Program, parameters: dict[str, float], **inputs: Any) -> np.ndarray:
    """All outputs in a row, by the graph."""
    values: dict[str, float] = {f"{name}[{i}]": float(v) for name, x in inputs.items() for i, v in enumerate(x)}
    return np.array(evaluate(program.results, values | parameters))


def flat(outputs: Any) -> np.ndarray:
    """All outputs in a row."""
    return np.concatenate([np.ravel(y) for y in (outputs if isinstance(outputs, tuple) else (outputs,))])
