"""FMUs opened with FMPy; each is made once."""

import os
import shutil
from functools import cache

import pytest
from exported_systems import made

from symbody.codegen.compiler import flags
from symbody.export import export_fmu

AS_SHIPPED = "four-bar"  # the one that is compiled as users get it; most tests are of it


@pytest.fixture(scope="session", autouse=True)
def compiler():
    if not shutil.which("cc"):
        pytest.skip("no cc on this machine")


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
