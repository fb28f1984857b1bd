"""The folder of C, built with make as a reader would, against the simulation in this package.

Tests of system_c.py.
"""

import shutil
import subprocess
from io import StringIO

import numpy as np
import pytest
from exported_systems import CHANGED, MODELS, made

import symbody as sb
from symbody.export import export_c


@pytest.fixture(autouse=True)
def make_is_there():
    if not shutil.which("make"):
        pytest.skip("no make on this machine")


def built(folder, *options):
    done = subprocess.run(["make", *options], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def table(folder, name, *arguments):
    """Header and rows of what the example prints."""
    done = subprocess.run([f"./{name}", *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=True)
    header, _, rows = done.stdout.partition("\n")
    return header.split(","), np.loadtxt(StringIO(rows), delimiter=",", ndmin=2)


def agree(found, expected, tolerance=1e-12):
    np.testing.assert_allclose(found[:, 0], expected.t, atol=1e-12)
    size = 1.0 + np.abs(expected.values).max(axis=0)
    assert np.abs((found[:, 1:] - expected.values) / size).max() < tolerance


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MODELS, "bicycle"])
def test_prints_the_simulation(tmp_path, name):
    s = sb.system(made(name).model)
    export_c(s, tmp_path)
    told = built(tmp_path)
    assert "-std=c99 -Wall -Wextra -Werror" in told
    program = name.replace("-", "_")
    header, rows = table(tmp_path, program, 0.3, 1e-3)
    assert header == ["t", *s.outputs]
    agree(rows, sb.simulate(s, 0.3, 1e-3))
    parameters, inputs = CHANGED[name]
    s.parameters.update(parameters)
    words = [f"{key}={value!r}" for key, value in (parameters | inputs).items()]
    _, rows = table(tmp_path, program, 0.3, 1e-3, *words)
    agree(rows, sb.simulate(s, 0.3, 1e-3, inputs=inputs))


def test_small_code_and_another_compiler(tmp_path):
    export_c(made("four-bar"), tmp_path)
    told = built(tmp_path, "CFLAGS=-Os", "CC=gcc" if shutil.which("gcc") else "CC=cc")
    assert "-Os" in told
    agree(table(tmp_path, "four_bar", 0.2, 1e-3)[1], sb.simulate(made("four-bar"), 0.2, 1e-3))
    needed = subprocess.run(["nm", "-u", tmp_path / "libfour_bar.a"], capture_output=True, text=True).stdout
    words = {line.split()[-1] for line in needed.splitlines() if " U " in line}
    assert not words & {"malloc", "calloc", "realloc", "free", "printf"}


def test_steps_near_a_singular_position_are_divided_as_in_a_simulation(tmp_path):
    """A crank of 0.3 m and a rod of 0.303 m: at a right angle a pivot has one per cent of its size."""
    m = sb.Model("near", gravity=(0, 0, 0))
    bar = {"mass": 1.0, "com": (0.15, 0, 0), "inertia": (0.01, 0.1, 0.1)}
    crank = m.body("crank", joints=[sb.Joint("crank", "R2", q0=(-0.5,), v0=(6.0,))], **bar)
    hinge = sb.Joint("rod", "R2", "dependent", q0=(1.0,))
    rod = m.body("rod", crank.point("tip", (0.3, 0, 0)), [hinge], **bar)
    slider = m.body("slider", joints=[sb.Joint("slider", "T1", "dependent", q0=(0.55,))], mass=0.5)
    m.cut("pin", "planar-ball", rod.point("tip", (0.303, 0, 0)), slider["origin"], axis=2)
    s = sb.system(m, outputs=["*.q", "*.qd"])
    export_c(s, tmp_path)
    built(tmp_path)
    rows = table(tmp_path, "near", 0.4, 2e-3)[1]
    agree(rows, sb.simulate(s, 0.4, 2e-3), 1e-8)
    agree(rows, sb.simulate(s, 0.4, 2e-5, every=2e-3), 1e-3)


def test_current_parameters_and_start_are_exported(tmp_path):
    s = sb.system(made("quarter-car").model)
    s.parameters["k_strut"] = 30000.0
    export_c(s, tmp_path)
    built(tmp_path)
    agree(table(tmp_path, "quarter_car", 0.1, 1e-3)[1], sb.simulate(s, 0.1, 1e-3))


MAIN = """
#include <stdio.h>
#include "stewart_system.h"
#include "four_bar_system.h"
int main(void)
{
    static stewart_system a;
    static four_bar_system b;
    int k, bad = 0;
    stewart_reset(&a);
    four_bar_reset(&b);
    a.u[stewart_u_f1] = 760.0;
    b.slope[four_bar_u_torque] = 0.5;
    bad += stewart_begin(&a);
    bad += four_bar_begin(&b);
    for (k = 0; k < 100; k++) {
        bad += stewart_step_semi_implicit(&a, 1e-3);
        bad += four_bar_step(&b, 1e-3);
    }
    for (k = 0; k < stewart_NX; k++)
        printf("%.17g\\n", a.x[k]);
    for (k = 0; k < four_bar_NX; k++)
        printf("%.17g\\n", b.x[k]);
    return bad;
}
"""


