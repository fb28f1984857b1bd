"""From a program to a loaded function, through the cache."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from symbody.codegen import cache as store
from symbody.codegen.c import c_source
from symbody.codegen.compiler import CURE, LIBRARY, build_library, find_compiler, identity
from symbody.codegen.function import Function, Signature
from symbody.codegen.header import function_name
from symbody.codegen.interpreted import interpreted
from symbody.codegen.native import Native, function_class
from symbody.codegen.program import Program
from symbody.codegen.schedule import Schedule, schedule
from symbody.errors import CompileError
from symbody.expr.external import External
from symbody.expr.graph import Operations

LONG = 6000  # statements above which the compiler's time is worth more than the last percents of speed


def build(program: Program, *, backend: str = "auto") -> Function:
    """Generate, compile and load; `backend` is "c", "python", or "auto": C where there is a compiler."""
    return _build(program, backend, 0.0)[0]


def cached(key: str, make_program: Callable[[], Program], *, backend: str = "auto") -> Function:
    """As `build`, but a key seen before leads straight to the compiled function, without building the program.

    The key is text that determines the program: model, function and options; symbody's own version is added here.
    """
    command = _command(backend)
    full = f"{key}\n{identity(command)}" if command else ""
    name = store.remembered(full) if command else None
    entry = store.load_entry(name) if name else None
    if entry:
        return _loaded(*entry)
    start = time.perf_counter()
    program = make_program()
    function, name = _build(program, backend, time.perf_counter() - start)
    if name and not program.externals:  # what a key leads to must be all in the cache
        store.remember(full, name)
    return function


def _command(backend: str) -> list[str] | None:
    """The compiler to use, None for Python."""
    if backend not in ("auto", "c", "python"):
        raise ValueError(f"backend {backend!r}: 'auto', 'c' or 'python'")
    command = None if backend == "python" else find_compiler()
    if command is None and backend == "c":
        raise CompileError(f"no C compiler was found ({CURE})")
    return command


def _build(program: Program, backend: str, generate_s: float) -> tuple[Function, str]:
    """The function, and the name of its entry in the cache."""
    command = _command(backend)
    start = time.perf_counter()
    plan = schedule(program, loops=command is not None)
    if command is None:
        if backend == "auto":
            warnings.warn(f"no C compiler was found: generated Python runs, much more slowly ({CURE})", stacklevel=3)
        return interpreted(plan, signature_of(plan), generate_s, start), ""
    source = c_source(plan)
    signature = asdict(signature_of(plan))
    generate_s += time.perf_counter() - start
    level = "full" if plan.statements <= LONG else "quick"
    name = store.digest(source.code, source.batch, repr(signature), level, str(source.units), identity(command))

    def fill(folder: Path) -> dict[str, Any]:
        path = folder / f"{source.name}.c"
        path.write_text(source.code, encoding="utf-8")
        (folder / f"{source.name}_batch.c").write_text(source.batch, encoding="utf-8")
        began = time.perf_counter()
        build_library(command, path, folder / f"{source.name}{LIBRARY}", level, source.units)
        took = time.perf_counter() - began
        facts = {"generate_s": generate_s, "compile_s": took, "level": level, "units": source.units}
        return {"signature": signature, **facts}

    entry = store.load_entry(name) or store.make_entry(name, fill)
    return _loaded(*entry, program.callbacks), name


def signature_of(plan: Schedule) -> Signature:
    program = plan.program
    return Signature(
        function_name(program), program.model, program.name, program.summary,
        {name: (x.size, x.optional) for name, x in program.inputs.items()},
        {name: x.shape for name, x in program.outputs.items()},
        dict(program.parameters), len(plan.slots), plan.operations, plan.statements, program.notes,
    )  # fmt: skip


def _loaded(folder: Path, manifest: dict[str, Any], externals: Sequence[External] = ()) -> Function:
    """A function from its entry in the cache, and the Python functions that it calls."""
    facts = dict(manifest["signature"])
    facts["inputs"] = {name: (size, optional) for name, (size, optional) in facts["inputs"].items()}
    facts["outputs"] = {name: tuple(shape) for name, shape in facts["outputs"].items()}
    facts["operations"], facts["notes"] = Operations(**facts["operations"]), tuple(facts["notes"])
    signature = Signature(**facts)
    library, source = folder / f"{signature.name}{LIBRARY}", folder / f"{signature.name}.c"
    engine = Native(library, signature.name, lambda: _batch_library(folder, signature.name, manifest), externals)
    return function_class()(signature, engine, manifest["generate_s"], manifest["compile_s"], library, source)


def _batch_library(folder: Path, name: str, manifest: dict[str, Any]) -> Path:
    """The library for many states, beside the one for single states in the cache."""
    command = _command("c")
    assert command is not None
    texts = {file: (folder / file).read_text(encoding="utf-8") for file in (f"{name}.c", f"{name}_batch.c")}
    entry = store.digest("batch", *texts.values(), manifest["level"], str(manifest["units"]), identity(command))

    def fill(into: Path) -> dict[str, Any]:
        for file, text in texts.items():
            (into / file).write_text(text, encoding="utf-8")
        library = into / f"{name}_batch{LIBRARY}"
        build_library(command, into / f"{name}_batch.c", library, manifest["level"], manifest["units"])
        return {}

    found, _ = store.load_entry(entry) or store.make_entry(entry, fill)
    return found / f"{name}_batch{LIBRARY}"
