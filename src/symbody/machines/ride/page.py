"""The ride in the studio: controls, choices of source, method and controller, calibration, views, plots, text."""

from __future__ import annotations

from math import degrees

from symbody.machines.games import with_game
from symbody.machines.platform_calibration import VERB, axis_test, calibration_page, gain_dials
from symbody.machines.ride.chain import RideChain, ride_chain, slope
from symbody.machines.ride.data import DT, EXTRA, KINDS, LIGHTEST, PASSENGER
from symbody.machines.ride.looks import EYE, drawn_model, landscape, looks, scenery
from symbody.machines.ride.ridden import scripted_skier
from symbody.motion.data import PlatformData
from symbody.motion.mechanism import PAYLOAD
from symbody.motion.outputs import opened_output
from symbody.motion.presets import named_platform
from symbody.motion.safety.loop_supervisor import REFUSALS, STATES, WISHES
from symbody.motion.sources.stream_thread import ride_sources
from symbody.studio.appearance import Viewpoint
from symbody.studio.cameras import Chase, MachineCamera, Orbit, Ride
from symbody.studio.dial import Dial
from symbody.studio.gauges import AnyGauge, Gauge, Map
from symbody.studio.machine import Aim, Channels, Control, Grip, Hum, Instruction, Machine, Preset
from symbody.studio.machine_pages import MachinePage
from symbody.system.system import system
from symbody.terrain import Mountain

TITLE = "Ski ride on a motion platform"
STICK, RIGHT_TRIGGER, BUTTON_B = 0, 7, 1  # of a game controller
KMH = 3.6  # by m/s
CAMERAS: tuple[MachineCamera, ...] = (
    Ride("Seat", "seat", (EYE[0] + 0.3, EYE[1], EYE[2] + 0.1), (1.0, 0.0, -0.2), 62.0, head=0.1),
    Orbit("Platform", "platform", -55.0, 10.0, 4.6, 34.0),
    Chase("Behind the skier", "dual_ski", 7.0, 2.5),
    Ride("Passenger", "platform", (0.9, -0.7, 0.75), (-0.9, 0.7, -0.4), 45.0),
)
VIEW = Viewpoint(-50.0, 14.0, [(-0.9, -0.9, -0.3), (0.9, 0.9, -0.3), (0.0, 0.0, 1.1)])
LABELS = {
    "seat.x": "acceleration of the scene, ahead", "restored.x": "acceleration on the platform, ahead",
    "scene.felt.x": "felt in the scene, ahead", "felt.x": "felt on the platform, ahead",
    "seat.y": "acceleration of the scene, left", "restored.y": "acceleration on the platform, left",
    "scene.felt.y": "felt in the scene, left", "felt.y": "felt on the platform, left",
    "pitch.qd": "tilt rate, pitch", "roll.qd": "tilt rate, roll", "ride.delay": "delay of the reference",
    "tracking.error": "largest tracking error", "ski.speed": "speed", "limit.violations": "broken limits",
    **{f"rod{k}.q": f"leg {k}" for k in range(1, 7)},
}  # fmt: skip
PLOTS = ["scene.felt.x, felt.x", "scene.felt.y, felt.y", "pitch.qd, roll.qd", "rod1.q, rod3.q, rod5.q"]
HELP = (
    Instruction("Keys: ← → steer, ↓ brake, space stops the platform. Game controller: stick, trigger, B."),
    "Choose how the platform moves while you ride: method, table, controller. Changes are blended over 1.5 s.",
    "Platform: off, ready, ride. It homes first, at its ends; the skier waits. After a stop choose ready, then ride.",
    "Heads: red is what the passenger feels on the platform, blue what the skier feels.",
)
SOUNDS = (
    Hum("ski.speed", 25.0, kind="wind", quiet=1.0),
    Hum("ski.speed", 22.0, kind="skis", quiet=0.5, lowest=2600.0, only=("ski.flying", -0.5, 0.5), body="dual_ski"),
)
START = "The platform homes for some seconds, then the skier starts. Drag the steering bar, and brake."


def page(
    log: str | None = None, platform: str | None = None, listen: str | None = None, follow: str | None = None,
    output: str | None = None,
) -> Machine:  # fmt: skip
    """The ride; log: a recorded drive. platform: a file of another platform. listen: HOST:PORT of a live stream.

    follow: the name of another running loop, such as `driven-car` of the driving simulator. output: real drives, such
    as `can:socketcan:can0`, `udp:HOST:PORT` or `serial:/dev/ttyUSB0`.
    """
    data, scene = named_platform(platform), slope()
    moved = None if output is None else opened_output(output, data)
    ride = ride_chain(data, *ride_sources(log, listen, follow), output=moved)
    drawn = drawn_model(data, scene)
    machine = Machine(
        TITLE,
        system(drawn, outputs=["*.q"]),
        rate=1.0 / DT,
        source=ride.chain,
        controls=controls(),
        pilots={"scripted skier": scripted_skier(ride)},
        dials=dials(ride, data),
        labels=LABELS,
        presets=presets(ride),
        start=START,
        plots=PLOTS,
        looks=looks(data),
        scenery=scenery(data, scene),
        landscape=landscape(scene),
        cameras=CAMERAS,
        views=("Seat", "Platform"),
        arrangement="split",
        view=VIEW,
        gauges=gauges(scene),
        companions=ride.companions,
        sounds=SOUNDS,
        grid=False,
        sky=True,
        marks=False,
        stale=0.5,
        help=HELP,
        shows=RideDisplay(ride, data),
        verbs={VERB: axis_test(data.moving, ride.sources.index("spline"))},
    )
    pages = [MachinePage("Ride"), calibration_page(data.moving)]
    return with_game(machine, "ride", {"time": "Time (s)", "flights": "Jumps"}, pages)


