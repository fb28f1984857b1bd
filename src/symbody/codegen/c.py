"""A program as portable C99: one file that needs math.h and nothing else, and a second one for many states at once.

void NAME(const double q[], …, const double h[], double Q[])    one state; `h` only where there are live parameters
void NAME_hoist(const double p[], double h[])                   after a change of a parameter; only where there are any
void NAME_call(const double *const *in, double *const *out, const double *h)         the same for every program
void NAME_batch(size_t n, const double *const *in, const size_t *stride, double *const *out, const double *h)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from symbody.codegen.header import function_name, header, parameter_lines
from symbody.codegen.infix import Writer
from symbody.codegen.parts import Parts, split
from symbody.codegen.schedule import Let, Schedule, SinCos, Statement, Store
from symbody.codegen.script import local_names
from symbody.expr.graph import TRIGONOMETRIC, needed
from symbody.expr.node import PARAMETER, VARIABLE, Expr

FUNCTIONS = {"abs": "magnitude", "min": "min2", "max": "max2", "lt": "less", "le": "less_equal"}
SELECTIONS = {"abs", "sign", "min", "max", "lt", "le", "where"}
# Measured with gcc 12: up to here longer functions run no faster, and their compile time grows with the square.
PART = 160  # statements in one C function, at most
UNIT = 4  # parts in one translation unit, at least
UNITS = 12  # translation units, at most: each of them reads the whole file


@dataclass(frozen=True)
class CSource:
    """The generated files, and in how many units the code may be compiled side by side."""

    name: str
    code: str
    declarations: str
    batch: str
    units: int


@cache
def runtime(name: str) -> str:
    """A piece of hand-written C that generated files contain."""
    return resources.files("symbody.codegen").joinpath("runtime", name).read_text(encoding="utf-8")


def c_source(plan: Schedule, part: int = PART, unit: int = UNIT) -> CSource:
    """The C of a program; functions longer than `part` statements are cut, `unit` parts make a translation unit."""
    file = _File(plan, split(plan.body, part), unit)
    functions = file.parted() if file.units else [file.whole()]
    hoist = [file.hoist()] if plan.slots else []
    comment = "\n".join(f" * {line}".rstrip() for line in header(plan))
    ends = ["#ifndef SYMBODY_BATCH", *hoist, file.call(), "#endif"]
    if file.units > 1:
        ends = ["#if !defined(SYMBODY_UNIT) || SYMBODY_UNIT == 0", functions.pop(), *ends, "#endif"]
    includes = "#include <math.h>" + ("\n#include <stdint.h>\n#include <string.h>" if plan.body.trig else "")
    text = [f"/*\n{comment}\n */", includes, *file.runtime(), *functions, *ends]
    return CSource(file.name, "\n\n".join(text) + "\n", file.declarations(), file.batch(), max(1, file.units))


@dataclass
class _File:
    """What the functions of one file share: schedule, cuts, names, tables."""

    plan: Schedule
    parts: Parts
    unit: int
    data: dict[tuple[float, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        program = self.plan.program
        self.name = function_name(program)
        self.unit = max(self.unit, -(-len(self.parts.parts) // UNITS))
        self.units = -(-len(self.parts.parts) // self.unit) if len(self.parts.parts) > 1 else 0
        self.h, self.w, self.t, self.sine, self.cosine, self.angle = local_names(
            {*program.inputs, *program.outputs}, "h", "w", "t", "sn", "cs", "angle"
        )
        self.number = {s.node: i for i, s in enumerate(s for s in self.plan.body.statements if isinstance(s, Let))}

    # -- pieces of text ---------------------------------------------------------------------------------------------

    def runtime(self) -> list[str]:
        """The hand-written helpers that this program needs, and the numbers of its tables."""
        ops = {node.op for node in needed(self.plan.program.results)}
        scalar = runtime("scalar.h") + (runtime("select.h") if ops & SELECTIONS else "")
        text = [f"#ifndef LANES\n{scalar}#endif"]
        if self.plan.body.trig:
            text.append(runtime("sincos.h").rstrip())
        if self.data:
            text.append(runtime("table.h").rstrip())
            text += [runtime("table2.h").rstrip()] if any(op.startswith("table2") for op in ops) else []
            arrays = [f"static const double {n}[] = {{{', '.join(map(repr, v))}}};" for v, n in self.data.items()]
            text.append("\n".join(arrays))
        return text

    def table(self, node: Expr, arguments: list[str]) -> str:
        """A look-up; the numbers of equal tables are kept once."""
        numbers = tuple(v for axis in node.value for v in axis)
        array = self.data.setdefault(numbers, f"table{len(self.data)}")
        sizes = [str(len(axis)) for axis in node.value[: len(arguments)]]
        return f"{node.op}_at({', '.join([*sizes, array, *arguments])})"

    def statements(self, statements: Sequence[Statement], part: int) -> tuple[list[str], set[str]]:
        """Lines of one part, and the arrays that it uses."""
        used: set[str] = set()
        trig = self.plan.body.trig

        def at(array: str, index: int) -> str:
            used.add(array)
            return f"{array}[{index}]"

        def name(x: Expr) -> str:
            if x.level == PARAMETER:
                return at(self.h, self.plan.slots[x])
            if x.op == "sym":
                array, index = x.value[:-1].split("[")
                return at(array, int(index))
            if x.op in TRIGONOMETRIC:
                return at(self.sine if x.op == "sin" else self.cosine, trig[x.args[0]])
            return f"{self.t}{self.number[x]}" if self.parts.home[x] == part else at(self.w, self.parts.places[x])

        write = Writer(self.plan.body, name, FUNCTIONS, self.table)
        lines: list[str] = []
        origin = ""
        for s in statements:
            if isinstance(s, SinCos):
                lines += self.sines(s, write)
                used |= {self.sine, self.cosine}
                continue
            if s.node.origin != origin and s.node.args:
                origin = s.node.origin
                lines.append(f"    /* {origin.replace('*/', '* /')} */")
            if isinstance(s, Let):
                lines.append(f"    const real {self.t}{self.number[s.node]} = {write.value(s.node)};")
                if s.node in self.parts.places:
                    lines.append(f"    {at(self.w, self.parts.places[s.node])} = {self.t}{self.number[s.node]};")
            else:
                value = write(s.node)
                lines.append(f"    {at(s.array, s.index)} = {value if s.node.level == VARIABLE else f'REAL({value})'};")
        return lines, used

    def sines(self, s: SinCos, write: Writer) -> list[str]:
        """A batch of sines and cosines."""
        n = len(s.angles)
        angles = [f"        {self.angle}[{i}] = {write(a)};" for i, a in enumerate(s.angles)]
        start = f" + {s.start}" if s.start else ""
        call = f"        sines_cosines({n}, {self.angle}, {self.sine}{start}, {self.cosine}{start});"
        return ["    {", f"        real {self.angle}[{n}];", *angles, call, "    }"]

    def arguments(self) -> list[tuple[str, str]]:
        """Name and declaration of each argument of the function."""
        program = self.plan.program
        inputs = [(k, f"const real {k}[restrict {v.size}]") for k, v in program.inputs.items() if v.size]
        hoisted = [(self.h, f"const double {self.h}[restrict {len(self.plan.slots)}]")] if self.plan.slots else []
        outputs = [(k, f"real {k}[restrict {len(v.elements)}]") for k, v in program.outputs.items() if v.elements]
        return inputs + hoisted + outputs

    def workspace(self, cuts: bool) -> list[tuple[str, str]]:
        """Arrays inside the function: name and declaration."""
        n = len(self.plan.body.trig)
        arrays = [(self.sine, f"real {self.sine}[{n}]"), (self.cosine, f"real {self.cosine}[{n}]")] if n else []
        return arrays + ([(self.w, f"real {self.w}[{self.parts.size}]")] if cuts and self.parts.size else [])

    # -- functions ----------------------------------------------------------------------------------------------------

    def function(self, lines: Iterable[str], used: set[str], cuts: bool) -> str:
        arguments = self.arguments()
        unused = [f"    (void){name};" for name, _ in arguments if name not in used]
        local = [f"    {declared};" for _, declared in self.workspace(cuts)]
        return _function(f"void {self.name}", [declared for _, declared in arguments], [*local, *unused, *lines])

    def whole(self) -> str:
        """The function in one piece."""
        return self.function(*self.statements(self.parts.parts[0], 0), cuts=False)

    def parted(self) -> list[str]:
        """The parts, unit by unit, and last the function that calls them one after the other."""
        text, calls, everything, prototypes = [runtime("part.h").rstrip()], [], set(), []
        functions: list[str] = []
        for k, part in enumerate(self.parts.parts):
            lines, used = self.statements(part, k)
            everything |= used
            passed = [(n, d) for n, d in [*self.arguments(), *self.workspace(True)] if n in used]
            head = f"PART void {self.name}_{k + 1}"
            declared = [d.replace("[", "[restrict ") if n == self.w else d for n, d in passed]
            prototypes.append(f"{head}({', '.join(declared)});")
            functions.append(_function(head, declared, lines))
            calls.append(f"    {self.name}_{k + 1}({', '.join(n for n, _ in passed)});")
        if self.units > 1:
            text.append("\n".join(prototypes))
            for i in range(self.units):
                text.append(f"#if !defined(SYMBODY_UNIT) || SYMBODY_UNIT == {i}")
                text += functions[i * self.unit : (i + 1) * self.unit]
                text.append("#endif")
        else:
            text += functions
        return [*text, self.function(calls, everything, cuts=True)]

    def hoist(self) -> str:
        """The function that computes what depends on parameters only."""
        program, block = self.plan.program, self.plan.hoist
        places = {name: i for i, name in enumerate(program.parameters)}
        lets = {s.node: i for i, s in enumerate(s for s in block.statements if isinstance(s, Let))}
        write = Writer(
            block, lambda x: f"p[{places[x.value]}]" if x.op == "sym" else f"t{lets[x]}", FUNCTIONS, self.table
        )
        lines = []
        for s in block.statements:
            if isinstance(s, Let):
                lines.append(f"    const real t{lets[s.node]} = {write.value(s.node)};")
            elif isinstance(s, Store):
                lines.append(f"    h[{s.index}] = {write(s.node)};")
        table = "\n".join(f"   {line}".replace("*/", "* /") for line in parameter_lines(program))
        sizes = [f"const double p[restrict {len(places)}]", f"double h[restrict {len(self.plan.slots)}]"]
        return f"/* After a change of a parameter. Parameters and their values in the model:\n{table} */\n" + _function(
            f"void {self.name}_hoist", sizes, lines
        )

    def call(self) -> str:
        """The entry that is the same for every program."""
        program = self.plan.program
        arguments = [f"in[{i}]" for i, v in enumerate(program.inputs.values()) if v.size]
        arguments += ["h"] if self.plan.slots else []
        arguments += [f"out[{i}]" for i, v in enumerate(program.outputs.values()) if v.elements]
        unused = [f"    (void){a};" for a in ("in", "out", "h") if not any(x.startswith(a) for x in arguments)]
        head = f"void {self.name}_call"
        declared = ["const double *const *in", "double *const *out", "const double *h"]
        prototype = f"{head}({', '.join(declared)});"
        return f"{prototype}\n" + _function(head, declared, [*unused, f"    {self.name}({', '.join(arguments)});"])

    def declarations(self) -> str:
        """The header file, for C and C++."""
        arguments = [d.replace("restrict ", "").replace("real", "double") for _, d in self.arguments()]
        lines = [f"void {self.name}({', '.join(arguments)});"]
        if self.plan.slots:
            n, size = len(self.plan.program.parameters), len(self.plan.slots)
            lines.append(f"void {self.name}_hoist(const double p[{n}], double h[{size}]);")
        return runtime("declarations.h").replace("DECLARATIONS", "\n".join(lines)).replace("NAME", self.name)

    def batch(self) -> str:
        """The second file: the same function with a state in each lane of a vector."""
        program = self.plan.program
        inputs = [(i, k, v.size) for i, (k, v) in enumerate(program.inputs.items()) if v.size]
        outputs = [(i, k, len(v.elements)) for i, (k, v) in enumerate(program.outputs.items()) if v.elements]
        names = [k for _, k, _ in inputs] + (["h"] if self.plan.slots else []) + [k for _, k, _ in outputs]
        steps = [f"gather({n}, in[{i}], stride[{i}], i, n - 1, {k});" for i, k, n in inputs]
        steps.append(f"{self.name}_lanes({', '.join(names)});")
        steps += [f"scatter({n}, {k}, i, n - 1, out[{i}]);" for i, k, n in outputs]
        text = runtime("batch.c")
        for word, value in (
            ("LANES_H", runtime("lanes.h")),
            ("ARRAYS", "\n".join(f"    real {k}[{n}];" for _, k, n in inputs + outputs)),
            ("STEPS", "\n".join(f"        {step}" for step in steps)),
            ("NAME", self.name),
        ):
            text = text.replace(word, value)
        return text


def _function(head: str, arguments: Sequence[str], lines: Iterable[str]) -> str:
    first = f"{head}({', '.join(arguments) or 'void'})"
    if len(first) > 116:
        first = f"{head}(\n    " + ",\n    ".join(arguments) + ")"
    return "\n".join([first, "{", *lines, "}"])
