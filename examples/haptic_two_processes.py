"""A slow world and a fast hand in two processes: a puck at 30 Hz, felt at 1 kHz, every fifth packet lost on the way."""

import os
import subprocess
import sys
import time

from symbody.haptics import HapticLine, Impairment, WorldLink, haptic_method, scene_system
from symbody.haptics.experiments.puck import DEVICE_LIMIT, START, puck_local
from symbody.haptics.world_link import REMOTE
from symbody.realtime import Loop

LINE = HapticLine("memory", name=f"puck-{os.getpid()}", impairment=Impairment(delay=0.04, loss=0.2, seed=1))
WORLD = ["world", "puck", "--transport", "memory", "--name", LINE.name, "--delay", "0.04", "--loss", "0.2"]
ENOUGH = 40  # packets


def main() -> None:
    local = puck_local(REMOTE, rate=1000.0)
    loop = Loop(scene_system(local.scene), 1000.0, haptic_method(local.scene), stale=None, overrun=None)
    with loop, WorldLink(local, LINE.for_hand()) as link:
        world = subprocess.Popen([sys.executable, "-m", "symbody", "node", *WORLD], stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 60.0
            while local.counts["taken"] < ENOUGH and time.monotonic() < end:
                sway = 0.07 * (time.monotonic() % 2.0 < 1.0)  # the hand pushes, and comes back
                loop.give({"hand_x": START[0] + sway, "hand_y": START[1]})
                time.sleep(0.01)
        finally:
            world.kill()
            world.wait()
        said = link.summary()
        force = max(abs(loop.history("haptic.command_x")["haptic.command_x"]))
    energy = said["energy"]
    print(
        f"{said['counts']['received']} packets, {said['counts']['lost']} lost, {said['energy']['held']} moves held back"
    )
    print(f"the hand gave {1e3 * energy['paid']:.2f} mJ to the puck; largest force {force:.1f} N")
    assert said["counts"]["received"] >= ENOUGH
    assert energy["least"] > -1e-6  # J: nothing was spent that was not there
    assert force <= DEVICE_LIMIT[0]


if __name__ == "__main__":
    main()
