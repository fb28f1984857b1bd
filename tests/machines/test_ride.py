"""The ride as one chain: skier, cueing, supervisor, drives, platform and senses; its page, its report, its sources.

Tests of machines/ride/chain.py, page.py, sources.py, report.py, ridden.py, plots.py, looks.py, senses.py.
"""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import symbody as sb
from c_stage import CStage
from output_bus import Bus
from symbody import machines
from symbody.cli import main
from symbody.links.rejected import Rejected
from symbody.machines.platform_calibration import ALL
from symbody.machines.ride.chain import ride_chain, slope
from symbody.machines.ride.data import DT, FILTERS, KINDS
from symbody.machines.ride.page import RideDisplay, page
from symbody.machines.ride.ridden import ridden as ridden_by_the_clock
from symbody.machines.ride.ridden import scripted_skier
from symbody.model.plain_numbers import GRAVITY
from symbody.model.rotation import matrix
from symbody.motion.built_in_platform import platform_data
from symbody.motion.control import Pid
from symbody.motion.cueing import METHODS, SceneRecord, score
from symbody.motion.cueing.score import indicator
from symbody.motion.data import AXES
from symbody.motion.drives import resolutions
from symbody.motion.outputs import OutputThread
from symbody.motion.presets import named_platform
from symbody.motion.safety.loop_supervisor import REASONS, STATES
from symbody.motion.safety.margins import LEG_STOP
from symbody.motion.sources import SceneSender
from symbody.motion.sources.stream_thread import ride_sources, udp_stream
from symbody.stepping.step_options import FixedStep
from symbody.studio.machine_loop import check_channels, machine_loop

DATA = platform_data()
SKIED = 5.0  # s


@cache
def ridden(method, table, source=0.0, seconds=SKIED, log=None, data=DATA, controller=0.0, parked=False):
    """A ride without a clock: outputs by name."""
    ride = ride_chain(data, log, parked=parked)
    stage, pilot = CStage(ride.chain), scripted_skier(ride)
    stage.give(method=float(method), table=float(table), source=float(source), controller=float(controller))
    rows, steer = [], {}
    for k in range(round(seconds / DT)):
        if k % 20 == 0 and rows:
            steer = pilot(k * DT, dict(zip(stage.model.outputs, rows[-1], strict=True)))
        rows.append(stage.step(**steer))
    return dict(zip(stage.model.outputs, np.array(rows).T, strict=True))


def waits_outside_of_riding(run):
    """Whether the scene of a ride moved in the period after the state `running`, and in no other."""
    moved = run["ski.waits"][1:] == 0.0
    return bool((moved == (run["ride.state"][:-1] == STATES.index("running"))).all())


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


@pytest.mark.parametrize("head", ["felt", "scene"])
def test_the_drawn_head_has_the_vertical_that_is_felt(head):
    """In the frame of the drawn head, the true vertical is along the felt force, for passenger and skier."""
    run = ridden(KINDS.index("optimal"), 1.0)
    place = "felt" if head == "felt" else "scene.felt"
    felt = np.column_stack([run[f"{place}.{axis}"] for axis in "xyz"]) + np.array([0.0, 0.0, GRAVITY])
    tilts = np.column_stack([run[f"{head}_{turn}.q"] for turn in ("roll", "pitch")])
    assert np.abs(tilts).max() > 0.03
    for k in range(1500, len(felt), 250):
        up = matrix([*tilts[k], 0.0])[2]  # the row of the vertical: Rᵀ e_z
        across = np.cross(up, felt[k] / np.linalg.norm(felt[k]))
        assert np.linalg.norm(across) < 0.01 + 0.5 * np.prod(np.abs(tilts[k]))  # exact for a tilt about one axis


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


@pytest.mark.slow
@pytest.mark.parametrize("controller", range(4))
def test_every_controller_carries_the_passenger(controller):
    run = ridden(KINDS.index("optimal"), 1.0, controller=controller, seconds=4.0)
    assert run["limit.violations"][-1] == 0.0
    assert not run["drives.fault"].any()
    assert run["tracking.error"].max() < 6e-3


