"""A piano key to be played: what presses it and how it resists, what is regulated, seen, heard and told."""

from __future__ import annotations

from math import asin

from symbody.machines.piano.looks import looks, scenery, view
from symbody.machines.piano.model import FRONT, MISSING, TRAVEL
from symbody.machines.piano.model import model as piano
from symbody.machines.piano.pilots import DEEP, LOUD, SOFT, pilots
from symbody.machines.piano.play import METHOD, TICK, finger_force, settled
from symbody.machines.piano.sensors import add_listeners, add_sensors
from symbody.machines.piano.strokes import DT
from symbody.realtime.tracking import Smooth
from symbody.studio.arrows import arrow_outputs
from symbody.studio.dial import Dial
from symbody.studio.machine import Aim, Channels, Control, Grip, Machine, Preset, Struck
from symbody.system.system import System, system

STRONGEST = 10.0  # N at the front: four times the bump of the escapement, a stop to a finger, and safe to one
LIFTED = 0.5e-3  # m by which the front may be raised, into the felt under the key's end
LOWEST, DEEPEST = asin(-LIFTED / FRONT), asin(DEEP / FRONT)  # rad
HIGHEST = 0.5  # rad, of a hammer; the string is at 0.35
DRAG = 0.04  # m in the view that press the whole dip: one to one would be a few pixels
HAND = Smooth(40.0)  # what no hand does is left out, and the key does not overshoot
TOUCHES = {"a": SOFT, "s": 0.075, "d": 0.055, "f": LOUD}  # s for the dip: pp, p, mf, f
SWIFTEST = 0.03  # s for the dip, however a hand jerks
TRIGGER, BUTTON = 7, 0  # of a game controller
LOUDEST = 120.0  # N, of the hammer on the string
VOICED = (0.25, 2.0)  # stiffness of a felt, by what it is at first
FELTS = {
    "string": "Felt of the hammer",
    "jack_knuckle": "Knuckle on the jack",
    "lever_knuckle": "Knuckle on the lever",
    "let_off": "Felt of the let-off button",
    "front_rail": "Felt under the key",
}
SEEN = (
    "*.q", "*.qd", "*_memory", "hall_difference", "hammer_speed", "string_heard", "key.effort", "key.dip", "*.load",
    "string.depth", "hall.position", "coil.velocity",
)  # fmt: skip
START = "Press the white key with the mouse, or with A, S, D and F from very soft to loud."
LABELS = {
    "key.effort": "torque of the finger",
    "key.dip": "dip of the key",
    "key.q": "key",
    "hammer.q": "hammer",
    "hammer.qd": "speed of the hammer",
    "hammer_speed": "speed of the last blow",
    "string.load": "force on the string",
    "string_heard": "force that is heard",
}
PRESETS = (
    Preset("As regulated"),
    Preset("Let-off too early", {"let_off_height": -1e-3}, "the hammer is let go far from the string"),
    Preset("Let-off too late", {"let_off_height": 1e-3}, "the hammer may block on the string"),
    Preset("Heavy hammer", {"hammer_mass": 14e-3}),
)
HELP = (
    "Mouse: press the white key, slowly to see it work, quickly to hear it.",
    "Keys A S D F: very soft to loud. Game controller: trigger or first button.",
    "Press again before the key is up: it repeats, by its second escapement.",
    "Let-off, drop, hammer and felts are live. Slow motion shows how it works.",
)


def page(escapement: str = "double") -> Machine:
    """The action at rest, its key moved by a person or a pilot; what the finger feels is key.effort (N m)."""
    s = playable(escapement)
    return Machine(
        "Piano key",
        s,
        rate=1.0 / TICK,
        method=METHOD,
        substeps=round(TICK / DT),
        track={"key": HAND},
        limits={"key.dip": TRAVEL, "hammer.q": (-HIGHEST, HIGHEST)},
        effort_limits={"key.effort": STRONGEST * FRONT},
        controls=[key_control()],
        pilots=pilots(),
        dials=dials(s),
        labels=LABELS,
        presets=PRESETS,
        start=START,
        plots=[("key.dip", "key.effort"), "hammer.q", "string.load"],
        sounds=[Struck("string_heard", LOUDEST, damper="damper_string.load")],
        looks=looks(MISSING[escapement]),
        scenery=scenery(),
        view=view(),
        grid=False,
        marks=False,
        help=HELP,
        shows=told,
    )


def playable(escapement: str = "double") -> System:
    """The compiled action with all its sensors, at rest."""
    m = piano(escapement)
    add_sensors(m)
    add_listeners(m)
    s = system(m, inputs=["key.q"], outputs=[*SEEN, *arrow_outputs(m, ["contact"])])
    return s.starting_at(settled(s))


def key_control() -> Control:
    """The key: the pointer presses its front, letters and buttons send it down in their time."""
    down = {letter: Aim(DEEPEST, seconds, whole=True) for letter, seconds in TOUCHES.items()}
    return Control(
        "key.q",
        "Key",
        LOWEST,
        DEEPEST,
        unit="rad",
        seconds=SWIFTEST,
        keys=down,
        buttons={TRIGGER: Aim(DEEPEST), BUTTON: down["d"]},
        grips=[Grip("key", (0.0, 0.0, -DEEPEST / DRAG))],
        gathers=True,
    )


def dials(s: System) -> list[Dial]:
    """What a technician regulates: heights (up is positive), the hammer's mass, felts."""
    felts = {f"{name}_stiffness": label for name, label in FELTS.items() if f"{name}_stiffness" in s.parameters}
    return [
        Dial("let_off_height", 0.0, -1e-3, 1e-3, "m", "Let-off button"),
        Dial("drop_height", 0.0, -1e-3, 1e-3, "m", "Drop screw"),
        Dial("hammer_mass", s.parameters["hammer_mass"], 3e-3, 15e-3, "kg", "Hammer's head"),
        *(
            Dial(name, x, VOICED[0] * x, VOICED[1] * x, s.model.parameters[name].unit, label)
            for name, label in felts.items()
            for x in [s.parameters[name]]
        ),
    ]


def told(channels: Channels) -> list[str]:
    """The finger's force, and the speed of the hammer's last blow."""
    force = finger_force(channels["key.effort"], channels["key.q"])
    return [f"finger {force:.1f} N", f"last blow {channels['hammer_speed']:.2f} m/s"]
