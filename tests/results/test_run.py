"""A run as data: channels, units, metadata, patterns, pictures, notebooks.

Tests of run.py, channels.py, visual/plots.py.
"""

import re

import matplotlib as mpl
import numpy as np
import pytest

import symbody as sb
from symbody import machines
from symbody.model.check import problems
from symbody.visual.plots import by_unit, save_picture

mpl.use("Agg")


@pytest.fixture(scope="module")
def run():
    return sb.simulate(sb.system(machines.model("quarter-car")), 0.05, 1e-3)


def plain(**more):
    given = {"names": ["x", "y"], "units": {"x": "m"}} | more
    return sb.Run(None, np.array([0.0, 1.0]), np.array([[1.0, 2.0], [3.0, 4.0]]), **given)


def test_channels_of_a_simulation_have_units(run):
    expected = {
        "heave.q": "m", "toe.q": "rad", "heave.qd": "m/s", "toe.qd": "rad/s", "strut.length": "m", "strut.tension": "N",
        "wheel_centre.position.z": "m", "wheel_centre.velocity.x": "m/s", "energy.kinetic": "J",
    }  # fmt: skip
    assert expected.items() <= run.units.items()
    assert list(run.units) == run.names


def test_units_follow_the_types_of_the_joints():
    everything = sb.simulate(sb.system(machines.model("stewart"), outputs=["*"]), 1e-3, 1e-3).units
    expected = {
        "platform.x": "m", "platform.qw": "1", "platform.vx": "m/s", "platform.wx": "rad/s", "platform.vx.dot": "m/s²",
        "platform.wx.dot": "rad/s²", "platform.vx.Q": "N", "platform.wx.Q": "N m", "rod1.q": "m", "rod1.qdd": "m/s²",
        "rod1.Q": "N", "cylinder1.R1.Q": "N m", "ball1.force.x": "N", "ball1.torque.z": "N m",
        "ground.reaction.force.z": "N", "energy.potential": "J",
    }  # fmt: skip
    assert expected.items() <= everything.items()
    assert all(everything.values())


def test_states_and_signals_may_have_a_unit():
    m = sb.Model("tank")
    m.body("cart", joints="T1", mass=1.0)
    m.state("pressure", start=1e5, unit="Pa")(lambda s, p: 0.0 * s.q["cart"])
    m.signal("both.length", count=2, unit="m")(lambda s, p: (s.q["cart"], s.q["cart"]))
    m.signal("spring.stored", unit="J")(lambda s, p: s.q["cart"] ** 2)
    run = sb.simulate(m, 0.01, 0.01)
    assert (run.units["pressure"], run.units["both.length.2"], run.units["spring.stored"]) == ("Pa", "m", "J")
    with pytest.raises(sb.ModelError, match="not in SI units"):
        m.signal("dip", unit="mm")
    m.signals["spring.stored"].unit = "bar"
    assert [str(problem) for problem in problems(m)] == [
        'signals.spring.stored: 1 bar is not in SI units (write 100000, or sb.si(1, "bar"))'
    ]


def test_units_of_states_and_signals_are_unknown_until_given():
    m = sb.Model("tank")
    m.body("cart", joints="T1", mass=1.0)
    m.state("pressure", start=1e5)(lambda s, p: 0.0 * s.q["cart"])
    m.signal("both.length", count=2)(lambda s, p: (s.q["cart"], s.qd["cart"]))
    run = sb.simulate(m, 0.01, 0.01)
    assert run.units["pressure"] == run.units["both.length.1"] == ""
    run.units["pressure"] = "Pa"
    assert run.units["pressure"] == "Pa"


def test_metadata_tells_how_it_was_made(run):
    assert run.meta["model"] == run.name == "quarter-car"
    assert run.meta["closure"] == "partitioning"
    assert run.meta["dt"] == pytest.approx(1e-3)
    assert run.meta["symbody"] == sb.__version__
    assert re.match(r"\d{4}-\d\d-\d\dT", run.meta["date"])
    assert run.parameters["k_strut"] == 21500.0


def test_parameters_are_those_of_the_run_and_not_of_later():
    s = sb.system(machines.model("four-bar"))
    run = sb.simulate(s, 0.01, 1e-3)
    s.parameters["density"] = 5.0
    assert run.parameters["density"] == 0.78


def test_plain_arrays_make_a_run():
    run = plain(meta={"source": "test bench"})
    np.testing.assert_array_equal(run["y"], [2.0, 4.0])
    assert run.units == {"x": "m", "y": ""}
    assert run.meta == {"source": "test bench"}
    assert not run.has_model
    with pytest.raises(sb.ModelError, match="does not know its model"):
        run.q  # noqa: B018


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"names": ["x"]}, "for 1 channels"),
        ({"names": ["x", "x"]}, "two channels have this name"),
    ],
)
def test_what_is_not_a_table_over_time_is_refused(more, problem):
    with pytest.raises(sb.ModelError, match=problem):
        plain(**more)
    with pytest.raises(sb.ModelError, match="do not increase"):
        sb.Run(None, [1.0, 0.0], np.zeros((2, 0)))


def test_patterns_find_channels_in_order_and_say_what_is_near(run):
    assert run.find("*.qd", "heave.q")[:2] == ["heave.q", "heave.qd"]
    assert run.find() == run.names
    with pytest.raises(KeyError, match=r"did you mean .*travel\.q"):
        run.find("travl.q")
    odd = sb.Run(None, [0.0], [[1.0, 2.0]], names=["a[1]", "a1"])
    assert odd.find("a[1]") == ["a[1]"]  # a name first, a pattern second


def test_plot_groups_channels_by_unit(run):
    axes = run.plot("heave.q", "toe.q", "travel.q", "strut.tension")
    assert [len(ax.lines) for ax in axes] == [2, 1, 1]
    assert [ax.get_ylabel() for ax in axes] == ["q (m)", "toe.q (rad)", "strut.tension (N)"]
    assert axes[-1].get_xlabel() == "t (s)"
    mpl.pyplot.close("all")


def test_groups_keep_the_order_of_units():
    assert by_unit(["a", "b", "c"], ["m", "s", "m"]) == {"m": ["a", "c"], "s": ["b"]}


def test_a_notebook_shows_a_summary_with_a_plot(run):
    shown = run._repr_html_()
    assert "quarter-car" in shown
    assert "data:image/png;base64," in shown
    assert "<script" not in plain(meta={"model": "<script>"})._repr_html_()


def test_picture_without_energies(tmp_path):
    run = sb.simulate(sb.system(machines.model("four-bar"), outputs=["*.q"]), 0.02, 1e-3)
    assert save_picture(run, tmp_path / "new" / "four-bar.png").read_bytes().startswith(b"\x89PNG")


def test_as_a_table_of_pandas(run):
    pytest.importorskip("pandas")
    table = run.to_dataframe()
    assert list(table.columns) == run.names
    np.testing.assert_array_equal(table.index, run.t)
    assert table.attrs["units"]["heave.q"] == "m"


def test_as_a_dataset_of_xarray(run):
    pytest.importorskip("xarray")
    data = run.to_xarray()
    assert list(data.data_vars) == run.names
    np.testing.assert_array_equal(data["heave.q"].sel(t=run.t[3]), run["heave.q"][3])
    assert (data["heave.q"].attrs["units"], data["t"].attrs["units"]) == ("m", "s")
    assert data.attrs["model"] == run.meta["model"]