def test_a_start_is_hardly_clipped():
    """The reference begins with the motion of the method; the acceleration jumps when the skier is released."""
    run = ridden(KINDS.index("classic"), 1.0)
    begun = int((run["ride.state"] == 3.0).argmax())
    assert run["ride.clipped"][begun + 1500] <= 15.0  # 1 % of the whole blend


# -- homing and faults -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_parked_platform_homes_and_then_rides():
    run = ridden(KINDS.index("optimal"), 1.0, seconds=8.0, parked=True)
    seen = [STATES[int(x)] for x in dict.fromkeys(run["ride.state"])]
    assert seen == ["homing", "ready", "running"]
    homed = int(run["drives.homed"].argmax())
    assert 3000 < homed < 7000
    assert run["table.x.q"][:homed].min() == pytest.approx(-0.55, abs=1.5e-3)
    assert run["limit.violations"][-1] == 0.0
    assert run["tracking.error"].max() < 2e-3
    assert waits_outside_of_riding(run)
    begun = int((run["ski.waits"] == 0.0).argmax())
    # one run: the order of two events
    assert begun > homed
    assert not run["ski.speed"][:begun].any()
    np.testing.assert_array_equal(run["ski_x.q"][:begun], run["ski_x.q"][0])
    assert run["ski.speed"][-1] > 0.5


@pytest.mark.parametrize("source", [0.0, 1.0])
def test_the_scene_waits_for_the_platform_and_goes_on_after_a_stop(source):
    """Skier and tracks stand where they are in every state but `running`; a stop is soft in the scene, too."""
    stage = CStage(ride_chain(DATA, parked=False).chain)
    stage.give(source=source)

    def wished(k):
        return {"halt": float(3000 <= k < 3100), "wish": 1.0 if 3600 <= k < 3700 else 2.0}

    run = stage.run(4800, wished)
    states = [STATES[int(x)] for x in run["ride.state"]]
    assert states[3500] == "ready"
    assert states[-1] == "running"
    assert waits_outside_of_riding(run)
    place = np.stack([run[f"ski_{axis}.q"] for axis in "xyz"])
    still = run["ski.waits"] > 0.0
    assert not np.diff(place, axis=1)[:, still[1:]].any()
    assert np.hypot(*(place[:2, -1] - place[:2, 3500])) > 0.5  # m: it goes on from there
    assert np.abs(np.diff(run["seat.x"])).max() <= 100.0 * DT * (1.0 + 1e-9)
    assert not run["seat.x"][3500]


def unstable_ride(monkeypatch):
    from symbody.machines.ride import chain

    monkeypatch.setattr(chain, "controllers", lambda loads, usual: [Pid(damping=8e3)])
    monkeypatch.setattr("symbody.motion.control.drive_loop.require_stable", lambda *_: None)
    return ride_chain(DATA, parked=False)


@pytest.mark.slow
def test_after_a_fault_of_the_controller_the_passenger_rests_and_a_reset_homes(monkeypatch):
    stage = CStage(unstable_ride(monkeypatch).chain)
    run = stage.run(4000)
    assert STATES[int(run["ride.state"][-1])] == "fault"
    assert "unstable" in REASONS[int(run["ride.reason"][-1])] or "away" in REASONS[int(run["ride.reason"][-1])]
    assert np.abs([run[f"{axis}.qd"][-300:] for axis in ("x", "y", "z", "roll", "pitch", "yaw")]).max() < 5e-3
    fault = int((run["drives.fault"] > 0).argmax())
    assert np.abs(run["restored.z"][fault + 100 :]).max() < 3.0
    off = stage.run(50, lambda k: {"wish": 0.0})
    assert STATES[int(off["ride.state"][-1])] == "off"
    assert off["drives.homed"][-1] == 0.0
    again = stage.run(300, lambda k: {"wish": 1.0})
    assert STATES[int(again["ride.state"][-1])] == "homing"
    moved = off["table.y.q"][-1] - again["table.y.q"][-1]
    assert moved > 5e-3  # it goes to its end


def test_unstable_gains_are_refused_by_the_ride(monkeypatch):
    from symbody.machines.ride import chain

    monkeypatch.setattr(chain, "controllers", lambda loads, usual: [Pid(reset=20.0)])
    with pytest.raises(sb.ModelError, match="errors grow"):
        CStage(ride_chain(DATA).chain)


