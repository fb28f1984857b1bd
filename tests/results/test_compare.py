"""Two runs beside each other: differences that are known beforehand."""

import matplotlib as mpl
import numpy as np
import pytest

import symbody as sb

mpl.use("Agg")


def run(t, names="x", units=None, **values):
    columns = np.column_stack([np.asarray(values[n], dtype=float) for n in names])
    return sb.Run(None, np.asarray(t, dtype=float), columns, names=list(names), units=units or {})


def test_a_run_equals_itself():
    a = run([0, 1, 2], "xy", x=[1, np.nan, 3], y=[np.inf, 0, -np.inf])
    found = a.compare(a)
    assert found.largest == 0.0
    assert [d.rms for d in found.differences] == [0.0, 0.0]


def test_known_differences_between_different_times():
    t, finer = np.linspace(0, 1, 11), np.linspace(0, 2, 201)
    a, b = run(t, x=3 * t), run(finer, x=3 * finer + 0.1 * finer)
    found = a.compare(b)["x"]
    assert found.largest == pytest.approx(0.1)
    assert found.time == pytest.approx(1.0)
    assert found.rms == pytest.approx(0.1 * np.sqrt(np.mean(t**2)))
    assert found.relative == pytest.approx(0.1 / 3)
    assert b.compare(a)["x"].largest == pytest.approx(0.1)  # the coarser times, whichever run has them


def test_interpolation_is_linear():
    a, b = run([0, 2], x=[0, 4]), run([0.5, 1.5], x=[1, 3])
    assert a.compare(b).largest == pytest.approx(0, abs=1e-15)


def test_worst_channel_and_table():
    a = run([0, 1], "xy", {"x": "m"}, x=[0, 100], y=[0, 1])
    b = run([0, 1], "yx", {"x": "m"}, x=[0, 101], y=[0, 1.5])
    found = a.compare(b)
    assert found.worst.name == "y"
    text = str(found)
    assert text.splitlines()[0].split()[:3] == ["channel", "unit", "largest"]
    assert "x        m" in text
    assert "<pre>" in found._repr_html_()
    assert len(found.plot()) == 4
    mpl.pyplot.close("all")


def test_a_number_against_none_is_not_hidden():
    found = run([0, 1, 2], x=[0, 1, 2]).compare(run([0, 1, 2], x=[0, np.nan, 2]))["x"]
    assert np.isnan(found.largest)
    assert found.time == 1.0


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        (run([5, 6], x=[0, 0]), "no common time"),
        (run([0, 1], "z", z=[0, 0]), "no common channel"),
        (run([0, 1], "x", {"x": "rad"}, x=[0, 0]), "the units differ: m and rad"),
    ],
)
def test_what_cannot_be_compared_is_refused(other, problem):
    with pytest.raises(sb.ModelError, match=problem):
        run([0, 1], "x", {"x": "m"}, x=[0, 1]).compare(other)


def test_a_pattern_without_a_common_channel_names_those_that_are_near():
    with pytest.raises(KeyError, match="was not recorded"):
        run([0, 1], x=[0, 1]).compare(run([0, 1], x=[0, 1]), "y*")
