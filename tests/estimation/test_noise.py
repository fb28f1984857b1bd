"""What a model does not know: densities, unknowns and their defaults."""

import numpy as np
import pytest

import symbody as sb
from symbody.errors import ModelError
from symbody.estimation.noise import model_doubt


def crane():
    return sb.system(sb.machines.open("four-bar-hydraulic"))


def test_white_acceleration_is_summed_to_velocity_and_position():
    s, dt = crane(), 2e-3
    doubt = model_doubt(s, {"rocker.qd": 0.5, "hose_p": 1e5})
    Q = doubt.over(dt)
    assert np.allclose(Q[:2, :2], 0.25 * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]]))
    hose = s.states.index("hose_p")
    assert Q[hose, hose] == pytest.approx(1e10 * dt)
    assert np.count_nonzero(Q) == 5


def test_where_nothing_is_told_everything_is_doubted_by_a_share():
    s = crane()
    doubt = model_doubt(s, None)
    assert {one.name for one in doubt.unknown} == {name for name, value in s.parameters.items() if value}
    assert all(one.sigma == pytest.approx(0.05 * abs(s.parameters[one.name])) for one in doubt.unknown)
    assert not doubt.estimated
    assert np.all(doubt.densities[1:] > 0.0)


def test_what_is_estimated_comes_first_and_is_not_considered_too():
    doubt = model_doubt(crane(), 0.1, forces={"U_ref": 1.0}, estimated={"valve_cv": 1e-9})
    assert [(one.kind, one.name) for one in doubt.unknown[:2]] == [("input", "U_ref"), ("parameter", "valve_cv")]
    assert [one.name for one in doubt.unknown].count("valve_cv") == 1
    assert [one.estimated for one in doubt.unknown[:3]] == [True, True, False]


@pytest.mark.parametrize("told", [-1.0, np.nan, np.inf, {"rocker.qd": -1.0}])
def test_errors_that_cannot_be_are_named(told):
    with pytest.raises(ModelError, match="not negative"):
        model_doubt(crane(), told)
