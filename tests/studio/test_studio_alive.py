"""Machines that live: whatever `symbody studio NAME` shows does not stop in 20 s of its own time, or 100 000 steps."""

import time

import pytest

import symbody as sb
from symbody import machines
from symbody.studio.machine_loop import machine_loop
from symbody.studio.model_machine import model_machine
from symbody.studio.stop import WORDS
from waiting import eventually

pytestmark = [pytest.mark.posix, pytest.mark.slow]
LONG = 20.0  # s of the model
MOST = 100_000  # steps: 2.5 s of a crash, which is over after 0.7 s
PATIENCE = 120.0  # s of the clock: who has not ended by then is slower than real time, and lives

ROBOTS = {  # as public ones: an arm whose zero is beyond a limit, a gripper that mimics, a tree on a floating base
    "arm": '<joint name="{j}1" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 0 0.3"/>'
    '<axis xyz="0 0 1"/>'
    '<limit lower="-2.9" upper="2.9" effort="87" velocity="2.2"/></joint>'
    '<joint name="{j}2" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>'
    '<limit lower="-3.07" upper="-0.07" effort="87" velocity="2.2"/><dynamics damping="0.5"/></joint>'
    '<joint name="{j}3" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0.4 0 0"/>'
    '<axis xyz="0 1 0"/></joint>',
    "gripper": '<joint name="{j}1" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>'
    '<limit lower="0" upper="0.5" effort="0" velocity="0"/></joint>'
    '<joint name="left" type="revolute"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>'
    '<limit lower="0" upper="0.8" effort="2" velocity="1"/></joint>'
    '<joint name="right" type="revolute"><parent link="a"/><child link="c"/><origin xyz="0 0.1 0"/><axis xyz="1 0 0"/>'
    '<limit lower="-0.8" upper="0" effort="2" velocity="1"/><mimic joint="left" multiplier="-1"/></joint>',
    "walker": '<joint name="root" type="floating"><parent link="base"/><child link="a"/></joint>'
    '<joint name="{j}1" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0.1 0"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="50" velocity="5"/></joint>'
    '<joint name="{j}2" type="revolute"><parent link="a"/><child link="c"/><origin xyz="0 -0.1 0"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="50" velocity="5"/></joint>',
}  # fmt: skip
LINK = (
    '<link name="{}"><inertial><origin xyz="0.2 0 0.05"/><mass value="2"/>'
    '<inertia ixx="0.01" iyy="0.04" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)


def names():
    """Every machine, and every variant that is another: the first is the machine, unless that has a page of its own."""
    return [
        name
        for one in machines.entries()
        for name in [one.name, *(f"{one.name}-{variant}" for variant in list(one.variants)[not one.has_page :])]
    ]


def lives(machine):
    """Whether it has not stopped by itself, run as fast as it can."""
    with machine_loop(machine, overrun=None, stale=None, priority=0, history=0.1) as loop:
        loop.slow(1e-3)
        until, span = time.monotonic() + PATIENCE, min(LONG, MOST / (machine.rate * machine.substeps))
        while loop.latest().t < span and time.monotonic() < until:
            assert loop.state != "safe", (loop.latest().t, loop.reason)
            time.sleep(0.02)
        return loop.reason.partition(":")[0] not in WORDS


@pytest.mark.parametrize("name", names())
def test_a_machine_goes_on(name):
    assert lives(machines.entry(name).page())


def test_a_machine_with_a_program_begins_again_in_the_middle_of_it():
    """The rack of the car is a function of time: at 1.6 s it is 9 mm away from where the start state has it."""
    machine = machines.entry("car-suspension").page()
    with machine_loop(machine, overrun=None, stale=None, priority=0, history=0.1) as loop:
        loop.slow(1e-3)
        assert loop.wait(1600, PATIENCE)
        loop.restart()
        eventually(lambda: loop.begun[0] == 1)
        assert loop.wait(loop.begun[1] + 200, PATIENCE), loop.reason
        assert loop.history("rack.q")["rack.q"][-1] == 0.0


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_holds_its_pose(name, tmp_path):
    path = tmp_path / f"{name}.urdf"
    links = "".join(LINK.format(link) for link in "abc")
    path.write_text(f'<robot name="{name}"><link name="base"/>{links}{ROBOTS[name].format(j="joint")}</robot>')
    machine = model_machine(sb.load(path), 1000.0, None, {})
    assert lives(machine)
    with machine_loop(machine, overrun=None, stale=None, priority=0) as loop:
        loop.slow(1e-3)
        loop.wait(3000, 60.0)
        speeds = loop.history("*.qd")
        assert max(abs(speeds[channel]).max() for channel in speeds.names) < 1e-2  # nothing flails


def test_the_platform_lives_at_all_ends_of_its_sliders():
    """Legs of a motion platform within their stroke never bring it to a singular position."""
    machine = machines.entry("stewart").page()
    targets = [dial for dial in machine.dials if dial.name.startswith("target_")]
    with machine_loop(machine, overrun=None, stale=None, priority=0) as loop:
        loop.slow(1e-3)
        for corner in range(0, 64, 7):
            loop.give({d.name: (d.low, d.high)[corner >> k & 1] for k, d in enumerate(targets)})
            assert loop.wait(loop.latest().step + 2000, 60.0), (corner, loop.reason)
