"""The objects of a drive that both sides of the bus use: identifiers, the object dictionary, the process data.

| identifier | frame | data |
|---|---|---|
| 000h | NMT command | command, node |
| 080h | SYNC | none |
| 080h + node | emergency | error code and details |
| 180h + node | process data of the drive (TPDO 1), after each SYNC | status word (u16), position (i32) |
| 200h + node | process data of the controller (RPDO 1) | control word (u16), target position (i32) |
| 580h, 600h + node | SDO answer and request | |
| 700h + node | heartbeat | NMT state |
"""

from __future__ import annotations

import struct
from importlib import import_module
from typing import Any

from symbody.errors import ModelError

NMT, SYNC, EMERGENCY, FEEDBACK, SETPOINT, HEARTBEAT = 0x000, 0x080, 0x080, 0x180, 0x200, 0x700
OPERATIONAL, BOOT_UP = 5, 0  # NMT states in heartbeats
DEVICE_TYPE, CONSUMER_HEARTBEAT, PRODUCER_HEARTBEAT = 0x1000, 0x1016, 0x1017
CONTROL, STATUS, MODE, POSITION, TARGET, DECELERATION = 0x6040, 0x6041, 0x6060, 0x6064, 0x607A, 0x6085
SERVO = 0x0002_0192  # device type: servo drive, profile 402
PROFILE = 402
PROCESS_DATA = struct.Struct("<Hi")  # status or control word, position
SYNCHRONOUS = 1  # transmission type: at each SYNC
NODES = range(1, 127)  # 127 is left to the controller
CONTROLLER = 127  # node number of the controller, for its heartbeat

UNSIGNED8, UNSIGNED16, UNSIGNED32, INTEGER8, INTEGER32 = 0x05, 0x06, 0x07, 0x02, 0x04
VARIABLES: dict[int, tuple[str, int, int]] = {  # index → name, data type, default
    DEVICE_TYPE: ("device type", UNSIGNED32, SERVO),
    PRODUCER_HEARTBEAT: ("producer heartbeat time (ms)", UNSIGNED16, 0),
    CONTROL: ("control word", UNSIGNED16, 0),
    STATUS: ("status word", UNSIGNED16, 0),
    MODE: ("mode of operation", INTEGER8, 0),
    POSITION: ("position", INTEGER32, 0),
    TARGET: ("target position", INTEGER32, 0),
    DECELERATION: ("deceleration of a quick stop (increments/s²)", UNSIGNED32, 100_000),
}
MAPS = {  # communication and mapping of a PDO → identifier
    (0x1400, 0x1600): SETPOINT,
    (0x1800, 0x1A00): FEEDBACK,
}


def packages() -> tuple[Any, Any]:
    """The packages can and canopen, which are optional."""
    try:
        return import_module("can"), import_module("canopen")
    except ImportError as error:
        problem = f"the package {error.name} is not installed"
        raise ModelError(problem, element="canopen", cure='pip install "symbody[canopen]"') from error


def object_dictionary(node: int) -> Any:
    """The object dictionary of a drive (`canopen.ObjectDictionary`)."""
    _, canopen = packages()
    od = canopen.objectdictionary
    made = od.ObjectDictionary()

    def variable(name: str, index: int, subindex: int, kind: int, default: int) -> Any:
        found = od.ODVariable(name, index, subindex)
        found.data_type, found.default = kind, default
        return found

    for index, (name, kind, default) in VARIABLES.items():
        made.add_object(variable(name, index, 0, kind, default))
    watched = od.ODArray("consumer heartbeat time", CONSUMER_HEARTBEAT)
    watched.add_member(variable("entries", CONSUMER_HEARTBEAT, 0, UNSIGNED8, 1))
    watched.add_member(variable("controller", CONSUMER_HEARTBEAT, 1, UNSIGNED32, 0))
    made.add_object(watched)
    for (communication, mapping), identifier in MAPS.items():
        record = od.ODRecord(f"PDO communication {communication:X}", communication)
        record.add_member(variable("entries", communication, 0, UNSIGNED8, 2))
        record.add_member(variable("identifier", communication, 1, UNSIGNED32, identifier + node))
        record.add_member(variable("transmission type", communication, 2, UNSIGNED8, SYNCHRONOUS))
        made.add_object(record)
        array = od.ODRecord(f"PDO mapping {mapping:X}", mapping)
        array.add_member(variable("entries", mapping, 0, UNSIGNED8, 0))
        for k in range(1, 9):
            array.add_member(variable(f"object {k}", mapping, k, UNSIGNED32, 0))
        made.add_object(array)
    return made


def opened_bus(adapter: str, bitrate: int) -> Any:
    """A bus of python-can from INTERFACE:CHANNEL, such as `virtual:ride` or `socketcan:can0`."""
    can, _ = packages()
    interface, colon, channel = adapter.partition(":")
    if not colon or not interface or not channel:
        cure = "give INTERFACE:CHANNEL, such as virtual:ride or socketcan:can0"
        raise ModelError(f"'{adapter}' is not an adapter", element="canopen", cure=cure)
    try:
        return can.Bus(interface=interface, channel=channel, bitrate=bitrate)
    except (can.CanError, OSError, ValueError, ImportError, NotImplementedError) as error:
        cure = "check the name of interface and channel, and that the adapter is plugged in"
        raise ModelError(f"cannot open {adapter}: {error}", element="canopen", cure=cure) from error
