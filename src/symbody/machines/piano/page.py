"""The piano key in the studio: controls, force feedback, settings, looks and sound."""

from __future__ import annotations

from math import asin

from symbody.machines.piano.looks import looks, scenery, view
from symbody.machines.piano.model import FRONT, MISSING, TRAVEL
from symbody.machines.piano.model import model as piano
from symbody.machines.piano.pilots import DEEP, LOUD, SOFT, pilots
from symbody.machines.piano.play import METHOD, NEWTON, TICK, finger_force, settled
from symbody.machines.piano.sensors import add_listeners, add_sensors
from symbody.machines.piano.strokes import DT
from symbody.realtime.tracking import Smooth
from symbody.studio.arrows import arrow_outputs
from symbody.studio.dial import Dial
from symbody.studio.machine import Aim, Channels, Control, Grip, Instruction, Machine, Preset, Struck
from symbody.system.system import System, system

STRONGEST = 10.0  # N at the front: four times the bump of the escapement, and safe for a finger
LIFTED = 0.5e-3  # m, largest lift of the front, into the felt under the end of the key
LOWEST, DEEPEST = asin(-LIFTED / FRONT), asin(DEEP / FRONT)  # rad
HIGHEST = 0.5  # rad, of a hammer; the string is at 0.35
DRAG = 0.04  # m of mouse travel in the view for the whole dip; true scale would be a few pixels
HAND = Smooth(40.0)  # removes what a hand cannot do, without overshoot
TOUCHES = {"a": SOFT, "s": 0.075, "d": 0.055, "f": LOUD}  # s for the dip: pp, p, mf, f
SWIFTEST = 0.03  # s, shortest time for the dip
TRIGGER, BUTTON = 7, 0  # of a game controller
LOUDEST = 120.0  # N, of the hammer on the string
BOTTOM = Struck("front_rail.load", 300.0, kind="felt")  # N, of the key on the felt under its front
VOICED = (0.25, 2.0)  # range of the stiffness of a felt, relative to its default
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
START = Instruction("Press the white key, or A, S, D and F: very soft to loud.", "Press the white key, softly or hard.")
LABELS = {
    "key.effort": "torque of the finger",
    "key.dip": "dip of the key",
    "key.q": "key",
    "hammer.q": "hammer",
    "hammer.qd": "speed of the hammer",
    "hammer_speed": "speed of the last blow",
    "string.load": "force on the string",
    "string_heard": "sound force",
}
PRESETS = (
    Preset("As regulated"),
    Preset("Let-off too early", {"let_off_height": -1e-3}, "the hammer is released far from the string"),
    Preset("Let-off too late", {"let_off_height": 1e-3}, "the hammer may block on the string"),
    Preset("Heavy hammer", {"hammer_mass": 14e-3}),
)
HELP = (
    "Press the white key slowly to see the action, quickly to hear it.",
    Instruction("Keys A S D F: very soft to loud. Game controller: trigger or first button."),
    "Press again before the key is up: the double escapement repeats the note.",
    "Let-off, drop, hammer and felts are live. Slow motion shows the action in detail.",
)


def page(escapement: str = "double") -> Machine:
    """The action at rest; a person or a pilot moves its key, and key.effort (N m) is the torque of the finger."""
    s = playable(escapement)
    return Machine(
        "Piano key", s, rate=1.0 / TICK, method=METHOD, newton=NEWTON, substeps=round(TICK / DT),
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
        sounds=[Struck("string_heard", LOUDEST, damper="damper_string.load"), BOTTOM],
        ground="concrete",
        looks=looks(MISSING[escapement]),
        scenery=scenery(),
        view=view(),
        grid=False,
        marks=False,
        help=HELP,
        shows=status,
    )  # fmt: skip


def playable(escapement: str = "double") -> System:
    """The compiled action with all its sensors, at rest."""
    m = piano(escapement)
    add_sensors(m)
    add_listeners(m)
    s = system(m, inputs=["key.q"], outputs=[*SEEN, "energy.*", *arrow_outputs(m, ["contact"])], work=True)
    return s.starting_at(settled(s))


def key_control() -> Control:
    """The key: the pointer presses its front; letters and buttons press it in a given time."""
    down = {letter: Aim(DEEPEST, seconds, whole=True) for letter, seconds in TOUCHES.items()}
    return Control(
        "key.q", "Key", LOWEST, DEEPEST, unit="rad", seconds=SWIFTEST, keys=down, gathers=True,
        buttons={TRIGGER: Aim(DEEPEST), BUTTON: down["d"]}, grips=[Grip("key", (0.0, 0.0, -DEEPEST / DRAG))],
    )  # fmt: skip


def dials(s: System) -> list[Dial]:
    """Settings of a technician: heights (up is positive), mass of the hammer, felts."""
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


def status(channels: Channels) -> list[str]:
    """Force of the finger, and speed of the last blow."""
    force = finger_force(channels["key.effort"], channels["key.q"])
    return [f"finger {force:.1f} N", f"last blow {channels['hammer_speed']:.2f} m/s"]
