"""A compiled system at a fixed rate, in step with the clock: the loop, its memory, nodes, devices and recordings."""

from typing import TYPE_CHECKING

from symbody.late_modules import late_names

if TYPE_CHECKING:
    from symbody.realtime.dds import DdsTransport
    from symbody.realtime.devices import (
        Device,
        Hand,
        Handle,
        Joystick,
        Pointer,
        Remote,
        Replay,
        SimulatedAdmittance,
        SimulatedImpedance,
    )
    from symbody.realtime.filter_loop import LiveFilter, LiveTwin
    from symbody.realtime.link import Limits
    from symbody.realtime.loop import Loop
    from symbody.realtime.memory_line import MemoryTransport
    from symbody.realtime.nodes import Node, io_node, model_node
    from symbody.realtime.record import Recorder, save_mcap
    from symbody.realtime.record_read import load_mcap
    from symbody.realtime.serial_port import SerialTransport
    from symbody.realtime.shared import Shared, Snapshot
    from symbody.realtime.statistics import Histogram, Statistics
    from symbody.realtime.tracking import AlphaBetaGamma, LowPass, Smooth, delay, response
    from symbody.realtime.udp import UdpTransport
    from symbody.realtime.wiring import wiring

# The studio serves its page before all of them are imported.
_HOMES = {
    "realtime.dds": "DdsTransport",
    "realtime.devices": "Device Hand Handle Joystick Pointer Remote Replay SimulatedAdmittance SimulatedImpedance",
    "realtime.filter_loop": "LiveFilter LiveTwin",
    "realtime.link": "Limits",
    "realtime.loop": "Loop",
    "realtime.memory_line": "MemoryTransport",
    "realtime.nodes": "Node io_node model_node",
    "realtime.record": "Recorder save_mcap",
    "realtime.record_read": "load_mcap",
    "realtime.serial_port": "SerialTransport",
    "realtime.shared": "Shared Snapshot",
    "realtime.statistics": "Histogram Statistics",
    "realtime.tracking": "AlphaBetaGamma LowPass Smooth delay response",
    "realtime.udp": "UdpTransport",
    "realtime.wiring": "wiring",
}
late_names(__name__, _HOMES)

__all__ = [
    "AlphaBetaGamma", "DdsTransport", "Device", "Hand", "Handle", "Histogram", "Joystick", "Limits", "LiveFilter",
    "LiveTwin", "Loop", "LowPass", "MemoryTransport", "Node", "Pointer", "Recorder", "Remote", "Replay",
    "SerialTransport", "Shared", "SimulatedAdmittance", "SimulatedImpedance", "Smooth", "Snapshot", "Statistics",
    "UdpTransport", "delay", "io_node", "load_mcap", "model_node", "response", "save_mcap", "wiring",
]  # fmt: skip
