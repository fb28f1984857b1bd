"""Links to other processes, machines and devices: packets over UDP, serial lines, DDS and shared memory.

Examples
--------
Two ends of a link, a simulated device, and wires between channels:

>>> import numpy as np
>>> from symbody.links import Device, Hand, Handle, Limits, Remote, SimulatedAdmittance, SimulatedImpedance
>>> from symbody.links import UdpTransport, wiring
>>> device: Device = SimulatedImpedance(("x",), Handle(friction=0.3), Hand(pushes=lambda t: 1.0))
>>> device.measures, device.takes
(('x.q', 'x.qd'), ('x.Q',))
>>> to_model = wiring(["torque"], device.measures, {"torque": "x.q"})
>>> to_model(np.array([0.5, 0.0]))
array([0.5])
>>> line = UdpTransport(["x.Q"], ["x.q"], bind=("127.0.0.1", 0))
>>> far = Remote(line, ["x.q"], ["x.Q"], Limits(silence=0.1))
>>> far.read()
array([nan])
>>> line.close()
>>> SimulatedAdmittance(("x",)).measures
('x.Q',)

Other devices and transports; a device that is unplugged measures NaN:

>>> import symbody as sb
>>> from symbody.links import Joystick, MemoryTransport, Pointer, Replay
>>> Joystick("/dev/input/js99", axes=1, buttons=0).read()
array([nan])
>>> hand = Pointer()
>>> hand.feed(0.1, 0.2)
>>> hand.read()
array([0.1, 0.2])
>>> again = Replay(sb.simulate(sb.machines.model("pendulum"), 0.01, 1e-3), ["bob.q"])
>>> again.measures
('bob.q',)
>>> shared = MemoryTransport("links-help", "inputs", "outputs", owner=True)
>>> shared.close()
"""

from symbody.lazy_imports import lazy_names

# Type checkers read __init__.pyi, which tests/stubs.py writes from this table.
_NAMES = {
    "links.dds": "DdsTransport",
    "links.devices": "Device Hand Handle Joystick Pointer Remote Replay SimulatedAdmittance SimulatedImpedance",
    "links.link": "Limits",
    "links.serial_port": "SerialTransport",
    "links.shared_memory": "MemoryTransport",
    "links.udp": "UdpTransport",
    "links.wiring": "wiring",
}

__all__ = lazy_names(__name__, _NAMES)