# -- other platforms ---------------------------------------------------------------------------------------------------


HEXAPOD = """
geometry:
  centres: [270, 30, 150]
  base: {radius: 0.3, half_angle: 12}
  top: {radius: 0.22, half_angle: 48}
  neutral_height: 0.6
bodies:
  yoke: {mass: 0.2, com: [0, 0, 0.004], inertia: [1.0e-4, 1.0e-4, 8.0e-5]}
  cylinder: {mass: 1.3, com: [0.006, -0.12, 0], inertia: [8.0e-3, 1.1e-3, 8.0e-3]}
  rod: {mass: 0.3, com: [0, 0, -0.18], inertia: [3.0e-3, 3.0e-3, 3.0e-5]}
  platform: {mass: 8.0, com: [0, 0, 0.015], inertia: [0.1, 0.1, 0.19]}
friction:
  leg: {dry: [1.5, 1.5], viscous: [60, 60]}
  smoothing: 1.0e-3
limits:
  x: [-0.1, 0.1, 0.7, 1.5]
  y: [-0.1, 0.1, 0.7, 1.5]
  z: [0.48, 0.72, 0.6, 1.5]
  roll: [-14, 14, 50, 90]
  pitch: [-14, 14, 50, 90]
  yaw: [-14, 14, 90, 150]
legs: {shortest: 0.42, longest: 0.86, radius: 0.02, foot_tilt: 52, top_tilt: 70, speed: 0.3, acceleration: 3.0}
payload: 60
drives:
  motor: {power: 200, speed: 3500, torque: 0.6, voltage: 24, current: 8, peak_current: 20, peak_time: 1,
          increments: 4000}
  belt: {driver: 0.03, driven: 0.06}
  table: {radius: 0.0065}
  leg: {radius: 0.0018}
"""


def ridden_elsewhere(data):
    run = ridden(KINDS.index("classic"), 0.0, data=data, seconds=11.0, parked=True)
    assert run["drives.homed"][-1] == 1.0
    assert STATES[int(run["ride.state"][-1])] == "running"
    assert run["limit.violations"][-1] == 0.0
    assert run["tracking.error"].max() < 3e-3
    assert np.abs(run["table.x.q"]).max() < 1e-3
    assert np.abs(run["pitch.q"]).max() > 0.02
    return run


@pytest.mark.slow
def test_a_hexapod_of_a_file_without_a_table_homes_and_rides(tmp_path):
    file = tmp_path / "hexapod.yaml"
    file.write_text(HEXAPOD, encoding="utf-8")
    machine = page(platform=str(file))
    assert "table" not in {dial.name for dial in machine.dials}
    ridden_elsewhere(named_platform(str(file)))


@pytest.mark.slow
def test_a_hexapod_of_the_catalogue_homes_and_rides():
    ridden_elsewhere(named_platform("Renault"))


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


@pytest.mark.slow
@pytest.mark.clock
def test_the_driving_simulator_is_felt_on_the_platform():
    """Two loops of this process: the car brakes, and the platform follows its seat."""
    car = machines.entry("car").page()
    with machine_loop(car, stale=None) as driven:
        assert driven.wait(50, timeout=60.0)
        driven.pause()
        _, stream = ride_sources(None, None, driven.name)

        def brake(t):
            driven.resume()
            driven.give({"brake": 1.0 if t > 1.0 else 0.0})

        found = ridden_by_the_clock(ride_chain(DATA, None, stream, parked=False), 4.0, beside=brake)
    run = found.run
    assert found.state == "running"
    assert stream.source.guard.counts["accepted"] > 100
    assert run["limit.violations"][-1] == 0.0
    assert run["seat.x"].min() < -1.0  # m/s²: it brakes
    assert np.abs(run["reference.pitch"]).max() > 0.01


