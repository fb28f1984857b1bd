"""The report of the game: simulated users of different skill play with a large bucket and three dipper cylinders."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from symbody.machines.excavator.driver import SKILLS
from symbody.machines.excavator.players import CHOICES, LONGEST, UserPlay, game, shared_site, user_play
from symbody.machines.excavator.site import TICK
from symbody.realtime.unclocked import Unclocked
from symbody.scenario.play_statistics import reach_band, reversals, summary
from symbody.scenario.score_plots import heat_plot, options_plot, reach_plot
from symbody.scenario.standings import leaderboard
from symbody.visual.report import Plot, Report, paragraphs
from symbody.visual.report_options import ReportOptions

TITLE = "A game for product development: load two tonnes of gravel with an excavator"
TEXT = """Scripted drivers of four skills load two tonnes of gravel into a hopper, each with the large bucket and the
small, medium and large dipper cylinder. Time, fuel and hits of pole and hopper are normalised between the best and the
worst attempt; the score is their weighted mean, and that of a player the mean over the attempts.

A product team reads from the attempts which options are chosen, which work best, and at which reach the arm works."""
STEPS = 2000


def report(options: ReportOptions) -> Report:
    """The report of some or all skills (`only`)."""
    options.check(list(SKILLS))
    wanted = [(skill, option) for skill in options.chosen(list(SKILLS)) for option in CHOICES]
    plays = [
        user_play(skill, option, number=k, longest=options.end(LONGEST))
        for k, (skill, option) in enumerate(options.counted(wanted, "attempt", "excavator"))
    ]
    played = [one.played for one in plays]
    found = summary(played, game().measures, {})
    rows = [
        {"player": row.player, "score": row.score, "attempts": row.attempts} | dict(row.means)
        for row in leaderboard(played, game().measures)
    ]
    record = {
        "leaderboard": {row["player"]: row["score"] for row in rows}, "best_option": found["best_option"],
        "step_us": step_us(), "attempts": found["attempts"], "finished": found["finished"],
    }  # fmt: skip
    tables = {"Leaderboard": rows, "Options": found["by_option"], "Reach": reach_records(plays)}
    finished = {name: records for name, records in tables.items() if records}
    return Report("excavator", TITLE, paragraphs(TEXT), [record], plots(plays), tables=finished)


def reach_records(plays: Sequence[UserPlay]) -> list[dict[str, Any]]:
    """Band of the reach (m), its width, and reversals in a minute, for each attempt."""
    rows = []
    for one in plays:
        reach = one.play.column(game(), "reach")
        low, high = reach_band(reach)
        minutes = one.play.log[-1, 0] / 60.0
        rows.append({
            "player": one.played.player, "option": one.played.option, "from_m": low, "to_m": high,
            "width_m": high - low, "turns_per_minute": reversals(reach) / minutes if minutes else 0.0,
            "state": one.played.state,
        } | dict(one.played.results))  # fmt: skip
    return rows


def plots(plays: Sequence[UserPlay]) -> list[Plot]:
    """Reach over time, measures by option, and where the bucket was."""
    first = {one.played.player: one for one in reversed(plays)}
    histories = {name: (one.play.log[:, 0], one.play.column(game(), "reach")) for name, one in first.items()}
    places = [[one.play.column(game(), f"bucket.position.{axis}") for one in plays] for axis in "xy"]
    return [reach_plot(histories), options_plot([one.played for one in plays], game().measures), heat_plot(*places)]


def step_us() -> float:
    """Processor time (µs) of one step of 1 ms at rest: soil, arm, hydraulics and contacts."""
    steps = Unclocked(shared_site().chain, TICK)
    begun = time.thread_time()
    for _ in range(STEPS):
        steps.step()
    return 1e6 * (time.thread_time() - begun) / STEPS
