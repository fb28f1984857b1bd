"""Programs for many states in one text: C99 with a state in each lane of a vector, CUDA (C++) with one in each thread.

The text is in the common part of both languages. Single precision is the same text with other types, literals and
tolerances.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from symbody.codegen.includes import TranslationUnit, c_file
from symbody.codegen.program import Program
from symbody.codegen.schedule import Schedule, schedule
from symbody.codegen.targets.c import PART, CFile, runtime
from symbody.codegen.targets.c_routine import FUNCTIONS, Routine
from symbody.errors import CompileError

LEAST, LARGEST = 1.2e-38, 3.4e38  # numbers of single precision
WORDS = FUNCTIONS | {"div": "quotient", "min": "lesser", "max": "greater"}


@dataclass(frozen=True)
class Precision:
    """Bytes of a number, least tolerance of closures, tolerance of implicit steps, range of angles (rad)."""

    bytes: int
    closure: float
    step: float
    beyond: float


PRECISIONS = {"double": Precision(8, 0.0, 1e-10, 1e9), "single": Precision(4, 1e-4, 1e-5, 1e5)}


@dataclass(frozen=True)
class KernelProgram:
    """A program in a kernel, and the functions that it became."""

    file: CFile
    text: str

    @property
    def slots(self) -> int:
        """Number of values that depend on parameters only."""
        return len(self.file.plan.slots)

    def macro(self, word: str) -> str:
        """`#define RATES(t, x, …) NAME_rates(t, …)`: the arguments that are not empty."""
        program = self.file.plan.program
        given = {name: x.size for name, x in program.inputs.items()} | {"h": self.file.plan.kept}
        given |= {name: len(y.elements) for name, y in program.outputs.items()}
        passed = ", ".join(name for name, size in given.items() if size)
        return f"#define {word}({', '.join(given)}) {self.file.name}({passed})"

    def hoist(self, h: str) -> str:
        """The call that fills h from the parameters of a state."""
        return f"    {self.file.name}_hoist(p, {h});" if self.slots else ""


def kernel_programs(
    programs: Sequence[Program], precision: str = "double", part: int = PART, deep: bool = False
) -> list[KernelProgram]:
    """The functions of programs, which share their tables; longer ones than `part` statements are cut.

    deep: in an order for few registers (CUDA), and in one piece up to twice as many statements in all.
    """
    data: dict[tuple[float, ...], str] = {}
    plans = [_schedule(p, deep) for p in programs]
    total = sum(plan.statements for plan in plans)
    longest = total if deep and part < total <= 2 * part else part
    return [_functions(CFile(plan, longest, data), PRECISIONS[precision]) for plan in plans]


def _schedule(program: Program, deep: bool) -> Schedule:
    for external in program.externals:
        raise CompileError(
            f"{external.name!r} is a law in {'Python' if external.kind == 'python' else 'C'}; a batch cannot call it "
            "(write the law over expressions)"
        )
    return schedule(program, loops=True, deep=deep)


def _functions(file: CFile, precision: Precision) -> KernelProgram:
    kind, texts = "DEVICE static INLINE void", []
    first: Sequence[str] = ()
    routines = []
    if file.plan.iteration and file.correction:
        correction = replace(file.correction, kind=kind, functions=WORDS)
        if file.turned:
            given = [(name, f"const real {name}[restrict {len(file.turned)}]") for name in file.sines]
            correction = replace(correction, arguments=[*correction.arguments, *given], given_sines=True)
        routines.append(correction)
        first = _newton(file, correction, precision)
    routines.append(replace(file.body, kind=kind, first=first, functions=WORDS))
    if file.plan.slots:
        n, m = len(file.plan.program.parameters), len(file.plan.slots)
        sizes = [("p", f"const real p[restrict {n}]"), ("h", f"real h[restrict {m}]")]
        routines.insert(0, replace(file.hoist, kind=kind, arguments=sizes))
    for routine in routines:
        texts += _texts(routine, file.h)
    return KernelProgram(file, "\n\n".join(texts))


def _texts(routine: Routine, h: str) -> list[str]:
    """A function and its parts, with pointers as C++ writes them. All states share `reference`."""
    parts, whole = routine.pieces()
    text = "\0".join([*(text for _, text in parts), whole])
    text = re.sub(rf"const double {h}\[restrict \d+\]", f"const hoisted *restrict {h}", text)
    text = re.sub(r"const real reference\[restrict \d+\]", "const scalar *restrict reference", text)
    return re.sub(r"(\w+)\[restrict \d+\]", r"*restrict \1", text).split("\0")


def _newton(file: CFile, correction: Routine, precision: Precision) -> list[str]:
    """The loop that finds the unknowns; each lane ends when it has converged.

    Sines of unknown angles are computed for each iteration, and turned by the last small step of each angle.
    """
    to, program = file.plan.iteration, file.plan.program
    assert to is not None
    closure, x, d = to.closure, program.unknowns, to.step
    i, busy = program.local_names("i", "busy")
    n, tolerance = closure.size, max(closure.tolerance, precision.closure)
    s, c = file.sines
    angles = [(k, program.place(angle)[1]) for angle, k in file.turned.items()]
    sines = [f"            sine_cosine({x}[{j}], &{s}[{k}], &{c}[{k}]);" for k, j in angles]
    large = [f"            {busy} |= magnitude({d}[{j}]) > TURN;" for _, j in angles]
    turns = [f"        turned({d}[{j}], &{s}[{k}], &{c}[{k}]);" for k, j in angles]
    lost = [(x, n), *((name, len(angles)) for name in (s, c) if angles)]
    return [
        f"    /* {x} by Newton's method; NaN where it fails */",
        "    {",
        f"        real {d}[{n}];",
        f"        mask {busy} = ALL_LANES;",
        f"        EACH({i}, {n})",
        f"            {x}[{i}] = {closure.start}[{i}];",
        "        REPEAT",
        f"        for (int {i} = 0; {i} < {closure.limit} && any({busy}); {i}++) {{",
        *sines,
        f"            {correction.name}({', '.join(name for name, _ in correction.arguments)});",
        f"            {busy} = corrected_each({n}, {tolerance!r}, {d}, {x}, {busy});",
        *large,
        "        }",
        *turns,
        f"        if (any({busy})) {{",
        *(f"            EACH({i}, {m}) {a}[{i}] = choose({busy}, REAL(NAN), {a}[{i}]);" for a, m in lost),
        "        }",
        "    }",
    ]


def kernel_text(
    title: str,
    programs: Sequence[KernelProgram],
    defined: Mapping[str, object],
    lines: Mapping[str, Sequence[str]],
    frame: str,
    precision: str,
) -> str:
    """The whole text: helpers, tables, functions, and a hand-written frame.

    defined: macros; lines: words of the frame that stand for lines.
    """
    unit = TranslationUnit(["math.h", "stdint.h", "string.h"])
    head = runtime("kernel.h.in").replace("MODEL", title.replace("*/", "* /"))
    head = head.replace("BEYOND_RANGE", repr(PRECISIONS[precision].beyond))
    head = head.replace("LANES_H", unit.paste(c_file("lanes.h"))).replace("SCALAR_H", unit.paste(c_file("scalar.h")))
    ops = {node.op for p in programs for node in p.file.plan.program.nodes}
    helpers = ["select.h", *["table.h"] * any(op.startswith("table") for op in ops)]
    helpers += ["table2.h"] * any(op.startswith("table2") for op in ops)
    helpers += ["gram.h"] * any(p.file.plan.program.grams for p in programs)
    select, *others = [unit.paste(c_file(name)) for name in helpers]
    data = programs[0].file.data if programs else {}
    tables = [f"DEVICE static const double {n}[] = {{{', '.join(map(repr, v))}}};" for v, n in data.items()]
    sines = _sines(runtime("sincos_thread.h.in"), unit.paste(c_file("sincos.h")))
    kind = ["#if PER_STATE", "typedef real hoisted;", "#else", "typedef scalar hoisted;", "#endif"]
    for word, written in lines.items():
        frame = frame.replace(f"{word}\n", "".join(f"{line}\n" for line in written))
    macros = "\n".join(f"#define {name} {value}" for name, value in defined.items())
    texts = [
        macros, select, sines, *others, runtime("newton_each.h.in"), "\n".join(tables),
        "\n".join(kind), *(p.text for p in programs), frame,
    ]  # fmt: skip
    text = "\n\n".join([head, *(text for text in texts if text)])
    text = re.sub(r"^static inline\b", "DEVICE static INLINE", text, flags=re.MULTILINE) + "\n"
    text = re.sub(r"^static const double\b", "DEVICE static const double", text, flags=re.MULTILINE)
    return text if precision == "double" else single(text)


def _sines(of_threads: str, of_lanes: str) -> str:
    """Sines of both processors; one at a time in lanes for values that depend on parameters only."""
    return f"""\
#if defined(__cplusplus) || defined(SINGLE)
#ifndef __cplusplus
#define fma fmaf
#define rint rintf
#endif
{of_threads}
#else
{of_lanes}
#endif
#ifdef __cplusplus
#define sin(x) sine(x)
#define cos(x) cosine(x)
#elif LANES > 1
#define sin(x) each(FUNCTION(sin), REAL(x))
#define cos(x) each(FUNCTION(cos), REAL(x))
#endif"""


_NUMBER = re.compile(r"(?<![\w.])(?:\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?![\w.])")


def single(text: str) -> str:
    """A text of double precision in single precision: types and literals."""
    text = re.sub(r"\bdouble\b", "float", text)
    return "#define SINGLE\n" + _NUMBER.sub(lambda found: _single(found[0]), text)


def _single(number: str) -> str:
    size = float(number)
    if size > LARGEST:
        return "INFINITY"
    return f"{LEAST!r}f" if 0.0 < size < LEAST else f"{number}f"
