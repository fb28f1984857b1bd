"""Scores against a small independent calculation, over random attempts."""

from fractions import Fraction

import numpy as np
import pytest

from symbody.scenario.game import Measure
from symbody.scenario.play_statistics import (
    best_option,
    by_option,
    choices,
    heat_map,
    histogram,
    mean_of,
    reach_band,
    reversals,
    share_of,
)
from symbody.scenario.standings import PlayedAttempt, attempt_scores, leaderboard

MEASURES = {
    "time": Measure("time", "time", weight=1.0),
    "fuel": Measure("fuel", "fuel", weight=2.0),
    "hits": Measure("hits", "hits", weight=0.5),
}
OPTIONS = ("L/S", "L/M", "L/L", "M/M")


def random_attempts(seed, players=16):
    rng = np.random.default_rng(seed)
    made = []
    for k in range(3 * players):
        # quarters: exact in binary, so that an exact calculation can be compared
        results = {
            "time": rng.integers(160, 900) / 4,
            "fuel": rng.integers(1, 40) / 8,
            "hits": float(rng.integers(0, 4)),
        }
        state = "done" if rng.random() < 0.8 else ("broken" if rng.random() < 0.5 else "unfinished")
        made.append(
            PlayedAttempt(k, f"P{k % players}", str(rng.choice(OPTIONS)), state, results if state == "done" else {})
        )
    return made


def exact_scores(played):
    """The leaderboard in rational numbers, written apart."""
    counted = [one for one in played if one.state == "done"]
    weights = {"time": Fraction(1), "fuel": Fraction(2), "hits": Fraction(1, 2)}
    low = {m: min(Fraction(one.results[m]) for one in counted) for m in weights}
    high = {m: max(Fraction(one.results[m]) for one in counted) for m in weights}
    totals = {}
    for one in counted:
        parts = [w * (high[m] - Fraction(one.results[m])) / (high[m] - low[m]) for m, w in weights.items()]
        totals.setdefault(one.player, []).append(sum(parts) / sum(weights.values()))
    return {player: sum(scores) / len(scores) for player, scores in totals.items()}


@pytest.mark.parametrize("seed", range(10))
def test_the_leaderboard_is_that_of_exact_numbers(seed):
    played = random_attempts(seed)
    rows, exact = leaderboard(played, MEASURES), exact_scores(played)
    assert [row.player for row in rows] == sorted(exact, key=lambda player: -exact[player])
    np.testing.assert_allclose([row.score for row in rows], [float(exact[row.player]) for row in rows], rtol=1e-13)
    first = rows[0]
    own = [one.results for one in played if one.player == first.player and one.state == "done"]
    assert first.attempts == len(own)
    assert first.largest["hits"] == max(one["hits"] for one in own)
    assert first.means["time"] == pytest.approx(np.mean([one["time"] for one in own]), rel=1e-14)


def test_equal_values_count_as_best_and_more_can_be_better():
    same = [PlayedAttempt(k, "A", "", "done", {"speed": 10.0}) for k in range(2)]
    assert attempt_scores(same, {"speed": Measure("speed", "speed")}) == [1.0, 1.0]
    two = [PlayedAttempt(0, "A", "", "done", {"speed": 10.0}), PlayedAttempt(1, "B", "", "done", {"speed": 30.0})]
    assert attempt_scores(two, {"speed": Measure("speed", "speed", better="more")}) == [0.0, 1.0]
    assert leaderboard([], MEASURES) == []


def test_the_printed_shares_are_those_of_45_plays():
    """Pub. VI, Fig. 7: 42, 33, 11, 7 and 7 % are 19, 15, 5, 3 and 3 of 45 plays; 48 plays cannot give them."""
    printed = {"L/L": 42, "L/M": 33, "L/S": 11, "M/L": 7, "M/M": 7}
    counts = {"L/L": 19, "L/M": 15, "L/S": 5, "M/L": 3, "M/M": 3}
    played = [
        PlayedAttempt(k, "P", option, "done") for k, option in enumerate(o for o, n in counts.items() for _ in range(n))
    ]
    found = choices(played)
    assert list(found) == list(counts)
    assert {option: round(100 * row[1]) for option, row in found.items()} == printed
    possible = [{n for n in range(49) if round(100 * n / 48) == share} for share in printed.values()]
    assert not all(possible)  # 7 % is no share of 48


@pytest.mark.parametrize("seed", range(10))
def test_histograms_and_heat_maps_count_each_sample_once(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(2.0, 8.0, 500), rng.uniform(-1.0, 4.0, 500)
    expected = [0] * 30
    for value in x:  # one at a time
        for k in range(30):
            if 3.0 + 4.0 * k / 30 <= value < 3.0 + 4.0 * (k + 1) / 30:
                expected[k] += 1
    assert histogram(x, 3.0, 7.0) == expected
    grid = np.array(heat_map(x, y, (2.0, -1.0, 8.0, 4.0), 10))
    assert grid.sum() == 500
    assert grid[3, 7] == sum(
        2 + 0.6 * 7 <= a < 2 + 0.6 * 8 and -1 + 0.5 * 3 <= b < -1 + 0.5 * 4 for a, b in zip(x, y, strict=True)
    )


def test_intervals_against_known_values():
    # Student: 3 values 1, 2, 3: 2 ± 4.303·1/√3; Wilson for 10 of 16: 0.386 to 0.815 (Newcombe 1998 by hand)
    found = mean_of([1.0, 2.0, 3.0])
    assert (found.value, found.n) == (2.0, 3)
    assert found.half == pytest.approx(4.303 / np.sqrt(3.0), rel=1e-12)
    assert mean_of([5.0]).half == np.inf
    assert share_of(10, 16) == pytest.approx((0.625, 0.3864, 0.8152), abs=5e-5)


@pytest.mark.parametrize("seed", range(10))
def test_the_best_option_has_the_best_mean_score(seed):
    played = random_attempts(seed)
    counted = [one for one in played if one.state == "done"]
    scores = attempt_scores(counted, MEASURES)
    means = {
        o: np.mean([s for s, a in zip(scores, counted, strict=True) if a.option == o])
        for o in {a.option for a in counted}
    }
    assert best_option(played, MEASURES) == max(means, key=means.get)
    rows = by_option(played, MEASURES)
    for option in means:
        times = [a.results["time"] for a in counted if a.option == option]
        assert rows[option]["time"].value == pytest.approx(np.mean(times), rel=1e-14)


def test_bands_and_reversals_of_a_history():
    t = np.linspace(0.0, 1.0, 1001)
    assert reach_band(5.0 + t, 0.9) == pytest.approx((5.05, 5.95))
    assert reversals(np.sin(2.0 * np.pi * 3.0 * t)) == 6
    assert reversals(0.01 * np.sin(2.0 * np.pi * 3.0 * t)) == 0
