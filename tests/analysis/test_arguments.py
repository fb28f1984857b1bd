"""Inputs of all analyses: numbers, functions, tables, files. Tests of arguments.py and stepping/inputs.py."""

import numpy as np
import pytest

import symbody as sb
from symbody.analysis.arguments import signals
from symbody.stepping.inputs import sampled

pandas = pytest.importorskip("pandas")
T = np.linspace(0.0, 1.0, 11)
RAMP = 2.0 * T


def pushed() -> sb.Model:
    """1 kg on a slide, pushed by a force: q̈ = push."""
    m = sb.Model("pushed", gravity=(0, 0, 0))
    m.input("push", unit="N")
    m.body("mass", joints="T1", mass=1.0)
    m.joint_force("mass")(lambda q, qd, p: p.push)
    return m


@pytest.fixture(scope="module")
def s():
    return sb.system(pushed())


@pytest.fixture
def forms(tmp_path):
    """The same ramp, 2t N, in every form."""
    frame = pandas.DataFrame({"push": RAMP}, index=pandas.Index(T))
    csv, parquet, units = (tmp_path / name for name in ("log.csv", "log.parquet", "units.csv"))
    csv.write_text("t,push\n" + "".join(f"{t!r},{x!r}\n" for t, x in zip(T.tolist(), RAMP.tolist(), strict=True)))
    units.write_text("time [s],push [kN]\n0,0\n1,0.002\n")
    run = sb.Run(None, T, RAMP[:, None], names=["push"], units={"push": "N"})
    run.save(parquet)
    return [
        {"push": lambda t: 2.0 * t},
        {"push": (T, RAMP)},
        {"push": frame["push"]},
        {"push": csv},
        {"push": str(parquet)},
        {"push": 2.0 * np.linspace(0.0, 1.0, 101)},
        frame,
        frame.rename_axis("t").reset_index(),
        frame["push"],
        pandas.Series(RAMP, index=pandas.to_timedelta(T, unit="s"), name="push"),
        run,
        csv,
        str(parquet),
        units,
    ]


def test_every_form_gives_the_same_motion(s, forms):
    """q = t³/3 from rest: rk4 is exact for it."""
    for given in forms:
        run = sb.simulate(s, 1.0, 0.01, inputs=given)
        assert run["mass.q"][-1] == pytest.approx(1.0 / 3.0, rel=1e-9), given


def test_methods_that_choose_their_steps_take_them_too(s, forms):
    for given in forms[:5] + forms[6:]:
        assert sb.simulate(s, 1.0, inputs=given)["mass.q"][-1] == pytest.approx(1.0 / 3.0, rel=1e-5)


def test_other_analyses_take_them(s, forms):
    frame = forms[6]
    swept = sb.sweep(pushed(), {"push": [1.0]}, 1.0, 0.01, ["final(mass.q)"], workers=1)
    assert swept["final(mass.q)"] == pytest.approx([0.5])
    m = pushed()
    m.parameter("gain", 1.0)
    m.joint_force("mass")(lambda q, qd, p: p.gain * p.push)
    found = sb.sensitivity(m, sb.Objective(final="mass.q"), ["gain"], 1.0, 0.01, inputs=frame)
    assert found.gradient["gain"] == pytest.approx(1.0 / 3.0, rel=1e-9)
    swept = sb.sweep(m, {"gain": [1.0, 3.0]}, 1.0, 0.01, "final(mass.q)", workers=1, inputs=frame)
    assert swept["final(mass.q)"] == pytest.approx([1 / 3, 1.0])
    best = sb.optimise(m, sb.Objective(final="(mass.q - 1)**2"), {"gain": (0.5, 5.0)}, 1.0, 0.01, inputs=frame)
    assert best.parameters["gain"] == pytest.approx(3.0, rel=1e-3)
    spring = pushed()
    spring.joint_force("mass")(lambda q, qd, p: p.push - 4.0 * q)
    assert sb.equilibrium(spring, inputs=frame, t=0.5).states["mass.q"] == pytest.approx(0.25)
    assert sb.modal(spring, inputs={"push": 1.0}).frequencies == pytest.approx([2.0 / (2 * np.pi)])
    effort = sb.follow(m, {"mass": "0.5*t**2"}, T, inputs=frame)
    assert effort["mass.effort"] == pytest.approx(1.0 - RAMP, abs=1e-9)


