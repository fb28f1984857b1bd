"""Round trips between an I/O node and a model node in two processes of this computer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

from symbody.errors import ModelError
from symbody.links.dds import DdsTransport
from symbody.links.link import SECOND, Limits, LinkEnd
from symbody.links.packet import Transport
from symbody.links.udp import UdpTransport
from symbody.realtime.nodes import model_node
from symbody.realtime.priority import set_realtime_priority

Array = np.ndarray

MODULE = "symbody_bench.round_trips"  # also when it is run as a program
INPUTS, OUTPUTS = ["handle.q", "handle.qd"], ["handle.Q", "step"]
DOMAIN = 99
PATIENCE = 20.0  # s until the partner first answers
LOST = 1.0  # s after which a frame counts as lost
WARM = 20  # round trips for greeting and discovery that do not count
LIMITS = Limits(silence=1.0)
MEASURE, NOT_ALLOWED = "measure", 77  # a role, and its exit status without the right


class Echo:
    """A machine whose outputs are its inputs."""

    def __init__(self) -> None:
        self.step, self.outputs = 0, np.zeros(len(OUTPUTS))

    def give(self, inputs: Array, stamp: float | None = None) -> None:
        self.outputs = inputs

    def latest(self) -> tuple[int, float, Array]:
        self.step += 1
        return self.step, 0.0, self.outputs


def round_trips(transport: str, count: int, priority: int = 0) -> Array:
    """Times (s) from sending a frame to the arrival of its answer over "udp" or "dds", `count` of them, one by one.

    priority: 1 … 99 of SCHED_FIFO for both nodes, 0 for normal priority.
    """
    if transport not in TRANSPORT_PAIRS:
        raise ModelError(f"unknown transport '{transport}'", cure=f"use one of {', '.join(TRANSPORT_PAIRS)}")
    if priority:
        return _urgent_round_trips(transport, count, priority)
    module = [sys.executable, "-m", MODULE, transport, str(os.getpid())]
    with subprocess.Popen(module, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as partner:
        try:
            assert partner.stdout is not None
            told = partner.stdout.readline().strip()
            if not told:
                raise ModelError("the partner does not start", element="round trips", cure="see its output above")
            end = TRANSPORT_PAIRS[transport][1](told)
            try:
                return _measure(end, WARM + count)[WARM:]
            finally:
                end.close()
        finally:
            partner.kill()


def _urgent_round_trips(transport: str, count: int, priority: int) -> Array:
    """The same in a separate process: its children and the threads of DDS inherit the priority."""
    command = [sys.executable, "-m", MODULE, MEASURE, transport, str(count), str(priority)]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if told.returncode == NOT_ALLOWED:
        cure = "docs/realtime.md lists the required rights"
        raise ModelError(f"real-time priority {priority} is not allowed", element="round trips", cure=cure)
    if told.returncode:
        raise ModelError("the measurement failed", element="round trips", cure="see its output above")
    return np.array(json.loads(told.stdout))


def _measure_urgently(transport: str, count: int, priority: int) -> None:
    if not set_realtime_priority(priority):
        sys.exit(NOT_ALLOWED)
    print(json.dumps(round_trips(transport, count).tolist()))


def _measure(transport: Transport, count: int) -> Array:
    link = LinkEnd(LIMITS)
    found: list[float] = []
    patience = time.monotonic() + PATIENCE
    while len(found) < count:
        sent = time.monotonic_ns()
        transport.send(link.outgoing(np.array([len(found), 0.0]), sent))
        answered = _answer(transport, link, sent, LOST if found else 0.1)
        if answered is not None:
            found.append((answered - sent) / SECOND)
            patience = time.monotonic() + PATIENCE
        elif time.monotonic() > patience:
            raise ModelError(
                "the partner does not answer", element="round trips", cure="check for a firewall on loopback"
            )
    return np.array(found)


def _answer(transport: Transport, link: LinkEnd, sent: int, timeout: float) -> int | None:
    """Time (ns) of arrival of the answer to the frame sent at `sent` (ns); None if it takes longer than `timeout` s."""
    end = time.monotonic() + timeout
    while (left := end - time.monotonic()) > 0.0:
        frame = transport.receive(left)
        now = time.monotonic_ns()
        if frame is not None and link.believe(frame, now) and frame.echo == sent:
            return now
    return None


def _udp_model(owner: str) -> tuple[Transport, str]:
    end = UdpTransport(OUTPUTS, INPUTS)
    return end, str(end.address[1])


def _udp_io(port: str) -> Transport:
    return UdpTransport(INPUTS, OUTPUTS, partner=("127.0.0.1", int(port)))


def _dds_model(owner: str) -> tuple[Transport, str]:
    name = f"round_trips_{owner}"
    return DdsTransport(OUTPUTS, INPUTS, name, f"{name}/command", domain=DOMAIN), name


def _dds_io(name: str) -> Transport:
    return DdsTransport(INPUTS, OUTPUTS, f"{name}/command", name, domain=DOMAIN)


TRANSPORT_PAIRS: dict[str, tuple[Callable[[str], tuple[Transport, str]], Callable[[str], Transport]]] = {
    "udp": (_udp_model, _udp_io),
    "dds": (_dds_model, _dds_io),
}

if __name__ == "__main__":
    if sys.argv[1] == MEASURE:
        _measure_urgently(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        made, where = TRANSPORT_PAIRS[sys.argv[1]][0](sys.argv[2])
        print(where, flush=True)
        threading.Thread(target=model_node(Echo(), made, limits=LIMITS, period=0.1).run, daemon=True).start()
        sys.stdin.read()  # returns when the measuring process ends
