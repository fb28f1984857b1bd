"""Scores of attempts and the leaderboard of players: the mean weighted score of normalised measures.

With the least and the largest value of a measure over all scored attempts, an attempt gets (max − x)/(max − min), or
(x − min)/(max − min) if more is better; 1 where all are equal. Its score is Σ w n/Σ w, from 0 to 1, and that of a
player the mean over the attempts (Jaiswal et al., Pub. VI: "average weighted score of time, fuel and hits").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from symbody.scenario.attempt import AttemptState
from symbody.scenario.game import Measure

DONE = AttemptState.DONE.value


@dataclass(frozen=True)
class PlayedAttempt:
    """An attempt that was played.

    Parameters
    ----------
    number : int
        Of the attempt in its book.
    player : str
        Who played.
    option : str
        Variant of the machine.
    state : str
        Of `AttemptState`, or "unfinished".
    results : mapping of str to float, optional
        Measures by name.
    """

    number: int
    player: str
    option: str
    state: str
    results: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Standing:
    """A row of the leaderboard.

    Parameters
    ----------
    player : str
        Who played.
    score : float
        From 0 to 1.
    attempts : int
        Number of scored attempts.
    means : mapping of str to float
        Mean of each measure.
    largest : mapping of str to float
        Largest value of each measure.
    """

    player: str
    score: float
    attempts: int
    means: Mapping[str, float]
    largest: Mapping[str, float]


def scored(played: Sequence[PlayedAttempt], measures: Iterable[str]) -> list[PlayedAttempt]:
    """The attempts that count: they reached their goal, and have all measures."""
    wanted = list(measures)
    return [one for one in played if one.state == DONE and all(name in one.results for name in wanted)]


def attempt_scores(attempts: Sequence[PlayedAttempt], measures: Mapping[str, Measure]) -> list[float]:
    """The score of each attempt, which must all count."""
    total = sum(one.weight for one in measures.values())
    scores = [0.0] * len(attempts)
    for name, measure in measures.items():
        values = [attempt.results[name] for attempt in attempts]
        low, high = min(values, default=0.0), max(values, default=0.0)
        for k, x in enumerate(values):
            good = 1.0 if high == low else (high - x if measure.better == "less" else x - low) / (high - low)
            scores[k] += measure.weight * good / total
    return scores


def leaderboard(played: Sequence[PlayedAttempt], measures: Mapping[str, Measure]) -> list[Standing]:
    """Players by their score, the best first; of equal scores the one with better means, then by name.

    Parameters
    ----------
    played : sequence of PlayedAttempt
        All attempts.
    measures : mapping of str to Measure
        Of the game, by name.

    Returns
    -------
    list of Standing
        One row for each player.
    """
    counted = scored(played, measures)
    scores = attempt_scores(counted, measures)
    by_player: dict[str, list[int]] = {}
    for k, one in enumerate(counted):
        by_player.setdefault(one.player, []).append(k)
    rows = []
    for player, places in by_player.items():
        columns = {name: [counted[k].results[name] for k in places] for name in measures}
        means = {name: sum(values) / len(values) for name, values in columns.items()}
        largest = {name: max(values) for name, values in columns.items()}
        rows.append(Standing(player, sum(scores[k] for k in places) / len(places), len(places), means, largest))

    def order(row: Standing) -> tuple[float | str, ...]:
        signed = (row.means[n] if one.better == "less" else -row.means[n] for n, one in measures.items())
        return (-row.score, *signed, row.player)

    return sorted(rows, key=order)
