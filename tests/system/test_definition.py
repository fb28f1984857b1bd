"""What a system is before it is traced: coordinates, names and start, found once and never changed."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.system.definition import PENALTY, define
from symbody.system.options import SystemOptions
from symbody.system.system import system_of


def test_a_definition_holds_names_and_start_and_cannot_be_changed():
    d = define(machines.model("four-bar"), SystemOptions(), ["crank.q"])
    assert d.states == ["crank.q", "crank.qd"]
    assert len(d.partition.dependent) == len(d.guess0) == 2
    with pytest.raises(FrozenInstanceError):
        d.wanted = None
    s = system_of(d)
    assert s.outputs == ["crank.q"]
    np.testing.assert_array_equal(s.x0, d.x0)


def test_a_definition_from_a_given_start_keeps_it():
    s = sb.system(machines.model("four-bar"))
    q, v = s.motion(0.0, s.x0 + np.array([0.4, 2.0]))
    d = define(s.model, s.options, start=(q, v, np.zeros(0)))
    at = dict(zip(d.states, d.x0, strict=True))
    joints = {f"{name}.q": x for name, x in zip(s.model.coordinates, q, strict=True)}
    assert all(at[name] == pytest.approx(x, abs=1e-12) for name, x in joints.items() if name in at)


def test_the_penalty_factor_is_found_from_the_masses_unless_it_is_given():
    m = machines.model("four-bar")
    found, given = (define(m, SystemOptions("penalty", alpha=alpha)) for alpha in (0.0, 123.0))
    assert found.options.alpha == PENALTY * found.largest_mass > 0.0
    assert (found.asked.alpha, found.alpha_given) == (0.0, False)
    assert (given.options.alpha, given.asked.alpha, given.alpha_given) == (123.0, 123.0, True)
    assert not found.state_partition.dependent  # x holds every coordinate


def test_another_process_makes_the_same_system_of_it():
    d = define(machines.open("four-bar"), SystemOptions())
    one, other = system_of(d), system_of(pickle.loads(pickle.dumps(d)))
    np.testing.assert_allclose(one.rates(0.0, one.x0), other.rates(0.0, other.x0), rtol=1e-12)
