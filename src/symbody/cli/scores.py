"""`symbody scores`: the leaderboard of a game, its attempts and statistics, replays, export, and deletion."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from symbody.errors import ModelError
from symbody.machines.games import attempt_again, game_of, games, keep_simulated_users, score_file
from symbody.scenario.game_referee import replayed
from symbody.scenario.play_statistics import summary
from symbody.scenario.score_book import ScoreBook
from symbody.scenario.score_export import export_scores
from symbody.scenario.score_tables import leaderboard_rows

SUMMARY = "Show the leaderboard of a game, its attempts or statistics; export them; delete a player."
EXAMPLE = "excavator --statistics"


def options(parser: argparse.ArgumentParser) -> None:
    """Options of the command."""
    parser.add_argument("game", help=f"a machine with a game: {', '.join(games())}")
    parser.add_argument("--file", type=Path, help="the file of the scores (default: that of the studio)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--attempts", action="store_true", help="all attempts")
    what.add_argument("--statistics", action="store_true", help="choices, measures by option, answers")
    what.add_argument("--replay", type=int, metavar="NUMBER", help="compute an attempt again from its log")
    what.add_argument("--again", type=int, metavar="NUMBER", help="simulate an attempt again from its inputs")
    what.add_argument(
        "--simulate", type=int, metavar="SEEDS", help="let simulated users play, each with so many seeds (minutes)"
    )
    what.add_argument("--export", type=Path, metavar="DIR", help="write attempts and logs into a folder")
    what.add_argument("--delete", metavar="NICKNAME", help="delete everything of a player")
    parser.add_argument("--format", choices=("csv", "parquet"), default="csv", help="of --export (default: csv)")


def run(arguments: argparse.Namespace) -> Any:
    """Rows of a table, or what was done."""
    game, path = game_of(arguments.game), arguments.file or score_file()
    if arguments.simulate is not None:
        book = ScoreBook(path)
        played = list(keep_simulated_users(arguments.game, book, range(max(arguments.simulate, 1))))
        return {"attempts": len(played), "players": sorted({player for player, _ in played})}
    if not path.is_file():
        raise ModelError("no scores yet", element=str(path), cure=f"play first: symbody demo {arguments.game}")
    book = ScoreBook(path)
    if arguments.delete is not None:
        if not book.delete_player(arguments.delete):
            raise ModelError("unknown player", element=arguments.delete, cure="see the leaderboard for nicknames")
        return {"deleted": arguments.delete}
    if arguments.export:
        return {
            "written": [
                str(one) for one in export_scores(book, game.name, game.measures, arguments.export, arguments.format)
            ]
        }
    if arguments.attempts:
        return [{"attempt": a.number, "player": a.player, "option": a.option, "state": a.state} | dict(a.results)
                for a in book.attempts(game.name)]  # fmt: skip
    if arguments.statistics:
        return summary(book.attempts(game.name), game.measures, book.answers(game.name))
    number = arguments.replay if arguments.replay is not None else arguments.again
    if number is not None:
        kept = {one.number: dict(one.results) for one in book.attempts(game.name)}
        if number not in kept:
            raise ModelError("no such attempt", element=str(number), cure="see --attempts")
        judged = arguments.replay is not None
        attempt = replayed(game, book.log(number)) if judged else attempt_again(arguments.game, book, number)
        again = game.results(attempt)
        return {"kept": kept[number], "replayed" if judged else "simulated": again, "same": again == kept[number]}
    return leaderboard_rows(game, book)
