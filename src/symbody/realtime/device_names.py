"""Devices by name, for the command line and for files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from symbody.errors import ModelError
from symbody.links.devices.device import Device
from symbody.links.devices.joystick import Joystick
from symbody.links.devices.remote import Remote
from symbody.links.devices.replay import Replay
from symbody.links.devices.simulated import SimulatedAdmittance, SimulatedImpedance
from symbody.links.serial_port import SerialTransport
from symbody.links.transports import address
from symbody.links.udp import UdpTransport
from symbody.realtime.record_read import load_mcap
from symbody.results.run import Run


@dataclass(frozen=True)
class DeviceOptions:
    """Options of a device: where it is, and its channels."""

    path: str = ""  # a recording, a device file, or HOST:PORT to listen at
    axes: Sequence[str] = ("x",)
    measures: Sequence[str] = ()
    takes: Sequence[str] = ()
    token: bytes = b""


def open_device(kind: str, options: DeviceOptions) -> Device:
    """Open a device by its kind, one of `DEVICES`."""
    if kind not in DEVICES:
        raise ModelError(f"unknown device '{kind}'", element="device", cure=f"use one of {', '.join(DEVICES)}")
    return DEVICES[kind](options)


def _joystick(options: DeviceOptions) -> Device:
    return Joystick(options.path) if options.path else Joystick()


def _replay(options: DeviceOptions) -> Device:
    path = Path(_path(options, "a recording: .mcap, .parquet or .csv"))
    run = load_mcap(path) if path.suffix == ".mcap" else Run.load(path)
    return Replay(run, options.measures or run.names, options.takes)


def _serial(options: DeviceOptions) -> Device:
    port = _path(options, "the port, such as /dev/ttyACM0")
    line = SerialTransport(options.takes, options.measures, port, token=options.token)
    return Remote(line, options.measures, options.takes)


def _udp(options: DeviceOptions) -> Device:
    bind = address(_path(options, "HOST:PORT to listen at for the device"))
    return Remote(
        UdpTransport(options.takes, options.measures, bind=bind, token=options.token), options.measures, options.takes
    )


def _path(options: DeviceOptions, what: str) -> str:
    if not options.path:
        raise ModelError("a path is missing", element="device", cure=f"give {what}")
    return options.path


DEVICES: dict[str, Callable[[DeviceOptions], Device]] = {
    "simulated": lambda options: SimulatedImpedance(options.axes),
    "admittance": lambda options: SimulatedAdmittance(options.axes),
    "replay": _replay,
    "joystick": _joystick,
    "serial": _serial,
    "udp": _udp,
}
