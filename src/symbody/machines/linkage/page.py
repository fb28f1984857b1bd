"""The linkage in the studio: the mouse is the hand, on any link, at 1 kHz; the world is slow and remote."""

from __future__ import annotations

from symbody.haptics.force_beads import ARROWS, BEADS, ForceBeads
from symbody.haptics.scene import HapticScene
from symbody.haptics.steps import HANDLE, SceneSource, scene_system
from symbody.haptics.two_rates.extra_inputs import STANDINGS
from symbody.haptics.two_rates.local_beads import MOST_MARKS, SURFACE_BEADS, ClusterMarks, SurfaceBeads
from symbody.haptics.two_rates.world_thread import WorldThread
from symbody.machines.haptic_page import FLOORS, LABELS, MOST_TURN, SOUNDS, contact_line, hand_controls
from symbody.machines.linkage.arena import HALF, LINKS, RATE, scripted_hand
from symbody.machines.linkage.looks import looks, scenery
from symbody.machines.linkage.two_rates import two_rates
from symbody.studio.appearance import Viewpoint
from symbody.studio.dial import Dial
from symbody.studio.machine import Channels, Control, Instruction, Machine, Particles, Preset
from symbody.visual.scene import Cloud

HELP = (
    Instruction(
        "Mouse: take the pale handle. Keys: ← → ↑ ↓. “Held” chooses its link.",
        "Touch: take the pale handle. “Held” chooses its link.",
    ),
    "Brass and wood: the world behind the line. Blue: the local model in the hand, and received surfaces.",
    "Orange: merged contacts. Red: rendered forces.",
)
RED, BLUE, ORANGE = "#d1422f", "#1f63c4", "#f08a1d"
SWITCH = ("off", "on")


def page() -> Machine:
    """The linkage at 1 kHz; haptic.apart (m) is how far the handle has left the held point."""
    threads = two_rates()
    scene = threads.local.scene
    return Machine(
        "Linkage in the hand",
        scene_system(scene, threads.extras),
        rate=RATE,
        source=SceneSource(scene, threads.extras),
        companions=[threads],
        controls=controls(scene),
        pilots={"scripted hand": script},
        dials=dials(threads),
        presets=[
            Preset("ε = 0", {"epsilon": 0.0}, "a wall is known only after the tool has entered it: felt too deep"),
            Preset(
                "Bad line", {"world_rate": 15.0, "delay": 0.06, "jitter": 0.02, "loss": 0.3}, "the world lags behind"
            ),
            Preset("Intermediate", {"local": 1.0}, "planes alone, as they come: the baseline"),
            Preset("Whole scene", {"local": 2.0}, "no line between: all of it at 1 kHz"),
            Preset("Link 2, no penalty", {"hold": 1.0, "k_tc": 0.0, "b_tc": 0.0}, "the handle leaves the linkage"),
            Preset("Link 2, penalty", {"hold": 1.0}, "it stays where the joints allow"),
        ],
        plots=["haptic.wrench_x", "haptic.wrench_y", "haptic.depth", "haptic.apart", "haptic.rank"],
        floors=FLOORS,
        labels=LABELS | {"haptic.apart": "handle off the link", "haptic.rank": "rank"},
        sounds=SOUNDS,
        looks=looks(),
        scenery=scenery(),
        particles=[
            Particles(Cloud(0, BEADS * ARROWS, 0.0008, RED), ForceBeads(scene)),
            Particles(Cloud(0, SURFACE_BEADS, 0.0006, BLUE), SurfaceBeads(threads.local)),
            Particles(Cloud(0, MOST_MARKS, 0.0014, ORANGE), ClusterMarks(threads.world)),
        ],
        view=Viewpoint(10.0, 8.0, [(0.0, -0.12, -0.09), (0.0, 0.12, -0.09), (0.0, 0.0, 0.09)], most_turn=MOST_TURN),
        grid=False,
        marks=False,
        start="Take the pale handle, and push the link that it holds against the walls.",
        help=HELP,
        shows=LinkageLines(threads),
    )


