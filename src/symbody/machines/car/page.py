"""The driving simulator: controls, steering torque, views, sounds."""

from __future__ import annotations

from dataclasses import replace
from math import inf, pi

import numpy as np

from symbody.machines.car.bodywork import MOTOR
from symbody.machines.car.driver import METHOD, PEDALS, car_definition
from symbody.machines.car.looks import looks, scenery
from symbody.machines.games import with_game
from symbody.realtime.tracking import Smooth
from symbody.studio.appearance import Appearance
from symbody.studio.cameras import Ride
from symbody.studio.dial import Dial
from symbody.studio.gauges import Gauge, Notice
from symbody.studio.machine import Aim, Channels, Control, Grip, Hum, Instruction, Machine, Preset, Struck
from symbody.studio.machine_pages import MachinePage
from symbody.studio.model_machine import default_dials
from symbody.studio.preview import offer_preview
from symbody.studio.scene_page import standing_preview
from symbody.system.system import Array, System, system_of
from symbody.vehicles.axles import TRACK
from symbody.vehicles.obstacle import LOAD
from symbody.vehicles.preview_driver import TICK, Driver
from symbody.vehicles.road import LENGTH, Road, clearance, room
from symbody.vehicles.road_scenery import SHOULDER
from symbody.vehicles.wheel_looks import GRASPED

TITLE = "Driving simulator"
ROAD = Road(begin=150.0)  # 7 s at 75 km/h: time to take the wheel
STRONGEST = 25.0  # N m: steering wheels of simulators have motors of 20 to 30; 13 are needed at the limit of grip
TURNED, QUICKEST = Driver.angle, 7.0  # rad to each side with both hands on the rim; rad/s: a turn in 0.9 s
FOLLOWED = Smooth(10.0)  # delay of 48 ms, as the arms of the scripted driver; it smooths steps of a mouse
BY_KEYS, KEYS_SPEED = 1.2, 3.0  # rad, the limit of grip at 75 km/h on a dry road; rad/s
FULL_PEDAL = 1.0  # s, from rest to full throttle; the brake takes less
SILENT = 0.5  # s: a browser without a graphics card may delay the thread of the controls
STICK, RIGHT_TRIGGER, LEFT_TRIGGER = 0, 7, 6  # of a game controller
TURNED_OVER = 0.6  # rad of roll or pitch at which the tyres leave the road
WATCHED = (
    "*.q", "wheel.qd", "wheel.effort", "yaw.qd", "car.speed", "motor.speed", "tyres.use", "seat.acceleration.*",
    "*.tyre.force.*", "*.tyre.torque.*", LOAD,
)  # fmt: skip
KMH = 3.6  # by m/s
CRASH = 1e4  # N on the crushed structure
STONES = 40.0  # that a wheel throws up in a metre of gravel
START = "Touch the wheel or a pedal to start at 75 km/h. Steer around the car that stands in your lane."
LABELS = {
    "wheel.effort": "steering torque",
    "wheel.q": "steering wheel",
    "x.q": "position along the road",
    "y.q": "position across the road",
    "roll.q": "roll",
    "pitch.q": "pitch",
    "yaw.q": "heading",
    "yaw.qd": "yaw rate",
    "car.speed": "speed",
    "motor.speed": "motor speed",
    "tyres.use": "used grip of the tyres",
    LOAD: "crash force",
}
PRESETS = (
    Preset("Dry road", line="full grip"),
    Preset("Wet leaves", {"friction": 0.5}, "half the grip"),
    Preset("Packed snow", {"friction": 0.3}, "little grip: steer early"),
    Preset("Tall load", {"chassis_height": 0.85}, "large roll angles"),
    Preset("Watch the scripted driver", pilot="scripted driver"),
)
HELP = (
    "Swerve to the left around the stopped car. “Reset” starts again.",
    Instruction(
        "Mouse: steering wheel (in the car or on the panel) and pedals.",
        "Touch: steering wheel (in the car or on the panel) and pedals.",
    ),
    Instruction("Keys: ← → steer, ↑ throttle, ↓ brake."),
    Instruction("Game controller: left stick and triggers."),
)


def page(road: Road = ROAD) -> Machine:
    """The car at 75 km/h with an obstacle ahead; the steering torque is wheel.effort (N m)."""
    definition = car_definition((*WATCHED, "energy.*"), obstacle=road, work=True)
    seen = Appearance(
        looks=looks(), scenery=scenery(road), cameras=RIDES, grid=False, sky=True, ground="grass", marks=False
    )
    offer_preview(lambda: standing_preview(TITLE, definition.model, definition.q0, seen))
    s = system_of(definition)
    machine = Machine(
        TITLE,
        s,
        **vars(seen),
        rate=1.0 / TICK,
        method=METHOD,
        track={"wheel": FOLLOWED},
        limits=dict.fromkeys(("roll.q", "pitch.q"), (-TURNED_OVER, TURNED_OVER)),
        effort_limits={"wheel.effort": STRONGEST},
        stale=SILENT,
        controls=controls(s),
        pilots={"scripted driver": Driver(road)},
        dials=dials(s),
        labels=LABELS,
        presets=PRESETS,
        start=START,
        waits=True,
        plots=["wheel.effort", "wheel.q", ("x.q", "y.q"), "roll.q"],
        sounds=sounds(road),
        help=HELP,
        shows=Witness(road),
        gauges=GAUGES,
    )
    return with_game(machine, "car", {"time": "Time (s)", "roll": "Roll (°)"}, PAGES)


