"""The driving simulator as a machine: it steers, tells what happened, and comes to no harm by nonsense."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from car_stage import assert_harmless, driven, machine, value

import symbody
from symbody.analysis.simulate import simulate
from symbody.links.rejected import Rejected
from symbody.machines.car.driven import LOCK
from symbody.machines.car.driver import METHOD, WHEEL
from symbody.machines.car.page import BY_KEYS, KMH, RIDES, ROAD, TURNED, Witness
from symbody.realtime.loop_memory import Shared
from symbody.studio import Studio
from symbody.studio.messages import LetGo, Move, Pilot, Reset, Set
from symbody.studio.sounds import sound_channels
from symbody.vehicles.pedals import HOLDING, SPEED
from symbody.vehicles.preview_driver import TICK
from symbody.vehicles.road import LENGTH, WIDTH, corners
from symbody.vehicles.road_scenery import gates
from symbody.web.rights import offered
from waiting import PATIENCE, eventually

pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.clock]  # the real-time loop of a large model


def control(name):
    return next(c for c in machine().controls if c.name == name)


# -- driving -----------------------------------------------------------------------------------------------------------


def test_the_wheel_to_the_left_leads_to_the_left_and_hands_must_hold_it():
    with driven(2.0) as live:
        eventually(lambda: not live.obey(Move("wheel.q", 0.5, 2.0)) and value(live, "y.q") > 1.0)
        assert value(live, "yaw.q") > 0.0
        assert value(live, "wheel.effort") > 1.0  # without the hands, caster and trail would straighten it
        eventually(lambda: not live.obey(Move("wheel.q", -0.5, 2.0)) and value(live, "yaw.q") < 0.0)
        assert value(live, "wheel.effort") < -1.0
        live.obey(LetGo("wheel.q"))
        eventually(lambda: abs(value(live, "wheel.q")) < 1e-6)


def test_keys_stay_gentle():
    wheel = control("wheel.q")
    assert (wheel.keys["ArrowLeft"].value, wheel.keys["ArrowRight"].value) == (BY_KEYS, -BY_KEYS)
    # one run: settings of the page
    assert all(aim.seconds > wheel.seconds for aim in wheel.keys.values())
    assert TURNED < LOCK
    s = machine().system
    held = dict(zip(WHEEL, (BY_KEYS, 0.0, 0.0), strict=True))
    run = simulate(s, 1.5, TICK, method=METHOD, inputs={**held, "throttle": HOLDING})
    assert 0.8 < run["tyres.use"][-1] < 1.0  # what a key asks for is what tyres just bear
    assert np.abs(run["roll.q"]).max() < 0.15


def test_pedals_speed_up_and_slow_down_and_at_rest_the_speed_is_held():
    with driven(4.0) as live:
        eventually(lambda: value(live, "x.q") > 40.0)
        assert value(live, "car.speed") == pytest.approx(SPEED, abs=0.2)
        eventually(lambda: not live.obey(Move("throttle", 1.0, 1.0)) and value(live, "car.speed") > SPEED + 2.0)
        live.obey(LetGo("throttle"))
        eventually(lambda: live.hands.values["throttle"] == HOLDING)
        eventually(lambda: not live.obey(Move("brake", 1.0, 0.4)) and value(live, "car.speed") < 0.1)
        live.obey(Reset())
        eventually(lambda: value(live, "car.speed") > 0.95 * SPEED and value(live, "x.q") < 20.0)


def test_the_scripted_driver_avoids_the_obstacle_in_the_loop():
    with driven(2.0) as live:
        live.obey(Pilot("scripted driver"))
        live.obey(Reset())
        told = []
        eventually(lambda: told.append(live.status()["lines"][0]) or value(live, "x.q") > ROAD.obstacle[0][1] + 40.0)
        assert told[-1].startswith("obstacle avoided by")
        assert live.status()["pilot"] == "scripted driver"
        run = live.loop.history("wheel.effort", "x.q", "y.q", "yaw.q")
        assert np.abs(run["wheel.effort"]).max() > 5.0
        body = corners(run["x.q"], run["y.q"], run["yaw.q"])
        assert touched(body, (run["x.q"][-1], run["y.q"][-1]))[-1]
        assert not any(touched(body, cone).any() for cone in gates(ROAD))
        live.obey(Move("wheel.q", 0.1, 1.0))  # a person takes over
        assert live.status()["pilot"] == ""


def test_every_dial_at_both_ends_leaves_a_car_that_drives():
    s = machine().system
    steered = dict(zip(WHEEL, (0.4, 0.0, 0.0), strict=True))
    for dial in machine().dials:
        for end in (dial.low, dial.high):
            s.parameters[dial.name] = end
            run = simulate(s, 1.0, TICK, method=METHOD, inputs={**steered, "throttle": HOLDING}, every=10 * TICK)
            s.parameters[dial.name] = dial.value
            assert run["y.q"][-1] > 0.3, dial.name
            assert np.abs(run["roll.q"]).max() < 0.2, dial.name


def test_a_dial_is_felt_while_driving():
    with driven(2.0) as live:
        held = []
        for shift in (-0.02, 0.02):
            live.obey(Set("caster_shift", shift))
            live.obey(Reset())
            eventually(lambda: value(live, "yaw.q") < 0.01)
            eventually(lambda: not live.obey(Move("wheel.q", 0.3, 1.0)) and value(live, "yaw.q") > 0.3)
            held.append(value(live, "wheel.effort"))
        # one run: a dial is live; test_car_report.py has the ordering over ten swerves
        assert held[1] > 1.3 * held[0]
        with pytest.raises(Rejected, match="out of range"):
            live.obey(Set("caster_shift", 0.2))


def touched(body, place):
    """When a place is inside the body: left of all its edges (front left, rear left, rear right, front right)."""
    edges, rest = np.roll(body, -1, axis=1) - body, np.array(place) - body
    return np.all(edges[..., 0] * rest[..., 1] - edges[..., 1] * rest[..., 0] > 0.0, axis=1)


# -- lines over the view -----------------------------------------------------------------------------------------------


def channels(x, y, yaw=0.0, speed=SPEED):
    return {"x.q": x, "y.q": y, "yaw.q": yaw, "car.speed": speed}


def test_a_witness_tells_distance_then_whether_it_was_avoided():
    tell = Witness(ROAD)
    assert tell(channels(0.0, 0.0)) == [f"obstacle in {ROAD.begin - LENGTH / 2.0:.0f} m"]
    beside = ROAD.width / 2.0 + 0.6 + WIDTH / 2.0
    assert tell(channels(ROAD.begin + 1.0, beside))[0] == "beside the obstacle"
    assert tell(channels(ROAD.begin + 30.0, 0.0))[0] == "obstacle avoided by 0.6 m"


def test_a_witness_remembers_a_hit_until_the_car_begins_again():
    tell = Witness(ROAD)
    tell(channels(ROAD.begin - 20.0, 0.0))
    assert "in 18 m" in tell(channels(ROAD.begin - 20.0, 0.0, speed=1.0 / KMH))[0]
    assert "hit" in tell(channels(ROAD.begin, 0.0))[0]
    assert "hit" in tell(channels(ROAD.begin + 100.0, 0.0))[0]
    assert "obstacle in" in tell(channels(0.0, 0.0))[0]


def test_a_witness_sees_a_hit_between_two_looks_and_forgets_those_before_a_restart():
    hit, away, again = [ROAD.begin, 0.0, 0.0], [ROAD.begin - LENGTH / 2.0 - 1.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    tell = Witness(ROAD)
    tell.see(np.arange(3.0), np.array([away, hit, away]))
    assert "hit" in tell(channels(*away))[0]
    tell.see(np.arange(2.0), np.array([away, again]))
    assert "obstacle in" in tell(channels(*again))[0]
    tell.see(np.zeros(0), np.zeros((0, 3)))
    tell.see(np.arange(4.0), np.array([hit, again, away, hit]))
    assert "hit" in tell(channels(*hit))[0]


def test_a_witness_sees_a_corner_that_touches_as_the_car_turns():
    beside = ROAD.width / 2.0 + 0.2 + WIDTH / 2.0
    straight, turned = Witness(ROAD), Witness(ROAD)
    assert "hit" not in straight(channels(ROAD.begin, beside))[0]
    assert "hit" in turned(channels(ROAD.begin, beside, yaw=-0.2))[0]


def test_who_leaves_the_road_is_told():
    right, left = ROAD.borders
    for y in (right, left):
        assert "off the road" in Witness(ROAD)(channels(0.0, y))
    assert "off the road" not in Witness(ROAD)(channels(0.0, (right + left) / 2.0))


def test_what_the_page_asks_for_exists():
    m = machine()
    known = {*m.system.outputs, *m.system.inputs}
    plotted = {name for plot in m.plots for name in ((plot,) if isinstance(plot, str) else plot)}
    assert plotted <= known
    assert {*sound_channels(m.sounds)} <= known
    assert {ride.body for ride in RIDES} | {*m.looks} <= {*m.system.model.bodies}
    assert {dial.name for dial in m.dials} <= {*m.system.parameters}


# -- nonsense ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [1e6, -2.0 * TURNED, np.nan, np.inf])
def test_commands_that_no_hand_can_give_are_refused_and_held_too_long_the_torque_is_zero(bad):
    with driven(stale=0.2) as live:
        eventually(lambda: not live.obey(Move("wheel.q", 0.3, 1.0)) and value(live, "wheel.effort") > 1.0)
        with pytest.raises(Rejected):
            live.hands.move("wheel.q", bad)
        live.hands.close()  # from here on something else gives the inputs, and it is broken
        eventually(lambda: live.loop.give({"wheel.q": bad}) or live.loop.state == "safe")
        assert value(live, "wheel.effort") == 0.0
        assert abs(value(live, "wheel.q")) < 0.35  # what was asked for at last, and what the filter overshoots
        assert sum(live.loop.statistics().refused.values()) > 0
        eventually(lambda: live.loop.give({"wheel.q": 0.0}) or live.loop.state == "running")
        eventually(lambda: live.loop.give({"wheel.q": 0.0}) or abs(value(live, "wheel.q")) < 1e-6)


@pytest.mark.parametrize("jump", [1.0, -1.0])
def test_a_jump_of_a_second_in_time_is_refused_and_the_car_goes_on_afterwards(jump):
    with driven(stale=0.2) as live:
        eventually(lambda: value(live, "x.q") > 1.0)
        live.hands.close()

        def jumped():
            live.loop.give({"wheel.q": 1.0}, stamp=time.monotonic() + jump)
            return live.loop.state == "safe"

        eventually(jumped)
        assert value(live, "wheel.effort") == 0.0
        assert live.loop.statistics().refused["wrong clock"] > 0
        assert abs(value(live, "wheel.q")) < 1e-6
        eventually(lambda: live.loop.give({"wheel.q": 0.1}) or value(live, "wheel.q") > 0.09)


def test_a_wheel_that_is_torn_from_end_to_end_meets_the_limit_of_its_motor():
    limit = 8.0
    with driven(effort_limits={"wheel.effort": limit}) as live:

        def torn(way):
            live.obey(Move("wheel.q", way * TURNED, 0.01))
            return way * value(live, "wheel.q") > 2.0

        for way in (1.0, -1.0, 1.0):
            eventually(partial(torn, way))
        assert live.loop.statistics().clamped > 0
    assert_harmless(live.loop, limit)


def test_a_car_that_turns_over_is_stopped_and_begins_again():
    with driven(limits={"roll.q": (-0.02, 0.02)}) as live:  # as far as it rolls without turning over
        rolled = "output out of limits: roll.q"  # a loaded machine is late now and then, and safe for that
        eventually(lambda: not live.obey(Move("wheel.q", 1.0, 1.0)) and live.status()["reason"].startswith(rolled))
        assert value(live, "wheel.effort") == 0.0
        live.hands.let_go()
        live.obey(Reset())  # it waits for a touch then
        eventually(lambda: live.hands.values["wheel.q"] == 0.0)
        eventually(lambda: not live.obey(Move("wheel.q", 0.0, 1.0)) and live.loop.state == "running")
        assert value(live, "x.q") < 20.0


def test_a_browser_that_is_closed_in_mid_turn_has_let_go():
    client = pytest.importorskip("websockets.sync.client")
    with driven() as live, Studio(live) as studio:
        address = f"ws://127.0.0.1:{studio.port}/socket"
        with client.connect(
            address, subprotocols=offered(studio.token), close_timeout=1, ping_interval=None, max_size=None
        ) as socket:
            json.loads(socket.recv(timeout=PATIENCE))

            def turning():
                for name, aim in (("wheel.q", 1.0), ("throttle", 1.0)):
                    socket.send(json.dumps({"do": "move", "name": name, "value": aim, "seconds": 1.0}))
                return value(live, "wheel.q") > 0.5 and live.hands.values["throttle"] > 0.5

            eventually(turning)
        eventually(lambda: abs(value(live, "wheel.q")) < 1e-6 and live.hands.values["throttle"] == HOLDING)
        assert live.loop.state == "running"


LIVING = """
import sys
from car_stage import machine
from symbody.studio import Live
live = Live(machine()).start()
live.hands.appoint("held", lambda t, channels: {"wheel.q": 0.6})
print(live.loop.name, flush=True)
sys.stdin.read()
live.close()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
def test_a_process_that_stands_still_for_a_second_in_mid_turn_loses_that_second_and_nothing_else():
    paths = [str(Path(symbody.__file__).parents[1]), str(Path(__file__).parent)]
    pipe, environment = subprocess.PIPE, os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    with subprocess.Popen([sys.executable, "-c", LIVING], env=environment, stdin=pipe, stdout=pipe, text=True) as other:
        try:
            loop = Shared.attach(other.stdout.readline().strip())
            torque = loop.outputs.index("wheel.effort")
            eventually(lambda: loop.latest().outputs[torque] > 5.0)
            other.send_signal(signal.SIGSTOP)
            eventually(lambda: not loop.alive)
            assert loop.latest().outputs[torque] == 0.0
            time.sleep(1.0)
            late, t = loop.statistics().faults["overrun"], loop.latest().t
            other.send_signal(signal.SIGCONT)
            eventually(lambda: loop.statistics().faults["overrun"] > late and loop.state == "running")
            eventually(lambda: loop.latest().t > t + 0.5 and loop.latest().outputs[torque] > 5.0)
            assert_harmless(loop)
        finally:
            other.send_signal(signal.SIGCONT)
            other.stdin.close()
            other.wait(timeout=PATIENCE)
