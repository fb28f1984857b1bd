"""What is named, what is inlined, what is hoisted, and how it is counted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from random_programs import random_program

from symbody.codegen.program import Input, Output, Program
from symbody.codegen.schedule import Let, schedule
from symbody.codegen.sources import sources
from symbody.codegen.targets.c import c_source
from symbody.expr.node import Expr, neg, parameter, sin, variable
from symbody.expr.node_table import fresh_graph

x, y, z = (variable(f"q[{i}]") for i in range(3))


def program(*elements: Expr, **parameters: float) -> Program:
    return Program("f", "m", "y = f(q)", {"q": Input(3)}, {"y": Output((len(elements),), elements)}, parameters)


def test_single_use_is_inlined_and_shared_values_are_named() -> None:
    shared = x * y + z
    plan = schedule(program(shared * x, shared * y))
    assert [s.node for s in plan.body.statements if isinstance(s, Let)] == [shared]
    assert plan.statements == 3


def test_sign_of_a_difference_costs_nothing() -> None:
    with fresh_graph():  # which of a - b and b - a was there first decides how they are written
        x, y, z = (variable(f"q[{i}]") for i in range(3))
        plan = schedule(program(neg(x - y), neg(x * (y - z)), neg(x * y)))
    code = c_source(plan).code
    assert "y[0] = q[1] - q[0];" in code
    assert "y[1] = q[0]*(q[2] - q[1]);" in code
    assert "y[2] = -q[0]*q[1];" in code
    assert plan.operations.neg == 1
    assert plan.operations.total == 5


def test_parameters_are_hoisted() -> None:
    mass, length = parameter("mass"), parameter("length")
    plan = schedule(program(mass * length * length * x, mass * y, length + 1, mass=2.0, length=3.0))
    assert len(plan.slots) == 3
    assert plan.operations.hoisted == 3
    assert plan.operations.mul == 2
    assert "length" in c_source(plan).code


def test_sines_come_first_and_in_batches() -> None:
    plan = schedule(program(sin(x) * sin(y), sin(sin(x) + z)))
    code = c_source(plan).code
    assert code.count("    sines_cosines(") == 2
    assert "sines_cosines(2, angle, sn, cs);" in code
    assert "sines_cosines(1, angle, sn + 2, cs + 2);" in code
    assert plan.operations.trig == 3


def test_header_says_what_it_is() -> None:
    plan = schedule(random_program(0))
    for language, mark in (("c", "/*"), ("python", '"""'), ("matlab", "function"), ("javascript", "//")):
        text = next(iter(sources(random_program(0), language).values()))
        assert text.startswith(mark)
        for word in ("random 0", "y = f(q, u)", "a note", f"statements  {plan.statements}", str(plan.operations.total)):
            assert word in text, (language, word)
        assert "body.mass" in "".join(sources(random_program(0), language).values())


def test_long_expressions_do_not_recurse() -> None:
    total = x
    for i in range(5000):
        total = sin(total) * y + float(i)
    assert c_source(schedule(program(total))).units > 1


def test_same_text_in_every_process() -> None:
    command = (
        "from random_programs import random_program; from symbody.codegen.sources import sources; import hashlib;"
        "t = [v for s in ('c', 'python', 'matlab') for v in sources(random_program(7), s).values()];"
        "print(hashlib.sha256(repr(t).encode()).hexdigest())"
    )
    here = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    texts = set()
    for seed in ("0", "1", "77"):
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": here}
        texts.add(subprocess.run([sys.executable, "-c", command], env=env, capture_output=True, check=True).stdout)
    assert len(texts) == 1
