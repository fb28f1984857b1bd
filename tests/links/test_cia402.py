"""CiA 402: numbers of object 6060h, ranges of set points, and the states of a drive."""

import pytest

from symbody.links.cia402 import (
    COMMANDS,
    DISABLED,
    ENABLED,
    FAULT,
    MODES,
    ON,
    QUICK_STOP,
    READY,
    STATUS,
    TO_ENABLED,
    command_of,
    control_word,
    next_state,
    state_of,
    status_of,
)


def test_numbers_and_ranges_are_those_of_the_profile():
    assert {name: mode.number for name, mode in MODES.items()} == {
        "profile position": 1, "profile velocity": 3, "profile torque": 4,
        "cyclic position": 8, "cyclic velocity": 9, "cyclic torque": 10,
    }  # fmt: skip
    assert {mode.largest for mode in MODES.values() if mode.quantity == "torque"} == {32767}
    assert {mode.largest for mode in MODES.values() if mode.quantity != "torque"} == {2147483647}


@pytest.mark.parametrize("state", STATUS)
def test_the_status_word_of_a_state_is_read_as_that_state(state):
    assert state_of(status_of(state)) == state
    assert state_of(status_of(state) | 0x0610) == state  # voltage, remote and target bits do not count


def test_bits_of_no_state_are_seen():
    assert state_of(0x6E) is None
    assert state_of(0x01) is None


def test_a_drive_is_enabled_in_three_steps_and_stopped_by_one():
    state, passed = DISABLED, []
    while state != ENABLED:
        state = next_state(state, control_word(TO_ENABLED[state]))
        passed.append(state)
    assert passed == [READY, ON, ENABLED]
    assert next_state(ENABLED, control_word("quick stop")) == QUICK_STOP
    assert next_state(QUICK_STOP, control_word("enable operation")) == QUICK_STOP
    assert next_state(QUICK_STOP, control_word("disable voltage")) == DISABLED


def test_a_fault_is_left_by_a_reset_only():
    for command in COMMANDS:
        expected = DISABLED if command == "fault reset" else FAULT
        assert next_state(FAULT, control_word(command)) == expected


def test_commands_are_read_as_they_are_written():
    assert {command: command_of(control_word(command)) for command in COMMANDS} == {c: c for c in COMMANDS}