def dials(threads: WorldThread) -> list[Dial]:
    """World and line, the local model, what is held, walls and friction: all of them live."""
    now = {name: sink.value for name, sink in threads.extras.inputs.items()}
    set_ = threads.local.scene.c.settings
    return [
        Dial.choice("local", now["local"], STANDINGS, "Felt through"),
        Dial("world_rate", now["world_rate"], 10.0, 60.0, "Hz", "World"),
        Dial("delay", now["delay"], 0.0, 0.1, "s", "Delay each way"),
        Dial("loss", now["loss"], 0.0, 0.9, "", "Loss"),
        Dial("jitter", now["jitter"], 0.0, 0.1, "s", "Jitter"),
        Dial("epsilon", now["epsilon"], 0.0, 0.01, "m", "ε: range of contacts"),
        Dial("cluster", now["cluster"], 0.0, 0.02, "m", "Merge contacts within"),
        Dial.choice("kinematic", now["kinematic"], ["static", "kinematic"], "Surfaces"),
        Dial.choice("passive", now["passive"], SWITCH, "Passive line"),
        Dial.choice("exact", now["exact"], ["last packet", "proxy"], "Mass matrix of the"),
        Dial.choice("hold", float(set_.hold), LINKS, "Held"),
        Dial("stiffness", now["stiffness"], 200.0, 20000.0, "N/m", "Wall"),
        Dial("damping", now["damping"], 0.0, 150.0, "N s/m", "Wall's damping"),
        Dial("restitution", now["restitution"], 0.0, 1.0, "", "Restitution"),
        Dial("mu_k", set_.mu_k, 0.0, 0.25, "", "Friction"),
        Dial("mu_impact", set_.mu_impact, 0.0, 1.0, "", "Friction of impacts"),
        Dial("k_tc", set_.k_tc, 0.0, 1000.0, "1/s2", "Topology penalty"),
        Dial("b_tc", set_.b_tc, 0.0, 100.0, "1/s", "Its damping"),
    ]


def controls(scene: HapticScene) -> list[Control]:
    """Target of the hand, at first at the handle; when released, it stays."""
    x, y, *_ = scene.c.memory.x
    return hand_controls((HALF[0] + 0.02, HALF[1] + 0.02), (HANDLE,), (x, y))


def script(t: float, channels: Channels) -> dict[str, float]:
    """Around, out to the walls and in again."""
    return scripted_hand(t)


class LinkageLines:
    """Text above the view: contact and hold, force, the line with its packets, surfaces and energy."""

    def __init__(self, threads: WorldThread):
        self._threads, self._scene = threads, threads.local.scene

    def __call__(self, channels: Channels) -> list[str]:
        rank = round(channels["haptic.rank"])
        free = self._scene.nh - rank
        return [
            f"{contact_line(channels)}, handle {1e3 * channels['haptic.apart']:.2f} mm off",
            f"the hand holds {LINKS[self._scene.c.settings.hold]}: {_freedom(rank, free)}",
            *self._line(),
        ]

    def _line(self) -> list[str]:
        """Text about the line: packets, age and content of the last one, and the reason if there are no more."""
        threads, c = self._threads, self._threads.local.c
        packets, joined = threads.packets, sum(len(cluster) > 1 for cluster in threads.world.clusters)
        held = threads.end.counts["held"]
        made = [
            f"{threads.standing}: {packets['taken']} packets, {packets['lost']} lost, "
            f"the last {1e3 * threads.age:.0f} ms ago",
            f"{c.count} surfaces, {joined} joined; "
            f"port: {1e3 * c.port.entered:.1f} mJ in, {1e3 * c.port.received:.1f} mJ back",
        ]
        past = threads.end.counts["put past"]
        if held:
            push = "too little energy to push the block"
            made.append(f"{push}: the world held its tool {held} times, and moved it past the block {past} times")
        return made if not threads.failure else [*made, f"the world has ended: {threads.failure}"]


def _freedom(rank: int, blocked: int) -> str:
    """How many directions of the hand the joints allow, and how many they block."""
    allowed = f"its joints follow in {rank} direction{'s' * (rank != 1)}"
    return f"{allowed} and block {blocked}" if blocked else allowed
