"""Two nodes for the fault tests: a four-bar in its real-time loop, and a device that holds its crank.

Each runs in a thread, or in its own process: `python -m symbody_bench.realtime_nodes ROLE TRANSPORT WHERE`.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from symbody import machines
from symbody.errors import ModelError
from symbody.links.link import Limits
from symbody.links.memory_path import memory_path
from symbody.links.transports import HERE, LinkOptions, open_transport
from symbody.links.udp import Address
from symbody.links.wiring import wiring
from symbody.realtime.loop import Loop
from symbody.realtime.loop_options import Safety
from symbody.realtime.nodes import Node, io_node, model_node
from symbody.realtime.tracking import LowPass
from symbody.system.system import system

Array = np.ndarray
Acts = Callable[[], bool]
INPUTS, OUTPUTS = ["torque", "crank.q"], ["crank.effort"]
LIMITS, PERIOD = Limits(), 0.01  # s between frames
DOMAIN = 98


class HoldingDevice:
    """A device that holds the crank at its initial position."""

    measures: tuple[str, ...] = ("crank.q",)
    takes: tuple[str, ...] = ("crank.effort",)

    def __init__(self) -> None:
        self.effort, self.held = 0.0, np.array(machines.model("four-bar").bodies["crank"].joints[0].q0)

    def read(self) -> Array:
        return self.held

    def command(self, values: Array) -> None:
        self.effort = float(values[0])

    def safe(self) -> None:
        self.effort = 0.0

    def close(self) -> None:
        self.safe()


def line(transport: str, where: str) -> LinkOptions:
    """The link between the nodes: at a port, or under a ROS name."""
    at: Address = (HERE, int(where)) if transport == "udp" else (HERE, 0)
    return LinkOptions(INPUTS, OUTPUTS, transport, where, at, domain=DOMAIN)


@contextmanager
def partner(role: str, transport: str, where: str) -> Iterator[subprocess.Popen[str]]:
    """A node in its own process, once it has started to send."""
    command = [sys.executable, "-m", __name__, role, transport, where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if not process.stdout.readline():
                raise ModelError("the partner does not start", element="faults", cure="see its output above")
            yield process
        finally:
            process.kill()
            memory_path(loop_name(where)).unlink(missing_ok=True)  # left behind by a killed loop


@contextmanager
def node_here(role: str, line: LinkOptions) -> Iterator[tuple[Node, Acts]]:
    """A node in a thread, and a function that says whether effort leaves the loop or reaches the device."""
    made, acts, end = model_end(line) if role == "model" else io_end(line)
    stop = threading.Event()
    thread = threading.Thread(target=made.run, kwargs={"stop": stop})
    thread.start()
    try:
        yield made, acts
    finally:
        stop.set()
        thread.join()
        made.transport.close()
        end()


def model_end(line: LinkOptions) -> tuple[Node, Acts, Callable[[], None]]:
    """The node of the four-bar in its loop, whether effort leaves it, and how to end it."""
    m = machines.model("four-bar")
    m.bodies["crank"].joints[0].nature = "driven"
    s = system(m, inputs=["crank.q"], outputs=OUTPUTS)
    name = loop_name(line.name)
    loop = Loop(s, track={"crank": LowPass()}, name=name, safety=Safety(stale=LIMITS.silence, overrun=None)).start()
    node = model_node(loop, open_transport(line, "model"), limits=LIMITS, period=PERIOD)
    return node, lambda: loop.alive and loop.latest().outputs[0] != 0.0, loop.stop


def io_end(line: LinkOptions) -> tuple[Node, Acts, Callable[[], None]]:
    """The node of the device, whether it receives an effort, and how to end it."""
    grip = HoldingDevice()
    to_model = wiring(INPUTS, grip.measures, {"torque": 0.0})
    node = io_node(grip, open_transport(line, "io"), to_model, limits=LIMITS, period=PERIOD)
    return node, lambda: grip.effort != 0.0, grip.close


def loop_name(where: str) -> str:
    return f"faults-{where}"


if __name__ == "__main__":
    with node_here(sys.argv[1], line(*sys.argv[2:])):
        print("ready", flush=True)
        sys.stdin.read()  # returns when the measuring process ends
