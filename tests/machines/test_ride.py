"""The ride as one chain: skier, cueing, supervisor, drives, platform and senses; its page, its report, its sources.

Tests of machines/ride/chain.py, page.py, sources.py, report.py, ridden.py, plots.py, looks.py, senses.py.
"""

import json
from functools import cache

import numpy as np
import pytest

import symbody as sb
from c_stage import CStage
from symbody import machines
from symbody.cli import main
from symbody.machines.ride.chain import ride_chain, slope
from symbody.machines.ride.data import DT, FILTERS, KINDS
from symbody.machines.ride.page import RideDisplay, page
from symbody.machines.ride.ridden import scripted_skier
from symbody.motion.built_in_platform import platform_data
from symbody.motion.cueing import METHODS, SceneRecord, score
from symbody.motion.cueing.score import indicator
from symbody.motion.sources import SceneSender
from symbody.motion.sources.stream_thread import ride_sources, udp_stream
from symbody.stepping.step_options import FixedStep
from symbody.studio.machine_loop import check_channels

DATA = platform_data()
SKIED = 5.0  # s


@cache
def ridden(method, table, source=0.0, seconds=SKIED, log=None):
    """A ride without a clock: outputs by name."""
    ride = ride_chain(DATA, log)
    stage, pilot = CStage(ride.chain), scripted_skier(ride)
    stage.give(method=float(method), table=float(table), source=float(source))
    rows, steer = [], {}
    for k in range(round(seconds / DT)):
        if k % 20 == 0 and rows:
            steer = pilot(k * DT, dict(zip(stage.model.outputs, rows[-1], strict=True)))
        rows.append(stage.step(**steer))
    return dict(zip(stage.model.outputs, np.array(rows).T, strict=True))


def restored(run, since=2.0):
    """Share (%) of the acceleration ahead and to the left that the platform restores."""
    after = slice(round(since / DT), None)
    return indicator(*(np.stack([run[f"{place}.{axis}"][after] for axis in "xy"]) for place in ("seat", "restored")))


