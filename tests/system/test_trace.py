"""Programs made one after the other upon one trace are, letter by letter, those of a trace of their own."""

from functools import partial

import pytest

import symbody as sb
from symbody import machines
from symbody.codegen.schedule import schedule
from symbody.codegen.targets.c import c_source
from symbody.stepping.step_equations import kept_tangent_program, newton_program, residual_program
from symbody.system.programs import (
    input_matrix_program,
    jacobian_program,
    limits_program,
    motion_program,
    rates_jacobian_program,
    system_programs,
)
from symbody.system.trace import traced_system

MAKERS = {
    "rates": lambda traced: system_programs(traced, None).rates,
    "outputs": lambda traced: system_programs(traced, ["*"]).outputs,
    "limits": limits_program,
    "motion": motion_program,
    "jacobian": partial(jacobian_program, outputs=None),
    "slopes": rates_jacobian_program,
    "input matrix": input_matrix_program,
    "newton": newton_program,
    "kept tangent": kept_tangent_program,
    "residual": residual_program,
}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("four-bar", {}), ("slider-crank", {"closure": "augmented"}), ("four-bar", {"closure": "penalty"}),
        ("double-pendulum", {"live": "all"}), pytest.param("quarter-car", {}, marks=pytest.mark.slow),
    ],
    ids=str,
)  # fmt: skip
def test_programs_upon_one_trace_are_those_of_a_trace_of_their_own(name, options):
    d = sb.system(machines.model(name), backend="python", **options).definition
    shared = traced_system(d.model, d.state_partition, d.options)
    for title, make in [*MAKERS.items(), *reversed(MAKERS.items())]:
        alone = traced_system(d.model, d.state_partition, d.options).make(make)
        texts = [c_source(schedule(program, loops=True)).code for program in (shared.make(make), alone)]
        assert texts[0] == texts[1], title
