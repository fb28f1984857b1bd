"""The bench in the studio: the mouse is the hand; contact, friction, controller and limits are live."""

from __future__ import annotations

from math import pi

from symbody.haptics.force_beads import ARROWS, BEADS, ForceBeads
from symbody.haptics.friction import LAWS
from symbody.haptics.steps import HANDLE, SceneSource, scene_system
from symbody.haptics.structures import CONTACT_MODELS, CONTROLLERS, LIMITING
from symbody.machines.haptic_bench.arena import RATE, bench, scripted_hand
from symbody.machines.haptic_bench.looks import looks, scenery
from symbody.machines.haptic_page import FLOORS, LABELS, MOST_TURN, SOUNDS, contact_line, hand_controls
from symbody.studio.appearance import Viewpoint
from symbody.studio.dial import Dial
from symbody.studio.machine import Aim, Channels, Control, Instruction, Machine, Particles
from symbody.visual.scene import Cloud

REACH, TURN = 0.1, pi  # m, rad: as far as the hand goes
HELP = (
    Instruction(
        "Mouse: take the peg or its pale handle. Keys: ← → ↑ ↓, A and D turn.",
        "Touch: take the peg or its pale handle. “Turn” turns it.",
    ),
    "Models and numbers change while you hold it.",
)


def page() -> Machine:
    """The bench at 1 kHz; the rendered wrench is haptic.wrench_x, _y (N) and _turn (N m)."""
    scene = bench()
    now = scene.c.settings
    return Machine(
        "Haptic bench",
        scene_system(scene),
        rate=RATE,
        source=SceneSource(scene),
        controls=controls(),
        pilots={"scripted hand": script},
        dials=[
            Dial.choice("contact", float(now.contact), CONTACT_MODELS, "Contact"),
            Dial.choice("controller", float(now.controller), CONTROLLERS, "Controller"),
            Dial.choice("limiting", float(now.limiting), LIMITING, "Limits"),
            Dial.choice("friction", float(now.friction), ["none", *LAWS], "Friction law", low=-1.0),
            Dial("mu_k", now.mu_k, 0.0, 0.25, "", "Friction"),
            Dial("beta", now.beta, 0.0, 1180.0, "N s/m", "Friction's damping"),
            Dial("stiffness", now.stiffness, 200.0, 15000.0, "N/m", "Wall"),
            Dial("damping", now.damping, 0.0, 100.0, "N s/m", "Wall's damping"),
            Dial("restitution", now.restitution, 0.0, 1.0, "", "Restitution"),
            Dial.choice("passivity", float(now.passivity), ["off", "on"], "Passivity control"),
        ],
        plots=["haptic.wrench_x", "haptic.wrench_y", "haptic.depth", "haptic.kinetic", ("peg_x.q", "peg_y.q")],
        floors=FLOORS | {"haptic.kinetic": 1e-8},
        labels=LABELS | {"haptic.kinetic": "kinetic energy"},
        sounds=SOUNDS,
        looks=looks(),
        scenery=scenery(),
        particles=[Particles(Cloud(0, BEADS * ARROWS, 0.0009, "#d1422f"), ForceBeads(scene))],
        view=Viewpoint(10.0, 8.0, [(0.0, -0.11, -0.13), (0.0, 0.11, -0.13), (0.0, 0.0, 0.09)], most_turn=MOST_TURN),
        grid=False,
        marks=False,
        start=Instruction(
            "Take the peg with the mouse, turn it upright with A and D, and push it into the hole.",
            "Take the peg, turn it upright with “Turn”, and push it into the hole.",
        ),
        help=HELP,
        shows=told,
    )


def controls() -> list[Control]:
    """Target of the hand; when released, it stays."""
    turns = {"a": Aim(TURN, 3.0), "d": Aim(-TURN, 3.0)}
    turn = Control("hand_turn", "Turn", -TURN, TURN, unit="rad", seconds=0.6, keys=turns, returns=False)
    return [*hand_controls((REACH, REACH), ("peg", HANDLE)), turn]


def script(t: float, channels: Channels) -> dict[str, float]:
    """Wall, corner and hole, repeated."""
    return scripted_hand(t)


def told(channels: Channels) -> list[str]:
    """Text above the view: contact and force, penetration, energy."""
    depth, energy = 1e3 * channels["haptic.depth"], 1e3 * channels["haptic.kinetic"]
    return [contact_line(channels), f"{depth:.3f} mm inside a wall, kinetic energy {energy:.2f} mJ"]
