"""FMUs opened with FMPy; each is made once."""

import os
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest
from exported_systems import made

from symbody.codegen.cache import digest
from symbody.codegen.compiler import flags, run
from symbody.export import export_fmu

AS_SHIPPED = "four-bar"  # the one that is compiled as users get it; most tests are of it


@pytest.fixture(scope="session", autouse=True)
def compiler():
    if not shutil.which("cc"):
        pytest.skip("no cc on this machine")


def with_headers(source: Path) -> str:
    """The text of a C file, followed by those that it includes from its folder."""
    waiting, texts = [source], {}
    while waiting:
        path = waiting.pop()
        if path.exists() and path not in texts:
            texts[path] = path.read_text(encoding="utf-8")
            waiting += [path.parent / name for name in re.findall(r'#include "([^"]+)"', texts[path])]
    return "".join(texts.values())


@pytest.fixture(scope="session", autouse=True)
def equal_files_are_compiled_once(tmp_path_factory):
    """By all workers together: the equations in FMUs of both versions are the same, and most of the work."""
    base = tmp_path_factory.getbasetemp()
    kept = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "objects"
    kept.mkdir(exist_ok=True)

    def once(command):
        if "-c" not in command:
            run(command)
            return
        *options, _, source, _, made_here = command
        there = kept / digest(*options, with_headers(Path(source)))
        if not there.exists():
            run(command)
            handle, temporary = tempfile.mkstemp(dir=kept)
            os.close(handle)
            shutil.copyfile(made_here, temporary)
            os.replace(temporary, there)
        else:
            shutil.copyfile(there, made_here)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("symbody.export.binary.run", once)
        yield


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    """FMUs are compiled as everything is in tests: quickly, unless optimised code is asked for."""
    if os.environ["SYMBODY_TIER"] == "quick":
        monkeypatch.setattr("symbody.export.binary.flags", lambda level: [*flags(level), "-O0"])


@pytest.fixture(scope="session")
def fmu(tmp_path_factory):
    """(model, version) → path of its FMU."""

    @cache
    def exported(name: str, version: int):
        with pytest.MonkeyPatch.context() as patch:
            if name == AS_SHIPPED:
                patch.setattr("symbody.export.binary.flags", flags)
            return export_fmu(made(name), tmp_path_factory.mktemp("fmu") / f"{name}-{version}.fmu", version)

    return exported


@pytest.fixture
def unit(fmu):
    """(model, version, "cs" or "me") → an instance of the FMU; all are freed in the end."""
    from fmpy_unit import Unit

    opened: list[Unit] = []

    def instance(name: str, version: int, kind: str = "cs", path=None) -> Unit:
        opened.append(Unit(path or fmu(name, version), kind))
        return opened[-1]

    yield instance
    for one in opened:
        one.close()
