"""Clients that load a studio, each in its own process: `python -m symbody_bench.load_clients ROLE ARGUMENT …`.

Each prints "ready" when it works, ends when its input is closed, and then prints its counts as JSON. Browsers and the
flood do not import the package: there are many, and they start on a computer that is being measured.
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
from contextlib import suppress
from math import sin, tau
from typing import Any

HERE = "127.0.0.1"
OFFERS = "SYMBODY_OFFERS"  # variable with the tokens for control, by commas: other users can see command lines
PACKET = 1400  # bytes
MOUSE = 60.0  # messages per second of a hand that pulls
SWAY, REACH = 0.5, 0.1  # Hz and m of that hand
OPENING = 120.0  # s until a browser is open, on a computer that opens many
LOOK = 0.01  # s between checks for new records
PAUSE_EVERY, PAUSE_LOOK, PAUSE_MOST = (
    3.0,
    2e-4,
    10.0,
)  # s between pauses, between looks at the loop, and until one counts as lost
BAUD = 921_600  # of the serial line; a byte takes ten bits
BURST = 0.01  # s of noise written at once

ended = threading.Event()


def main(role: str, *arguments: str) -> None:
    """Run a role until the input is closed."""
    counted = ROLES[role](*arguments)
    print(json.dumps(counted), flush=True)


def ready() -> None:
    """Print "ready" and wait for the end in a thread."""
    print("ready", flush=True)
    threading.Thread(target=_await_end, daemon=True).start()


def _await_end() -> None:
    sys.stdin.read()
    ended.set()


# -- browsers ----------------------------------------------------------------------------------------------------------


def watch(port: str, count: str, place: str, rate: str) -> dict[str, Any]:
    """Browsers at the address `place`, without the token, that ask for plots `rate` times a second."""
    return asyncio.run(_browsers(int(port), int(count), pulls=False, place=place, rate=float(rate)))


def touch(port: str) -> dict[str, Any]:
    """One browser that pulls a body."""
    return asyncio.run(_browsers(int(port), 1, pulls=True))


async def _browsers(port: int, count: int, pulls: bool, place: str | None = None, rate: float = 0.0) -> dict[str, Any]:
    from websockets.asyncio.client import connect

    heard: Counter[str] = Counter()
    address = f"ws://{HERE}:{port}/socket"
    offers = os.environ[OFFERS].split(",")
    options: dict[str, Any] = {
        "subprotocols": offers if pulls else offers[:1], "max_size": None, "open_timeout": OPENING,
        **({"local_addr": (place, 0)} if place else {}),
    }  # fmt: skip
    sockets, works = [], []
    for _ in range(count):
        one = await connect(address, ping_interval=None, **options)
        hello = json.loads(await one.recv())["hello"]
        first = [name for name in hello["units"] if name.endswith(".q")][:2]
        await one.send(json.dumps({"do": "watch", "channels": first}))
        sockets.append(one)
        works.append(asyncio.create_task(_listen(one, heard)))
        if rate:
            works.append(asyncio.create_task(_ask(one, first, rate, heard)))
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


async def _ask(one: Any, channels: list[str], rate: float, heard: Counter[str]) -> None:
    """Ask for the past of plots, for one channel and for all in turn."""
    while True:
        await one.send(json.dumps({"do": "watch", "channels": channels[: 1 + heard["asked"] % len(channels)]}))
        heard["asked"] += 1
        await asyncio.sleep(1.0 / rate)


async def _pull(one: Any, frame: int) -> None:
    while True:
        to = [REACH * sin(tau * SWAY * time.monotonic()), 0.0, 1.0]
        await one.send(json.dumps({"do": "pull", "frame": frame, "at": [0.0, 0.0, 0.0], "to": to}))
        await asyncio.sleep(1.0 / MOUSE)


def pause(port: str, name: str) -> dict[str, Any]:
    """A browser that pauses the loop and lets it go on; ms from each message to the pause."""
    return asyncio.run(_pauses(int(port), name))


async def _pauses(port: int, name: str) -> dict[str, Any]:
    from websockets.asyncio.client import connect

    from symbody.realtime.loop_memory import Shared

    loop, took, lost = Shared.attach(name), list[float](), 0
    options: dict[str, Any] = {"subprotocols": os.environ[OFFERS].split(","), "max_size": None}
    async with connect(f"ws://{HERE}:{port}/socket", open_timeout=OPENING, ping_interval=None, **options) as one:
        listening = asyncio.create_task(_listen(one, Counter()))
        ready()
        while not ended.is_set():
            await asyncio.sleep(PAUSE_EVERY)
            began = time.monotonic()
            await one.send(json.dumps({"do": "pause"}))
            while loop.state != "paused" and time.monotonic() < began + PAUSE_MOST:
                await asyncio.sleep(PAUSE_LOOK)
            seconds = time.monotonic() - began
            took, lost = [*took, 1e3 * seconds], lost + (seconds > PAUSE_MOST)
            await one.send(json.dumps({"do": "play"}))
        while loop.state == "paused":
            await asyncio.sleep(LOOK)
        listening.cancel()
    ordered = sorted(took) or [float("nan")]
    return {
        "pauses": len(took),
        "ms 50 %": round(ordered[len(took) // 2], 1),
        "ms 95 %": round(ordered[int(0.95 * len(took))], 1),
        "ms max": round(ordered[-1], 1),
        "lost": lost,
    }


# -- others ------------------------------------------------------------------------------------------------------------


def node(name: str, port: str) -> dict[str, Any]:
    """The node of the model, which is flooded."""
    from symbody.links.udp import UdpTransport
    from symbody.realtime.loop_memory import Shared
    from symbody.realtime.nodes import model_node

    loop = Shared.attach(name)
    transport = UdpTransport(loop.outputs, loop.channels.given, bind=(HERE, int(port)))
    made = model_node(loop, transport)
    ready()
    counted = made.run(stop=ended)
    transport.close()
    return {"refused": sum(counted["refused"].values())}


def serial(name: str) -> dict[str, Any]:
    """A node of the model on a serial line with continuous noise: zeros, runs without an end, random bytes."""
    import tty

    from symbody.links.serial_port import SerialTransport
    from symbody.realtime.loop_memory import Shared
    from symbody.realtime.nodes import model_node

    loop = Shared.attach(name)
    outer, inner = os.openpty()
    tty.setraw(inner)
    os.set_blocking(outer, False)
    transport = SerialTransport(loop.outputs, loop.channels.given, os.ttyname(inner), BAUD)
    made, noise = model_node(loop, transport), threading.Thread(target=_noise, args=(outer,), daemon=True)
    noise.start()
    ready()
    counted = made.run(stop=ended)
    transport.close()
    return {"refused": sum(counted["refused"].values())}


def _noise(line: int) -> None:
    """Write noise at the rate of the line, and read what comes back, so that the line never fills up."""
    size = int(BURST * BAUD / 10)
    since = time.monotonic()
    while not ended.wait(BURST):
        kind = int(time.monotonic() - since) % 3  # each for a second
        noise = os.urandom(size) if kind == 2 else (b"\0", b"\xff")[kind] * size
        with suppress(BlockingIOError):
            os.write(line, noise)
        with suppress(BlockingIOError):
            os.read(line, 1 << 16)


def flood(port: str) -> dict[str, Any]:
    """Send garbage packets as fast as possible."""
    sent, packet = 0, bytes(range(256)) * (PACKET // 256)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        began = time.monotonic()
        ready()
        while not ended.is_set():
            try:
                out.sendto(packet[: sent % len(packet)], (HERE, int(port)))
            except OSError:  # the buffer is full, or nobody listens yet
                continue
            sent += 1
    return {"packets/s": round(sent / (time.monotonic() - began))}


def record(name: str, path: str) -> dict[str, Any]:
    """Record every record of the loop in a file."""
    from symbody.realtime.loop_memory import Shared
    from symbody.realtime.record import Recorder

    loop = Shared.attach(name)
    since, written, missed = loop.records()[0], 0, 0
    first = len(loop.names) - len(loop.outputs)
    with Recorder(path, {"machine": loop.outputs}) as recorder:
        ready()
        while not ended.wait(LOOK):
            before, (since, rows) = since, loop.records(since)
            missed += since - before - len(rows)
            for row in rows:
                recorder.write("machine", row[first:])
            written += len(rows)
    return {"records": written, "missed": missed, "lost": recorder.lost, "failed": recorder.failed}


ROLES: dict[str, Callable[..., dict[str, Any]]] = {
    "watch": watch,
    "touch": touch,
    "pause": pause,
    "node": node,
    "serial": serial,
    "flood": flood,
    "record": record,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
