"""Programs in one piece for TinyCC: bit for bit what their parts compute, whatever their arrays are called."""

import ctypes
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_programs import random_program

from symbody import machines
from symbody.codegen import joined_parts
from symbody.codegen.joined_parts import joined
from symbody.codegen.program import Closure, Input, Output, Program
from symbody.codegen.schedule import Schedule, schedule
from symbody.codegen.stripped_source import SYMBOL, bare
from symbody.codegen.targets.c import c_source
from symbody.codegen.tinycc import build_tiny, find_tiny, know_mathematics
from symbody.equations.functions import make_program
from symbody.expr.functions import tanh
from symbody.expr.node import parameter, sin, variable

FOLDER = find_tiny()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="TinyCC is not installed")


def text_of(plan: Schedule, part: int) -> str:
    source = c_source(plan, part)
    return bare(source.code, source.name)


def values(text: str, plan: Schedule, path: Path) -> list[np.ndarray]:
    """All outputs at some inputs, and the hoisted values at the parameters."""
    assert FOLDER
    know_mathematics()
    source, program = path.with_suffix(".c"), plan.program
    source.write_text(text)
    build_tiny(FOLDER, source, path)
    library, rng = ctypes.CDLL(str(path)), np.random.default_rng(0)
    inputs = [rng.uniform(0.1, 0.9, x.size) for x in program.inputs.values()]
    outputs = [np.zeros(x.shape) for x in program.outputs.values()]
    h, p = np.zeros(max(1, plan.kept)), np.array(list(program.parameters.values()))

    def pointers(arrays: list[np.ndarray]) -> Any:
        return (ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays))

    if plan.slots:
        library[f"{SYMBOL}_hoist"](ctypes.c_void_p(p.ctypes.data), ctypes.c_void_p(h.ctypes.data))
    library[f"{SYMBOL}_call"](pointers(inputs), pointers(outputs), ctypes.c_void_p(h.ctypes.data))
    return [*outputs, h]


def assert_same(program: Program, part: int, folder: Path) -> str:
    """Joined text without parts and with the values of the parts."""
    plan = schedule(program, loops=True)
    cut = text_of(plan, part)
    whole = joined(cut)
    assert "PART void" in cut
    assert "PART void" not in whole
    for one, other in zip(values(cut, plan, folder / "cut.so"), values(whole, plan, folder / "joined.so"), strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.isfinite(one).all()
    return whole


@pytest.mark.parametrize("part", [1, 4, 30])
@pytest.mark.parametrize("seed", range(4))
def test_random_programs_are_the_same(seed: int, part: int, tmp_path: Path) -> None:
    whole = assert_same(random_program(seed, steps=120), part, tmp_path)
    assert "w[" not in whole


@pytest.mark.parametrize("function", ["inverse", "direct", "mass"])
def test_equations_of_motion_are_the_same(function: str, tmp_path: Path) -> None:
    assert_same(make_program(machines.open("piano"), function), 20, tmp_path)


def chain(inputs: str, outputs: str, unknowns: str = "") -> Program:
    """Many values that later parts need, in the function, in its iteration and in what is hoisted."""
    lengths = [f"length_{i}" for i in range(8)]
    x, hoisted = [variable(f"{inputs}[{i}]") for i in range(8)], [parameter(name) for name in lengths]
    for _ in range(3):
        hoisted = [tanh(a * b + 0.1) for a, b in pairwise([*hoisted, hoisted[0]])]
    z = [variable(f"{unknowns}[{i}]") for i in range(8)] if unknowns else x
    y = z
    for _ in range(3):
        y = [sin(a * b + 0.5) + c for a, b, c in zip(y, [*y[1:], y[0]], hoisted, strict=True)]
    to = Closure(unknowns, "start", tuple(a - sin(0.3 * b) for a, b in zip(z, y, strict=True))) if unknowns else None
    start = {"start": Input(8)} if unknowns else {}
    shown = Output((24,), (*y, *(sin(a) for a in y), *(a * b for a, b in zip(x, y, strict=True))))
    sizes = dict.fromkeys(lengths, 0.7)
    return Program("f", "m", "y", {inputs: Input(8), **start}, {outputs: shown}, sizes, closure=to)


@pytest.mark.parametrize(
    "names",
    [("x", "y"), ("w", "y"), ("x", "w"), ("w_", "w"), ("x", "y", "z"), ("x", "w", "z"), ("x", "y", "w"),
     ("w", "y", "w_"), ("w_", "w", "w__"), ("t", "sn", "w")],
)  # fmt: skip
@pytest.mark.parametrize("part", [2, 7])
def test_arrays_may_have_the_names_of_the_workspace(names: tuple[str, ...], part: int, tmp_path: Path) -> None:
    assert_same(chain(*names), part, tmp_path)


def test_only_the_hoisted_values_are_in_parts(tmp_path: Path) -> None:
    """Their workspace is called w, as the output of the short function is."""
    names = [f"length_{i}" for i in range(8)]
    hoisted = [parameter(name) for name in names]
    for _ in range(3):
        hoisted = [tanh(a * b + 0.1) for a, b in pairwise([*hoisted, hoisted[0]])]
    y = sin(variable("x[0]") * hoisted[0])
    outputs = {"w": Output((3,), (y, y * hoisted[1], y + hoisted[2]))}
    assert_same(Program("f", "m", "y", {"x": Input(1)}, outputs, dict.fromkeys(names, 0.7)), 7, tmp_path)


def test_long_functions_and_those_without_parts_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = schedule(random_program(0), loops=True)
    assert joined(text_of(plan, 10_000)) == text_of(plan, 10_000)
    monkeypatch.setattr(joined_parts, "LONGEST", 5)
    assert joined(text_of(plan, 10)) == text_of(plan, 10)
