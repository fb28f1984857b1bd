"""The piano key as a machine: it rests, and sounds the louder the harder it is pressed, whoever presses it."""

import numpy as np
import pytest
from piano_stage import at_random, blows, machine, stage

from symbody import machines
from symbody.analysis.simulate import simulate
from symbody.machines.piano.model import FRONT
from symbody.machines.piano.page import DEEPEST, LOWEST, STRONGEST, TOUCHES, status
from symbody.machines.piano.pilots import CRESCENDO
from symbody.machines.piano.play import METHOD, TICK, bump, finger_force, played
from symbody.machines.piano.strokes import DT
from symbody.studio.hands import TICK as LOOK
from symbody.system.power import UNACCOUNTED, WORK

pytestmark = pytest.mark.posix  # the real-time loop


@pytest.mark.slow
def test_it_begins_at_rest_and_a_minute_later_it_still_rests():
    s = machine().system
    minute = simulate(s, 60.0, DT, method=METHOD, every=1.0)  # nobody touches the key
    assert np.abs(s.rates(0.0, s.x0)).max() < 1e-6
    moved = np.abs(minute.last_state - s.x0)[np.array(s.states) != WORK]  # the work begins with the energy of the run
    assert moved.max() < 1e-9
    assert np.abs(minute[UNACCOUNTED]).max() < 1e-12


def test_each_letter_strikes_once_and_each_harder_than_the_one_before():
    with stage() as it:
        played = [it.press(seconds) for seconds in TOUCHES.values()]
    found = [blows(run)[1] for run in played]
    assert [len(peaks) for peaks in found] == [1] * len(TOUCHES)
    assert np.all(np.diff(np.ravel(found)) > 0.0)
    speeds = [run["hammer_speed"][-1] for run in played]
    # one run: one control at two speeds, within printed ends
    assert 0.3 < speeds[0] < speeds[-1] < 6.0  # m/s, from very soft to fortissimo (Askenfelt 1990)
    for run in played:
        assert 1e3 * run["key.dip"].max() == pytest.approx(9.65, abs=0.02)
        assert run["damper_string.load"].min() == 0.0 < run["damper_string.load"][-1]  # it is lifted, and comes back


def test_the_slow_finger_feels_the_bump_and_not_more_than_the_device_gives():
    with stage() as it:
        run = it.press(1.5)
    force, dip = finger_force(run["key.effort"], run["key.q"]), 1e3 * run["key.dip"]
    rising = np.arange(len(dip)) < np.argmax(dip)
    assert bump(run) > force[rising & (dip > 5.5) & (dip < 7.5)].mean() + 0.8
    assert np.abs(force).max() <= STRONGEST * 1.001  # N; the arm is shorter by a thousandth at the bottom
    assert force[dip > 9.6].max() > 2.5 * bump(run)  # the felt under the key


PLAYED = {"slow double stroke": 1.8, "repetition": 1.6, "crescendo": 4.1}  # s
NOTES = {"slow double stroke": 2, "repetition": 10, "crescendo": len(CRESCENDO)}


@pytest.mark.slow
def test_pilots_play_by_themselves_until_a_person_touches_the_key():
    with stage() as it:
        heard = {}
        for name, pilot in it.machine.pilots.items():
            it.hands.appoint("", None)
            it.later(0.5)
            begun = it.loop.latest().t
            it.hands.appoint(name, pilot)
            it.later(PLAYED[name])
            heard[name] = blows(it.loop.history(since=begun))
        it.hands.move("key.q", 0.01)
        assert it.hands.pilot == ""
    assert {name: len(times) for name, (times, _) in heard.items()} == NOTES
    peaks = heard["crescendo"][1]  # 1 kHz sees them to a fifth
    # one run: a crescendo as it is commanded
    assert np.all(peaks[2:] > peaks[:-2])


@pytest.mark.slow
def test_only_the_double_escapement_repeats_from_half_way():
    counted = {}
    for escapement in ("single", "double"):
        with stage(escapement) as it:
            it.hands.appoint("repetition", it.machine.pilots["repetition"])
            it.later(1.6)
            counted[escapement] = len(blows(it.loop.history())[0])
    assert counted["double"] >= 9
    assert counted["single"] <= counted["double"] // 2


@pytest.mark.parametrize("seed", range(6))
def test_at_all_ends_of_its_dials_it_can_be_played(seed):
    m = machine()
    rng = np.random.default_rng(seed)
    before = {dial.name: m.system.parameters[dial.name] for dial in m.dials}
    try:
        m.system.parameters.update({dial.name: (dial.low, dial.high)[rng.integers(2)] for dial in m.dials})
        run = played(m.system, at_random(seed, 2.0), m.system.x0, every=20 * DT)
    finally:
        m.system.parameters.update(before)
    assert np.isfinite(run.values).all()
    for name, (low, high) in m.limits.items():
        assert low < run[name].min() <= run[name].max() < high


@pytest.mark.slow
def test_let_off_is_live():
    with stage() as it:
        bumps = []
        for height in (-0.5e-3, 0.5e-3):
            it.loop.parameters["let_off_height"] = height
            bumps.append(bump(it.press(1.5)))
        it.loop.parameters["let_off_height"] = 0.0
    # one run: a parameter is live
    assert bumps[1] > bumps[0] + 0.5


def test_what_is_told_and_shown():
    m = machine()
    channels = {"key.effort": FRONT * np.cos(0.03) * 2.5, "key.q": 0.03, "hammer_speed": 1.234}
    assert status(channels) == ["finger 2.5 N", "last blow 1.23 m/s"]
    outputs = set(m.system.outputs)
    assert outputs >= {"key.q", "hammer_speed"} | {channel for plot in m.plots for channel in np.ravel(plot)}
    assert all(name in m.system.parameters for name in (dial.name for dial in m.dials))
    assert machines.entry("piano").has_page


def test_a_letter_moves_the_key_faster_and_faster():
    seconds, moved = 0.1, []
    with stage() as it:
        it.hands.move("key.q", DEEPEST, seconds)
        for _ in range(round(seconds / LOOK)):
            it.later(LOOK)
            moved.append(it.hands.values["key.q"])
    t = LOOK * np.arange(len(moved))
    even = (DEEPEST - LOWEST) * (t / seconds) ** 2
    inside = even < 0.9 * DEEPEST
    assert np.abs(np.array(moved) - even)[inside].max() < 0.06 * DEEPEST  # one look late at most


def test_the_step_is_as_the_loop_has_it():
    assert machine().substeps * DT == pytest.approx(TICK)
    assert machine().method == METHOD