@pytest.mark.slow
def test_a_ride_moves_eight_drives_on_a_bus_and_a_dead_one_stops_it():
    """The whole chain with its platform; the clock of the bus is that of the chain."""
    bus = Bus()
    output = OutputThread(bus.output, DATA)
    stage = CStage(ride_chain(DATA, parked=False, output=output).chain)
    stage.give(source=1.0)
    states = []
    for k in range(5000):
        row = dict(zip(stage.model.outputs, stage.step(), strict=True))
        states.append(STATES[int(row["ride.state"])])
        if k % 10 == 9:
            output.step()
            bus.settle()
            bus.now += output.output.period
        if k == 4000:
            moved = np.abs([drive.position for drive in bus.drives.drives.values()]) * resolutions(DATA)
            bus.drives.alive.discard(3)
    bus.close()
    assert states[4000] == "running"
    assert moved.max() > 5e-3
    assert "running" not in states[4000 + round((bus.output.bus.limits.reaction + 2.0 * bus.output.period) / DT) :]
    assert states[-1] == "fault"
    assert REASONS[int(row["ride.reason"])] == "the output to the drives failed"
    assert row["limit.violations"] == 0.0


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


def test_the_calibration_page_moves_one_axis_alone(machine):
    """The form of the page sets gains and source; the platform then moves this axis, and in the other direction."""
    page = next(one for one in machine.pages if one.name == "Calibration")
    (form,) = page.forms
    assert [field.name for field in form.fields] == ["axis"]
    verb = machine.verbs[form.verb]
    model = machine.source.loop_model(DT, 1, FixedStep())
    check_channels(replace(machine, plots=page.plots), model.outputs)
    given = verb.act(verb.kind(axis="pitch"), {}, None)
    ranges = {dial.name: (dial.low, dial.high) for dial in machine.dials}
    assert all(ranges[name][0] <= value <= ranges[name][1] for name, value in given.items())
    moved = {}
    for gain in (1.0, -1.0):
        stage = CStage(ride_chain(DATA, parked=False).chain)
        stage.give(**(given | {"gain_pitch": gain}))
        run = stage.run(4000)
        moved[gain] = run["reference.pitch"]
        assert np.ptp(run["reference.pitch"][2000:]) > 1e-3
        assert max(np.ptp(run[f"reference.{name}"]) for name in AXES if name != "pitch") < 1e-9
    np.testing.assert_allclose(moved[-1.0], -moved[1.0], atol=5e-3)
    assert set(verb.act(verb.kind(axis=ALL), {}, None).values()) == {1.0}
    with pytest.raises(Rejected, match="unknown axis"):
        verb.act(verb.kind(axis="sideways"), {}, None)


def test_the_display_names_state_and_reason():
    ride = ride_chain(DATA)
    run = ridden(KINDS.index("optimal"), 1.0)
    now = {name: float(values[-1]) for name, values in run.items()}
    lines = RideDisplay(ride, DATA)(now)
    assert lines[1] == "platform running"
    assert "0 broken limits" in lines[3]
    assert lines[0] == "skier"
    short = now | {"rod2.q": DATA.legs.shortest + 0.015}
    assert RideDisplay(ride, DATA)(short)[3] == "legs 15 mm from an end of their stroke, 0 broken limits"
    homing = now | {"rod2.q": DATA.legs.shortest - LEG_STOP, "ride.state": float(STATES.index("homing"))}
    assert RideDisplay(ride, DATA)(homing)[3].startswith("a leg is 10 mm beyond its stroke: limits are counted")
    broken = now | {"rod2.q": DATA.legs.longest + 0.003, "limit.violations": 4.0}
    assert RideDisplay(ride, DATA)(broken)[3] == "a leg is 3 mm beyond its stroke, 4 broken limits"
    lines = RideDisplay(ride, DATA)(now | {"ride.state": 2.0, "ride.reason": 3.0})
    assert lines[1] == "platform ready: no valid sample for 0.1 s"
    assert RideDisplay(ride, DATA)(now | {"ski.waits": 1.0})[0] == "skier, waits for the platform"


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
    assert len(list(tmp_path.glob("ride-*.png"))) == 6


def test_options_of_other_machines_are_refused(capsys):
    assert main(["demo", "piano", "--json", "--log", "drive.csv"]) == 2
    assert "no option" in capsys.readouterr().err
    assert machines.entry("ride").has_page
