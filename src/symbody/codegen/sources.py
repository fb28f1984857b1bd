"""Generated text as files, for use outside symbody."""

from __future__ import annotations

from pathlib import Path

from symbody.codegen.program import Program
from symbody.codegen.schedule import schedule
from symbody.codegen.targets.c import c_source
from symbody.codegen.targets.header import function_name
from symbody.codegen.targets.javascript import javascript_sources
from symbody.codegen.targets.matlab import matlab_sources
from symbody.codegen.targets.python import python_source
from symbody.errors import CompileError
from symbody.output_file import replacing

LANGUAGES = ("c", "python", "matlab", "javascript")


def sources(program: Program, language: str) -> dict[str, str]:
    """File name → text of a program in one of the `LANGUAGES`."""
    _check(program, language)
    plan = schedule(program, loops=language == "c")
    name = function_name(program)
    if language == "c":
        source = c_source(plan)
        return {f"{name}.c": source.code, f"{name}.h": source.declarations, f"{name}_batch.c": source.batch}
    if language == "python":
        return {f"{name}.py": python_source(plan)}
    if language == "matlab":
        return matlab_sources(plan)
    if language == "javascript":
        return javascript_sources(plan)
    raise ValueError(f"unknown language {language!r}: use {', '.join(LANGUAGES)}")


def _check(program: Program, language: str) -> None:
    """Check that external functions are available in the target language."""
    for external in program.externals:
        if external.kind == "python":
            raise CompileError(f"the external function {external.name!r} is Python and cannot be exported")
        if language != "c":
            raise CompileError(f"the external function {external.name!r} is C source, which {language} cannot call")


def write_sources(program: Program, language: str, folder: Path) -> list[Path]:
    """Write the files of a program into a folder, each in one step."""
    paths = []
    for name, text in sources(program, language).items():
        with replacing(folder / name) as partial:
            partial.write_text(text, encoding="utf-8")
        paths.append(folder / name)
    return paths
