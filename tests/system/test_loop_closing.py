"""Direct calls of closed systems: the assembly mode of the start, whatever was evaluated before (loop_closing.py)."""

import re
import warnings

import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.errors import AssemblyWarning

LOOPED = ["four-bar", "slider-crank", "andrews", "bricard", "double-wishbone", "quarter-car", "stewart", "bicycle"]
REST = [  # with LOOPED, all built-in machines with closed loops
    "calibration", "car", "car-suspension", "crane", "cueing", "estimator", "excavator",
    "four-bar-friction", "four-bar-hydraulic", "n-four-bar", "pendulum-clock", "platform",
    "quick-return-hydraulic", "ride", "tractor",
]  # fmt: skip
STATES = 12  # of each machine
FEW = 3  # of the large ones
REASON = r"loop '[\w.]+' stays open by|a singular position in between|its coordinates are singular there"


@pytest.fixture(scope="module")
def four_bar():
    return sb.system(machines.model("four-bar"))


def states(s, count, seed=1):
    """Random states of a system, near and far from its start."""
    rng, x = np.random.default_rng(seed), np.tile(s.x0, (count, 1))
    places = s.layout.positions
    x[:, places] += rng.uniform(-1.0, 1.0, (count, len(places))) * rng.uniform(0.05, 1.0, (count, 1))
    for q in s.quaternion_places:
        x[:, q : q + 4] /= np.linalg.norm(x[:, q : q + 4], axis=1, keepdims=True)
    return x


def in_small_steps(s, x, u=None, parts=4000):
    """Dependent coordinates at a state to which the start is moved in many small steps of Newton's method."""
    v, u = s.start_guess, s.u0 if u is None else u
    for share in np.arange(1, parts + 1) / parts:
        there = s.x0 + share * (x - s.x0)
        for q in s.quaternion_places:
            there[q : q + 4] /= np.linalg.norm(there[q : q + 4])
        v = s.rates_function(np.zeros(1), there, s.u0 + share * (u - s.u0), v).v
    return v


def test_the_rocker_is_where_small_steps_lead(four_bar):
    """A crank at −3.1 rad once gave the other assembly mode: a rocker at −10.309 rad."""
    assert four_bar.at(0.0, [-3.1, 0.3])["rocker.q"] == pytest.approx(-2.2317, abs=1e-4)
    assert np.all(np.isfinite(four_bar.rates(0.0, [-2.5, 0.3])))
    assert np.all(np.isfinite(four_bar.linear(0.0, [-2.5, 0.3]).A))


@pytest.mark.parametrize("name", [*LOOPED, *(pytest.param(name, marks=pytest.mark.slow) for name in REST)])
def test_direct_calls_agree_with_small_steps_or_say_why_not(name):
    s = sb.system(machines.model(name))
    large = len(s.start_guess) > 30
    count, compared, reasons = FEW if large else STATES, 0, []
    for x in states(s, count):
        try:
            found = s.dependent(0.0, x)
        except (sb.AssemblyError, sb.SingularityError) as error:
            reasons.append(str(error))
            continue
        np.testing.assert_allclose(found, in_small_steps(s, x, parts=1000 if large else 4000), atol=1e-9)
        compared += 1
    assert compared >= count // 3
    assert [why for why in reasons if not re.search(REASON, why)] == []


def test_all_machines_with_loops_are_compared():
    models = {name: machines.model(name) for name in machines.names()}
    looped = {name for name, m in models.items() if m.cuts or m.constraints or m.rolling_contacts}
    assert looped == {*LOOPED, *REST}


@pytest.mark.parametrize("name", ["four-bar", "stewart", "double-wishbone"])
def test_answers_do_not_depend_on_earlier_calls(name):
    s, rng = sb.system(machines.model(name)), np.random.default_rng(2)
    x = states(s, STATES, seed=3)
    x = x[s.close_loops(0.0, x).closed]
    first = [sb.system(machines.model(name)).rates(0.0, row) for row in x[:3]]
    shuffled = {k: s.rates(0.0, x[k]) for k in rng.permutation(len(x))}
    for k, expected in enumerate(first):
        np.testing.assert_allclose(shuffled[k], expected, rtol=1e-9, atol=1e-9)


def test_batches_equal_single_calls(four_bar):
    x = np.column_stack([np.linspace(-3.1, 3.0, 62), np.full(62, 0.3)])
    many = four_bar.rates(0.0, x)
    np.testing.assert_allclose(many, [four_bar.rates(0.0, row) for row in x], rtol=1e-9)
    assert np.all(np.isfinite(many))


def test_states_without_a_closed_position_are_named():
    s = sb.system(machines.model("double-wishbone"))
    far = s.x0 + np.where(np.arange(len(s.x0)) < len(s.layout.positions), 1.4, 0.0)
    with pytest.raises(sb.AssemblyError, match=r"loop '[\w.]+' stays open by"):
        s.rates(0.0, far)
    with pytest.warns(AssemblyWarning, match="1 of 2 states have open loops; the first is row 1"):
        rates = s.rates(0.0, np.array([s.x0, far]))
    assert np.isfinite(rates[0]).all()
    assert np.isnan(rates[1]).any()
    np.testing.assert_array_equal(s.close_loops(0.0, np.array([s.x0, far])).closed, [True, False])


def test_another_assembly_mode_on_request(four_bar):
    x = np.array([-1.0, 0.0])
    modes = four_bar.assembly_modes(0.0, x)
    assert len(modes) == 2
    np.testing.assert_allclose(modes[0], four_bar.start_guess, atol=1e-9)
    other = four_bar.at(0.0, x, mode=1)["rocker.q"]
    assert other == pytest.approx(modes[1][1], abs=1e-9)
    by_name = dict(zip(four_bar.dependent_names, modes[1] + 0.05, strict=True))
    assert four_bar.at(0.0, x, guess=by_name)["rocker.q"] == pytest.approx(other)
    with pytest.raises(sb.AssemblyError, match="no assembly mode 2"):
        four_bar.at(0.0, x, mode=2)
    with pytest.raises(sb.ModelError, match="not a dependent joint"):
        four_bar.at(0.0, x, guess={"crank": 0.0})


def test_a_driven_crank_is_followed_through_its_turns():
    model = machines.model("four-bar")
    crank = next(joint for joint in model.joints() if joint.name == "crank")
    crank.nature = "driven"
    s = sb.system(model, inputs=["crank.q"])
    for angle in (-3.1, 2.0, 6.0, -1.0):
        u = s.u0.copy()
        u[s.inputs.index("crank.q")] = angle
        np.testing.assert_allclose(s.dependent(0.0, s.x0, u), in_small_steps(s, s.x0, u), atol=1e-9)


def test_a_closed_batch_warns_of_nothing(four_bar):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        four_bar.observe(0.0, np.tile(four_bar.x0, (3, 1)))
