"""`symbody bench --haptic --only two-processes --duration 600`: a hand at 1 kHz, a world at 30 Hz, a bad line between.

The world is a process of its own, behind UDP with loss and delay both ways; half-way it is killed and started again.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from symbody.haptics.experiments.puck import puck_energy, puck_world
from symbody.haptics.experiments.two_processes import haptic_run
from symbody.haptics.two_rates.impaired import ImpairedTransport
from symbody.haptics.two_rates.impairment import Impairment
from symbody.haptics.two_rates.line import HERE
from symbody.haptics.two_rates.wire import PROXY, WORLD
from symbody.realtime.udp import Address, UdpTransport, address_text

NAME = "two-processes"
LINE = Impairment(delay=0.04, loss=0.2, seed=1)  # each way
RATE, WORLD_RATE = 1000.0, 30.0  # Hz
NO_REFUSAL = ("sent", "received", "lost", "safe", "sessions")
ENDING = 10.0  # s that a process may take to end
EPSILON = 0.1  # m: some 0.3 m/s, for the way there and back and the packets that are lost one after the other
BOUND = 1e-3  # J: energy below that is rounding and what a tick cannot see
DEEPEST = 10.0  # mm: no wall is further away than it is


def world_command(at: Address, line: Impairment = LINE, rate: float = WORLD_RATE, engine: str = "symbody") -> list[str]:
    """The world's process."""
    numbers = {"delay": line.delay, "jitter": line.jitter, "loss": line.loss, "seed": line.seed, "rate": rate}
    options = [text for name, value in numbers.items() for text in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "symbody", "node", "world", "puck", "--engine", engine, "--epsilon", str(EPSILON)]
    return [*command, "--at", address_text(at), *options, "--json"]


class WorldProcess:
    """The world in a process of its own; killed and started again on demand."""

    def __init__(self, command: list[str]):
        self._command, self.killed = command, 0
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def kill(self) -> None:
        """Without a word, and another in its place."""
        self._process.kill()
        self._process.communicate()
        self.killed += 1
        self._process = self._started()

    def end(self) -> dict[str, Any]:
        """What it says at its end."""
        self._process.send_signal(signal.SIGTERM)
        try:
            said, _ = self._process.communicate(timeout=ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            said, _ = self._process.communicate()
        return dict(json.loads(said)) if said.strip() else {}


def two_process_run(
    seconds: float, line: Impairment = LINE, *, rate: float = RATE, world_rate: float = WORLD_RATE,
    engine: str = "symbody", kill: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Both processes for a time; the figures, and what each of them counted."""
    socket = UdpTransport([PROXY], [WORLD], bind=(HERE[0], 0), varying=True)
    transport = ImpairedTransport(socket, line, 1)
    world = WorldProcess(world_command(socket.address, line, world_rate, engine))
    began, ended = threading.Event(), threading.Event()

    def kill_halfway() -> None:
        if began.wait() and not ended.wait(seconds / 2):
            world.kill()

    killer = threading.Thread(target=kill_halfway)
    try:
        if kill:
            killer.start()
        hand = haptic_run(transport, seconds, rate=rate, began=began, worlds=1 + kill)
    finally:
        ended.set()
        began.set()
        if kill:
            killer.join()
        slow = world.end()
    return {**figures(hand, slow), "killed": world.killed, "hand": hand, "world": slow}


def figures(hand: dict[str, Any], slow: dict[str, Any]) -> dict[str, Any]:
    """What must be shown: energy made by the line (J), force by the device's limit, drift (mm), packets."""
    counts, packets, energy = hand["counts"], hand["packets"], hand["energy"]
    refused = {name: n for name, n in {**hand["refused"], **counts}.items() if name not in NO_REFUSAL}
    made = max(0.0, -energy["least"]) + energy["given"] + max(0.0, -slow.get("energy", {}).get("least", 0.0))
    return {
        "seconds": hand["seconds"], "ticks": hand["ticks"], "energy_made_J": made, "given_to_hand_J": hand["fall_J"],
        "puck_at_first_J": puck_energy(puck_world()), "force_share": hand["force_share"],
        "device_tool_mm": hand["apart_mm"], "into_walls_mm": hand["into_walls_mm"],
        "packets_taken": packets["taken"], "lost": counts.get("lost", 0), "late": counts.get("late", 0),
        "refused": refused, "worlds": counts.get("sessions", 0), "silences": hand["silences"],
        "let_go": energy["let_go"], "held_back": energy["held"] + slow.get("world", {}).get("held", 0),
        "tick_late_99_us": hand["late_99_us"],
        "passed": made < BOUND and hand["force_share"] <= 1.0 and hand["into_walls_mm"] < DEEPEST,
    }  # fmt: skip


def two_process_bench(folder: Path, seconds: float) -> dict[str, Any]:
    """The run, as a row and a file."""
    found = two_process_run(seconds)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NAME}.json").write_text(json.dumps(found, indent=1))
    return {name: value for name, value in found.items() if name not in ("hand", "world")}
