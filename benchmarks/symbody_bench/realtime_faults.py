"""Times until machines are safe after their partner is killed or the link is cut, and until they resume."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from tqdm import tqdm

from symbody.errors import ModelError
from symbody.links.transports import HERE, ROLES
from symbody.realtime.loop_memory import Shared
from symbody_bench.realtime_nodes import LIMITS, PERIOD, Acts, line, loop_name, node_here, partner
from symbody_bench.realtime_part import BenchPart
from symbody_bench.realtime_relay import Relay
from symbody_bench.realtime_roundtrip import is_there

STATED = LIMITS.silence + PERIOD  # s until safe, as stated in docs/middleware.md
PATIENCE = 30.0  # s
LOOK = 1e-4  # s between checks
SETTLED = 0.3  # s on a link before it is cut
KILLS, CUTS, CUT, QUIET = 10, 3, 5.0, 10.0  # kills of each node; cuts of a link, their s; s on a bad link before
NAMES = {"model": "model", "io": "I/O"}  # of the roles
BAD = {"loss": 0.2, "delay": 0.05}  # share, s each way


def faults_part(transports: Sequence[str], kills: int = KILLS, cut: float = CUT, progress: bool = False) -> BenchPart:
    """Kill each node, and cut a good and a bad link: times (ms) until safe and until resumed."""
    part = BenchPart()
    there = [transport for transport in transports if is_there(transport, part)]
    cases: list[tuple[str, str, Callable[[], dict[str, Any]]]] = [
        (f"{NAMES[role]} node killed", transport, partial(killed, role, transport, kills))
        for transport in there
        for role in ROLES
    ]
    if "udp" in there:
        bad = f"{100 * BAD['loss']:g} % lost and {1e3 * BAD['delay']:g} ms late, then cut"
        cases.append((f"line cut for {cut:g} s", "udp", partial(severed, cut)))
        cases.append((bad, "udp", partial(severed, cut, QUIET * cut / CUT, **BAD)))
    with tqdm(cases, disable=not progress, unit="fault") as bar:
        for what, transport, measure in bar:
            bar.set_description(what)
            part.rows.append({"what": what, "line": transport, **measure()})
    return part


def killed(role: str, transport: str, times: int) -> dict[str, Any]:
    """Kill and restart the node of a role several times; the reaction of the other node."""
    where = str(_free_port()) if transport == "udp" else f"faults_{os.getpid()}_{role}"
    safe, resumed = [], []
    with node_here("io" if role == "model" else "model", line(transport, where)) as (_, acts):
        for _ in range(times + 1):
            with partner(role, transport, where) as process:
                resumed.append(until(acts))
                time.sleep(SETTLED)
                process.kill()
                safe.append(until(lambda: not acts()))
    return _row(safe[1:], resumed[1:], STATED)  # without the first: its partner had not been there before


def severed(seconds: float, quiet: float = 0.0, loss: float = 0.0, delay: float = 0.0) -> dict[str, Any]:
    """Cut the link between the nodes for some seconds; both must become safe and resume."""
    port, safe, resumed = _free_port(), [], []
    with (
        partner("model", "udp", str(port)),
        Relay((HERE, port), loss, delay) as relay,
        node_here("io", line("udp", str(relay.address[1]))) as (node, acts),
    ):
        until(acts)
        loop = Shared.attach(loop_name(str(port)))
        time.sleep(SETTLED + quiet)
        before = {"safe before": node.link.counts["safe"] - 1}  # without the initial safe state
        for _ in range(CUTS):
            relay.is_cut = True
            safe.append(until(lambda: not acts() and not loop.alive))
            time.sleep(seconds)
            relay.is_cut = False
            resumed.append(until(lambda: acts() and loop.alive))
    return _row(safe, resumed, STATED + delay) | (before if quiet else {})


def until(happened: Acts) -> float:
    """Seconds until a condition is true."""
    start = time.monotonic()
    while not happened():
        if time.monotonic() - start > PATIENCE:
            raise ModelError(
                "the nodes do not find each other", element="faults", cure="check for a firewall on loopback"
            )
        time.sleep(LOOK)
    return time.monotonic() - start


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind((HERE, 0))
        return int(probe.getsockname()[1])


def _row(safe: Sequence[float], resumed: Sequence[float], stated: float) -> dict[str, Any]:
    row: dict[str, Any] = {"times": len(safe), "stated_ms": round(1e3 * stated)}
    for name, times in (("safe", safe), ("resumed", resumed)):
        row |= {f"{name}_ms": round(1e3 * float(np.median(times)), 1), f"{name}_max_ms": round(1e3 * max(times), 1)}
    return row