def gauges(scene: Mountain) -> list[AnyGauge]:
    """Speed, slope and a map."""
    ground = scene.ground
    area = (float(ground.x[0]), float(ground.y[0]), float(ground.x[-1]), float(ground.y[-1]))
    line = [(float(x), float(y)) for x, y, _ in scene.piste.line[::20]]
    return [
        Gauge("Speed", "ski.speed", "round", 0.0, 70.0, "km/h", KMH, corner="left"),
        Gauge("Slope", "ski.slope", unit="°", scale=degrees(1.0), corner="left"),
        Map("Piste", "ski_x.q", "ski_y.q", area, line, "top-right"),
    ]


def controls() -> list[Control]:
    """Steering bar (left is positive), brake, and the emergency stop."""
    steer = Control(
        "steer", "Steering", -1.0, 1.0, seconds=0.6, keys={"ArrowLeft": Aim(1.0), "ArrowRight": Aim(-1.0)}, axis=STICK,
        grips=[Grip("seat", (0.0, 1.0, 0.0))], shape="wheel",
    )  # fmt: skip
    brake = Control(
        "brake", "Brake", 0.0, 1.0, seconds=0.3, keys={"ArrowDown": Aim(1.0)}, buttons={RIGHT_TRIGGER: Aim(1.0)},
        shape="pedal",
    )  # fmt: skip
    halt = Control("halt", "Stop", 0.0, 1.0, seconds=0.01, keys={" ": Aim(1.0)}, buttons={BUTTON_B: Aim(1.0)})
    return [steer, brake, halt]


def dials(ride: RideChain, data: PlatformData) -> list[Dial]:
    """Choices, the passenger, and the gains of the axes."""
    moving, begun = data.moving, ride.chain.start
    choices = [
        Dial.choice("wish", 2.0, WISHES, "Platform"),
        Dial.choice("source", begun["source"], ride.sources, "Source of motion"),
        Dial.choice("method", begun["method"], KINDS, "Cueing"),
    ]
    if moving[0]:
        choices.append(Dial.choice("table", 1.0, ("hexapod alone", "with the table"), "Table"))
    choices.append(Dial.choice("controller", 0.0, [one.name for one in ride.drives.controllers], "Controller"))
    passenger = Dial(PAYLOAD, PASSENGER, LIGHTEST * PASSENGER, data.payload, "kg", "Passenger")
    return [*choices, passenger, *gain_dials(moving)]


def presets(ride: RideChain) -> list[Preset]:
    """Scenarios: a scripted skier with several methods, planned paths, and the calibration of the axes."""
    number = {name: float(k) for k, name in enumerate(ride.sources)}
    return [
        Preset("Ski", {"source": 0.0}, "you steer"),
        Preset("Scripted skier", {"source": 0.0}, "a skier who carves turns", "scripted skier"),
        Preset("Classic, hexapod alone", {"source": 0.0, "method": 0.0, "table": 0.0}, "filters", "scripted skier"),
        Preset("Predictive on a spline", {"source": number["spline"], "method": 4.0}, "it knows the track"),
        Preset("Waypoints", {"source": number["waypoints"]}, "corners with jolts"),
    ]


class RideDisplay:
    """Lines over the view: speed and slope, state of the platform, delay, use of the legs, the stream."""

    def __init__(self, ride: RideChain, data: PlatformData) -> None:
        self._ride, self._data = ride, data

    def __call__(self, channels: Channels) -> list[str]:
        ride, c, legs = self._ride, channels, self._data.legs
        state = STATES[int(c["ride.state"])]
        why = ride.drives.fault(c["drives.fault"], c["drives.lost"]) or ride.supervisor.reason(c["ride.reason"])
        flying = ", in the air" if c["ski.flying"] else ""
        source = ride.sources[int(c["ski.source"])]
        left = 1e3 * min(min(q - legs.shortest, legs.longest - q) for q in (c[f"rod{k}.q"] for k in range(1, 7)))
        at = f"legs {left:.0f} mm from an end of their" if left >= 0.0 else f"a leg is {-left:.0f} mm beyond its"
        broken = f", {c['limit.violations']:.0f} broken limits"
        if left < 0.0 and state not in ("running", "stopping"):  # homing runs to the mechanical ends
            broken = ": limits are counted during a ride, not in homing"
        extra = EXTRA.get(KINDS[int(c["ride.method"]) // 2], 0.0) if source in ("skier", "stream") else 0.0
        late = 1e3 * (DT + extra + max(c["ride.delay"], 0.0))
        lines = [
            f"{source}{', waits for the platform' if c['ski.waits'] else flying}",
            f"platform {state}" + (f": {why}" if why else ""),
            f"scene to reference {late:.1f} ms, tracking error {1e3 * c['tracking.error']:.2f} mm",
            f"{at} stroke{broken}",
        ]
        if c["ride.refused"]:
            lines.append(f"{c['ride.refused']:.0f} samples refused: {REFUSALS[int(c['ride.refusal'])]}")
        return [*lines, *(one.line for one in (self._ride.stream, self._ride.output) if one)]
