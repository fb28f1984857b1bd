"""Why a machine stopped (stop.py), and what Reset does about it."""

from types import SimpleNamespace

import numpy as np
import pytest
from studio_models import crank_machine, swing

import symbody as sb
from symbody.realtime.statistics import FAULTS
from symbody.studio import Dial, Live, Machine
from symbody.studio.messages import Move, Play, Reset, Set, Settings
from symbody.studio.stop import WORDS, stop_of
from waiting import eventually


def loop(state="safe", reason="diverged", outputs=(("arm.q", 1.0), ("arm.qd", -40.0), ("leg.qd", np.nan))):
    names, values = zip(*outputs, strict=True)
    units = SimpleNamespace(units={"arm.qd": "rad/s"})
    return SimpleNamespace(
        state=state, reason=reason, outputs=list(names), channels=units,
        latest=lambda: SimpleNamespace(t=3.9, outputs=np.array(values)),
    )  # fmt: skip


def test_all_faults_of_a_model_have_words_and_others_have_none():
    assert set(WORDS) == set(FAULTS[FAULTS.index("output out of limits") :])
    assert stop_of(loop(reason="stale input"), []) is None
    assert stop_of(loop(state="running", reason=""), []) is None


def test_a_stop_says_when_and_where():
    found = stop_of(loop(), ["k"])
    assert (found.t, found.where, found.set) == (3.9, "arm moved at 40 rad/s", ["k"])
    assert stop_of(loop(reason="output out of limits: roll.q = 0.7"), []).where == "roll.q = 0.7"
    assert stop_of(loop(outputs=(("arm.q", 1.0),)), []).where == ""


def stiffened():
    """The swing with a spring that a dial makes far too stiff for steps of a millisecond."""
    m = swing()
    m.parameter("k", 0.0, "N m/rad", low=0.0, high=1e9)
    m.joint_force("arm")(lambda q, qd, p: p.torque - p.friction * qd - p.k * q)
    return m


@pytest.mark.posix
def test_a_stop_names_the_dials_as_the_page_does():
    machine = Machine("swing", sb.system(stiffened()), dials=[Dial("k", 0.0, 0.0, 1e9, "N m/rad", "Spring")])
    with Live(machine) as live:
        live.obey(Set("k", 1e9))
        eventually(lambda: live.status()["stop"])
        assert live.status()["stop"]["set"] == ["Spring"]


@pytest.mark.posix
def test_reset_puts_back_the_dials_that_were_turned_before_a_stop():
    live = Live(stiffened()).start()
    try:
        live.obey(Settings({"friction": 0.4}))
        live.obey(Reset())  # on purpose, and well: stays
        live.obey(Set("k", 1e9))
        eventually(lambda: live.status()["stop"])
        assert live.status()["stop"]["set"] == ["k"]
        assert live.loop.state == "safe"
        live.obey(Reset())
        eventually(lambda: live.loop.state == "running")
        assert live.status()["dials"]["k"] == 0.0
        assert live.status()["dials"]["friction"] == 0.4
        assert live.status()["stop"] is None
    finally:
        live.close()


@pytest.mark.posix
def test_settings_are_all_set_or_none():
    live = Live(swing()).start()
    try:
        with pytest.raises(Exception, match="out of range"):
            live.obey(Settings({"friction": 0.4, "torque": 1e9}))
        assert live.status()["dials"]["friction"] == 0.3
        live.obey(Settings({"friction": 0.4, "torque": 1.0}))
        assert live.status()["dials"] | {"friction": 0.4, "torque": 1.0} == live.status()["dials"]
    finally:
        live.close()


@pytest.mark.posix
def test_a_machine_that_waits_stands_still_until_it_is_touched():
    live = Live(crank_machine(waits=True)).start()
    try:
        live.welcome()
        eventually(lambda: live.loop.state == "paused")
        assert live.status()["waiting"]
        live.obey(Move("wheel.q", 0.2, 1.0))
        eventually(lambda: live.loop.state == "running")
        assert not live.status()["waiting"]
        live.obey(Reset())
        eventually(lambda: live.loop.state == "paused")
        live.obey(Play())
        eventually(lambda: live.loop.state == "running")
        assert not live.status()["waiting"]
    finally:
        live.close()


@pytest.mark.posix
def test_a_touch_at_once_after_reset_begins_at_the_start():
    """The loop is slow and has not even begun again when the touch comes: controls of before must not return."""
    live = Live(crank_machine(waits=True)).start()
    turned = live.loop.outputs.index("wheel.q")
    try:
        live.welcome()
        eventually(lambda: not live.obey(Move("wheel.q", 0.8, 0.2)) and live.loop.latest().outputs[turned] > 0.6)
        live.loop.slow(300.0)
        live.obey(Reset())
        at, _ = live.loop.records()
        live.obey(Move("wheel.q", 0.0, 1.0))
        assert live.hands.values["wheel.q"] == 0.0
        live.loop.slow(1.0)
        eventually(lambda: live.loop.state == "running" and live.loop.records()[0] > at + 20)
        _, rows = live.loop.records(at + 2)  # but a step that was under way
        assert np.abs(rows[:, live.loop.names.index("wheel.q")]).max() < 0.1
    finally:
        live.close()


@pytest.mark.posix
def test_a_machine_whose_own_lines_fail_runs_on_and_says_so():
    live = Live(crank_machine(shows=lambda channels: [channels["no such"]])).start()
    try:
        assert live.status()["lines"] == ["`shows` of this machine failed: KeyError('no such')"]
        assert live.loop.state != "safe"
    finally:
        live.close()


@pytest.mark.posix
def test_a_law_without_a_value_is_named():
    """√q of an arm that swings through q = 0."""
    m = swing()
    m.joint_force("arm")(lambda q, qd, p: 0.1 * sb.functions.sqrt(q))
    live = Live(m).start()
    try:
        eventually(lambda: live.status()["stop"])
        stop = live.status()["stop"]
        assert stop["where"] == "the law of arm.Q gives nan"
        assert "no value" in stop["why"]
    finally:
        live.close()
