"""The models of the benchmarks, and two more: the same from files and from builders."""

import dataclasses

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.model import Model, check, warnings

NAMES = ["pendulum", "n-four-bar", "andrews", "bricard", "flyball", "n-pendulum", "cart-pole", "bicycle"]


def built(name):
    return machines.model(name)


def read(name):
    return machines.open(name)


@pytest.mark.parametrize("name", NAMES)
def test_file_and_builder_are_the_same_model(name):
    ours, theirs = built(name), read(name)
    assert ours.name == name
    check(ours)
    assert warnings(ours) == []
    for field in dataclasses.fields(Model):
        if field.compare:
            assert getattr(theirs, field.name) == getattr(ours, field.name), field.name
    assert list(theirs.bodies) == list(ours.bodies)


@pytest.mark.parametrize(("name", "dt"), [("andrews", 1e-5), ("flyball", 1e-4), ("cart-pole", 1e-3)])
def test_file_and_builder_move_alike(name, dt):
    runs = [sb.simulate(model, 50 * dt, dt, every=10 * dt) for model in (built(name), read(name))]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-12)
    assert np.abs(runs[0].q[-1] - runs[0].q[0]).max() > 1e-6


@pytest.mark.parametrize("n", [1, 4])
def test_rows_and_chains_of_any_length(n):
    assert machines.model("n-pendulum", n).nv == n
    model = machines.model("n-four-bar", n)
    assert (model.nv, len(model.cuts)) == (2 * n + 1, n)
    assert len(sb.system(model).layout.velocities) == 1


def test_the_chain_keeps_its_energy():
    run = sb.simulate(machines.model("n-pendulum", 3), 1.0, 2e-4, every=0.01)
    assert run.energy_drift < 1e-9


def test_the_pole_falls_and_the_cart_takes_its_force():
    s = sb.system(machines.model("cart-pole"))
    fell = sb.simulate(s, 1.0, 1e-3)
    assert fell["tilt.q"][-1] > 0.3
    pushed = sb.simulate(s, 0.1, 1e-3, inputs={"force": 10.0})
    assert pushed["x.q"][-1] > 0.03
    assert pushed["tilt.q"][-1] < 0.05
