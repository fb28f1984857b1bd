"""States, parameters and inputs by name. Tests of named_values.py, live.py and of suggestions.py."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

import symbody as sb
from symbody import machines
from symbody.suggestions import did_you_mean, nearest
from symbody.system.named_values import by_name, listed, parameters_and_inputs, plural, state_vector


@pytest.fixture(scope="module")
def four_bar():
    return sb.system(machines.model("four-bar"))


def test_a_state_by_name_keeps_the_rest(four_bar):
    x = state_vector(four_bar, {"crank.qd": 2.0})
    assert x.tolist() == [four_bar.x0[0], 2.0]
    assert state_vector(four_bar, None) is None
    assert state_vector(four_bar, [1.0, 2.0]).tolist() == [1.0, 2.0]


def test_names_that_are_none(four_bar):
    with pytest.raises(sb.ModelError, match=r"crnk\.q: unknown state \(did you mean crank\.q"):
        state_vector(four_bar, {"crnk.q": 0.1})
    with pytest.raises(sb.ModelError, match=r"rocker\.q: it is not a state.*set crank\.q, crank\.qd"):
        state_vector(four_bar, {"rocker.q": 0.1})
    with pytest.raises(sb.ModelError, match=r"torqe: unknown parameter or input \(did you mean torque\?"):
        parameters_and_inputs(four_bar, {"torqe": 0.1})


def test_parameters_and_inputs_are_told_apart(four_bar):
    assert parameters_and_inputs(four_bar, {"torque": 1, "friction": 2}) == ({"friction": 2.0}, {"torque": 1.0})


def test_an_orientation_is_given_whole():
    m = sb.Model("top")
    m.body("top", joints="ball", mass=1.0, inertia=1.0)
    s = sb.system(m)
    with pytest.raises(sb.ModelError, match=r"only a part of an orientation.*top\.qw, top\.qx, top\.qy, top\.qz"):
        state_vector(s, {"top.qx": 1.0})
    turned = state_vector(s, {"top.qw": 2.0, "top.qx": 0.0, "top.qy": 0.0, "top.qz": 2.0})
    assert np.linalg.norm(turned[:4]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "analysis",
    [
        lambda s: sb.simulate(s, 0.01, 1e-3, x0={"crank.q": -1.3}),
        lambda s: sb.simulate(s, 0.01, x0={"crank.q": -1.3}),
        lambda s: sb.sensitivity(s, "crank.q", ["friction"], 0.01, 1e-3, x0={"crank.q": -1.3}).run,
    ],
)
def test_runs_start_where_they_are_told(four_bar, analysis):
    assert analysis(four_bar)["crank.q"][0] == pytest.approx(-1.3)


def test_a_stepper_takes_names(four_bar):
    walker = sb.stepper(four_bar, dt=1e-3)
    x = walker.reset({"crank.q": -1.3})
    assert x[0] == pytest.approx(-1.3)
    named = walker.step(x, {"torque": 0.5})
    walker.reset({"crank.q": -1.3})
    assert named == pytest.approx(walker.step(x, np.array([0.5])), rel=1e-12)
    with pytest.raises(sb.ModelError, match=r"did you mean torque\?"):
        walker.step(x, {"torq": 0.5})


def test_sensitivity_to_a_parameter_is_that_of_a_start_that_is_held(four_bar):
    """dψ/dp by central differences of runs with the same start."""
    how = {"until": 0.2, "dt": 1e-3, "x0": {"crank.q": -1.3, "crank.qd": 1.0}}
    found = sb.sensitivity(four_bar, "crank.q", ["friction"], **how)
    before, step = four_bar.parameters["friction"], 1e-5

    def value(friction):
        four_bar.parameters["friction"] = friction
        run = sb.simulate(four_bar, **how)
        return trapezoid(run["crank.q"], run.t)

    slope = (value(before + step) - value(before - step)) / (2 * step)
    four_bar.parameters["friction"] = before
    assert found.gradient["friction"] == pytest.approx(slope, rel=1e-3)


def test_lists_and_dictionaries():
    assert listed("*.q") == ["*.q"]
    assert listed(None) is None
    assert by_name(None, "inputs", "") == {}
    with pytest.raises(sb.ModelError, match=r"inputs: expected a dictionary, got a list.*inputs=\{1\}"):
        by_name([1], "inputs", "{1}")
    assert plural("parameter or input") == "parameters or inputs"
    assert plural("velocity") == "velocities"


def test_did_you_mean():
    assert did_you_mean("torqe", ["torque", "speed"], "inputs") == "did you mean torque?"
    assert did_you_mean("xyz", ["torque", "speed"], "inputs") == "the inputs are torque, speed"
    assert did_you_mean("xyz", [], "inputs") == "there are no inputs"
    many = [f"channel{k:03d}" for k in range(500)]
    assert "500 in all" in did_you_mean("xyz", many, "outputs")
    assert nearest("channel07", many) != []


def test_parameters_that_are_not_there(four_bar):
    for parameters in (four_bar.parameters, four_bar.rates_function.parameters):
        with pytest.raises(sb.ParameterError, match=r"'frction' is not a live parameter \(did you mean friction"):
            parameters["frction"] = 1.0
    with pytest.raises(KeyError):
        four_bar.parameters["frction"]
