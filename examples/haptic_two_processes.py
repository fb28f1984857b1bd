"""A slow world and a fast hand in two processes: a puck at 30 Hz, rendered at 1 kHz, with every fifth packet lost."""

import os
import subprocess
import sys
import time

from symbody.haptics import (
    Controller,
    HapticBody,
    HapticHand,
    HapticLine,
    Impairment,
    LocalModel,
    PacketUse,
    Port,
    Rendering,
    SceneSource,
    WorldLink,
    WrenchLimit,
    rectangle,
)
from symbody.realtime import Loop, Safety

LINE = HapticLine("memory", name=f"puck-{os.getpid()}", impairment=Impairment(delay=0.04, loss=0.2, seed=1))
WORLD = ["world", "puck", "--transport", "memory", "--name", LINE.name, "--delay", "0.04", "--loss", "0.2"]
PEG = HapticBody("peg", rectangle(0.042, 0.021), mass=2.0, inertia=0.005, pose=(-0.06, 0.0, 0.0))
LIMIT = 15.0  # N, of the device
ENOUGH = 40  # packets


def main() -> None:
    local = LocalModel(
        PEG,
        rate=1000.0,
        rendering=Rendering(controller=Controller("virtual-coupler"), limit=WrenchLimit("spread", (LIMIT, LIMIT, 1.0))),
        hand=HapticHand(stiffness=(300.0, 300.0, 1.0)),
        packets=PacketUse(kinematic=True),
        port=Port(passive=True, still=0.1, patience=1.0),
    )
    loop = Loop(SceneSource(local.scene), 1000.0, safety=Safety(stale=None, overrun=None))
    with loop, WorldLink(local, LINE.for_hand()) as link:
        world = subprocess.Popen([sys.executable, "-m", "symbody", "node", *WORLD], stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 60.0
            while local.counts["taken"] < ENOUGH and time.monotonic() < end:
                away = 0.05 * (time.monotonic() % 2.0 < 1.0)  # the hand moves to and fro and hits the puck
                loop.give({"hand_x": -0.06 + away, "hand_y": 0.0})
                time.sleep(0.01)
        finally:
            world.kill()
            world.wait()
        said = link.summary()
        force = max(abs(loop.history("haptic.command_x")["haptic.command_x"]))
    counts, energy = said["counts"], said["energy"]
    print(f"{counts['received']} packets received, {counts['lost']} lost; largest force {force:.1f} N")
    print(f"supplied by the hand {1e3 * energy['paid']:.2f} mJ, by the world {1e3 * energy['received']:.2f} mJ")
    assert counts["received"] >= ENOUGH
    assert energy["least"] > -1e-6  # J: no end spent more than it had
    assert force <= LIMIT


if __name__ == "__main__":
    main()
