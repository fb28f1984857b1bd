"""The linkage in the studio: the mouse is the hand, on any link; penalty, walls and friction change while it holds."""

from __future__ import annotations

from math import cos, hypot, pi, sin

from symbody.haptics.force_beads import ARROWS, BEADS, ForceBeads
from symbody.haptics.scene import HapticScene
from symbody.haptics.steps import HANDLE, haptic_method, scene_system
from symbody.haptics.structures import STATES
from symbody.machines.linkage.arena import HALF, LINKS, RATE, arena
from symbody.machines.linkage.looks import looks, scenery
from symbody.studio.dial import Dial
from symbody.studio.machine import Aim, Channels, Control, Grip, Hum, Machine, Particles, Preset, Struck, Viewpoint
from symbody.visual.scene import Cloud

HELP = (
    "Mouse: take a link or the pale handle. Keys: ← → ↑ ↓.",
    "Link held: 0, 1 or 2, from the base. But for the last the handle could leave it: the penalty keeps it there.",
)


def page() -> Machine:
    """The linkage at 1 kHz; haptic.apart (m) is how far the handle has left the held point."""
    scene = arena()
    now = scene.c.settings
    return Machine(
        "Linkage in the hand",
        scene_system(scene),
        rate=RATE,
        method=haptic_method(scene),
        controls=controls(scene),
        pilots={"scripted hand": script},
        dials=[
            Dial("hold", float(now.hold), 0.0, len(LINKS) - 1.0, "", "Link held (0, 1, 2)"),
            Dial("k_tc", now.k_tc, 0.0, 1000.0, "1/s2", "Topology penalty"),
            Dial("b_tc", now.b_tc, 0.0, 100.0, "1/s", "Its damping"),
            Dial("stiffness", now.stiffness, 200.0, 15000.0, "N/m", "Wall"),
            Dial("damping", now.damping, 0.0, 100.0, "N s/m", "Wall's damping"),
            Dial("restitution", now.restitution, 0.0, 1.0, "", "Restitution"),
            Dial("mu_k", now.mu_k, 0.0, 0.25, "", "Friction"),
            Dial("mu_impact", now.mu_impact, 0.0, 1.0, "", "Friction of impacts"),
        ],
        presets=[
            Preset("Link 2, no penalty", {"hold": 1.0, "k_tc": 0.0, "b_tc": 0.0}, "the handle leaves the linkage"),
            Preset("Link 2, penalty", {"hold": 1.0}, "it stays where the joints allow"),
        ],
        plots=["haptic.wrench_x", "haptic.wrench_y", "haptic.apart", "haptic.rank", "haptic.kinetic"],
        sounds=[Struck("haptic.strike", 60.0, pitch=520.0), Hum("haptic.rub", 0.3, kind="hiss", quiet=0.002)],
        looks=looks(),
        scenery=scenery(),
        particles=[Particles(Cloud(0, BEADS * ARROWS, 0.0007, "#d1422f"), ForceBeads(scene))],
        view=Viewpoint(10.0, 8.0, [(0.0, -0.12, -0.09), (0.0, 0.12, -0.09), (0.0, 0.0, 0.09)]),
        grid=False,
        marks=False,
        start="Take a link with the mouse and move it about.",
        help=HELP,
        shows=HoldLines(scene),
    )


def controls(scene: HapticScene) -> list[Control]:
    """Where the hand wants to be: at first where the handle is; let go, it stays there."""
    made = []
    start = list(scene.c.memory.x)
    for k, (axis, label, keys, slope) in enumerate((
        ("x", "Hand →", ("ArrowLeft", "ArrowRight"), (0.0, 1.0, 0.0)),
        ("y", "Hand ↑", ("ArrowDown", "ArrowUp"), (0.0, 0.0, 1.0)),
    )):  # fmt: skip
        reach = HALF[k] + 0.02
        aims = {keys[0]: Aim(-reach, 1.0), keys[1]: Aim(reach, 1.0)}
        grips = [Grip(body, slope) for body in (HANDLE, *(f"arm_{link}" for link in LINKS))]
        made.append(
            Control(
                f"hand_{axis}", label, -reach, reach, rest=start[k], unit="m", seconds=0.3, keys=aims, grips=grips,
                returns=False,
            )
        )  # fmt: skip
    return made


def script(t: float, channels: Channels) -> dict[str, float]:
    """Round and round, out to the walls and in again: through stretched and folded positions."""
    r = 0.055 + 0.035 * sin(0.37 * t)
    return {"hand_x": r * cos(2 * pi * t / 9.0), "hand_y": 0.8 * r * sin(2 * pi * t / 9.0)}


class HoldLines:
    """Lines over the view: state, what is held and its rank, what is felt, how far the handle is off."""

    def __init__(self, scene: HapticScene):
        self._scene = scene

    def __call__(self, channels: Channels) -> list[str]:
        rank = round(channels["haptic.rank"])
        free = self._scene.nh - rank
        force = hypot(channels["haptic.wrench_x"], channels["haptic.wrench_y"])
        return [
            f"{STATES[round(channels['haptic.state'])]}, {channels['haptic.contacts']:.0f} contacts",
            f"held: {LINKS[self._scene.c.settings.hold]}, rank {rank}, {free} topology direction{'s' * (free != 1)}",
            f"{force:.2f} N, handle {1e3 * channels['haptic.apart']:.2f} mm off the link",
        ]
