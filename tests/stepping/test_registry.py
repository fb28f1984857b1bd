"""One list of methods: what each declares is so, and whatever offers methods reads it."""

import argparse
import re
from pathlib import Path

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.cli import simulate as command
from symbody.stepping.method import EVERY_CLOSURE
from symbody.stepping.registry import FIXED, METHODS, VARIABLE, suited, suited_fixed

ROOT = Path(__file__).parents[2]


def table() -> str:
    """The rows of docs/stepping.md."""
    rows = []
    for m in METHODS.values():
        closures = "all" if set(m.closures) == set(EVERY_CLOSURE) else ", ".join(m.closures)
        about = "fixed" if m.fixed else "chosen", str(m.order), "implicit" if m.implicit else "explicit", m.runs
        rows.append(f"| `{m.name}` | {' | '.join(about)} | {closures} | {m.summary} ({m.source}) |")
    return "\n".join(rows)


def test_the_page_shows_what_the_methods_declare():
    assert table() in (ROOT / "docs" / "stepping.md").read_text(encoding="utf-8")


def test_methods_are_listed_nowhere_else():
    """A line of code that names three methods would be a second list."""
    names = re.compile("|".join(rf'"{name}"' for name in sorted(METHODS, key=len, reverse=True)))
    for path in (ROOT / "src").rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert len(set(names.findall(line))) < 3, f"{path}: {line}"


def test_the_command_offers_them_all():
    parser = argparse.ArgumentParser()
    command.options(parser)
    offered = next(action.choices for action in parser._actions if action.dest == "method")
    assert list(offered) == list(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_moves_the_four_bar(name):
    """To the same place, by what its order promises."""
    if name == "cvode":
        pytest.importorskip("sksundae")
    s = sb.system(machines.model("four-bar"))
    exact = sb.simulate(s, 0.2, 1e-4, at=[0.2]).values[-1]
    how = {"dt": 1e-3, "method": name} if METHODS[name].fixed else {"method": sb.VariableStep(name, 1e-8, atol=1e-10)}
    run = sb.simulate(s, 0.2, at=[0.1, 0.2], **how)
    assert run.t.tolist() == [0.1, 0.2]
    assert run.meta["method"] == name
    close = {1: 2e-2, 2: 2e-3}.get(METHODS[name].order, 1e-5)
    np.testing.assert_allclose(run.values[-1], exact, atol=close * np.abs(exact).max())


def test_the_usual_method_goes_by_closure_and_step():
    free, held = (sb.system(machines.model("four-bar"), closure=c) for c in ("partitioning", "augmented"))
    assert suited(free, dt=1e-3).name == suited_fixed(free).name == "rk4"
    assert suited(free).name == "dop853"
    assert suited(held, dt=1e-3).name == suited_fixed(held).name == "trapezoidal"
    with pytest.raises(sb.ModelError, match="use trapezoidal or generalised-alpha, with a `dt`"):
        suited(held)


def test_what_is_no_method_is_refused_with_what_was_meant():
    s = sb.system(machines.model("pendulum"))
    for wrong, meant in (("RK4", "did you mean rk4"), ("semi_implicit", "did you mean semi-implicit")):
        with pytest.raises(sb.ModelError, match=meant):
            suited(s, wrong)
    with pytest.raises(sb.ModelError, match=", ".join(METHODS)):
        suited(s, "shooting")
    with pytest.raises(sb.ModelError, match=r"'radau' is a variable-step method \(use rk4, "):
        suited_fixed(s, "radau")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"dt": 1e-3, "rtol": 1e-6}, "rtol: 'rk4' is a fixed-step method"),
        ({"dt": 1e-3, "dense": True}, "dense: an option of the method (give method=sb.VariableStep(dense=…))"),
        ({"dt": 1e-3, "events": [sb.Event("arm.q")]}, "events: an option of the method"),
        ({"dt": 1e-3, "newton": sb.Newton()}, "newton: an option of the method (give method=sb.FixedStep(newton=…))"),
        ({"dt": 1e-3, "method": sb.VariableStep(dense=True)}, "dt: 'dop853' is a variable-step method"),
        ({"method": sb.VariableStep(), "rtol": 1e-6}, "rtol: `rtol` is given twice"),
        ({"method": sb.FixedStep(), "rtol": 1e-6}, "rtol: 'rk4' is a fixed-step method"),
        ({"method": "rk4"}, "dt: 'rk4' is a fixed-step method"),
        ({"method": "radau", "dt": 1e-3}, "dt: 'radau' is a variable-step method"),
        ({"method": sb.FixedStep("rk4", sb.Newton()), "dt": 1e-3}, "newton: 'rk4' does not use Newton"),
        ({"dt": 1e-3, "every": 0.1, "at": [0.1]}, "one of the two"),
    ],
)
def test_what_a_method_would_ignore_is_refused(given, words):
    with pytest.raises(sb.ModelError, match=re.escape(words)):
        sb.simulate(machines.model("pendulum"), 1.0, **given)


def test_the_old_name_says_what_it_is_called_now():
    m = machines.model("pendulum")
    with pytest.warns(DeprecationWarning, match="simulate"):
        old = sb.integrate_adaptive(m, 0.1, every=0.05)
    np.testing.assert_array_equal(old.values, sb.simulate(m, 0.1, method="dop853", every=0.05).values)


def test_families_are_apart():
    assert not set(FIXED) & set(VARIABLE)
    assert all(m.summary and m.source and m.closures for m in METHODS.values())
