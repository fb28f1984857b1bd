"""Exported C is self-contained: each header of an FMU and of a folder compiles alone, and may be included twice."""

import subprocess

import pytest
from exported_systems import made

from symbody.codegen.compiler import find_compiler
from symbody.export.c_folder import c_files
from symbody.export.fmu import fmu_files
from symbody.export.parts import parts_of


def exported(form: str) -> dict[str, str]:
    """Sources by file name."""
    s = made("four-bar")
    if form == "C":
        return c_files(parts_of(s))
    files = fmu_files(s, int(form[-1]), 1e-3, True, False)
    return {path.removeprefix("sources/"): str(text) for path, text in files.items() if path.startswith("sources/")}


@pytest.mark.parametrize("form", ["C", "FMI 2", "FMI 3"])
def test_headers_compile_alone_and_no_other_file_is_needed(tmp_path, form):
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    files = exported(form)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    headers = [name for name in files if name.endswith(".h")]
    assert len(headers) == {"C": 5, "FMI 2": 8, "FMI 3": 8}[form]
    command = [*compiler, "-std=c99", "-Wall", "-Wextra", "-fsyntax-only"]
    for name in [name for name in files if name.endswith((".h", ".c"))]:
        done = subprocess.run([*command, str(tmp_path / name)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    for name in headers:
        twice = f'#include "{tmp_path / name}"\n' * 2
        done = subprocess.run([*command, "-x", "c", "-"], input=twice, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
