"""Programs for following loops in C: given coordinates of a state, and Newton's correction of the dependent ones."""

from __future__ import annotations

from dataclasses import replace

from symbody.codegen.program import Input, Program
from symbody.equations.closed import Partition, independent_equations, loop_matrices, with_dependent
from symbody.equations.functions import vector_output
from symbody.equations.tree import build_tree, with_motion
from symbody.expr.node import ZERO
from symbody.expr.node_table import fresh_graph
from symbody.expr.substitute import substituted
from symbody.expr.vector import variables, zeros
from symbody.model.model import Model
from symbody.safe_name import identifier
from symbody.system.options import SystemOptions
from symbody.system.programs import program_of
from symbody.system.trace import Traced


def given_program(traced: Traced) -> Program:
    """(t, x, u) → g: all coordinates of the model, zero where they are dependent."""
    assert traced.closed is not None
    g = substituted(traced.closed.q, dict.fromkeys(traced.unknowns, ZERO))
    made = replace(program_of("given", "given coordinates", traced, {"g": g}), closure=None)
    return replace(made, inputs={name: made.inputs[name] for name in ("t", "x", "u")})


def loop_step_program(model: Model, partition: Partition, options: SystemOptions) -> Program:
    """(g, v) → d = Jv⁻¹h, the pivots of Jv, and h: Newton's correction of the dependent coordinates."""
    with fresh_graph():
        tree, still, nd = build_tree(model, options.live, loads=False), zeros(model.nv), len(partition.dependent)
        loops = replace(partition, ties=())
        q = with_dependent(model, loops, variables("g", model.nq), variables("v", nd))
        found, _ = loop_matrices(independent_equations(with_motion(tree, q, still, still), loops), loops)
        outputs = {"d": found.step, "pivots": found.factors.pivots, "h": found.h}
        return Program(
            "loop_step", identifier(model.name), "Newton's correction of the dependent coordinates",
            {"g": Input(model.nq), "v": Input(nd)}, {name: vector_output(y) for name, y in outputs.items()},
            dict(tree.live),
        )  # fmt: skip