@pytest.mark.parametrize("name", [name for name in FILTERS if name.startswith(("classic", "optimal"))])
def test_a_descent_keeps_all_limits(name):
    k = METHODS.index(name)
    run = ridden(k // 2, k % 2)
    assert run["limit.violations"][-1] == 0.0
    assert set(run["ride.state"][-1000:]) == {3.0}  # running
    assert run["tracking.error"].max() < 2e-3
    assert run["ski.speed"][-1] > 5.0
    assert run["ride.delay"][-1] < 4e-3
    assert np.abs(run["table.x.q"]).max() < 1e-3 if name.endswith("hexapod") else np.abs(run["table.x.q"]).max() > 0.02


def test_the_platform_restores_more_than_nothing():
    assert restored(ridden(KINDS.index("optimal"), 1.0)) > 25.0
    assert restored(ridden(KINDS.index("classic"), 0.0)) > 25.0


def test_a_planned_path_is_ridden():
    run = ridden(KINDS.index("classic"), 1.0, source=1.0, seconds=3.0)
    assert run["ski.speed"][-1] == pytest.approx(12.0, rel=0.1)
    assert run["limit.violations"][-1] == 0.0


def test_a_log_is_felt_on_the_platform():
    t = np.arange(0.0, 6.0, 5e-3)
    push = np.stack([1.5 * np.sin(1.5 * t), 0.0 * t, 0.0 * t], axis=-1)
    run = ridden(KINDS.index("optimal"), 1.0, source=3.0, log=SceneRecord(t, push, 0.0 * push))
    assert np.corrcoef(run["seat.x"][1500:], run["restored.x"][1500:])[0, 1] > 0.8
    assert not run["seat.y"].any()
    assert run["limit.violations"][-1] == 0.0


def test_the_filters_of_the_chain_are_those_of_the_comparison():
    """The references of the chain, before the supervisor, against a run of the same method over the same signals."""
    from symbody.machines.ride.chain import filter_system
    from symbody.motion.cueing import cueing_model, run_over

    t = np.arange(0.0, 2.0, DT)
    record = SceneRecord(t, np.stack([np.sin(3.0 * t), 0.0 * t, 0.0 * t], axis=-1), np.zeros((len(t), 3)))
    for name in ("classic, table", "optimal, hexapod"):
        one = run_over(filter_system(name), record)
        whole = run_over(sb.system(cueing_model(FILTERS[name])), record)
        np.testing.assert_allclose(one["pitch"], whole["pitch"], atol=1e-12)
        assert score(whole).tilt > 1.0


# -- sources -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("listen", "problem"), [("here", "not an address"), ("127.0.0.1:99999", "not an address")])
def test_wrong_addresses_are_refused(listen, problem):
    with pytest.raises(sb.ModelError, match=problem):
        ride_sources(None, listen)


def test_two_live_sources_are_refused():
    with pytest.raises(sb.ModelError, match="two live sources"):
        ride_sources(None, "0", "driven-car")


def test_a_stream_is_posted_to_the_loop_and_shown():
    stream = udp_stream("127.0.0.1:0")
    sender = SceneSender(stream.source.address)
    sender.send([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    sender.send([float("nan"), 0.0, 0.0, 0.0, 0.0, 0.0])
    for now in np.arange(0.0, 0.05, 1e-3):
        stream.inbox.post(stream.source.read(float(now)))
    assert "1 accepted" in stream.line
    assert "1 refused" in stream.line
    assert "not a number" in stream.line
    sender.close()
    stream.source.close()


# -- page and report ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def machine():
    return page()


def test_the_page_shows_channels_of_the_chain(machine):
    model = machine.source.loop_model(DT, 1, FixedStep())
    check_channels(machine, model.outputs)
    coordinates = {f"{joint.name}.q" for joint in machine.system.model.joints()}
    assert coordinates <= set(model.outputs)
    assert {control.name for control in machine.controls} <= set(model.inputs)
    known = {*model.inputs, *model.parameters}
    assert {dial.name for dial in machine.dials} <= known
    for preset in machine.presets:
        assert set(preset.values) <= {dial.name for dial in machine.dials}
        assert not preset.pilot or preset.pilot in machine.pilots


def test_start_values_of_dials_are_those_of_the_chain(machine):
    model = machine.source.loop_model(DT, 1, FixedStep())
    start = dict(zip(model.inputs, model.u0, strict=True)) | dict(model.parameters)
    assert {dial.name: start[dial.name] for dial in machine.dials} == {dial.name: dial.value for dial in machine.dials}


def test_the_display_names_state_and_reason():
    ride = ride_chain(DATA)
    run = ridden(KINDS.index("optimal"), 1.0)
    now = {name: float(values[-1]) for name, values in run.items()}
    lines = RideDisplay(ride, DATA)(now)
    assert lines[1] == "platform running"
    assert "0 broken limits" in lines[3]
    assert lines[0] == "skier"
    lines = RideDisplay(ride, DATA)(now | {"ride.state": 2.0, "ride.reason": 3.0})
    assert lines[1] == "platform ready: no valid sample for 0.1 s"


def test_poles_stand_on_the_ground(machine):
    pole = machine.scenery[0]
    feet = pole.mesh.vertices[
        pole.mesh.vertices[:, 2] == pole.mesh.vertices.reshape(-1, 3, 3)[:, :, 2].min(axis=1).repeat(3)
    ]
    scene = slope()
    assert np.abs(feet[:, 2] - scene.ground.height(*feet[:, :2].T)).max() < 0.2


@pytest.mark.slow
@pytest.mark.clock
def test_the_command_prints_times_delay_and_limits(tmp_path, capsys):
    assert main(["demo", "ride", "--json", "--until", "2", "--report", str(tmp_path)]) == 0
    (figures,) = json.loads(capsys.readouterr().out)["figures"]
    assert set(figures["step_us"]) == {"median", "p99", "max"}
    assert figures["limit_violations"] == 0
    assert 0.0 < figures["delay_ms"] < 20.0
    assert len(list(tmp_path.glob("ride-*.png"))) == 5


def test_options_of_other_machines_are_refused(capsys):
    assert main(["demo", "piano", "--json", "--log", "drive.csv"]) == 2
    assert "no option" in capsys.readouterr().err
    assert machines.entry("ride").has_page
