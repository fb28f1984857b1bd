"""Outputs of a running ride: references for drives over CANopen, or for a controller over UDP or a serial line.

Examples
--------
A ride sends set points; its partner receives them, here on the same computer:

>>> import numpy as np
>>> from symbody.machines.platform import platform_data
>>> from symbody.motion.outputs import OutputStatus, OutputThread, PlatformReceiver, RideOutput, RideSample
>>> from symbody.motion.outputs import BusOutput, PacketOutput, opened_output, udp_receiver
>>> data = platform_data()
>>> partner: PlatformReceiver = udp_receiver(("127.0.0.1", 0))
>>> thread: OutputThread = opened_output("udp:127.0.0.1:47999", data)
>>> sample = RideSample("running", data.neutral_axes, np.zeros(8), at=0.0)
>>> works = OutputStatus("", delay=0.002)
>>> drives: RideOutput = BusOutput(data, "virtual:outputs-help")
>>> from symbody.links import UdpTransport
>>> from symbody.motion.outputs.packet_output import MEASURED, SET_POINTS
>>> packets = PacketOutput(UdpTransport(SET_POINTS, MEASURED, partner=("127.0.0.1", 47998)), "controller", data)
>>> packets.name
'controller'
"""

from symbody.motion.outputs.bus_output import BusOutput
from symbody.motion.outputs.named_output import opened_output
from symbody.motion.outputs.output_pace import OutputPace
from symbody.motion.outputs.output_thread import OutputStatus, OutputThread, RideOutput, RideSample
from symbody.motion.outputs.packet_output import PacketOutput, PlatformReceiver, udp_receiver

__all__ = [
    "BusOutput", "OutputPace", "OutputStatus", "OutputThread", "PacketOutput", "PlatformReceiver", "RideOutput",
    "RideSample", "opened_output", "udp_receiver",
]  # fmt: skip
