"""Frequency responses of senses and filters against simulated sinusoids, and the lack of acceleration."""

import numpy as np
import pytest

import symbody as sb
from symbody.motion.cueing import Classic, Optimal, SceneRecord, cueing_model, run_over
from symbody.motion.cueing.response import classic_responses, lack, linear_response, sense_response
from symbody.motion.vestibular import Otolith

DT = 5e-3


def excited(method, frequency, until=60.0):
    t = np.arange(0.0, until, DT)
    acceleration = np.zeros((len(t), 3))
    acceleration[:, 0] = np.sin(2.0 * np.pi * frequency * t)
    return run_over(sb.system(cueing_model(method)), SceneRecord(t, acceleration, 0.0 * acceleration))


def amplitude(run, signal, frequency):
    """Complex amplitude of the last periods, relative to sin(ωt)."""
    periods = int(0.5 * run.t[-1] * frequency)
    n = round(periods / frequency / DT)
    t, y = run.t[-n:], run[signal][-n:]
    return 2.0 * np.mean(y * 1j * np.exp(-2j * np.pi * frequency * t))


@pytest.mark.parametrize("method", [Classic(), Optimal()], ids=lambda one: one.name)
def test_responses_are_those_of_simulated_filters(method):
    frequency = np.array([0.4])
    run = excited(method, frequency[0])
    if isinstance(method, Classic):
        parts = classic_responses(method, frequency)
        expected = sum(parts.values())[0]
        assert set(parts) == {"hexapod", "tilt", "table"}
    else:
        expected = linear_response(method.filter, frequency)[0]
    assert amplitude(run, "restored.x", frequency[0]) == pytest.approx(expected, abs=0.02)
    felt = expected * sense_response(Otolith(), frequency)[0]
    assert amplitude(run, "felt.x", frequency[0]) == pytest.approx(felt, abs=0.02)


def test_without_a_table_there_is_no_response_of_one():
    assert set(classic_responses(Classic(table=None), np.array([1.0]))) == {"hexapod", "tilt"}


def test_the_lack_is_integrated_twice():
    run = excited(Classic(table=None), 0.4, until=10.0)
    found = lack(run)
    np.testing.assert_allclose(found.acceleration, run["given.x"] - run["restored.x"])
    np.testing.assert_allclose(np.gradient(found.speed, DT)[5:-5], found.acceleration[5:-5], atol=0.05)
    np.testing.assert_allclose(np.gradient(found.position, DT)[5:-5], found.speed[5:-5], atol=0.05)
