"""A twin described once: truth and filter are two, and what is estimated besides the state is followed by name."""

import numpy as np
import pytest
from test_unknowns import pushed_mass

import symbody as sb
from symbody.errors import ModelError
from symbody.estimation import NoisySensor, TwinCase
from symbody.estimation.consistency import twin_figures
from symbody.estimation.twin_case import held_inputs

SENSORS = [NoisySensor("mass.q", 1e-4)]
KNOWN = {"dt": 2e-3, "sensors": SENSORS, "model_error": {"mass.qd": 1e-3}, "start": {"mass.q": 1e-3, "mass.qd": 1e-2}}


def test_a_force_that_nobody_tells_is_followed_beside_its_truth():
    s = pushed_mass()
    case = TwinCase(s, 2.0, inputs={"push": 3.0}, forces={"push": 5.0}, watched=["spring.tension"], **KNOWN)
    (run,) = case.observed([0])
    assert run.names == ["mass.q", "mass.qd", "push", "spring.tension"]
    assert np.all(run.truth[:, 2] == 3.0)
    assert np.all(case.told == 0.0)
    assert abs(run.error("push")[-1]) < 3.0 * run.sigma[-1, 2]
    tension = 50.0 * run.truth[:, 0] + 0.7 * run.truth[:, 1] - 3.0  # the spring starts at its length
    assert np.allclose(run.truth[:, 3], tension, atol=1e-9)
    assert abs(run.error("spring.tension")[-1]) < 3.0 * run.sigma[-1, 3]  # as it is with the force that was found
    assert run.freedom == 2
    assert set(twin_figures([run], ["push", "spring.tension"])["coverage"]) == {"push", "spring.tension"}


def test_the_band_of_a_watched_output_is_that_of_its_slopes():
    """Tension k x + c v, known as well as P tells of x and v."""
    case = TwinCase(pushed_mass(), 0.2, inputs={"push": 3.0}, watched=["spring.tension"], **KNOWN)
    (run,) = case.observed([0])
    plain = sb.estimate(case.model, ["mass.q"], {"mass.q": 1e-4}, {"mass.qd": 1e-3}, dt=2e-3, start=KNOWN["start"])
    plain.follow(case.told, np.array(run.measured["mass.q"])[:, np.newaxis])
    h = np.array([50.0, 0.7])
    assert run.sigma[-1, run.place("spring.tension")] == pytest.approx(np.sqrt(h @ plain.P @ h), rel=1e-9)


def test_a_wrong_parameter_is_the_filters_and_the_truth_keeps_its_own():
    s = pushed_mass()
    case = TwinCase(
        s, 2.0, inputs={"push": 3.0}, wrong={"stiffness": 40.0}, parameters={"stiffness": 10.0}, away={"mass.q": 1e-3},
        **KNOWN,
    )  # fmt: skip
    (run,) = case.observed([1])
    assert s.parameters["stiffness"] == 50.0
    assert case.model.parameters["stiffness"] == 40.0
    assert case.model.x0[0] - s.x0[0] == pytest.approx(1e-3)
    assert run.mean[0, run.place("stiffness")] == pytest.approx(40.0, abs=1.0)
    assert abs(run.error("stiffness")[-1]) < 3.0 * run.sigma[-1, run.place("stiffness")] < 3.0


def test_inputs_that_jump_are_told_in_the_step_in_which_they_do():
    """Steps of the trapezoidal rule with inputs held are those of the truth, to rounding."""
    s, jump = pushed_mass(), {"push": lambda t: 3.0 * (t >= 0.05)}
    truth = sb.simulate(s, 0.1, 1e-2, method="trapezoidal", inputs=jump)
    walker, x = sb.stepper(s, "trapezoidal", 1e-2), s.x0
    for k, u in enumerate(held_inputs(s, jump, truth.t)):
        x = walker.step(x, u)
        assert x == pytest.approx([truth[name][k + 1] for name in s.states], rel=1e-9, abs=1e-12)


def test_names_that_are_none_are_named():
    with pytest.raises(ModelError, match="did you mean"):
        TwinCase(pushed_mass(), 0.1, away={"mas.q": 1.0}, **KNOWN).observed([0])
    (run,) = TwinCase(pushed_mass(), 0.1, **KNOWN).observed([0])
    with pytest.raises(ModelError, match=r"mass\.q"):
        run.error("mass")
    with pytest.raises(ModelError, match="rmse"):  # it stands
        run.rmse_percent("mass.qd")
