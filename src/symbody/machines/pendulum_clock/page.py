"""The clock in the studio: a control to push the pendulum, dials for nut, weight and air."""

from __future__ import annotations

from math import degrees, pi

from symbody.machines.pendulum_clock import STEPS
from symbody.machines.pendulum_clock.laws import TEETH
from symbody.machines.pendulum_clock.looks import looks, scenery
from symbody.machines.pendulum_clock.model import model
from symbody.model.body import GROUND
from symbody.studio.appearance import Viewpoint
from symbody.studio.cameras import Ride
from symbody.studio.dial import Dial
from symbody.studio.machine import Aim, Channels, Control, Grip, Instruction, Machine, Preset, Struck
from symbody.system.system import system

TICK = 1e-3  # s
LIGHTEST = 0.5  # kg; the train has no friction, so below 0.1 kg the pallets push the wheel backwards
STRONGEST = 0.5  # N m: a finger, ten times the torque of gravity at 1°
HELP = (
    Instruction("Mouse: pull the lens. Keys: ← → push it.", "Touch: pull the lens."),
    "Below a swing of one degree it stops. Push it to start it again.",
    "Dials: the nut below the lens (a millimetre is 43 s a day), the weight, the air.",
)


def page() -> Machine:
    """The clock as it goes."""
    s = system(model(), outputs=["*.q", "*.qd", "escapement.*", "energy.*"], work=True)
    p = s.parameters
    return Machine(
        "Pendulum clock",
        s,
        rate=1.0 / TICK,
        substeps=round(TICK / float(STEPS["dt"])),
        controls=[push_control()],
        dials=[
            Dial("length", p["length"], 0.95, 1.04, "m", "Pendulum"),
            Dial("weight_mass", p["weight_mass"], LIGHTEST, 8.0, "kg", "Weight"),
            Dial("air_damping", p["air_damping"], 0.004, 0.2, "N m s/rad", "Air"),
        ],
        labels={
            "pendulum.q": "swing",
            "pendulum.qd": "speed of the pendulum",
            "wheel.q": "escape wheel",
            "escapement.impulse": "impulse on the pendulum",
            "escapement.load": "force on the pallets",
        },
        presets=[
            Preset("As it goes"),
            Preset("A light weight", {"weight_mass": 1.0}, "it dies down"),
            Preset("A short pendulum", {"length": 0.96}, "it is fast"),
        ],
        start=Instruction(
            "Pull the lens with the mouse or push it with ← and →, and watch the escapement keep it swinging.",
            "Pull the lens, and watch the escapement keep it swinging.",
        ),
        plots=["pendulum.q", ("pendulum.q", "escapement.impulse"), "wheel.q"],
        sounds=[Struck("escapement.load", 0.03, pitch=1800.0)],
        looks=looks(p["length"]),
        scenery=scenery(),
        view=Viewpoint(-75.0, 8.0, [(-0.2, 0.0, 0.1), (0.2, 0.0, 0.1), (0.0, 0.0, -1.2)]),
        cameras=[Ride("Escapement", GROUND, (0.05, -0.3, 0.0), (-0.15, 1.0, -0.1), 30.0)],
        grid=False,
        marks=False,
        help=HELP,
        shows=status,
    )


def push_control() -> Control:
    """A torque on the pendulum; a pull to the right swings it to the right."""
    return Control(
        "push",
        "Push",
        -STRONGEST,
        STRONGEST,
        unit="N m",
        keys={"ArrowLeft": Aim(STRONGEST), "ArrowRight": Aim(-STRONGEST)},
        grips=[Grip("lens", (-5.0, 0.0, 0.0))],
    )


def status(channels: Channels) -> list[str]:
    """Seconds of the dial, and swing."""
    seconds = channels["wheel.q"] / (2.0 * pi) * 2 * TEETH
    return [f"{int(seconds // 60)} min {int(seconds % 60):02d} s", f"swing {degrees(channels['pendulum.q']):+.1f}°"]
