"""The excavator as a game: controls, gauges, forms for players, ghosts of earlier attempts, leaderboard."""

from __future__ import annotations

from typing import Any

from symbody.machines.excavator.driver import SKILLS, ExcavatorDriver
from symbody.machines.excavator.looks import looks, scenery
from symbody.machines.excavator.options import chosen, parameters
from symbody.machines.excavator.site import PITCH, TICK, site
from symbody.machines.games import with_game
from symbody.scenario.ghosts import AXES
from symbody.studio.appearance import Viewpoint
from symbody.studio.cameras import Ride
from symbody.studio.gauges import Gauge
from symbody.studio.machine import Aim, Control, Hum, Instruction, Machine, Struck
from symbody.studio.machine_pages import MachinePage
from symbody.studio.soil_view import soil_view

TITLE = "Excavator game"
START = "Load two tonnes of gravel into the hopper. Move a control to start."
HELP = (
    "The sliders move boom, dipper and bucket, turn the excavator, and drive its crawlers. “Reset” starts again.",
    Instruction("Keys: W S boom, A D slew, ↑ ↓ dipper, ← → bucket, Q E Z C crawlers. Game controller: both sticks."),
    "Enter a nickname on the page Leaderboard for an attempt that counts. Each player has three.",
)
LABELS = {"time": "Time (s)", "fuel": "Fuel (l)", "hits": "Hits", "difficulty": "Difficulty", "enjoyed": "Enjoyed"}
PLOTS = ["reach", "digging.soil.carried", "hopper.soil.carried", "pump.power"]
CHANNEL_LABELS = {
    "reach": "reach", "digging.soil.carried": "gravel in the bucket", "hopper.soil.carried": "gravel in the hopper",
    "pump.power": "power of the pump",
}  # fmt: skip
GAUGES = (
    Gauge("Hopper", "hopper.soil.carried", "bar", 0.0, 100.0, "%", scale=0.05, set_point=100.0, corner="top-left"),
    Gauge("Bucket", "digging.soil.carried", "digital", 0.0, 1500.0, "kg", corner="top-left"),
    Gauge("Reach", "reach", "digital", 0.0, 9.0, "m", digits=1, corner="top-left"),
    Gauge("Pump", "pump.power", "round", 0.0, 250.0, "kW", scale=1e-3, red=[(200.0, 250.0)], corner="top-left"),
)
RIDES = (
    Ride("Cab", "upper", (0.3, 0.72, 1.35), (1.0, -0.1, -0.28), 70.0),
    Ride("Behind", "upper", (-8.5, 4.5, 6.0), (1.0, -0.4, -0.42), 50.0),
)


def page() -> Machine:
    """The excavator on its site."""
    place = site()
    surface, loose = soil_view(place.ground, "#8d8577", "#a79f90")

    def choose(option: str) -> dict[str, float]:
        bucket, _ = chosen(option)
        place.ground.reshape_tool("digging", bucket.boxes, PITCH * bucket.scale)
        return parameters(option)

    machine = Machine(
        TITLE,
        place.system,
        source=place.chain,
        rate=1.0 / TICK,
        controls=controls(),
        pilots={f"scripted driver, {name}": ExcavatorDriver(skill) for name, skill in SKILLS.items()},
        dials=(),
        labels=CHANNEL_LABELS,
        start=START,
        waits=True,
        plots=PLOTS,
        sounds=SOUNDS,
        looks=looks(),
        scenery=scenery(),
        terrains=[surface],
        particles=[loose],
        cameras=RIDES,
        views=("Behind",),
        grid=False,
        marks=False,
        sky=True,
        gauges=GAUGES,
        help=HELP,
        view=Viewpoint(-60.0, 25.0, [(-3.0, -3.0, 0.0), (8.0, 6.0, 0.0), (0.0, 0.0, 4.0)]),
        stale=1.0,
    )
    return with_game(machine, "excavator", LABELS, [MachinePage("Work")], choose, AXES)


def _two(name: str, label: str, most: float, unit: str, keys: tuple[str, str], **more: Any) -> Control:
    """A control with a key for each direction."""
    high, low = keys
    return Control(name, label, -most, most, unit=unit, seconds=0.6, keys={high: Aim(most), low: Aim(-most)}, **more)


def controls() -> list[Control]:
    """The two levers of an excavator as four controls, and both crawlers."""
    return [
        _two("boom_command", "Boom", 10.0, "V", ("s", "w"), axis=3),
        _two("slew_command", "Slew", 1.0, "", ("a", "d"), axis=0),
        _two("dipper_command", "Dipper", 10.0, "V", ("ArrowDown", "ArrowUp"), axis=1),
        _two("bucket_command", "Bucket", 10.0, "V", ("ArrowLeft", "ArrowRight"), axis=2),
        _two("left_speed", "Left crawler", 1.0, "m/s", ("q", "z")),
        _two("right_speed", "Right crawler", 1.0, "m/s", ("e", "c")),
    ]


SOUNDS: list[Struck | Hum] = [
    Hum("pump.power", full=2e5, kind="hydraulics", body="upper", near=6.0),
    Hum("digging.soil.carried", full=1500.0, kind="gravel", quiet=50.0, body="bucket", near=6.0),
    *(Struck(f"{part}.hit", full=2e5, kind="thud", body=part, near=8.0) for part in ("bucket", "dipper", "boom")),
]
