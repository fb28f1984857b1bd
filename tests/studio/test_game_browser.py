"""The excavator game in real browsers: a whole attempt by keys in one, the leaderboard in another."""

from dataclasses import replace

import pytest
from studio_pages import opened

from symbody.machines import games
from symbody.machines.excavator import page as excavator
from symbody.scenario.score_book import ScoreBook
from symbody.studio import Live, Studio
from symbody.studio.photograph import chromium
from waiting import eventually

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.posix, pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason="no Chromium here")]
LARGE = {"width": 1280, "height": 760}


@pytest.fixture
def studio(monkeypatch, tmp_path):
    """The excavator with a goal that takes some seconds: slew to the left."""
    monkeypatch.setenv("SYMBODY_DATA", str(tmp_path))
    usual = games.game_of("excavator")
    sensors = dict(usual.scenario.sensors)
    sensors["loaded"] = replace(sensors["loaded"], formula="100 * slew", of={"slew": "slew.q"})
    task = replace(usual.scenario.tasks[0], until=["loaded >= 60"], hold=0.1)
    game = replace(usual, scenario=replace(usual.scenario, sensors=sensors, tasks=[task]))
    monkeypatch.setattr(games, "game_of", lambda name: game)
    with Studio(Live(excavator.page())) as started:
        yield started


def open_page(page, name):
    page.click(f"#pages button[data-name='{name}']")


def test_a_whole_attempt_by_keys_is_on_the_leaderboard_of_another_browser(chrome, studio, tmp_path):
    player, other = (opened(chrome, studio, viewport=LARGE) for _ in range(2))
    open_page(other, "Leaderboard")
    open_page(player, "Leaderboard")
    player.fill("#sheet input[name=player]", "<i>Eve</i>")
    player.click("#sheet form button")  # refused
    player.fill("#sheet input[name=player]", "Ada")
    player.select_option("#sheet select[name=option]", "L/S")
    player.wait_for_timeout(2100)  # a form is sent every two seconds at most
    player.click("#sheet form button")
    eventually(lambda: studio.source.machine.referee.player == "Ada")
    open_page(player, "Work")
    player.locator("#view").click(position={"x": 5, "y": 5})
    player.keyboard.down("a")
    eventually(lambda: studio.source.machine.referee.player == "")
    player.keyboard.up("a")
    other.wait_for_function("[...document.querySelectorAll('#sheet td')].some((cell) => cell.textContent === 'Ada')")
    (kept,) = ScoreBook(tmp_path / "scores.sqlite").attempts("excavator")
    assert (kept.player, kept.option, kept.state) == ("Ada", "L/S", "done")
    assert kept.results["time"] > 0.5
    log = ScoreBook(tmp_path / "scores.sqlite").log(kept.number)
    assert max(log["operator.slew_command"]) == 1.0
    assert studio.gate.refused["not a nickname"] == 1
    assert player.errors == other.errors == []
    again = games.attempt_again("excavator", ScoreBook(tmp_path / "scores.sqlite"), kept.number)
    assert games.game_of("excavator").results(again) == dict(kept.results)  # from the logged inputs, bit for bit
    open_page(other, "Statistics")
    other.wait_for_function("document.querySelectorAll('#sheet figure svg').length >= 6")
    drawn = {title.text_content() for title in other.locator("#sheet figure:has(svg) h2").all()}
    assert {"Choices", "Score (%)", "Time (s)", "Reach over time", "Histogram of the reach"} <= drawn
    assert "Best combination, people: L/S" in other.locator("#sheet").text_content()
    for page in (player, other):
        page.close()


def test_forged_scores_and_floods_are_refused(chrome, studio, tmp_path):
    page = opened(chrome, studio, viewport=LARGE)
    before = studio.gate.refused.total()
    page.evaluate(
        """() => {
          studio.send({do: "attempt", player: "Eve", option: "L/M", time: 1.0});
          studio.send({do: "finish", attempt: 1, results: {time: 1.0}});
          studio.send({do: "attempt", player: "Eve", option: "XXL"});
          for (let k = 0; k < 50; k++) studio.send({do: "answer", player: `P${k}`, difficulty: "easy", enjoyed: "yes"});
          studio.send({do: "attempt", player: "x".repeat(10000000), option: "L/M"});
        }"""
    )
    eventually(lambda: studio.gate.refused.total() >= before + 20)
    assert ScoreBook(tmp_path / "scores.sqlite").attempts("excavator") == []
    page.close()