def test_two_machines_in_one_program(tmp_path):
    """Semi-implicit steps with a quaternion, and inputs that have a slope."""
    platform, linkage = made("stewart"), made("four-bar")
    for s in (platform, linkage):
        export_c(s, tmp_path / s.model.name)
        built(tmp_path / s.model.name, f"lib{s.model.name.replace('-', '_')}.a", "CFLAGS=-O1")
    (tmp_path / "main.c").write_text(MAIN)
    folders = [tmp_path / "stewart", tmp_path / "four-bar"]
    libraries = [folders[0] / "libstewart.a", folders[1] / "libfour_bar.a"]
    include = [f"-I{folder}" for folder in folders]
    command = ["cc", *include, str(tmp_path / "main.c"), *map(str, libraries), "-lm", "-o", str(tmp_path / "both")]
    subprocess.run(command, check=True)
    done = subprocess.run([tmp_path / "both"], capture_output=True, text=True, check=True)
    found = np.array(done.stdout.split(), float)
    a = sb.simulate(platform, 0.1, 1e-3, method="semi-implicit", inputs={"f1": 760.0})
    b = sb.simulate(linkage, 0.1, 1e-3, inputs={"torque": lambda t: 0.5 * t})
    expected = [a[n][-1] for n in platform.states] + [b[n][-1] for n in linkage.states]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_laws_in_c_and_states(tmp_path):
    m = sb.Model("valve")
    m.parameter("k", 50.0)
    piston = m.body("piston", joints=[sb.Joint("piston", "T3", q0=(0.1,))], mass=2.0)
    text = "static double twice(double x) { return 2*x; }\n"
    text += "double pull(double length, double rate, double k, double p) { return twice(k*length) + rate + p; }"
    m.link("spring", m.ground.point("top", (0, 0, 1.0)), piston)(sb.c_law("pull", text, "k", "pressure"))
    m.state("pressure", start=3.0)(lambda s, p: -2.0 * p.pressure + s.qd["piston"])
    m.signal("twin", 2)(lambda s, p: (p.pressure, s.q["piston"] ** 2))
    s = sb.system(m)
    export_c(s, tmp_path)
    built(tmp_path)
    header, rows = table(tmp_path, "valve", 0.2, 1e-3)
    assert header == ["t", *s.outputs]
    agree(rows, sb.simulate(s, 0.2, 1e-3))


def crank():
    m = sb.Model("driven")
    m.body("crank", joints=[sb.Joint("crank", "R2", "driven")], mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.trajectory("crank")(lambda t, p: 0.2 + 3.0 * t * t)
    return m


@pytest.mark.parametrize("outputs", [None, []])
def test_nothing_but_time(tmp_path, outputs):
    """A model all of whose joints are driven has no states; one may also want no outputs."""
    s = sb.system(crank(), outputs=outputs)
    export_c(s, tmp_path)
    built(tmp_path, "CFLAGS=-Os")
    header, rows = table(tmp_path, "driven", 0.1, 1e-2)
    assert header == ["t", *s.outputs]
    if s.outputs:
        agree(rows, sb.simulate(s, 0.1, 1e-2))


def test_stops_with_a_word(tmp_path):
    export_c(made("four-bar"), tmp_path)
    built(tmp_path)
    done = subprocess.run(["./four_bar", "1", "1e-3", "base=9"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "do not close" in done.stderr
    done = subprocess.run(["./four_bar", "1", "1e-3", "bas=9"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "bas=9" in done.stderr


def test_folders_of_others(tmp_path):
    s, mine = made("double-pendulum"), tmp_path / "mine"
    mine.mkdir()
    (mine / "main.c").write_text("my work")
    (mine / "notes.txt").write_text("my notes")
    with pytest.raises(sb.ModelError, match="not empty"):
        export_c(s, mine)
    assert (mine / "main.c").read_text() == "my work"
    assert len(list(mine.iterdir())) == 2
    files = export_c(s, mine, overwrite=True)
    assert (mine / "main.c").read_text() != "my work"
    assert (mine / "notes.txt").read_text() == "my notes"
    assert all(file.is_file() for file in files)
    with pytest.raises(sb.ModelError, match="cannot be written"):
        export_c(s, mine / "notes.txt")
    with pytest.raises(sb.ModelError, match="cannot be written"):
        export_c(s, mine / "notes.txt" / "deeper")
    with pytest.raises(sb.CompileError, match="Python function"):
        export_c(_numeric(), tmp_path / "slow")
    assert not (tmp_path / "slow").exists()


def _numeric():
    m = sb.Model("slow")
    m.body("arm", joints="R2", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint_force("arm")(sb.numeric(lambda q, qd, p: -q))
    return sb.system(m)
