"""What goes wrong with an FMU, in its making and in its use: a clear word, never a crash."""

import ctypes
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from exported_systems import made

import symbody as sb
from symbody.export import export_fmu, files

fmpy = pytest.importorskip("fmpy")
validation = pytest.importorskip("fmpy.validation")
VERSIONS = [2, 3]
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-c"]


def sprung(law, *, name="sprung", parameters=(("k", 200.0, "N/m"),)):
    m = sb.Model(name)
    for parameter in parameters:
        m.parameter(*parameter)
    arm = m.body("arm", joints="T3", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.link("spring", m.ground.point("top", (0, 0, 1.0)), arm)(law)
    return sb.system(m)


@pytest.mark.parametrize("version", VERSIONS)
def test_wrong_references_and_values(unit, version):
    one = unit("four-bar", version).initialise()
    most = max(one.references.values())
    for reference in (most + 1, 4_000_000_000):
        with pytest.raises(Exception, match="rror"):
            one.get_at([reference])
        assert f"value reference {reference}" in one.messages[-1]
        with pytest.raises(Exception, match="rror"):
            one.set_at([reference], [1.0])
    for name, value in (("time", 1.0), ("energy.kinetic", 1.0), ("crank.q", 0.3), ("internal.step", 1e-4)):
        with pytest.raises(Exception, match="rror"):
            one.set({name: value})
        assert "cannot be set" in one.messages[-1]
    for value in (np.nan, np.inf):
        with pytest.raises(Exception, match="rror"):
            one.set({"torque": value})
    assert np.isfinite(one.get("crank.qd"))


@pytest.mark.parametrize("version", VERSIONS)
def test_calls_out_of_order(unit, version):
    one = unit("four-bar", version)
    with pytest.raises(Exception, match="rror"):
        one.step(0.0, 0.1)
    assert "DoStep cannot be called" in one.messages[-1]
    one.initialise()
    for t, length in ((0.0, 0.0), (0.0, -1.0), (0.0, np.nan), (0.0, 1e12), (0.5, 0.1)):
        with pytest.raises(Exception, match="rror"):
            one.step(t, length)
    one.step(0.0, 0.1)
    exchange = unit("four-bar", version, "me").initialise()
    call = exchange.fmu.dll[f"fmi{version}DoStep"]
    assert call(ctypes.c_void_p(exchange.fmu.component), *[None] * 8) == 3
    assert call(None, *[None] * 8) == 3


@pytest.mark.parametrize("version", VERSIONS)
def test_another_token_is_refused(fmu, version):
    from fmpy_unit import Unit

    with pytest.raises(Exception, match="instantiate"):
        Unit(fmu("four-bar", version), "cs", token="{other}")


@pytest.mark.parametrize("version", VERSIONS)
def test_loops_that_do_not_close(unit, version):
    one = unit("four-bar", version)
    with pytest.raises(Exception, match="rror"):
        one.initialise({"rocker_length": 0.01})
    assert "do not close" in one.messages[-1]
    one.fmu.reset()
    one.initialise()
    one.step(0.0, 0.01)
    one.set({"base": 2.0})
    with pytest.raises(Exception, match="rror"):
        one.step(0.01, 0.01)
    assert "t = 0.01 s the loops do not close" in one.messages[-1]
    with pytest.raises(Exception, match="rror"):
        one.get("rocker.q")
    one.set({"base": 0.22})
    one.step(0.01, 0.01)  # and it goes on


@pytest.mark.parametrize("version", VERSIONS)
def test_a_law_that_gives_nan(tmp_path, unit, version):
    path = export_fmu(sprung(lambda length, rate, p: p.k * sb.functions.log(0.5 - p.t)), tmp_path / "log.fmu", version)
    one = unit("", version, path=path).initialise()
    with pytest.raises(Exception, match="rror"):
        one.step(0.0, 1.0)
    assert "not finite" in one.messages[-1]
    assert one.get("time") == pytest.approx(0.499)


def test_python_laws_are_refused_and_laws_in_c_are_not(tmp_path, unit):
    with pytest.raises(sb.CompileError, match="Python function"):
        export_fmu(sprung(sb.numeric(lambda length, rate, p: p.k * length)), tmp_path / "no.fmu")
    assert not list(tmp_path.iterdir())
    text = "double pull(double length, double rate, double k) { return k*length + 0.5*rate; }"
    s = sprung(sb.c_law("pull", text, "k"))
    for version in VERSIONS:
        one = unit("", version, path=export_fmu(s, tmp_path / "c.fmu", version)).initialise()
        one.step(0.0, 0.2)
        np.testing.assert_allclose(one.get(*s.outputs), sb.simulate(s, 0.2, 1e-3).values[-1], atol=1e-11)


@pytest.mark.parametrize("version", VERSIONS)
def test_odd_names(tmp_path, unit, version):
    m = sb.Model('5 "bars" <&> ÄÖ', gravity=(0, 0, -9.81))
    m.parameter("k", 3.0, "N/m")
    body = m.body("arm é-1", joints="R2", mass=1.0, com=(0, 0, -0.3), inertia=(0.1, 0.1, 0.1))
    m.link("a b", m.ground.point("p", (0.5, 0, 0)), body.point("q", (0, 0, -0.5)))(lambda length, rate, p: p.k * length)
    m.input("time")
    s = sb.system(m, outputs=["*"], inputs=["arm é-1.Q"])
    path = export_fmu(s, tmp_path / "odd.fmu", version)
    assert validation.validate_fmu(str(path)) == []
    about = fmpy.read_model_description(str(path))
    assert about.modelName == m.name
    assert {v.unit for v in about.modelVariables} >= {"N/m", "rad"}
    one = unit("", version, path=path).initialise({"arm é-1.Q": 0.5, "time": 3.0})
    one.step(0.0, 0.1)
    expected = sb.simulate(s, 0.1, 1e-3, inputs={"arm é-1.Q": 0.5})
    channels = ["arm é-1.q", "arm é-1.reaction.force.x", "a b.tension"]
    np.testing.assert_allclose(one.get(*channels), [expected[c][-1] for c in channels], atol=1e-10)
    assert one.get("arm é-1.Q.out") == 0.5
    assert one.get("time_") == pytest.approx(0.1)


def test_what_cannot_be_made(tmp_path):
    s = made("double-pendulum")
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file" / "a.fmu", tmp_path / ("x" * 300 + ".fmu"), tmp_path / "a\0b.fmu"):
        with pytest.raises(sb.ModelError, match="cannot be written"):
            export_fmu(s, path, binary=False)
    for path in (tmp_path / "model.yaml", tmp_path):
        with pytest.raises(sb.ModelError, match=r"end with \.fmu"):
            export_fmu(s, path, binary=False)
    with pytest.raises(sb.ModelError, match="use 2 or 3"):
        export_fmu(s, tmp_path / "a.fmu", 1)
    for step in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(sb.ModelError, match="positive"):
            export_fmu(s, tmp_path / "a.fmu", step=step)
    loop = sb.system(made("four-bar").model, closure="augmented")
    with pytest.raises(sb.ModelError, match="partitioning"):
        export_fmu(loop, tmp_path / "a.fmu")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file"]


def test_no_compiler(tmp_path, monkeypatch):
    monkeypatch.setattr("symbody.export.binary.find_compiler", lambda: None)
    with pytest.raises(sb.CompileError, match="binary=False"):
        export_fmu(made("double-pendulum"), tmp_path / "a.fmu")
    path = export_fmu(made("double-pendulum"), tmp_path / "a.fmu", binary=False)
    assert fmpy.supported_platforms(str(path)) == ["c-code"]


def test_replaced_in_one_step(tmp_path, monkeypatch):
    s, path = made("double-pendulum"), tmp_path / "a.fmu"
    export_fmu(s, path, 2, binary=False)
    before = path.read_bytes()
    export_fmu(s, path, 2, binary=False)
    assert path.read_bytes() == before  # nothing depends on date or chance

    def full(*_):
        raise OSError("no space")

    monkeypatch.setattr(files.os, "replace", full)
    with pytest.raises(sb.ModelError, match="no space"):
        export_fmu(s, path, 3, binary=False)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.fmu"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["double-pendulum", "four-bar"])
def test_sources_are_clean_c99(fmu, tmp_path, name, version):
    with zipfile.ZipFile(fmu(name, version)) as archive:
        archive.extractall(tmp_path)
    sources = sorted((tmp_path / "sources").glob("*.c"))
    assert len(sources) == {"double-pendulum": 5, "four-bar": 7}[name]  # those of loops follow them to other states
    for source in sources:
        prefix = [f"-DFMI{version}_FUNCTION_PREFIX=my_"] * (source.stem == f"fmi{version}")
        subprocess.run(["cc", *STRICT, *prefix, str(source), "-o", str(source.with_suffix(".o"))], check=True)
    names = subprocess.run(["nm", "-g", tmp_path / f"sources/fmi{version}.o"], capture_output=True, text=True).stdout
    assert f" T my_fmi{version}DoStep" in names
    library = next(tmp_path.glob("binaries/*/*"))
    seen = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    assert {line.split()[2][:4] for line in seen.splitlines()} == {f"fmi{version}"}


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_others_can_compile_it(fmu, tmp_path, unit, version, monkeypatch):
    """FMPy builds the library from the sources with CMake, which it brings along."""
    build = pytest.importorskip("fmpy.build")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    if not shutil.which("cmake"):
        pytest.skip("no cmake on this machine")
    s = made("four-bar")
    with zipfile.ZipFile(fmu("four-bar", version)) as archive:
        archive.extractall(tmp_path / "x")
    for library in (tmp_path / "x").glob("binaries/*/*"):
        library.unlink()
    build.build_platform_binary(tmp_path / "x", all_warnings=True)
    with zipfile.ZipFile(tmp_path / "again.fmu", "w") as archive:
        for file in (tmp_path / "x").rglob("*"):
            archive.write(file, file.relative_to(tmp_path / "x"))
    one = unit("", version, path=tmp_path / "again.fmu").initialise({"torque": 0.1})
    one.step(0.0, 0.1)
    expected = sb.simulate(s, 0.1, 1e-3, inputs={"torque": 0.1})
    np.testing.assert_allclose(one.get(*s.outputs), expected.values[-1], atol=1e-11)
