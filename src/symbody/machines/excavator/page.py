"""The excavator as a game: controls, gauges, forms for players, ghosts of earlier attempts, leaderboard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from symbody.links.rejected import Rejected
from symbody.machines.excavator.driver import SKILLS, Driver
from symbody.machines.excavator.looks import looks, scenery
from symbody.machines.excavator.options import OPTIONS, chosen, parameters
from symbody.machines.excavator.site import PITCH, TICK, site
from symbody.machines.games import game_of, score_file
from symbody.scenario.game_referee import GameReferee
from symbody.scenario.ghosts import Ghosts
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.score_tables import ScoreTables, game_pages
from symbody.studio.cameras import Ride
from symbody.studio.gauges import Gauge
from symbody.studio.machine import Aim, Control, Hum, Machine, Particles, Struck, Viewpoint
from symbody.studio.machine_pages import MachinePage, MachineVerb
from symbody.studio.soil_view import soil_view
from symbody.visual.scene import Cloud
from symbody.web.checks import text
from symbody.web.store import KeyValueStore
from symbody.web.verbs import checked

TITLE = "Excavator game"
START = "Load two tonnes of gravel into the hopper. Press W, S, A, D and the arrow keys to start."
HELP = (
    "Keys: W and S boom, A and D slew, ↑ and ↓ dipper, ← and → bucket, Q, E, Z and C crawlers. R starts again.",
    "Mouse: the sliders. Game controller: both sticks.",
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
    Ride("Behind", "upper", (-7.0, 1.5, 4.2), (1.0, -0.1, -0.4), 50.0),
)
GHOSTS = 3


@dataclass(frozen=True)
class EnterAttempt:
    """Begin an attempt that counts."""

    player: str = checked(text(1, 24))
    option: str = checked(text(1, 8))


@dataclass(frozen=True)
class GiveAnswers:
    """Answer the questions."""

    player: str = checked(text(1, 24))
    difficulty: str = checked(text(1, 24))
    enjoyed: str = checked(text(1, 24))


def page() -> Machine:
    """The excavator on its site."""
    place, game, book = site(), game_of("excavator"), ScoreBook(score_file())
    referee = GameReferee(game, book)
    surface, loose = soil_view(place.ground, "#8d8577", "#a79f90")
    ghosts = Ghosts(game, book, referee, GHOSTS)

    def play(message: EnterAttempt, channels: Mapping[str, float], store: KeyValueStore) -> Mapping[str, float]:
        if message.option not in OPTIONS:
            raise Rejected("unknown option", f"use {', '.join(OPTIONS)}")
        referee.enter(message.player, message.option)
        ghosts.call()
        bucket, _ = chosen(message.option)
        place.ground.reshape_tool("digging", bucket.boxes, PITCH * bucket.scale)
        return parameters(message.option)

    def answer(message: GiveAnswers, channels: Mapping[str, float], store: KeyValueStore) -> None:
        given = {"difficulty": message.difficulty, "enjoyed": message.enjoyed}
        for question, one in given.items():
            if one not in game.questions[question]:
                raise Rejected("unknown answer", f"use {', '.join(game.questions[question])}")
        book.answer(game.name, message.player, given)

    return Machine(
        TITLE,
        place.system,
        source=place.chain,
        rate=1.0 / TICK,
        controls=controls(),
        pilots={f"scripted driver, {name}": Driver(skill) for name, skill in SKILLS.items()},
        dials=(),
        labels=CHANNEL_LABELS,
        start=START,
        waits=True,
        plots=PLOTS,
        sounds=SOUNDS,
        looks=looks(),
        scenery=scenery(),
        terrains=[surface],
        particles=[loose, Particles(Cloud(0, GHOSTS, 0.35, "#5fb0e6"), ghosts.points)],
        cameras=RIDES,
        views=("Behind",),
        grid=False,
        marks=False,
        sky=True,
        gauges=GAUGES,
        help=HELP,
        referee=referee,
        view=Viewpoint(-60.0, 25.0, [(-3.0, -3.0, 0.0), (8.0, 6.0, 0.0), (0.0, 0.0, 4.0)]),
        pages=[MachinePage("Work"), *game_pages(game, LABELS)],
        verbs={
            "attempt": MachineVerb(EnterAttempt, play, rate=0.5, resets=True),
            "answer": MachineVerb(GiveAnswers, answer, rate=0.5),
        },
        store=ScoreTables(game, book),
        stale=1.0,
    )


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
