"""Exports at states far from the start: its assembly mode in any order of calls, or a reason (loop_path.h)."""

import shutil
import subprocess

import numpy as np
import pytest
from exported_systems import made

import symbody as sb
from far_states import crank_states, unreachable, wishbone
from symbody.export import export_c, export_octave

VERSIONS = [2, 3]
OCTAVE = shutil.which("octave-cli") or shutil.which("octave")


MAIN = """
#include <stdio.h>
#include <string.h>
#include "NAME_system.h"

/* reads states; prints the status of each, dx/dt and the outputs, or the open loop */
int main(int argc, char **argv)
{
    static NAME_system s;
    double x[NAME_NX], xd[NAME_NX], y[NAME_NY];
    const int begins = argc > 1 && !strcmp(argv[1], "begin");
    int k, status;
    NAME_reset(&s);
    if (NAME_begin(&s) != NAME_DONE)
        return 2;
    for (;;) {
        for (k = 0; k < NAME_NX; k++)
            if (scanf("%lf", &x[k]) != 1)
                return 0;
        memcpy(s.x, x, sizeof x);
        status = begins ? NAME_begin(&s) : NAME_DONE;
        if (status == NAME_DONE)
            status = NAME_derivatives(&s, xd);
        if (status == NAME_DONE)
            status = NAME_observe(&s, y);
        if (status != NAME_DONE) {
            printf("%d %s %.3g %s\\n", status, NAME_open_loop(&s), s.gap, NAME_gap_unit(&s));
            continue;
        }
        for (k = 0; k < NAME_NX; k++)
            printf("%.17g ", xd[k]);
        for (k = 0; k < NAME_NY; k++)
            printf("%.17g ", y[k]);
        putchar('\\n');
    }
}
"""


def evaluated(folder, s, x, *arguments):
    """Lines that the program prints for states."""
    name = s.model.name.replace("-", "_")
    if not (folder / "far").exists():
        export_c(s, folder, overwrite=True)
        (folder / "far.c").write_text(MAIN.replace("NAME", name))
        subprocess.run(["make", f"lib{name}.a", "CFLAGS=-O1"], cwd=folder, check=True, capture_output=True)
        subprocess.run(["cc", "far.c", f"lib{name}.a", "-lm", "-o", "far"], cwd=folder, check=True)
    text = "\n".join(" ".join(map(repr, row)) for row in np.asarray(x).tolist())
    done = subprocess.run(["./far", *arguments], cwd=folder, input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def rows(lines):
    return np.array([line.split() for line in lines], dtype=float)


@pytest.mark.skipif(not shutil.which("make"), reason="no make on this machine")
def test_c_in_any_order_of_calls(tmp_path):
    s, x = made("four-bar"), crank_states()
    expected = np.hstack([s.rates(0.0, x), s.observe(0.0, x)])
    for arguments in ((), ("begin",)):
        np.testing.assert_allclose(rows(evaluated(tmp_path, s, x, *arguments)), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.skipif(not shutil.which("make"), reason="no make on this machine")
def test_c_names_the_open_loop_and_stays_at_the_last_closed_position(tmp_path):
    s = wishbone()
    x = np.array([s.x0, unreachable(s), s.x0 + np.array([0.1, 0.1, 0.0, 0.0])])
    first, second, third = evaluated(tmp_path, s, x)
    assert second == "2 upper_ball 0.057 m"
    closed = x[[0, 2]]
    expected = np.hstack([s.rates(0.0, closed), s.observe(0.0, closed)])
    np.testing.assert_allclose(rows([first, third]), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("version", VERSIONS)
def test_model_exchange_in_any_order_of_calls(unit, version):
    pytest.importorskip("fmpy")
    s, x = made("four-bar"), crank_states()
    fmu = unit("four-bar", version, "me").initialise()
    fmu.fmu.enterContinuousTimeMode()
    names = [name for name in s.outputs if name in fmu.references]
    places = [s.outputs.index(name) for name in names]
    known = s.rates(0.0, x), s.observe(0.0, x)[:, places]
    for row, rates, outputs in zip(x, *known, strict=True):
        np.testing.assert_allclose(fmu.rates(0.0, row), rates, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(fmu.get(*names), outputs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("version", VERSIONS)
def test_restored_states_and_starts_far_away(unit, version):
    """A restored state closes as before, whatever was evaluated meanwhile; each start closes from the exported one."""
    pytest.importorskip("fmpy")
    s = made("four-bar")
    fmu = unit("four-bar", version, "me").initialise({"crank.q": -3.1})
    expected = s.at(0.0, np.array([-3.1, s.x0[1]]))["rocker.q"]
    assert fmu.get("rocker.q")[0] == pytest.approx(expected, abs=1e-9)
    kept = fmu.save()
    fmu.fmu.enterContinuousTimeMode()
    fmu.rates(0.0, np.array([2.5, 0.3]))
    fmu.restore(kept)
    assert fmu.get("rocker.q")[0] == pytest.approx(expected, abs=1e-9)
    fmu.free(kept)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_fmu_names_the_open_loop(tmp_path, unit, version):
    pytest.importorskip("fmpy")
    s = wishbone()
    path = sb.export_fmu(s, tmp_path / "wishbone.fmu", version, derivatives=False)
    fmu = unit("", version, "me", path).initialise()
    fmu.fmu.enterContinuousTimeMode()
    with pytest.raises(Exception, match=r"[Ee]rror|failed"):
        fmu.rates(0.0, unreachable(s))
    assert any("loop 'upper_ball' is open by 0.057 m" in message for message in fmu.messages)
    np.testing.assert_allclose(fmu.rates(0.0, s.x0), s.rates(0.0, s.x0), rtol=1e-9, atol=1e-9)


@pytest.mark.skipif(OCTAVE is None, reason="Octave is not installed")
def test_octave_in_any_order_of_calls(tmp_path):
    s, x = made("four-bar"), crank_states()[::6]
    export_octave(s, tmp_path)
    states = ";".join(f"{q!r} {qd!r}" for q, qd in x.tolist())
    script = f"""s = four_bar_system(); at = four_bar_close(s, 0, s.x0, s.u); x = [{states}]';
    for k = 1:columns(x)
        at = four_bar_close(s, 0, x(:, k), s.u, at); alone = four_bar_close(s, 0, x(:, k), s.u);
        xd = four_bar_rates(0, x(:, k), s.u, at.v, s.rates_h);
        y = four_bar_outputs(0, x(:, k), s.u, alone.v, s.outputs_h);
        printf('%.17g ', xd, y); printf('\\n');
    end"""
    done = subprocess.run(
        [str(OCTAVE), "--no-gui", "--norc", "--eval", script], cwd=tmp_path, capture_output=True, text=True
    )
    expected = np.hstack([s.rates(0.0, x), s.observe(0.0, x)])
    np.testing.assert_allclose(rows(done.stdout.splitlines()), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.skipif(OCTAVE is None, reason="Octave is not installed")
def test_octave_names_the_open_loop(tmp_path):
    s = wishbone()
    export_octave(s, tmp_path)
    script = f"s = double_wishbone_system(); double_wishbone_close(s, 0, {unreachable(s).tolist()}', s.u);"
    done = subprocess.run(
        [str(OCTAVE), "--no-gui", "--norc", "--eval", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert "loop 'upper_ball' is open by 0.057 m" in done.stderr
