"""Outputs of a running ride: references for drives over CANopen, or for a controller over UDP or a serial line."""

from symbody.motion.outputs.bus_output import BusOutput
from symbody.motion.outputs.named_output import opened_output
from symbody.motion.outputs.output_pace import OutputPace
from symbody.motion.outputs.output_thread import OutputStatus, OutputThread, RideOutput, RideSample
from symbody.motion.outputs.packet_output import PacketOutput, PlatformReceiver, udp_receiver

__all__ = [
    "BusOutput", "OutputPace", "OutputStatus", "OutputThread", "PacketOutput", "PlatformReceiver", "RideOutput",
    "RideSample", "opened_output", "udp_receiver",
]  # fmt: skip
