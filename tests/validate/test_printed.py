"""Printed code beside an `.mbs` file: a double pendulum by Lagrange's equations, in the three languages; printed.py."""

import numpy as np
import pytest

import symbody as sb
from symbody_bench.validate.corpus_pinocchio import NotCompared
from symbody_bench.validate.printed import printed_error, printed_files, rows_apart

# Hinges about axis 1; Lagrange's equations with absolute angles p1 = q1, p2 = q1 + q2 (the relative ones are q).
EQUATIONS = """
  C1 = cos(q(1));
  S2 = sin(q(2));
  C2 = cos(q(2));
  A = s.In(1,1)+s.m(1)*s.l(3,1)*s.l(3,1)+s.m(2)*s.dpt(3,1)*s.dpt(3,1);
  B = s.In(1,2)+s.m(2)*s.l(3,2)*s.l(3,2);
  D = s.m(2)*s.dpt(3,1)*s.l(3,2);
  C1p2 = C1*C2-sin(q(1))*S2;
  S1p2 = sin(q(1))*C2+C1*S2;
  M(1,1) = A+B+2.0*D*C2;
  M(1,2) = B+D*C2;
  M(2,1) = B+D*C2;
  M(2,2) = B;
  G1 = s.g(3)*(s.m(1)*s.l(3,1)+s.m(2)*s.dpt(3,1))*sin(q(1));
  G2 = s.g(3)*s.m(2)*s.l(3,2)*S1p2;
  c(1) = -D*S2*qd(2)*(2.0*qd(1)+qd(2))-...
 (-G1)+G2-s.trq(1,1);
  c(2) = D*S2*qd(1)*qd(1)+G2-s.trq(1,2);
"""
MATLAB = f"function [M,c] = dirdyna(s,tsim,usrfun)\n% printed\n M = zeros(2,2);\nq = s.q; \nqd = s.qd; \n{EQUATIONS}"


def in_c(text):
    for name in ("q", "qd", "c", "s.m", "s.g", "s.In", "s.l", "s.dpt", "s.trq", "M"):
        for i in "123":
            text = text.replace(f"{name}({i})", f"{name}[{i}]")
            for j in "12":
                text = text.replace(f"{name}({i},{j})", f"{name}[{i}][{j}]")
    text = text.replace("...\n", "").replace("s.", "s->")
    head = (
        '#include "mbs_data.h"\nvoid mbs_dirdyna(double **M,double *c,\nMbsData *s, double tsim)\n{ \n#define q s->q \n'
    )
    return f"{head}// printed\n{text}}}\n"


def in_python(text):
    text = (
        in_c(text).partition("// printed\n")[2].replace("s->", "s.").replace("][", ",").replace(";", "").strip("}\n ")
    )
    lines = [f"    {line.strip()}" for line in text.splitlines()]
    return "\n".join(["from math import sin, cos", "def dirdyna(M,c,s,tsim):", "    q = s.q", "    qd = s.qd", *lines])


TEXTS = {".m": MATLAB, ".c": in_c(EQUATIONS), ".py": in_python(EQUATIONS)}


@pytest.fixture
def pendulum(tmp_path):
    """The model's folder dataR, beside one for what is printed."""
    m = sb.Model("double")
    upper = m.body("upper", joints="R1", mass=2.0, com=(0, 0, -0.4), inertia=(0.1, 0.2, 0.3))
    m.body(
        "lower", upper.point("knee", (0, 0, -0.9)), joints="R1", mass=1.5, com=(0, 0, -0.3), inertia=(0.05, 0.06, 0.07)
    )
    (tmp_path / "dataR").mkdir()
    (tmp_path / "symbolicR").mkdir()
    path = tmp_path / "dataR" / "double.mbs"
    sb.save(m, path)
    return path


@pytest.mark.parametrize("suffix", TEXTS)
def test_what_was_printed_is_evaluated(pendulum, suffix):
    printed = pendulum.parents[1] / "symbolicR" / f"mbs_dirdyna_double{suffix}"
    printed.write_text(TEXTS[suffix])
    assert list(printed_files(pendulum)) == ["dirdyna"]
    model = sb.load(pendulum)
    assert printed_error(model, pendulum) < 1e-14
    printed.write_text(TEXTS[suffix].replace("2.0*D*C2", "2.001*D*C2"))
    assert printed_error(model, pendulum) > 1e-5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no equations"),
        ("M[1,1] = s.m[9]\n", "does not fit the model"),
        ("M[1,1] = open('x')\n", "holds no equations"),
        ("M[1,1] = (lambda: 1)()\nc[1] = 1.0 + q.__class__\n", "unknown expression"),
    ],
)
def test_what_is_no_equation_is_not_run(pendulum, text, says):
    (pendulum.parents[1] / "symbolicR" / "mbs_dirdyna_double.py").write_text(text)
    with pytest.raises(NotCompared, match=says):
        printed_error(sb.load(pendulum), pendulum)


def test_equations_of_loops_agree_by_direction():
    ours = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    theirs = np.array([[0.0, -3.0, -3.0], [0.5, 1.0, 0.0]])
    assert rows_apart(ours, theirs) < 1e-15
    assert rows_apart(ours, theirs + np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.01]])) > 1e-3
    with pytest.raises(NotCompared, match="1 loop equations were printed, but the model has 2"):
        rows_apart(ours, theirs[:1])
