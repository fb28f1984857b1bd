"""A plain machine and a plain device for the tests of nodes; as a script, one of them as a node of its own."""

import sys
import threading
from contextlib import contextmanager

import numpy as np

from symbody.links.link import Limits
from symbody.links.udp import UdpTransport
from symbody.realtime.nodes import io_node, model_node

INPUTS, OUTPUTS = ["hand.q"], ["hand.Q", "count"]
LIMITS = Limits(silence=0.1)  # the stated safe time
MARGIN = 10.0  # times the safe time that a loaded machine may need
SAFE = [0.0]  # input while nobody tells any
PERIOD = 0.01


class PlainMachine:
    """hand.Q = −2 hand.q; a step each time somebody looks."""

    def __init__(self):
        self.step, self.inputs, self.outputs, self.given = 0, np.zeros(1), None, []

    def give(self, inputs, stamp=None):
        assert np.all(np.isfinite(inputs))
        self.inputs = np.array(inputs)
        self.given.append((stamp, float(inputs[0])))

    def latest(self):
        self.step += 1
        return self.step, 0.0, np.array([-2.0 * self.inputs[0], self.step]) if self.outputs is None else self.outputs


class PlainDevice:
    """Measures what it is set to, remembers what it was commanded."""

    measures, takes = ("hand.q",), ("hand.Q",)

    def __init__(self, value=3.0):
        self.value, self.force, self.commands, self.broken = value, 0.0, 0, False

    def read(self):
        if self.broken:
            raise OSError("unplugged")
        return np.array([self.value])

    def command(self, values):
        assert np.all(np.isfinite(values))
        self.force, self.commands = float(values[0]), self.commands + 1

    def safe(self):
        self.force = 0.0

    def close(self):
        self.safe()


def first(outputs):
    """Of the model's outputs the device takes the first."""
    return outputs[:1]


@contextmanager
def running(node):
    """A node in a thread; stopped, and its socket closed, at the end."""
    stop = threading.Event()
    failed = []

    def work():
        try:
            node.run(stop=stop)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield node
        assert thread.is_alive(), failed
    finally:
        stop.set()
        thread.join()
        node.transport.close()


def plain_model(machine, port=0):
    """A model node of a machine at a port."""
    transport = UdpTransport(OUTPUTS, INPUTS, bind=("127.0.0.1", port))
    return model_node(machine, transport, limits=LIMITS, period=PERIOD, safe=SAFE)


def plain_io(device, address):
    """An I/O node of a device, for a model node at an address."""
    return io_node(
        device, UdpTransport(INPUTS, OUTPUTS, partner=address), to_device=first, limits=LIMITS, period=PERIOD
    )


if __name__ == "__main__":
    if sys.argv[1] == "model":
        plain_model(PlainMachine(), int(sys.argv[2])).run(until=120.0)
    else:
        plain_io(PlainDevice(float(sys.argv[3])), ("127.0.0.1", int(sys.argv[2]))).run(until=120.0)
