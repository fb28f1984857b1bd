"""Units: what they mean, conversion, and what is refused. Tests of units.py."""

import math
from fractions import Fraction

import numpy as np
import pytest

import symbody as sb
from symbody.units import converted, is_unit, si, unit_of


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (20, "N/mm", 2e4),
        (90, "deg", math.pi / 2),
        (36, "km/h", 10.0),
        (60, "rpm", 2 * math.pi),
        (2, "bar", 2e5),
        (1, "l/min", 1e-3 / 60),
        (1, "kWh", 3.6e6),
        (3, "kNm", 3e3),
        (1, "g/cm³", 1e3),
        (4, "√m²", 4.0),
        (1, "kg/(m s)", 1.0),
        (25, "°C", 298.15),
        (5, "%", 0.05),
        (7, "-", 7.0),
        (2, "µs", 2e-6),
    ],
)
def test_numbers_in_the_si(value, unit, expected):
    assert si(value, unit) == pytest.approx(expected, rel=1e-12)


def test_equal_units_are_equal_however_they_are_written():
    for text in ("m/s²", "m/s^2", "m/s2", "m s-2", "m·s⁻²", "m s**-2", "N/kg"):
        assert unit_of(text).exponents == {"m": 1, "s": -2}
    assert unit_of("m³/(s √Pa)").exponents["kg"] == Fraction(-1, 2)


def test_there_and_back():
    x = np.array([-1.0, 0.0, 2.5])
    assert converted(converted(x, "rad/s", "rpm"), "rpm", "rad/s") == pytest.approx(x)
    assert converted(300.0, "K", "°C") == pytest.approx(26.85)


@pytest.mark.parametrize("text", ["furlong", "kg/m s", "N/", "m^", "(m", "m)", "2 N", "x" * 200, "", "N//m", '<&"'])
def test_what_is_no_unit_is_refused(text):
    with pytest.raises(sb.ModelError):
        unit_of(text)


@pytest.mark.parametrize("text", ["km^999999999", "m/mm^999", "mm**-999", "(km^100)^100", "(mm^99)^99", "Gm^60"])
def test_units_beyond_all_numbers_are_refused(text):
    with pytest.raises(sb.ModelError, match=r"exponent of|too large or too small"):
        sb.si(1.0, text)
    assert not is_unit(text)


@pytest.mark.parametrize("text", ["°C/s", "W/°C", "°C^2", "°F", "1/° C"])
def test_degrees_of_temperature_are_not_an_angle_times_coulombs(text):
    with pytest.raises(sb.ModelError, match=r"has ° ?[CF] in a product .*use K"):
        unit_of(text)
    assert unit_of("N m/°").exponents["rad"] == -1


def test_a_unit_to_the_power_of_zero_is_one():
    assert unit_of("m^0") == unit_of("1")


def test_the_nearest_unit_is_proposed():
    with pytest.raises(sb.ModelError, match=r"unknown unit 'm/sec' \(did you mean s\?"):
        unit_of("m/sec")
    with pytest.raises(sb.ModelError, match=r"did you mean .*Ohm"):
        unit_of("ohm")


def test_units_of_another_kind_do_not_convert():
    with pytest.raises(sb.ModelError, match="cannot convert 'rad/s' to 'Hz'"):
        converted(1.0, "rad/s", "Hz", "crank.qd")


def test_parameters_and_inputs_take_units_of_the_si_only():
    m = sb.Model("m")
    with pytest.raises(sb.ModelError, match=r'k: 20 N/mm is not in SI units \(write 20000, or sb\.si\(20, "N/mm"\)\)'):
        m.parameter("k", 20, "N/mm")
    with pytest.raises(sb.ModelError, match="speed: unknown unit 'furlongs'"):
        m.input("speed", unit="furlongs")
    m.parameter("k", sb.si(20, "N/mm"), "N/m")
    assert m.values == {"k": 20000.0}


def test_a_file_with_a_wrong_unit_is_refused_with_its_place(tmp_path):
    path = tmp_path / "m.yaml"
    path.write_text("symbody: 1\nname: m\nparameters: {k: {value: 20, unit: N/mm}}\n")
    with pytest.raises(sb.ModelError, match=r"m\.yaml: parameters\.k: 20 N/mm"):
        sb.load(path)


def test_channels_in_other_units():
    run = sb.Run(None, [0.0, 1.0], [[math.pi, 1e5], [0.0, 2e5]], names=["a.q", "p"], units={"a.q": "rad", "p": "Pa"})
    assert run["a.q", "deg"] == pytest.approx([180.0, 0.0])
    other = run.in_units({"*.q": "deg", "p": "bar"})
    assert other.units == {"a.q": "deg", "p": "bar"}
    assert other["p"] == pytest.approx([1.0, 2.0])
    assert other["a.q", "rad"] == pytest.approx(run["a.q"])
    unknown = sb.Run(None, [0.0], [[1.0]], names=["x"])
    with pytest.raises(sb.ModelError, match="its unit is unknown"):
        unknown["x", "m"]


def test_a_foreign_table_comes_in_the_units_of_the_model(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("time [s],pendulum.q [deg]\n0,90\n1,180\n")
    m = sb.Model("m")
    m.body("pendulum", joints="R2", mass=1.0)
    assert sb.Run.load(path)["pendulum.q"] == pytest.approx([90.0, 180.0])
    read = sb.Run.load(path, m)
    assert read["pendulum.q"] == pytest.approx([math.pi / 2, math.pi])
    assert read.units["pendulum.q"] == "rad"
