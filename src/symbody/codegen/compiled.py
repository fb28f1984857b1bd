"""From a program to a loaded function, through the cache."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from symbody.codegen import cache as store
from symbody.codegen.compiler import CURE, level_of
from symbody.codegen.fingerprint import fingerprint
from symbody.codegen.function import Function, Signature
from symbody.codegen.interpreted import interpreted
from symbody.codegen.native import Native, function_class
from symbody.codegen.program import Program
from symbody.codegen.schedule import Schedule, schedule
from symbody.codegen.stripped_source import SYMBOL, bare
from symbody.codegen.targets.c import c_source
from symbody.codegen.targets.header import function_name
from symbody.codegen.tiers import NO_COMPILER, Code, can_compile
from symbody.errors import CompileError, ModelError
from symbody.expr.external import External
from symbody.expr.graph import Operations
from symbody.stages import COMPILING, TRACING, reach_stage
from symbody.suggestions import did_you_mean

BACKENDS = ("auto", "c", "python")


@dataclass(frozen=True)
class Stored:
    """The content of a key: functions by name, and further facts of the caller."""

    functions: dict[str, Function]
    facts: dict[str, Any]


def build(program: Program, *, backend: str = "auto") -> Function:
    """Generate, compile and load a function; `backend` is "c", "python", or "auto": C if there is a compiler."""
    return _build(program, backend, 0.0)


def cached(key: str, make_program: Callable[[], Program], *, backend: str = "auto") -> Function:
    """As `build`, but a known key leads directly to the compiled function, without building the program.

    The key is text that determines the program: model, function and options. symbody's own version is added here.
    """
    found = load_functions(key, backend=backend)
    if found:
        return found.functions[""]
    reach_stage(TRACING)
    start = time.perf_counter()
    program = make_program()
    function = _build(program, backend, time.perf_counter() - start)
    if not program.externals:  # a key needs an entry that is complete in the cache
        store_functions(key, {"": function})
    return function


def load_functions(key: str, *, backend: str = "auto") -> Stored | None:
    """The functions stored under a key, as new objects; None if there are none. Nothing is traced or printed.

    Their parameters begin with the stored values. The compiler and the tier are chosen now.
    """
    found = store.remembered(key, generated=True) if _in_c(backend) else None
    entries = {name: store.load_entry(record) for name, record in found["functions"].items()} if found else {}
    if found is None or None in entries.values():
        return None
    return Stored({name: _loaded(*entry) for name, entry in entries.items() if entry}, found["facts"])


def store_functions(key: str, functions: Mapping[str, Function], facts: Mapping[str, Any] | None = None) -> bool:
    """Store compiled functions, and facts (JSON), under a key that determines them; symbody's version is added.

    Returns False if that is impossible: a function calls Python or is Python, or the cache cannot be written.
    """
    records = {name: function.record for name, function in functions.items()}
    stored = {"functions": records, "facts": dict(facts or {})}
    return all(records.values()) and store.remember(key, stored, generated=True)


def _in_c(backend: str) -> bool:
    """Whether C will run, or Python."""
    if backend not in BACKENDS:
        raise ModelError(
            f"unknown backend '{backend}'", element="backend", cure=did_you_mean(str(backend), BACKENDS, "backends")
        )
    if backend == "python":
        return False
    if backend == "c" and not can_compile():
        raise CompileError(NO_COMPILER)
    return can_compile()


def _build(program: Program, backend: str, generate_s: float) -> Function:
    reach_stage(COMPILING)
    start = time.perf_counter()
    if not _in_c(backend):
        if backend == "auto":
            warnings.warn(
                f"no C compiler was found, so generated Python is used, which is much slower ({CURE})", stacklevel=3
            )
        plan = schedule(program)
        return interpreted(plan, signature_of(plan), generate_s, start)
    key = f"program {fingerprint(program)}"
    found = store.remembered(key, generated=True)
    entry = store.load_entry(found["record"]) if found else None
    if entry is None:
        entry = _printed(program, generate_s, start)
        store.remember(key, {"record": entry[0].name}, generated=True)
    return _loaded(*entry, program.callbacks)


def _printed(program: Program, generate_s: float, start: float) -> store.Entry:
    """The entry of a program: its text and its facts."""
    plan = schedule(program, loops=True)
    source = c_source(plan)
    code = bare(source.code, source.name)
    facts = {
        "signature": asdict(signature_of(plan)),
        "code": store.digest(code),
        "batch": store.digest(code, bare(source.batch, source.name)),
        "level": level_of(plan.statements),
        "units": source.units,
        "generate_s": generate_s + time.perf_counter() - start,
    }

    def fill(folder: Path) -> dict[str, Any]:
        (folder / f"{source.name}.c").write_text(source.code, encoding="utf-8")
        (folder / f"{source.name}_batch.c").write_text(source.batch, encoding="utf-8")
        return facts

    record = store.digest("program", source.code, source.batch, repr(facts["signature"]))
    return store.load_entry(record) or store.make_entry(record, fill)


def signature_of(plan: Schedule) -> Signature:
    program = plan.program
    return Signature(
        function_name(program), program.model, program.name, program.summary,
        {name: (x.size, x.optional) for name, x in program.inputs.items()},
        {name: x.shape for name, x in program.outputs.items()},
        dict(program.parameters), len(plan.slots), plan.operations, plan.statements, program.notes,
    )  # fmt: skip


def _loaded(folder: Path, manifest: dict[str, Any], externals: Sequence[External] = ()) -> Function:
    """A function from its cache entry, and the Python functions that it calls."""
    facts = dict(manifest["signature"])
    facts["inputs"] = {name: (size, optional) for name, (size, optional) in facts["inputs"].items()}
    facts["outputs"] = {name: tuple(shape) for name, shape in facts["outputs"].items()}
    facts["operations"], facts["notes"] = Operations(**facts["operations"]), tuple(facts["notes"])
    signature = Signature(**facts)

    def text(name: str) -> str:
        return bare((folder / name).read_text(encoding="utf-8"), signature.name)

    def code() -> dict[str, str]:
        return {f"{SYMBOL}.c": text(f"{signature.name}.c")}

    def batch() -> dict[str, str]:
        return {f"{SYMBOL}_batch.c": text(f"{signature.name}_batch.c"), **code()}

    cost = sum(asdict(signature.operations).values()), manifest["level"], manifest["units"]
    engine = Native(Code(manifest["code"], code, *cost), Code(manifest["batch"], batch, *cost), signature, externals)
    source, record = folder / f"{signature.name}.c", "" if externals else folder.name
    return function_class()(signature, engine, manifest["generate_s"], source, record)
