"""A program as portable C99: one file that needs only math.h, and a second one for many states at once.

void NAME(const double q[], …, const double h[], double Q[])    one state; `h` only with live parameters
void NAME_hoist(const double p[], double h[])                   after a change of a parameter; only with live parameters
void NAME_call(const double *const *in, double *const *out, const double *h)         the same for every program
void NAME_batch(size_t n, const double *const *in, const size_t *stride, double *const *out, const double *h)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from symbody.codegen.includes import TranslationUnit, c_file
from symbody.codegen.program import Gram
from symbody.codegen.schedule import Iteration, Schedule
from symbody.codegen.targets.c_routine import Declared, Locals, Routine, function_text
from symbody.codegen.targets.c_split import split
from symbody.codegen.targets.header import function_name, header, parameter_lines
from symbody.expr.node import PARAMETER, Expr

SELECTIONS = {"abs", "sign", "min", "max", "lt", "le", "where"}
# Measured with gcc 12: longer functions run no faster, and their compile time grows with the square of their length.
PART = 160  # statements in one C function, at most
UNIT = 4  # parts in one translation unit, at least
WIDE = 10_000  # numbers in and out, above which a batch goes state by state: lanes of them would not fit the caches
UNITS = 12  # translation units, at most: each of them reads the whole file


@dataclass(frozen=True)
class CSource:
    """The generated files, and the number of units in which the code can be compiled in parallel."""

    name: str
    code: str
    declarations: str
    batch: str
    units: int


@cache
def runtime(name: str) -> str:
    """A hand-written text of codegen/runtime, unchanged."""
    return c_file(name).read_text(encoding="utf-8").rstrip()


def c_source(plan: Schedule, part: int = PART, unit: int = UNIT) -> CSource:
    """The C of a program; functions longer than `part` statements are cut, `unit` parts make a translation unit."""
    file = CFile(plan, part)
    bodies, main = file.body.pieces()
    hoists, hoist = file.hoist.pieces()
    if file.correction:
        corrections, correction = file.correction.pieces()
        bodies, main = corrections + bodies, f"{correction}\n\n{main}"
    ends = [file.parameter_table() + hoist] if plan.slots else []
    parts = _units(bodies, unit, batch=True) + _units(hoists, unit, batch=False)
    if len(parts) > 1:
        prototypes = ["\n".join(prototype for prototype, _ in bodies + hoists)]
        texts = [text for i, unit_text in enumerate(parts) for text in _guarded(f"SYMBODY_UNIT == {i}", unit_text)]
        ends = _guarded("SYMBODY_UNIT == 0", [main, "#ifndef SYMBODY_BATCH", *ends, file.call(), "#endif"])
    else:
        prototypes, texts = [], [text for unit_text in parts for text in unit_text]
        ends = [main, "#ifndef SYMBODY_BATCH", *ends, file.call(), "#endif"]
    apart = [TranslationUnit().paste(c_file("part.h"))] if parts else []
    comment = "\n".join(f" * {line}".rstrip() for line in header(plan))
    text = "\n\n".join([f"/*\n{comment}\n */", *file.runtime(), *apart, *prototypes, *texts, *ends]) + "\n"
    return CSource(file.name, text, file.declarations(), file.batch(), max(1, len(parts)))


def _units(parts: list[Declared], unit: int, batch: bool) -> list[list[str]]:
    """Texts of the parts, unit by unit; the batch leaves out what it does not need."""
    unit = max(unit, -(-len(parts) // UNITS))
    groups = [[text for _, text in parts[i : i + unit]] for i in range(0, len(parts), unit)]
    return groups if batch else [["#ifndef SYMBODY_BATCH", *group, "#endif"] for group in groups]


def _guarded(condition: str, texts: list[str]) -> list[str]:
    return [f"#if !defined(SYMBODY_UNIT) || {condition}", *texts, "#endif"]


@dataclass
class CFile:
    """The schedule, names and tables that all functions of one file share."""

    plan: Schedule
    part: int
    data: dict[tuple[float, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        plan, program = self.plan, self.plan.program
        self.name = function_name(program)
        self.h, *local = program.local_names("h", "t", "w", "sn", "cs", "angle", "given")
        self.local = Locals(*local)
        self.addresses = {f: (self.h, len(plan.slots) + i) for i, f in enumerate(program.callbacks)}
        self.correction = self._correction(plan.iteration) if plan.iteration else None
        unknowns = [(program.unknowns, f"real {program.unknowns}[{program.closure.size}]")] if program.closure else []
        self.body = Routine(
            self.name, plan.body, split(plan.body, self.part), self.arguments("real", "restrict "),
            self.place, self.table, self.local,
            unknowns + [d for gram in program.grams for d in _gram_arrays(*gram)],
            [line for gram in program.grams for line in _gram_loop(*gram)],
            self._newton(plan.iteration, self.correction) if plan.iteration and self.correction else (),
            addresses=self.addresses,
        )  # fmt: skip
        places = {name: i for i, name in enumerate(program.parameters)}
        sizes = [("p", f"const double p[restrict {len(places)}]"), ("h", f"double h[restrict {len(plan.slots)}]")]
        self.hoist = Routine(
            f"{self.name}_hoist", plan.hoist, split(plan.hoist, self.part), sizes,
            lambda x: ("p", places[x.value]), self.table, Locals(),
        )  # fmt: skip

    @property
    def sines(self) -> tuple[str, str]:
        """Names of the arrays of sines and cosines."""
        return self.local.sine, self.local.cosine

    @property
    def turned(self) -> dict[Expr, int]:
        """Unknown angles whose sines the iteration and the function share, with their places."""
        to = self.plan.iteration
        return to.block.trig if to and to.block.trig is self.plan.body.trig else {}

    def place(self, x: Expr) -> tuple[str, int]:
        """Array and index of an input or a hoisted value."""
        if x.level == PARAMETER:
            return self.h, self.plan.slots[x]
        return self.plan.program.place(x)

    def arguments(self, real: str, restrict: str) -> list[Declared]:
        """Name and declaration of each argument of the function."""
        outputs = {k: len(v.elements) for k, v in self.plan.program.outputs.items()}
        return self._arguments(real, restrict, {}, outputs)

    def _arguments(self, real: str, restrict: str, also: dict[str, int], outputs: dict[str, int]) -> list[Declared]:
        """Inputs, other arrays that are read, hoisted values, outputs; empty arrays are left out."""
        n, inputs = self.plan.kept, {k: v.size for k, v in self.plan.program.inputs.items()}
        read = [(k, f"const {real} {k}[{restrict}{size}]") for k, size in (inputs | also).items() if size]
        hoisted = [(self.h, f"const double {self.h}[{restrict}{n}]")] if n else []
        written = [(k, f"{real} {k}[{restrict}{size}]") for k, size in outputs.items() if size]
        return read + hoisted + written

    def _correction(self, iteration: Iteration) -> Routine:
        """The function that an iteration of the closure calls."""
        n = iteration.closure.size
        outputs = {iteration.step: n}
        return Routine(
            f"{self.name}_step", iteration.block, split(iteration.block, self.part),
            self._arguments("real", "restrict ", {self.plan.program.unknowns: n}, outputs),
            self.place, self.table, self.local, kind="static void", addresses=self.addresses,
        )  # fmt: skip

    def _newton(self, iteration: Iteration, correction: Routine) -> list[str]:
        """The loop that finds the unknowns."""
        to, x, d = iteration.closure, self.plan.program.unknowns, iteration.step
        i, step = self.plan.program.local_names("i", "step")
        return [
            f"    /* {x} by Newton's method; NaN where it fails */",
            "    {",
            f"        real {d}[{to.size}], {step} = INFINITY;",
            f"        int {i};",
            f"        for ({i} = 0; {i} < {to.size}; {i}++)",
            f"            {x}[{i}] = {to.start}[{i}];",
            f"        for ({i} = 0; {i} < {to.limit} && {step} >= {to.tolerance!r}; {i}++) {{ /* NaN ends it, too */",
            f"            {correction.name}({', '.join(name for name, _ in correction.arguments)});",
            f"            {step} = corrected({to.size}, {d}, {x});",
            "        }",
            f"        for ({i} = 0; {i} < {to.size} && !({step} < {to.tolerance!r}); {i}++)",
            f"            {x}[{i}] = NAN;",
            "    }",
        ]

    def table(self, node: Expr, arguments: list[str]) -> str:
        """A look-up; equal tables share their numbers."""
        numbers = tuple(v for axis in node.value for v in axis)
        array = self.data.setdefault(numbers, f"table{len(self.data)}")
        sizes = [str(len(axis)) for axis in node.value[: len(arguments)]]
        return f"{node.op}_at({', '.join([*sizes, array, *arguments])})"

    def runtime(self) -> list[str]:
        """The includes and hand-written helpers that this program needs, and the numbers of its tables."""
        trig = bool(self.plan.body.trig or (self.plan.iteration and self.plan.iteration.block.trig))
        ops = {node.op for node in self.plan.program.nodes}
        headers = ["math.h", *["stdint.h"] * trig, *["string.h"] * (trig or bool(self.addresses))]
        unit = TranslationUnit(headers)
        text = ["\n".join(f"#include <{header}>" for header in headers), *self._externals(unit)]
        helpers = {
            "scalar.h": True, "select.h": bool(ops & SELECTIONS), "sincos.h": trig, "gram.h": self.plan.program.grams,
            "correct.h": self.correction, "table.h": self.data,
            "table2.h": any(op.startswith("table2") for op in ops),
        }  # fmt: skip
        text += [unit.paste(c_file(name)) for name, needed_here in helpers.items() if needed_here]
        if self.data:
            arrays = [f"static const double {n}[] = {{{', '.join(map(repr, v))}}};" for v, n in self.data.items()]
            text.append("\n".join(arrays))
        return text

    def _externals(self, unit: TranslationUnit) -> list[str]:
        """External functions: their C source, and their calls."""
        given = [f for f in self.plan.program.externals if f.kind == "c"]
        text: list[str] = []
        if given:
            prototypes = [f"EXTERNAL void {f.name}(const double *x, double *y);" for f in given]
            text.append("\n".join([unit.paste(c_file("own.h")), *prototypes]))
            text += _guarded("SYMBODY_UNIT == 0", [f.source.strip("\n") for f in given])
        text += [unit.paste(c_file("external.h"))] if self.plan.program.externals else []
        return text + ([unit.paste(c_file("callback.h"))] if self.addresses else [])

    def parameter_table(self) -> str:
        """The comment above the hoisted part."""
        table = "\n".join(f"   {line}".replace("*/", "* /") for line in parameter_lines(self.plan.program))
        return f"/* After a change of a parameter. Parameters and their values in the model:\n{table} */\n"

    def call(self) -> str:
        """NAME_call, which has the same arguments for every program."""
        program = self.plan.program
        arguments = [f"in[{i}]" for i, v in enumerate(program.inputs.values()) if v.size]
        arguments += ["h"] if self.plan.kept else []
        arguments += [f"out[{i}]" for i, v in enumerate(program.outputs.values()) if v.elements]
        unused = [f"    (void){a};" for a in ("in", "out", "h") if not any(x.startswith(a) for x in arguments)]
        head = f"void {self.name}_call"
        declared = ["const double *const *in", "double *const *out", "const double *h"]
        return function_text(head, declared, [*unused, f"    {self.name}({', '.join(arguments)});"])

    def declarations(self) -> str:
        """The header file, for C and C++."""
        lines = [f"void {self.name}({', '.join(d for _, d in self.arguments('double', '')) or 'void'});"]
        if self.plan.slots:
            n, size = len(self.plan.program.parameters), len(self.plan.slots)
            lines.append(f"void {self.name}_hoist(const double p[{n}], double h[{size}]);")
        return _filled("declarations.h.in", DECLARATIONS="\n".join(lines), NAME=self.name)

    def batch(self) -> str:
        """The second file: the same function with a state in each lane of a vector."""
        program = self.plan.program
        inputs = [(i, f"x{i}", v.size) for i, v in enumerate(program.inputs.values()) if v.size]
        outputs = [(i, f"y{i}", len(v.elements)) for i, v in enumerate(program.outputs.values()) if v.elements]
        names = [x for _, x, _ in inputs] + (["h"] if self.plan.kept else []) + [y for _, y, _ in outputs]
        arrays = inputs + outputs
        one_by_one = program.closure or program.externals  # iterations end at different times, calls take one state
        if one_by_one or sum(n for *_, n in arrays) > WIDE:
            lanes, arrays = "#include <stddef.h>", []
            there = {x: f"in[{i}] + stride[{i}]*i" for i, x, _ in inputs} | {
                y: f"out[{i}] + {n}*i" for i, y, n in outputs
            }
            steps = [f"{self.name}_lanes({', '.join(there.get(x, x) for x in names)});"]
        else:
            lanes = TranslationUnit().paste(c_file("lanes.h"))
            steps = [f"gather({n}, in[{i}], stride[{i}], i, n - 1, {x});" for i, x, n in inputs]
            steps.append(f"{self.name}_lanes({', '.join(names)});")
            steps += [f"scatter({n}, {y}, i, n - 1, out[{i}]);" for i, y, n in outputs]
        return _filled(
            "batch.c.in",
            LANES_H=lanes,
            ARRAYS="\n".join(f"    real {x}[{n}];" for _, x, n in arrays),
            STEPS="\n".join(f"        {step}" for step in steps),
            NAME=self.name,
        )


def _gram_arrays(m: str, gram: Gram) -> list[Declared]:
    return [(f"{m}_{side}", f"real {m}_{side}[{len(xs)}]") for side, xs in gram.sides().items()]


def _gram_loop(m: str, gram: Gram) -> list[str]:
    """The products of a Gram into the output m."""
    numbers = ", ".join(f"{i},{first},{end}" for i, first, end in gram.spans)
    routine = "packed_products" if gram.packed else "products"
    where = f"{m}[i(i + 1)/2 + j]" if gram.packed else f"{m}[i][j] = {m}[j][i]"
    return [
        f"    /* {where} = right[i] . left[j] wherever j carries i */",
        "    {",
        f"        static const int spans[] = {{{numbers}}};",
        f"        {routine}({len(gram.left)}, {len(gram.spans)}, spans, {m}_right, {m}_left, {m});",
        "    }",
    ]


def _filled(template: str, **words: str) -> str:
    """A hand-written text with its capital words replaced."""
    text = runtime(template) + "\n"
    for word, value in words.items():
        text = text.replace(word, value)
    return text
