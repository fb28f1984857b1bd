"""Modes of operation of CiA 402: numbers of object 6060h, and ranges of their set points."""

from symbody.links.cia402 import MODES


def test_numbers_and_ranges_are_those_of_the_profile():
    assert {name: mode.number for name, mode in MODES.items()} == {
        "profile position": 1, "profile velocity": 3, "profile torque": 4,
        "cyclic position": 8, "cyclic velocity": 9, "cyclic torque": 10,
    }  # fmt: skip
    assert {mode.largest for mode in MODES.values() if mode.quantity == "torque"} == {32767}
    assert {mode.largest for mode in MODES.values() if mode.quantity != "torque"} == {2147483647}
