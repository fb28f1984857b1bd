"""Dials: ends that no equation divides by, and that show both sides of where a number is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symbody as sb
from symbody import machines
from symbody.studio.dial import Dial

VALUES = st.floats(-1e9, 1e9).filter(lambda x: abs(x) > 1e-9)
DIVIDE = ("kg", "kg m2", "kg m²", "kg/m", "m", "m2", "m3", "s", "N/m", "N m/rad", "Pa", "ohm", "m³/(s Pa)")
VANISH = ("", "1", "rad", "rad/s", "m/s", "N", "N m", "N s/m", "N m s/rad", "1/rad", "A", "V", "J", "W")


@given(VALUES, st.sampled_from([*DIVIDE, *VANISH]))
def test_a_dial_goes_both_ways_from_its_value_and_never_changes_its_sign(value, unit):
    dial = Dial.about("x", value, unit)
    assert dial.low < value < dial.high
    assert dial.low * dial.high >= 0.0
    mirrored = Dial.about("x", -value, unit)
    assert (mirrored.low, mirrored.high) == (-dial.high, -dial.low)


@pytest.mark.parametrize("unit", DIVIDE)
def test_what_may_divide_does_not_reach_zero(unit):
    assert Dial.about("x", 3.0, unit).low > 0.0
    assert Dial.about("x", -3.0, unit).high < 0.0


@pytest.mark.parametrize("unit", VANISH)
def test_what_may_vanish_reaches_zero(unit):
    assert Dial.about("x", 3.0, unit).low == 0.0


@pytest.mark.parametrize("unit", ["m", "kg", "rad"])
def test_an_input_reaches_zero_whatever_it_is(unit):
    assert Dial.about("road", 0.05, unit, given=True).low == 0.0


@pytest.mark.parametrize(
    ("unit", "low", "high"),
    [("m", -0.02, 0.02), ("rad", -0.2, 0.2), ("N", -100.0, 100.0), ("", -1.0, 1.0), ("ohm", -1.0, 1.0)]
    + [(unit, 0.0, 1.0) for unit in ("N s/m", "N m s/rad", "kg", "s", "N/m")],
)
def test_what_is_zero_moves_by_what_its_unit_allows_and_never_feeds_energy(unit, low, high):
    assert (Dial.about("x", 0.0, unit).low, Dial.about("x", 0.0, unit).high) == (low, high)


def test_declared_ends_come_first_and_hold_the_value():
    assert (Dial.about("x", 3.0, "kg", low=1.0).low, Dial.about("x", 3.0, "kg", low=1.0).high) == (1.0, 6.0)
    assert (Dial.about("x", 0.0, "m", low=-0.1, high=0.3).low, Dial.about("x", 0.0, "m", low=-0.1, high=0.3).high) == (
        -0.1,
        0.3,
    )
    assert Dial.about("x", 9.0, low=0.0, high=5.0).high == 9.0
    beyond = Dial.about("x", 1.0, low=50.0)
    assert beyond.low == 1.0
    assert beyond.high > beyond.low


@pytest.mark.slow
@pytest.mark.parametrize("name", ["car", "quarter-car", "double-wishbone", "cart-pole", "four-bar"])
def test_machines_have_no_traps(name):
    """No road of a metre, no toe of a metre, no friction below zero, nothing of the hand among what everybody sees."""
    machine = machines.entry(name).page()
    for dial in machine.dials:
        if "friction" in dial.name or dial.unit in ("N s/m", "N m s/rad", "kg"):
            assert dial.low >= 0.0, dial
        if dial.unit == "m" and dial.value == 0.0:
            assert max(abs(dial.low), abs(dial.high)) <= 0.1, dial
        assert dial.more or not dial.name.startswith("pull_")
        assert dial.low < dial.high


@pytest.mark.parametrize("name", ["pendulum", "n-pendulum", "cart-pole", "slider-crank", "quarter-car", "andrews"])
def test_models_move_on_at_the_ends_of_their_dials(name):
    """At zero, masses and lengths of the first three leave the finite numbers, and the fourth does not assemble."""
    m = machines.model(name)
    s = sb.system(m)
    for parameter, value in dict(s.parameters).items():
        dial = Dial.about(parameter, value, m.parameters[parameter].unit)
        for end in (dial.low, dial.high) if value else ():
            s.parameters[parameter] = end
            assert np.isfinite(sb.simulate(s, 0.02, 2e-4).q).all(), (parameter, end)
        s.parameters[parameter] = value
