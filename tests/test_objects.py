"""Objects behave: pickles, keys, short texts, tables for notebooks.

Tests of html_text.py, model/hooks.py, model/description.py and system/freedoms.py.
"""

import copy
import pickle

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.html_text import in_words, object_html, records_html


def local_model() -> sb.Model:
    """A pendulum whose law is a function that no other process could find by its name."""
    stiffness = 3.0
    m = sb.Model("local")
    m.parameter("c", 0.1, "N m s/rad")
    m.input("torque", unit="N m")
    m.body("arm", joints=[sb.Joint("arm", "R2", q0=0.5)], mass=1.0, com=(0, 0, -0.5), inertia=0.01)
    m.joint_force("arm")(lambda q, qd, p: p.torque - stiffness * q - p.c * qd)
    return m


@pytest.fixture(scope="module")
def system():
    return sb.system(local_model())


@pytest.fixture(scope="module")
def run(system):
    return sb.simulate(system, 0.1, 1e-2)


def again(x):
    return pickle.loads(pickle.dumps(x))


def test_a_run_is_a_table_with_names(run):
    assert "arm.q" in run
    assert "leg.q" not in run
    assert list(run) == run.keys() == run.names == run._ipython_key_completions_()
    assert len(run) == len(run.t)
    assert {name: values[0] for name, values in run.items()}["arm.q"] == pytest.approx(0.5)
    assert dict(run).keys() == set(run.names)


def test_a_model_comes_back_from_a_pickle(system):
    m = local_model()
    m.link("rope", m.bodies["arm"].point("tip", (0, 0, -1)), m.ground)(lambda length, rate, p: 2.0 * length)
    made = sb.system(again(m))
    x = np.array([0.3, -0.2])
    assert made.rates(0.0, x) == pytest.approx(sb.system(m).rates(0.0, x), rel=1e-12)


def test_copies_keep_their_laws():
    m = local_model()
    for made in (copy.copy(m), copy.deepcopy(m)):
        assert made.joint_laws["arm"] is m.joint_laws["arm"]
    assert copy.deepcopy(m).bodies["arm"] is not m.bodies["arm"]


def test_a_law_that_no_process_finds_is_named():
    m = local_model()
    m.joint_force("arm")(sb.numeric(lambda q, qd, p: -q))
    with pytest.raises(sb.ModelError, match="arm: its law cannot be sent to other processes"):
        pickle.dumps(m)


def test_a_system_comes_back_with_values_and_start(system):
    moved = system.starting_at(np.array([0.1, 0.2]))
    moved.parameters["c"] = 0.7
    made = again(moved)
    system.parameters["c"] = 0.1
    assert made.parameters["c"] == 0.7
    assert made.x0.tolist() == [0.1, 0.2]
    assert made.states == system.states
    made.parameters["c"] = 0.1
    x = np.array([0.3, -0.2])
    assert made.rates(0.0, x) == pytest.approx(system.rates(0.0, x), rel=1e-12)


@pytest.mark.parametrize("name", ["four-bar", "quarter-car"])
def test_machines_come_back(name):
    s = sb.system(machines.model(name))
    assert again(s).rates(0.0, s.x0) == pytest.approx(s.rates(0.0, s.x0), rel=1e-12, abs=1e-12)


def test_results_come_back(run, system):
    made = again(run)
    assert made.names == run.names
    assert np.array_equal(made.values, run.values)
    assert made.units == run.units
    assert made.model.name == "local"
    assert made.q.shape == run.q.shape
    adaptive = again(sb.simulate(system, 0.1, method=sb.VariableStep(dense=True)))
    assert len(adaptive)
    at = sb.equilibrium(system)
    assert again(at).states == at.states
    modes = sb.modal(system, at)
    assert again(modes).frequencies == pytest.approx(modes.frequencies)
    swept = sb.sweep(system, {"c": [0.1, 0.2]}, 0.1, 1e-2, ["max(arm.q)"], workers=1)
    assert np.array_equal(again(swept).values, swept.values)


def test_a_run_of_laws_that_cannot_be_sent_loses_only_those():
    m = local_model()
    m.joint_force("arm")(sb.numeric(lambda q, qd, p: -q))
    run = sb.simulate(m, 0.02, 1e-2)
    made = again(run)
    assert np.array_equal(made.values, run.values)
    assert made.model.joint_laws == {}


def test_a_sweep_in_spawned_processes_takes_local_laws(system):
    how = {"until": 0.05, "dt": 1e-2, "measures": ["max(arm.q)"]}
    alone = sb.sweep(system, {"c": [0.1, 0.2]}, **how, workers=1)
    assert alone["max(arm.q)"].tolist() == [0.5, 0.5]
    assert "c" in alone
    assert list(alone) == alone.keys() == ["c", "max(arm.q)"]
    with pytest.raises(KeyError, match=r"did you mean max\(arm\.q\)"):
        alone["max(arm.qd)"]


def test_every_text_is_short(run, system):
    m = machines.model("four-bar")
    things = [run, system, m, sb.equilibrium(system), sb.modal(system), run.animate(), run.compare(run)]
    things += [sb.sweep(system, {"c": [0.1]}, 0.1, 1e-2, ["max(arm.q)"], workers=1), sb.stepper(system)]
    things += [sb.sensitivity(system, "arm.q", ["c"], 0.1, 1e-2), sb.energy_balance(run), sb.base_parameters(m)]
    things += [sb.compile(m, "mass")]
    for thing in things:
        assert len(repr(thing)) < 300, type(thing)


def test_notebooks_show_tables(run, system):
    m = machines.model("four-bar")
    swept = sb.sweep(system, {"c": [0.1]}, 0.1, 1e-2, ["max(arm.q)"], workers=1)
    for thing in (m, system, sb.equilibrium(system), sb.modal(system), swept, run):
        text = thing._repr_html_()
        assert "<table>" in text
        assert text.count("<tr>") == text.count("</tr>") > 1


def test_html_is_escaped():
    assert "&lt;b&gt;" in object_html("<b>", {"<b>": "<b>"}, [{"<b>": "<b>"}])
    assert "<b>" not in object_html("<b>", {"<b>": "<b>"}, [{"<b>": "<b>"}])
    assert "500 in all" in object_html("many", {}, [{"a": k} for k in range(500)])
    assert records_html([{"a": 1.23456}]) == "<table><tr><th>a</th></tr><tr><td>1.235</td></tr></table>"
    assert in_words(["a", 0.5]) == "a, 0.5"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("double-pendulum", "2 degrees of freedom)"),
        ("four-bar", "1 degree of freedom (of 3: 2 taken by loops and rolling)"),
        ("stewart", "6 degrees of freedom (of 24: 18 taken"),
        ("bicycle", "3 degrees of freedom"),
    ],
)
def test_printed_models_tell_their_true_freedom(name, said):
    assert said in str(machines.model(name))


def test_driven_joints_are_no_freedom_and_unfinished_models_say_so():
    m = local_model()
    m.body("cam", joints=[sb.Joint("cam", "R2", "locked")])
    assert "1 degree of freedom (of 2: 1 driven or locked)" in str(m)
    m.cut("gap", "ball", m.bodies["arm"], m.ground.point("far", (9, 0, 0)))
    assert "not complete yet" in str(m)
    assert "2 joint velocities" in repr(m)