def controls(s: System) -> list[Control]:
    """Steering wheel (left is positive) and pedals; when released, the wheel centres and the throttle holds 75 km/h."""
    sweep = 2.0 * TURNED
    wheel = Control(
        "wheel.q",
        "Wheel",
        -TURNED,
        TURNED,
        unit="rad",
        seconds=sweep / QUICKEST,
        keys={key: Aim(way * BY_KEYS, sweep / KEYS_SPEED) for key, way in (("ArrowLeft", 1.0), ("ArrowRight", -1.0))},
        axis=STICK,
        grips=[Grip("wheel", (0.0, 1.0 / GRASPED, 0.0))],
        shape="wheel",
    )
    keys, triggers, times = ("ArrowUp", "ArrowDown"), (RIGHT_TRIGGER, LEFT_TRIGGER), (FULL_PEDAL, 0.4 * FULL_PEDAL)
    rests = [float(s.u0[s.inputs.index(name)]) for name in PEDALS]
    pedals = [
        Control(name, name.capitalize(), 0.0, 1.0, rest, seconds=time, keys={key: Aim(1.0)}, buttons={button: Aim(1.0)},
                shape="pedal")
        for name, rest, time, key, button in zip(PEDALS, rests, times, keys, triggers, strict=True)
    ]  # fmt: skip
    return [wheel, *pedals]


def dials(s: System) -> list[Dial]:
    """Settings of the car, within ranges for which its suspensions work; 20 mm of shift are 3.5° of caster."""
    labels = {
        "caster_shift": "Caster: upper joints back",
        "toe_front": "Toe-in, front: longer rods",
        "toe_rear": "Toe-in, rear",
        "friction": "Grip of the tyres",
        "roll_centre": "Roll centre: lower joints up",
        "bar_front": "Anti-roll bar, front",
        "bar_rear": "Anti-roll bar, rear",
        "chassis_height": "Height of the centre of mass",
        "assist": "Power steering",
    }
    made = {dial.name: dial for dial in default_dials(s, {})}
    return [replace(made[name], label=label) for name, label in labels.items()]


PAGES = (
    MachinePage("Drive"),
    MachinePage("Study", ["view", "dials", "plots"], ["yaw.qd", "roll.q, pitch.q", "tyres.use", "wheel.effort"]),
)

# -- views and sounds --------------------------------------------------------------------------------------------

RIDES = (
    Ride("Driver's seat", "chassis", (-0.32, 0.35, 0.93), (1.0, 0.0, -0.16), 62.0),
    Ride("Behind", "chassis", (-6.2, 0.0, 1.8), (1.0, 0.0, -0.18), 45.0),
    Ride("Front axle", "chassis", (2.02, -0.15, 0.22), (-0.75, 0.8, -0.22), 58.0),
)
GAUGES = (
    Gauge("Speed", "car.speed", "round", 0.0, 140.0, "km/h", scale=KMH, set_point=75.0, corner="top-left"),
    Gauge("Grip used", "tyres.use", "bar", 0.0, 100.0, "%", scale=100.0, red=[(85.0, 100.0)], corner="top-left"),
    Notice(LOAD, {(CRASH, inf): "Crash! “Reset” starts again."}, latched=True),
)


def sounds(road: Road) -> list[Struck | Hum]:
    """The motor behind the driver, wind, tyres, gravel beside the asphalt under the wheels of each side, a crash."""
    motor = Hum(
        "motor.speed", full=3000.0, pitch="motor.speed", per_unit=2.0 / (2.0 * pi), kind="motor",  # two pairs of poles
        body="chassis", at=MOTOR, near=3.0,
    )  # fmt: skip
    right, left = road.borders
    beside = {
        -1.0: (-inf, right - SHOULDER + TRACK),
        1.0: (left + SHOULDER - TRACK, inf),
    }  # of y: wheels off the asphalt
    gravel = [
        Hum("car.speed", full=30.0, pitch="car.speed", per_unit=STONES, kind="gravel", only=("y.q", *where),
            body="chassis", at=(0.0, side * TRACK, -0.3), near=3.0)
        for side, where in beside.items()
    ]  # fmt: skip
    return [
        motor,
        Hum("car.speed", full=45.0, kind="wind", quiet=2.0),
        Hum("tyres.use", full=1.0, kind="hiss", quiet=0.8, lowest=1100.0),
        *gravel,
        Struck(LOAD, full=5e5, kind="thud", body="chassis", near=5.0),
    ]


class Witness:
    """Shows the distance, and the smallest distance to the obstacle since the start."""

    channels = ("x.q", "y.q", "yaw.q")

    def __init__(self, road: Road):
        self._road, self._x, self._nearest = road, -np.inf, np.inf

    def see(self, t: Array, values: Array) -> None:
        """Records at times (s): places (m, m, rad), a row each."""
        if len(values) == 0:
            return
        x = np.append(self._x, values[:, 0])
        restarts = np.flatnonzero(np.diff(x) < -LENGTH)
        if len(restarts):
            values, self._nearest = values[restarts[-1] :], np.inf
        self._x, self._nearest = x[-1], min(self._nearest, float(clearance(self._road, *values.T).min()))

    def __call__(self, channels: Channels) -> list[str]:
        place = np.array([[channels[name] for name in self.channels]])
        self.see(np.zeros(1), place)
        lines = [self._obstacle()]
        return lines if room(self._road, *place.T)[0] > 0.0 else [*lines, "off the road"]

    def _obstacle(self) -> str:
        begin, end = self._road.obstacle[0]
        if self._nearest <= 0.0:
            return "obstacle hit: press “Reset” to start again"
        if self._x > end + LENGTH / 2.0:
            return f"obstacle avoided by {self._nearest:.1f} m"
        ahead = begin - LENGTH / 2.0 - self._x
        return f"obstacle in {ahead:.0f} m" if ahead > 0.0 else "beside the obstacle"
