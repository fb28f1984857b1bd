"""The excavator game of Jaiswal et al. (dissertation LUT 2021, Publication VI): simulated users instead of people."""

from __future__ import annotations

from functools import cache

from symbody.machines.excavator.players import UserPlay, game, user_play
from symbody.scenario.play_statistics import choices, reach_band
from symbody.scenario.standings import PlayedAttempt, leaderboard
from symbody_bench.validate.documents.row import NOT, SAME, Outcome, Row, holds, ordered, shown

DOCUMENT = "Jaiswal 2021"
ITEM = "T7"
SEEDS = range(10)
PRINTED = {"L/L": 42, "L/M": 33, "L/S": 11, "M/L": 7, "M/M": 7}  # % of choices
PLAYS = {"L/L": 19, "L/M": 15, "L/S": 5, "M/L": 3, "M/M": 3}


@cache
def plays(skill: str, option: str) -> list[UserPlay]:
    """Attempts over ten seeds."""
    return [user_play(skill, option, seed) for seed in SEEDS]


def means(skill: str, option: str, measure: str) -> list[float]:
    """A measure over the seeds."""
    return [one.played.results[measure] for one in plays(skill, option)]


def widths(skill: str) -> list[float]:
    """Widths (m) of the reach bands over the seeds."""
    bands = [reach_band(one.play.column(game(), "reach")) for one in plays(skill, "L/M")]
    return [high - low for low, high in bands]


def choices_row() -> Outcome:
    """Shares of 45 plays, in whole %."""
    played = [PlayedAttempt(0, "", option, "done") for option, count in PLAYS.items() for _ in range(count)]
    found = {option: round(100.0 * row[1]) for option, row in choices(played).items()}
    return Outcome(
        ", ".join(f"{option} {share} %" for option, share in found.items()), SAME if found == PRINTED else NOT
    )


def winner_band() -> Outcome:
    """The reach of the expert."""
    low, high = reach_band(plays("expert", "L/M")[0].play.column(game(), "reach"))
    kept = [abs(low - 5.0) < 0.6 and abs(high - 6.5) < 0.6]
    return holds(kept, f"{shown(low)} to {shown(high, 'm')}")


def last_band() -> Outcome:
    """The reach of the novice."""
    low, high = reach_band(plays("novice", "L/M")[0].play.column(game(), "reach"))
    return holds([abs(low - 3.2) < 0.6 and abs(high - 6.5) < 0.6], f"{shown(low)} to {shown(high, 'm')}")


def ranking() -> Outcome:
    """The leaderboard follows skill, for each seed."""
    kept = []
    for seed in SEEDS:
        played = [plays(skill, "L/M")[seed].played for skill in ("expert", "novice")]
        kept.append([row.player for row in leaderboard(played, game().measures)] == ["expert", "novice"])
    return holds(kept, "expert before novice")


def narrower_is_faster() -> Outcome:
    """Width of the band against skill."""
    return ordered({skill: widths(skill) for skill in ("expert", "novice")}, "m")


def best_on_time() -> Outcome:
    """Time with the large bucket and each cylinder."""
    medium = means("expert", "L/M", "time")
    others = [means("expert", option, "time") for option in ("L/S", "L/L")]
    kept = [m < min(rest) for m, *rest in zip(medium, *others, strict=True)]
    told = ", ".join(f"{o} {shown(sum(means('expert', o, 'time')) / len(SEEDS), 's')}" for o in ("L/S", "L/M", "L/L"))
    return holds(kept, told)


def best_on_fuel() -> Outcome:
    """Fuel with the large bucket and each cylinder."""
    medium = means("expert", "L/M", "fuel")
    others = [means("expert", option, "fuel") for option in ("L/S", "L/L")]
    kept = [m < min(rest) for m, *rest in zip(medium, *others, strict=True)]
    told = ", ".join(f"{o} {shown(sum(means('expert', o, 'fuel')) / len(SEEDS), 'l')}" for o in ("L/S", "L/M", "L/L"))
    return holds(kept, told)


MANY = 8.0  # times the usual limit: ten attempts of each kind
UNFINISHED = "an attempt that is not finished after 240 s is not on the leaderboard: the novice's with one seed"
ARM = "scripted driver; lengths of the arm are not printed"
ROWS = [
    Row(DOCUMENT, ITEM, "shares of chosen options, of 45 plays", "42, 33, 11, 7, 7 %", choices_row),
    Row(DOCUMENT, ITEM, "reach of the winner", "5 to 6.5 m", winner_band, ARM, MANY),
    Row(DOCUMENT, ITEM, "reach of the last", "3.2 to 6.5 m", last_band, ARM, MANY),
    Row(DOCUMENT, ITEM, "the more skilled is first on the leaderboard", "yes", ranking, UNFINISHED, MANY),
    Row(DOCUMENT, ITEM, "the winner's reach deviates less", "1.5 < 3.3 m", narrower_is_faster, patience=MANY),
    Row(DOCUMENT, ITEM, "large bucket: the medium cylinder is fastest", "L/M", best_on_time,
        "laws of pump and valves are not printed", MANY),
    Row(DOCUMENT, ITEM, "large bucket: the medium cylinder takes least fuel", "L/M", best_on_fuel,
        "the small one moves less oil in each stroke; the fuel law is not printed", MANY),
]  # fmt: skip
