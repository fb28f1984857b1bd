"""Those who load a studio, each a process of its own: `python -m symbody_bench.load_clients ROLE ARGUMENT …`.

Each says "ready" once it is at work, ends when its input is closed, and then says what it counted as JSON. Browsers and
the flood import nothing of the package: there are many, and they start on a machine that is measured.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from math import sin, tau
from typing import Any

HERE = "127.0.0.1"
OFFERS = "SYMBODY_OFFERS"  # variable with what browsers offer to touch, by commas: a command line is seen by others
PACKET = 1400  # bytes
MOUSE = 60.0  # messages in a second from a hand that pulls
SWAY, REACH = 0.5, 0.1  # Hz and m of that hand
OPENING = 120.0  # s until a browser is there, on a machine that has others to open
LOOK = 0.01  # s between looks at what is to be recorded

ended = threading.Event()


def main(role: str, *arguments: str) -> None:
    """Play a role until the input is closed."""
    counted = ROLES[role](*arguments)
    print(json.dumps(counted), flush=True)


def ready() -> None:
    """Say so, and listen for the end."""
    print("ready", flush=True)
    threading.Thread(target=_await_end, daemon=True).start()


def _await_end() -> None:
    sys.stdin.read()
    ended.set()


# -- browsers ----------------------------------------------------------------------------------------------------------


def watch(port: str, count: str) -> dict[str, Any]:
    """So many browsers that watch the motion and plot two channels."""
    return asyncio.run(_browsers(int(port), int(count), pulls=False))


def touch(port: str) -> dict[str, Any]:
    """One browser that pulls a body."""
    return asyncio.run(_browsers(int(port), 1, pulls=True))


async def _browsers(port: int, count: int, pulls: bool) -> dict[str, Any]:
    from websockets.asyncio.client import connect

    heard: Counter[str] = Counter()
    address = f"ws://{HERE}:{port}/socket"
    options: dict[str, Any] = {
        "subprotocols": os.environ[OFFERS].split(","), "max_size": None, "open_timeout": OPENING,
    }  # fmt: skip
    sockets, works = [], []
    for _ in range(count):
        one = await connect(address, ping_interval=None, **options)
        hello = json.loads(await one.recv())["hello"]
        first = [name for name in hello["units"] if name.endswith(".q")][:2]
        await one.send(json.dumps({"do": "watch", "channels": first}))
        sockets.append(one)
        works.append(asyncio.create_task(_listen(one, heard)))
        if pulls:
            works.append(asyncio.create_task(_pull(one, hello["pulled"][0])))
    heard.clear()
    began = time.monotonic()
    ready()
    while not ended.is_set():
        await asyncio.sleep(0.1)
    seconds = time.monotonic() - began
    gone = Counter(str(one.protocol.close_exc) for one in sockets if one.close_code is not None)
    for work in works:
        work.cancel()
    await asyncio.gather(*works, return_exceptions=True)
    for one in sockets:
        one.transport.abort()
    each = {f"{kind}/s": round(n / seconds / count, 1) for kind, n in heard.items()}
    return {"browsers": count, "lost": sum(gone.values()), "why": dict(gone), **each}


async def _listen(one: Any, heard: Counter[str]) -> None:
    async for message in one:
        heard["messages" if isinstance(message, bytes) else "texts"] += 1


async def _pull(one: Any, frame: int) -> None:
    while True:
        to = [REACH * sin(tau * SWAY * time.monotonic()), 0.0, 1.0]
        await one.send(json.dumps({"do": "pull", "frame": frame, "at": [0.0, 0.0, 0.0], "to": to}))
        await asyncio.sleep(1.0 / MOUSE)


# -- others ------------------------------------------------------------------------------------------------------------


def node(name: str, port: str) -> dict[str, Any]:
    """The node of the model, which is flooded."""
    from symbody.realtime.nodes import model_node
    from symbody.realtime.shared import Shared
    from symbody.realtime.udp import UdpTransport

    loop = Shared.attach(name)
    transport = UdpTransport(loop.outputs, loop.channels.given, bind=(HERE, int(port)))
    made = model_node(loop, transport)
    ready()
    counted = made.run(stop=ended)
    transport.close()
    return {"refused": sum(counted["refused"].values())}


def flood(port: str) -> dict[str, Any]:
    """Packets of garbage, as fast as they go."""
    sent, packet = 0, bytes(range(256)) * (PACKET // 256)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        began = time.monotonic()
        ready()
        while not ended.is_set():
            try:
                out.sendto(packet[: sent % len(packet)], (HERE, int(port)))
            except OSError:  # a buffer that is full, or nobody there yet
                continue
            sent += 1
    return {"packets/s": round(sent / (time.monotonic() - began))}


def record(name: str, path: str) -> dict[str, Any]:
    """Every record of the loop into a file."""
    from symbody.realtime.record import Recorder
    from symbody.realtime.shared import Shared

    loop = Shared.attach(name)
    since, written = loop.records()[0], 0
    first = len(loop.names) - len(loop.outputs)
    with Recorder(path, {"machine": loop.outputs}) as recorder:
        ready()
        while not ended.wait(LOOK):
            since, rows = loop.records(since)
            for row in rows:
                recorder.write("machine", row[first:])
            written += len(rows)
    return {"records": written, "lost": recorder.lost, "failed": recorder.failed}


ROLES: dict[str, Callable[..., dict[str, Any]]] = {
    "watch": watch,
    "touch": touch,
    "node": node,
    "flood": flood,
    "record": record,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
