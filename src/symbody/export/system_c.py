"""The C code of a system: generated functions, and the hand-written steps with its sizes and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symbody.codegen.compiler import level_of
from symbody.codegen.includes import c_file, pasted
from symbody.codegen.program import Program
from symbody.codegen.schedule import schedule
from symbody.codegen.targets.c import c_source
from symbody.export.files import template
from symbody.export.parts import ExportedLoops, SystemParts
from symbody.export.units import EXPONENTS
from symbody.safe_name import identifier
from symbody.stepping.fixed_step import PACKAGE
from symbody.stepping.start_state import MOST_PARTS, NEARBY, STEEP, STOP
from symbody.system.loop_closing import SAME

SHARED = ("state.h", "pivot_watch.h", "rk4.h", "semi_implicit.h")  # the same source as in the package's own steps
FOLLOWING = "loop_path.h"  # the same source as in bridges
_SIZES = {
    "NX": "states", "NQ": "of them coordinates", "NU": "inputs", "NP": "parameters", "ND": "dependent coordinates",
    "NPIVOTS": "pivots of the loops", "NY": "outputs", "NBALLS": "unit quaternions in x",
    "RATES_H": "values that depend on parameters only", "OUTPUTS_H": "the same for the outputs",
    "NG": "given coordinates of the loops", "GIVEN_H": "values of them that depend on parameters only",
    "LOOP_STEP_H": "the same for the corrections of the loops",
}  # fmt: skip


@dataclass(frozen=True)
class GeneratedFunction:
    """A generated function: its files, and how to compile and call it."""

    name: str
    files: dict[str, str]
    units: int  # that may be compiled in parallel
    slots: int  # hoisted values
    statements: int

    @property
    def level(self) -> str:
        """The optimisation level for the compiler."""
        return level_of(self.statements)


def generated(program: Program, parts: SystemParts) -> GeneratedFunction:
    """The generated C of one program, and how it is called."""
    plan = schedule(program, loops=True)
    source = c_source(plan)
    text = _own_names(program, parts, source.name) + source.code
    files = {f"{source.name}.c": text, f"{source.name}.h": source.declarations}
    return GeneratedFunction(source.name, files, source.units, len(plan.slots), plan.statements)


def _own_names(program: Program, parts: SystemParts, name: str) -> str:
    """Renaming macros: several functions contain the text of a law in C, and linking needs different names."""
    if not program.externals:
        return ""
    given = [*parts.c_functions, *(external.name for external in program.externals)]
    return "".join(f"#define {function} {name}_{function}\n" for function in given) + "\n"


def loop_functions(parts: SystemParts) -> list[GeneratedFunction]:
    """The generated functions that follow the loops, if there are any."""
    return [generated(program, parts) for program in (parts.loops.given, parts.loops.step)] if parts.loops else []


def system_files(
    parts: SystemParts, rates: GeneratedFunction, outputs: GeneratedFunction, loops: Sequence[GeneratedFunction]
) -> dict[str, str]:
    """NAME_system.h and NAME_system.c: text by file name."""
    following = [len(parts.loops.relevant), *(f.slots for f in loops)] if parts.loops else [0, 0, 0]
    counts = (
        len(parts.states), parts.coordinates, len(parts.inputs), len(parts.parameters), len(parts.guess),
        len(parts.rates.outputs["pivots"].elements), len(parts.outputs), len(parts.balls) // 2,
        rates.slots, outputs.slots, *following,
    )  # fmt: skip
    sizes = [
        f"#define {parts.name}_{size} {count} /* {meaning} */"
        for (size, meaning), count in zip(_SIZES.items(), counts, strict=True)
    ]
    numbers: dict[str, Iterable[float]] = {
        "double START_X": parts.x0, "double START_U": parts.u0, "double START_P": parts.parameters.values(),
        "double START_GUESS": parts.guess, "double OFFERED": parts.offered,
        "int64_t VELOCITY": parts.velocity, "int64_t BALLS": parts.balls,
    }  # fmt: skip
    values = [f"static const {name}[] = {{{_listed(members)}}};" for name, members in numbers.items()]
    values += _loop_values(parts.loops) if parts.loops else []
    values += [
        f"#define WATCH {STOP!r} /* share of its reference at which a pivot of the loops ends a run */",
        f"#define STEEP {STEEP!r} /* share of a pivot that it may change within a step; longer steps are divided */",
        f"#define LEAP {NEARBY!r} /* rad or m that a dependent coordinate may move within a step or its part */",
        f"#define MOST_PARTS {MOST_PARTS} /* of a step */",
    ]
    words = {
        "NAME": parts.name,
        "SIZES": "\n".join(sizes),
        "PLACES": "\n\n".join(_named_places(parts)),
        "VALUES": "\n".join(values),
        "LOOP_HEADERS": "".join(f'#include "{f.name}.h"\n' for f in loops),
        "HEADERS": pasted([*[c_file(FOLLOWING)] * bool(loops), *(c_file(name, PACKAGE) for name in SHARED)]),
    }
    return {f"{parts.name}_system.{x}": template(f"system.{x}.in", words) for x in ("h", "c")}


def _loop_values(loops: ExportedLoops) -> list[str]:
    """Arrays for following the loops, and the words for a gap."""
    names, units = zip(*((c_text(name), c_text(unit.translate(EXPONENTS))) for name, unit in loops.rows), strict=True)
    return [
        f"static const double RELEVANT[] = {{{_listed(loops.relevant)}}};",
        f"static const int64_t LOOP_BALLS[] = {{{_listed(loops.balls)}}};",
        f"enum {{ NLOOP_BALLS = {len(loops.balls)} }};",
        f"#define SAME {SAME!r} /* rad or m: closed positions nearer than that are one */",
        f"static const char *const LOOPS[] = {{{', '.join(names)}}};",
        f"static const char *const UNITS[] = {{{', '.join(units)}}};",
    ]


def _listed(numbers: Iterable[float]) -> str:
    """The members of an array, which must not be empty."""
    return ", ".join(map(repr, numbers)) or "0"


def _named_places(parts: SystemParts) -> list[str]:
    """Enumerations of the indices in x, u, p and y."""
    families = {"x": parts.states, "u": parts.inputs, "p": list(parts.parameters), "y": parts.outputs}
    texts = []
    for array, names in families.items():
        if names:
            lines = ",\n".join(f"    {parts.name}_{array}_{word}" for word in identifiers(names))
            texts.append(f"/* indices in {array} */\nenum {{\n{lines}\n}};")
    return texts


def identifiers(names: Sequence[str]) -> list[str]:
    """Different identifiers for different names."""
    found: dict[str, None] = {}
    for name in names:
        word = plain = identifier(name)
        k = 1
        while word in found:
            k += 1
            word = f"{plain}_{k}"
        found[word] = None
    return list(found)


def c_text(text: str) -> str:
    """Text as a string literal of C."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return f'"{escaped}"'
