"""Devices by name, for the command line and for files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from symbody.errors import ModelError
from symbody.realtime.devices.device import Device
from symbody.realtime.devices.joystick import Joystick
from symbody.realtime.devices.remote import Remote
from symbody.realtime.devices.replay import Replay
from symbody.realtime.devices.simulated import SimulatedAdmittance, SimulatedImpedance
from symbody.realtime.record_read import load_mcap
from symbody.realtime.serial_port import SerialTransport
from symbody.realtime.transports import address
from symbody.realtime.udp import UdpTransport
from symbody.results.run import Run


@dataclass(frozen=True)
class Wanted:
    """What is known of a device before it is there."""

    path: str = ""  # a recording, a device file, or HOST:PORT where it listens
    axes: Sequence[str] = ("x",)
    measures: Sequence[str] = ()
    takes: Sequence[str] = ()
    token: bytes = b""


def open_device(kind: str, wanted: Wanted) -> Device:
    """A device of a kind of `DEVICES`."""
    if kind not in DEVICES:
        raise ModelError(f"no device '{kind}'", element="device", cure=f"it is one of {', '.join(DEVICES)}")
    return DEVICES[kind](wanted)


def _joystick(wanted: Wanted) -> Device:
    return Joystick(wanted.path) if wanted.path else Joystick()


def _replay(wanted: Wanted) -> Device:
    path = Path(_path(wanted, "a recording: .mcap, .parquet or .csv"))
    run = load_mcap(path) if path.suffix == ".mcap" else Run.load(path)
    return Replay(run, wanted.measures or run.names, wanted.takes)


def _serial(wanted: Wanted) -> Device:
    port = _path(wanted, "the port, such as /dev/ttyACM0")
    line = SerialTransport(wanted.takes, wanted.measures, port, token=wanted.token)
    return Remote(line, wanted.measures, wanted.takes)


def _udp(wanted: Wanted) -> Device:
    bind = address(_path(wanted, "HOST:PORT where to listen for the device"))
    return Remote(
        UdpTransport(wanted.takes, wanted.measures, bind=bind, token=wanted.token), wanted.measures, wanted.takes
    )


def _path(wanted: Wanted, what: str) -> str:
    if not wanted.path:
        raise ModelError("a path is missing", element="device", cure=f"give {what}")
    return wanted.path


DEVICES: dict[str, Callable[[Wanted], Device]] = {
    "simulated": lambda wanted: SimulatedImpedance(wanted.axes),
    "admittance": lambda wanted: SimulatedAdmittance(wanted.axes),
    "replay": _replay,
    "joystick": _joystick,
    "serial": _serial,
    "udp": _udp,
}