def test_a_model_gets_the_inputs_that_a_file_names(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("t,mass.Q\n0,2\n1,2\n")
    m = sb.Model("free", gravity=(0, 0, 0))
    m.body("mass", joints="T1", mass=1.0)
    assert sb.simulate(m, 1.0, 0.01, inputs=path)["mass.q"][-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("t,push\n0,0\n0.5,\n1,1\n", r"column push: the value in row 2, t = 0\.5 s is nan"),
        ("t,push\n0,0\n0.5,1\n0.4,1\n", r"column push: t = 0\.4 s in row 3 is earlier than the row before \(sort"),
        ("t,push\n0,0\n0.5,1\n0.5,2\n", r"column push: t = 0\.5 s in row 3 occurs twice"),
        ("t,push\n,0\n0.5,1\n", r"the time in row 1 is nan"),
        ("t,psh\n0,0\n1,1\n", r"psh: unknown input \(did you mean push\?"),
        ("t,push [m]\n0,0\n1,1\n", r"column push: cannot convert 'm' to 'N'"),
        ("a,push\n0,0\n1,1\n", r"no times among the columns"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(s, tmp_path, table, said):
    path = tmp_path / "log.csv"
    path.write_text(table)
    with pytest.raises(sb.ModelError, match=said):
        sb.simulate(s, 1.0, 0.01, inputs=path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1.0], "inputs: expected a dictionary, got a list"),
        (2.0, "inputs: expected a dictionary, got a float"),
        ({"psh": 1.0}, r"did you mean push\?"),
        ({"push": ([0, 1], [0, 1, 2])}, r"shapes \(2,\) and \(3,\)"),
        ({"push": "two"}, "unknown file type"),
        ({"push": None}, "the input is None"),
        ({"push": pandas.Series([1.0, 2.0])}, "its index counts rows"),
        (pandas.Series([1.0, 2.0], index=[0.0, 1.0]), "the Series has no name"),
        (pandas.DataFrame({"push": [1.0, 2.0]}), "its index counts rows"),
        (
            pandas.DataFrame({"push": [1.0]}, index=pandas.to_datetime(["2026-01-01"])),
            "its index has the type datetime",
        ),
        ("missing.csv", "no such file"),
    ],
)
def test_what_cannot_be_meant_is_refused(s, given, said):
    with pytest.raises(sb.ModelError, match=said):
        sb.simulate(s, 1.0, 0.01, inputs=given)


def test_options_that_are_none_are_refused(s):
    with pytest.raises(sb.ModelError, match=r"evry: unknown option \(did you mean every"):
        sb.sweep(s, {"push": [1.0]}, 1.0, 0.01, ["max(mass.q)"], evry=0.1)
    with pytest.raises(sb.ModelError, match=r"closure: unknown option 'closure'.*sb\.system\(m, closure="):
        sb.simulate(s, 1.0, 0.01, closure="penalty")
    with pytest.raises(sb.ModelError, match=r"closre: unknown option \(did you mean closure\?"):
        sb.simulate(pushed(), 1.0, 0.01, closre="penalty")
    with pytest.raises(sb.ModelError, match="expected a model, got a str"):
        sb.simulate("pendulum", 1.0, 0.01)


def test_outputs_are_chosen_alike_for_models_and_systems(s):
    for what in (s, pushed()):
        assert sb.simulate(what, 0.1, 0.01, outputs="mass.qdd").names == ["mass.qdd"]
        assert sb.simulate(what, 0.1, 0.01, outputs=["*.q"]).names == ["mass.q"]


def test_signals_are_plain(tmp_path):
    assert signals(None, pushed()) == {}
    assert signals({"push": 1.0}, pushed()) == {"push": 1.0}
    times, values = sampled("push", (range(3), [1, 2, 3]))
    assert times.tolist() == [0.0, 1.0, 2.0]
    assert values.dtype == float
