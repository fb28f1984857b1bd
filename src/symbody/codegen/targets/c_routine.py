"""One C function from a block of statements, divided into parts if it is long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from symbody.codegen.schedule import Block, CallOut, Let, SinCos
from symbody.codegen.targets.c_split import Parts
from symbody.codegen.targets.infix import Writer
from symbody.expr.external import External
from symbody.expr.graph import TRIGONOMETRIC
from symbody.expr.node import CALLS, VARIABLE, Expr

FUNCTIONS = {"abs": "magnitude", "min": "min2", "max": "max2", "lt": "less", "le": "less_equal"}
Declared = tuple[str, str]  # name and declaration of an array


@dataclass(frozen=True)
class Locals:
    """Names inside a function that no argument has."""

    t: str = "t"  # temporaries
    w: str = "w"  # workspace for values that cross parts
    sine: str = "sn"
    cosine: str = "cs"
    angle: str = "angle"
    given: str = "given"  # outputs of external functions


@dataclass(frozen=True)
class Routine:
    """A function to be written: its statements in parts, its arguments, and the arrays of its leaves."""

    name: str
    block: Block
    parts: Parts
    arguments: Sequence[Declared]
    place: Callable[[Expr], tuple[str, int]]  # of symbols and hoisted values: array and index
    table: Callable[[Expr, list[str]], str]
    local: Locals
    scratch: Sequence[Declared] = ()  # arrays between the statements and the loops
    loops: Sequence[str] = ()  # lines after the statements
    first: Sequence[str] = ()  # lines before the statements; they use all arguments that are read
    kind: str = "void"
    addresses: Mapping[External, tuple[str, int]] = field(default_factory=dict)  # of Python functions: array and index
    given_sines: bool = False  # sines and cosines are arguments
    functions: Mapping[str, str] = field(default_factory=lambda: FUNCTIONS)  # op → its name in C, if different

    def whole(self) -> str:
        """The function in one piece."""
        return self._function(*self._lines(0))

    def pieces(self) -> tuple[list[Declared], str]:
        """The parts, if it is long, and the function."""
        return self.cut() if len(self.parts.parts) > 1 else ([], self.whole())

    def cut(self) -> tuple[list[Declared], str]:
        """The parts (prototype, text), and the function that calls them in order."""
        parts: list[Declared] = []
        calls: list[str] = []
        everything: set[str] = set()
        for k in range(len(self.parts.parts)):
            lines, used = self._lines(k)
            everything |= used
            apart = [(name, d.replace("[", "[restrict ")) for name, d in self._workspace()]
            passed = [(name, d) for name, d in [*self.arguments, *apart] if name in used]
            head = f"PART void {self.name}_{k + 1}"
            declared = [d for _, d in passed]
            parts.append((f"{head}({', '.join(declared)});", function_text(head, declared, lines)))
            calls.append(f"    {self.name}_{k + 1}({', '.join(name for name, _ in passed)});")
        return parts, self._function(calls, everything)

    def _workspace(self) -> list[Declared]:
        n, to = 0 if self.given_sines else len(self.block.trig), self.local
        sizes = {to.sine: n, to.cosine: n, to.given: self.block.called, to.w: self.parts.size}
        return [(name, f"real {name}[{size}]") for name, size in sizes.items() if size] + list(self.scratch)

    def _function(self, lines: Iterable[str], used: set[str]) -> str:
        unused = [f"    (void){name};" for name, _ in self.arguments if name not in used and not self.first]
        local = [f"    {declared};" for _, declared in self._workspace()]
        text = [*local, *unused, *self.first, *lines, *self.loops]
        return function_text(f"{self.kind} {self.name}", [d for _, d in self.arguments], text)

    def _lines(self, part: int) -> tuple[list[str], set[str]]:
        """Lines of one part, and the arrays that it uses."""
        used: set[str] = set()
        to = self.local

        def at(array: str, index: int) -> str:
            used.add(array)
            return f"{array}[{index}]"

        def name(x: Expr) -> str:
            if x in self.parts.number:
                here = self.parts.home[x] == part
                return f"{to.t}{self.parts.number[x]}" if here else at(to.w, self.parts.places[x])
            if x.op in TRIGONOMETRIC and x.level == VARIABLE:
                return at(to.sine if x.op == "sin" else to.cosine, self.block.trig[x.args[0]])
            return at(to.given, self.block.call_place(x)) if x.op in CALLS else at(*self.place(x))

        write = Writer(self.block, name, self.functions, self.table)
        lines: list[str] = []
        origin = ""
        for s in self.parts.parts[part]:
            if isinstance(s, SinCos):
                lines += self._sines(s, write)
                used |= {to.sine, to.cosine}
                continue
            if isinstance(s, CallOut):
                lines.append(self._call_out(s, write, at))
                used.add(to.given)
                continue
            if s.node.origin != origin and s.node.args:
                origin = s.node.origin
                lines.append(f"    /* {origin.replace('*/', '* /')} */")
            if isinstance(s, Let):
                lines.append(f"    const real {name(s.node)} = {write.value(s.node)};")
                if s.node in self.parts.places:
                    lines.append(f"    {at(to.w, self.parts.places[s.node])} = {name(s.node)};")
            else:
                value = write(s.node)
                lines.append(f"    {at(s.array, s.index)} = {value if s.node.level == VARIABLE else f'REAL({value})'};")
        return lines, used

    def _sines(self, s: SinCos, write: Writer) -> list[str]:
        """A batch of sines and cosines."""
        n, to = len(s.angles), self.local
        angles = [f"        {to.angle}[{i}] = {write(a)};" for i, a in enumerate(s.angles)]
        start = f" + {s.start}" if s.start else ""
        call = f"        sines_cosines({n}, {to.angle}, {to.sine}{start}, {to.cosine}{start});"
        return ["    {", f"        real {to.angle}[{n}];", *angles, call, "    }"]

    def _call_out(self, s: CallOut, write: Writer, at: Callable[[str, int], str]) -> str:
        """A call of an external function, by its name or through its address."""
        name, n = s.external.name, s.external.outputs
        f = name if s.external.kind == "c" else f"function_at(&{at(*self.addresses[s.external])} /* {name} */)"
        x, y = f"(double[]){{{', '.join(map(write, s.args))}}}", f"{self.local.given} + {s.start}"
        if s.along is None:
            return f"    external_values({f}, {x}, {n}, {y});"
        return f"    external_slopes({f}, {x}, {s.along}, {n}, {y}, (double[{n}]){{0.0}});"


def function_text(head: str, arguments: Sequence[str], lines: Iterable[str]) -> str:
    """A C function; many arguments are written on separate lines."""
    first = f"{head}({', '.join(arguments) or 'void'})"
    if len(first) > 116:
        first = f"{head}(\n    " + ",\n    ".join(arguments) + ")"
    return "\n".join([first, "{", *lines, "}"])
