"""The text of a kernel that steps many states of a system, and the numbers that it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

from symbody.codegen import cache as store
from symbody.codegen.program import Input, Program
from symbody.codegen.targets.c import PART, runtime
from symbody.codegen.targets.kernel import PRECISIONS, kernel_programs, kernel_text
from symbody.equations.functions import vector_output
from symbody.errors import CompileError, ModelError
from symbody.expr.node import VARIABLE, mul, node_of, variable
from symbody.expr.node_table import collection_paused
from symbody.stepping.newton import Newton
from symbody.stepping.rk4 import RK4
from symbody.stepping.semi_implicit import SEMI_IMPLICIT
from symbody.stepping.start_state import NEARBY, STOP
from symbody.stepping.trapezoidal import TRAPEZOIDAL
from symbody.suggestions import did_you_mean
from symbody.system.programs import limits_program, rates_jacobian_program
from symbody.system.sensitivity import Sensitive
from symbody.system.state_indices import velocity_places
from symbody.system.system import System
from symbody.system.trace import Traced

FILE = "kernel.cu"
METHODS = {one.name: one.name.replace("-", "_").upper() for one in (SEMI_IMPLICIT, RK4, TRAPEZOIDAL)}  # words in C
HOISTED = ("RATES", "OUTPUTS", "JACOBIAN", "LIMITS")  # programs with values that depend on parameters only


@dataclass(frozen=True)
class KernelChoice:
    """What a kernel is compiled for. part: statements in one function, at most."""

    channels: tuple[str, ...]
    method: str = "rk4"
    per_state: bool = False  # whether each state has its own parameters
    precision: str = "double"
    part: int = PART
    deep: bool = False  # an order for few registers


@dataclass(frozen=True)
class SystemKernel:
    """A text, and the sizes of its arrays."""

    text: str
    channels: list[str]
    sizes: dict[str, int]  # NX, NU, NP, ND, NPIVOTS, NY, NL, RATES_H …
    statements: int


def system_kernel(s: System, choice: KernelChoice) -> SystemKernel:
    """The kernel of a system; a known one is read from the cache, and nothing is traced."""
    _check(s, choice)
    key = f"{s.kernel_key}\nkernel\n{choice}" if s.kernel_key else ""
    found = store.remembered(key, generated=True) if key else None
    entry = store.load_entry(found["entry"]) if found else None
    if entry:
        return _read(*entry)
    with collection_paused():
        made = s.make(lambda traced: _written(s, traced, choice))

    def fill(folder: Path) -> dict[str, Any]:
        (folder / FILE).write_text(made.text, encoding="utf-8")
        return {name: value for name, value in asdict(made).items() if name != "text"}

    folder, _ = store.make_entry(store.digest("kernel", made.text), fill)
    if key:
        store.remember(key, {"entry": folder.name}, generated=True)
    return made


def _read(folder: Path, manifest: dict[str, Any]) -> SystemKernel:
    text = (folder / FILE).read_text(encoding="utf-8")
    return SystemKernel(text, list(manifest["channels"]), dict(manifest["sizes"]), int(manifest["statements"]))


def _check(s: System, choice: KernelChoice) -> None:
    if choice.method not in METHODS:
        raise ModelError(f"a batch has no method '{choice.method}'", cure=f"use {', '.join(METHODS)}")
    if choice.precision not in PRECISIONS:
        raise ModelError(f"unknown precision '{choice.precision}'", cure=f"use {' or '.join(PRECISIONS)}")
    if isinstance(s, Sensitive) and choice.method != RK4.name:
        raise ModelError("sensitivities in a batch have one method", element=s.model.name, cure=f"use {RK4.name}")
    for law, path in s.laws.items():
        if path != "traced":
            raise CompileError(
                f"the law of {law} is a function in {'Python' if path == 'python' else 'C'}; a batch cannot call it "
                "(write the law over expressions)"
            )
    if s.options.closure == "augmented":
        cure = "make the system with closure='partitioning' or 'penalty'"
        raise ModelError("the augmented closure does not have the form dx/dt = f", element="closure", cure=cure)
    for name in choice.channels:
        if name not in s.possible_outputs:
            raise ModelError(f"unknown channel '{name}'", cure=did_you_mean(name, s.possible_outputs, "channels"))


def _written(s: System, traced: Traced, choice: KernelChoice) -> SystemKernel:
    programs = s.kernel_programs(traced, choice.channels or s.outputs[:1])
    wanted = {"RATES": _with_least_pivot(programs.rates)}
    wanted |= {"OUTPUTS": programs.outputs} if choice.channels else {}
    wanted |= {"JACOBIAN": rates_jacobian_program(traced)} if choice.method == "trapezoidal" else {}
    limits = limits_program(traced)
    wanted |= {"LIMITS": _closed(limits)} if limits.results else {}
    made = dict(
        zip(wanted, kernel_programs(list(wanted.values()), choice.precision, choice.part, choice.deep), strict=True)
    )
    rates = wanted["RATES"]
    sizes = {
        "NX": len(s.states), "NU": len(s.inputs), "NP": len(rates.parameters), "ND": rates.inputs["guess"].size,
        "NPIVOTS": len(rates.outputs["least"].elements), "NY": len(choice.channels), "NL": len(limits.results),
        **{f"{word}_H": made[word].slots if word in made else 0 for word in HOISTED},
    }  # fmt: skip
    precision = PRECISIONS[choice.precision]
    numbering = {word: i for i, word in enumerate(METHODS.values(), 1)}
    defined = {
        **sizes, **numbering, "METHOD": METHODS[choice.method], "PER_STATE": int(choice.per_state),
        "WATCH": repr(STOP), "LEAP": repr(NEARBY), "STEP_TOLERANCE": repr(precision.step),
        "MOST_ITERATIONS": Newton().limit,
    }  # fmt: skip
    frame = {
        "SEMI_IMPLICIT_LINES": semi_implicit_lines(s),
        "NORMALISE_LINES": normalise_lines(s.quaternion_places),
        "HOIST": [line for word, p in made.items() if (line := p.hoist(f"{word.lower()}_h"))],
    }
    macros = [p.macro(word) for word, p in made.items()]
    text = kernel_text(
        s.model.name, list(made.values()), defined, frame | {"CALLS": macros}, runtime("rollout.h.in"), choice.precision
    )
    return SystemKernel(text, list(choice.channels), sizes, sum(p.file.plan.statements for p in made.values()))


def _closed(program: Program) -> Program:
    """The same where the loops are closed: the unknowns are an input instead of their first guess."""
    to = program.closure
    if to is None:
        return program
    inputs = {to.unknowns if name == to.start else name: x for name, x in program.inputs.items()}
    return replace(program, inputs=inputs, closure=None)


def _with_least_pivot(rates: Program) -> Program:
    """The same rates with the least of pivot × reference instead of all pivots: one number that stays in a register.

    Pivots that do not change during the motion are left out.
    """
    pivots = rates.outputs["pivots"].elements
    ratios = [mul(x, variable(f"reference[{k}]")) for k, x in enumerate(pivots) if x.level == VARIABLE]
    least = [reduce(lambda a, b: node_of("min", (a, b)), ratios)] if ratios else []
    outputs = {"least": vector_output(least)} | {name: rates.outputs[name] for name in ("xd", "v")}
    return replace(rates, inputs=rates.inputs | {"reference": Input(len(pivots))}, outputs=outputs)


def semi_implicit_lines(s: System) -> list[str]:
    """`next` after a step of h from x with the rates f: v first, then q with the new v; quaternions by e ∘ (0, ω)/2."""
    velocity, nq = velocity_places(s), len(s.layout.coordinates)
    lines = [f"    next[{k}] = x[{k}] + h*f[{k}];" for k in range(nq, len(s.states))]
    lines += [f"    next[{k}] = x[{k}] + h*next[{v}];" for k, v in enumerate(velocity) if v >= 0]
    for q, w in s.quaternions:
        e, o = [f"x[{q + k}]" for k in range(4)], [f"next[{w + k}]" for k in range(3)]
        slopes = (
            f"-{e[1]}*{o[0]} - {e[2]}*{o[1]} - {e[3]}*{o[2]}",
            f"{e[0]}*{o[0]} + {e[2]}*{o[2]} - {e[3]}*{o[1]}",
            f"{e[0]}*{o[1]} + {e[3]}*{o[0]} - {e[1]}*{o[2]}",
            f"{e[0]}*{o[2]} + {e[1]}*{o[1]} - {e[2]}*{o[0]}",
        )
        lines += [f"    next[{q + k}] = {e[k]} + 0.5*h*({slope});" for k, slope in enumerate(slopes)]
    return lines


def normalise_lines(places: Sequence[int]) -> list[str]:
    """Unit quaternions of `next` with length one."""
    lines = []
    for q in places:
        e = [f"next[{q + k}]" for k in range(4)]
        lines += ["        {", f"            const real size = sqrt({' + '.join(f'{x}*{x}' for x in e)});"]
        lines += [f"            {x} = quotient({x}, size);" for x in e] + ["        }"]
    return lines
