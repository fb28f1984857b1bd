"""Players, attempts, logs and answers in one SQLite file.

A player is a nickname and nothing else: no address, no device, no time of day. Each change is one transaction in WAL
mode with full synchronisation, so that an attempt whose `finish` returned survives `kill -9` and a power cut. An
attempt of a process that has ended is marked as unfinished when the next one opens the book. Reserves inside the file
and beside it are released when the disk is full, so that running attempts can still be finished.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from math import isfinite
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.links.rejected import Rejected
from symbody.output_file import make_folder
from symbody.scenario.input_log import Drive
from symbody.scenario.standings import PlayedAttempt

Array = np.ndarray
LONGEST = 24  # characters of a nickname
MOST_PLAYERS = 10_000
LARGEST_LOG = 50 * 3600  # rows of one attempt: an hour at 50 Hz
LARGEST_INPUTS = 500 * 3600  # rows: an hour of hands that move at 500 Hz
WAITING = 30.0  # s for the file while others write
RESERVE = 262_144  # bytes inside the file, for its pages
RESERVED_SPACE = 1_048_576  # bytes in a file beside it: on a full disk also the write-ahead log needs room
UNFINISHED = "unfinished"  # its process ended
GIVEN_UP = "given up"
RUNNING = "running"
_NICKNAME = re.compile(r"[^\W_][\w .-]*", re.UNICODE)
_TABLES = """
CREATE TABLE IF NOT EXISTS player (number INTEGER PRIMARY KEY, nickname TEXT NOT NULL, folded TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS attempt (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    player INTEGER NOT NULL REFERENCES player ON DELETE CASCADE,
    game TEXT NOT NULL, option TEXT NOT NULL, state TEXT NOT NULL, results TEXT NOT NULL DEFAULT '{}',
    channels TEXT NOT NULL, process INTEGER NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS one_at_a_time ON attempt (player, game) WHERE state = 'running';
CREATE TABLE IF NOT EXISTS log (
    attempt INTEGER NOT NULL REFERENCES attempt ON DELETE CASCADE, first INTEGER NOT NULL, rows INTEGER NOT NULL,
    data BLOB NOT NULL, PRIMARY KEY (attempt, first));
CREATE TABLE IF NOT EXISTS drive (
    attempt INTEGER PRIMARY KEY REFERENCES attempt ON DELETE CASCADE, about TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS input_log (
    attempt INTEGER NOT NULL REFERENCES attempt ON DELETE CASCADE, first INTEGER NOT NULL, rows INTEGER NOT NULL,
    data BLOB NOT NULL, PRIMARY KEY (attempt, first));
CREATE TABLE IF NOT EXISTS answer (
    player INTEGER NOT NULL REFERENCES player ON DELETE CASCADE, game TEXT NOT NULL, question TEXT NOT NULL,
    answer TEXT NOT NULL, PRIMARY KEY (player, game, question));
CREATE TABLE IF NOT EXISTS reserve (number INTEGER PRIMARY KEY, data BLOB);
"""


class ScoreBookError(ModelError):
    """The book cannot be read or written."""


def nickname(text: object) -> str:
    """A nickname as it is kept: 1 to 24 letters, digits, spaces, `_`, `.` and `-`; `Rejected` for anything else."""
    cure = f"use up to {LONGEST} letters, digits, spaces, _ . and -"
    if not isinstance(text, str) or len(text) > 4 * LONGEST:  # before anything looks at 10 MB
        raise Rejected("not a nickname", cure)
    plain = unicodedata.normalize("NFC", text).strip()
    if not (1 <= len(plain) <= LONGEST and _NICKNAME.fullmatch(plain)):
        raise Rejected("not a nickname", cure)
    return plain


class ScoreBook:
    """Sessions and scores in a file, for any number of threads and processes.

    Parameters
    ----------
    path : path
        Of the SQLite file; a file that is missing is made, with its folder, when something is kept first.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self.refused: Counter[str] = Counter()
        self._changes, self._ready, self._opening = 0, False, threading.RLock()
        self._own = threading.local()
        if self.path.exists():
            self._open()

    def _open(self) -> None:
        """Make the tables, mark abandoned attempts, renew the reserve: once, before the first use."""
        with self._opening:
            if not self._ready:
                self._ready = True
                make_folder(self.path.parent)
                with self._changing() as c:
                    c.executescript(_TABLES)
                self._mark_abandoned()
                self._renew_reserve()

    # -- connections ---------------------------------------------------------------------------------------------------

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection of this thread."""
        self._open()
        found: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if found is None or getattr(self._own, "process", None) != os.getpid():
            try:
                found = sqlite3.connect(self.path, timeout=WAITING, isolation_level=None)
                found.execute("PRAGMA journal_mode = WAL")
                found.execute("PRAGMA synchronous = FULL")
                found.execute("PRAGMA foreign_keys = ON")
                found.execute("PRAGMA secure_delete = ON")  # what is deleted does not stay in free pages
            except sqlite3.Error as error:
                raise ScoreBookError(f"the scores cannot be opened: {error}", element=str(self.path)) from error
            self._own.connection, self._own.process = found, os.getpid()
        return found

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is kept as a whole or not at all."""
        c = self._connection
        try:
            c.execute("BEGIN IMMEDIATE")
            yield c
            if c.in_transaction:
                c.execute("COMMIT")
            self._changes += 1
        except BaseException as error:
            if c.in_transaction:
                c.execute("ROLLBACK")
            if isinstance(error, sqlite3.IntegrityError):
                raise
            if isinstance(error, sqlite3.Error):
                cure = "free some space on the disk" if "full" in str(error) else "see whether the file is damaged"
                raise ScoreBookError(
                    f"the scores cannot be written: {error}", element=str(self.path), cure=cure
                ) from error
            raise

    @property
    def version(self) -> tuple[int, int]:
        """Changes if this book or another process has written."""
        if not self.path.exists():
            return self._changes, 0
        return self._changes, self._connection.execute("PRAGMA data_version").fetchone()[0]

    def close(self) -> None:
        """Close the connection of this thread."""
        found = getattr(self._own, "connection", None)
        if found is not None:
            found.close()
            self._own.connection = None

    def refuse(self, reason: str, detail: str = "") -> Rejected:
        """Count a refusal, and return it as an error to raise."""
        self.refused[reason] += 1
        return Rejected(reason, detail)

    def _mark_abandoned(self) -> None:
        """Mark running attempts of processes that have ended as unfinished."""
        with self._changing() as c:
            for number, process in c.execute(
                "SELECT number, process FROM attempt WHERE state = ?", (RUNNING,)
            ).fetchall():
                if not _alive(process):
                    c.execute("UPDATE attempt SET state = ? WHERE number = ?", (UNFINISHED, number))

    def _renew_reserve(self) -> None:
        with self._changing() as c:
            c.execute("INSERT OR IGNORE INTO reserve VALUES (1, zeroblob(?))", (RESERVE,))
        with suppress(OSError):  # the disk is full already
            if not self._space.exists() or self._space.stat().st_size < RESERVED_SPACE:
                self._space.write_bytes(os.urandom(RESERVED_SPACE))  # a file system may not keep zeros

    @property
    def _space(self) -> Path:
        """The file that keeps space on the disk."""
        return self.path.with_name(f"{self.path.name}-reserve")

    # -- playing -------------------------------------------------------------------------------------------------------

    def begin(self, game: str, player: object, option: str, channels: Sequence[str], most: int) -> int:
        """Begin an attempt and return its number; `Rejected` if the player has one already, or no more of `most`."""
        try:
            name = nickname(player)
        except Rejected as refusal:
            raise self.refuse(refusal.reason, refusal.detail) from None
        folded = name.casefold()
        try:
            with self._changing() as c:
                found = c.execute("SELECT number FROM player WHERE folded = ?", (folded,)).fetchone()
                if found is None:
                    if c.execute("SELECT count(*) FROM player").fetchone()[0] >= MOST_PLAYERS:
                        raise self.refuse("too many players", "delete some of them")
                    found = (
                        c.execute("INSERT INTO player (nickname, folded) VALUES (?, ?)", (name, folded)).lastrowid,
                    )
                done = c.execute(
                    "SELECT count(*) FROM attempt WHERE player = ? AND game = ? AND state != ?",
                    (*found, game, UNFINISHED),
                ).fetchone()[0]
                if done >= most and not self._plays(c, found[0], game):
                    raise self.refuse("no attempt left", f"each player has {most}")
                number = c.execute(
                    "INSERT INTO attempt (player, game, option, state, channels, process) VALUES (?, ?, ?, ?, ?, ?)",
                    (*found, game, option, RUNNING, json.dumps(list(channels)), os.getpid()),
                ).lastrowid
                assert number is not None
                return number
        except sqlite3.IntegrityError:
            raise self.refuse("already playing", "end the other attempt first") from None

    @staticmethod
    def _plays(c: sqlite3.Connection, player: int, game: str) -> bool:
        found = c.execute("SELECT 1 FROM attempt WHERE player = ? AND game = ? AND state = ?", (player, game, RUNNING))
        return found.fetchone() is not None

    def write_log(self, attempt: int, first: int, rows: Array) -> None:
        """Add rows (n, channels) to the log of a running attempt; first: number of the first row."""
        self._write_rows("log", attempt, first, rows, LARGEST_LOG)

    def write_inputs(self, attempt: int, first: int, rows: Array) -> None:
        """Add rows (step, inputs …) of a running attempt, as `write_log`."""
        self._write_rows("input_log", attempt, first, rows, LARGEST_INPUTS)

    def _write_rows(self, table: str, attempt: int, first: int, rows: Array, most: int) -> None:
        if first + len(rows) > most:
            raise self.refuse("log too long")
        data = zlib.compress(np.ascontiguousarray(rows, dtype="<f8").tobytes(), 1)
        with self._changing() as c:
            c.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", (attempt, first, len(rows), data))

    def keep_drive(self, attempt: int, drive: Drive) -> None:
        """Keep under which conditions a running attempt was driven; its rows are those of `write_inputs`."""
        about = {
            "inputs": [*drive.inputs], "first": drive.first, "period": drive.period, "tier": drive.tier,
            "parameters": dict(drive.parameters), "exact": drive.exact,
        }  # fmt: skip
        with self._changing() as c:
            c.execute("INSERT OR REPLACE INTO drive VALUES (?, ?)", (attempt, json.dumps(about)))

    def finish(self, attempt: int, state: str, results: Mapping[str, float]) -> None:
        """End a running attempt; when this returns, it is kept. On a full disk the reserve is used."""
        kept = json.dumps({name: float(x) for name, x in results.items() if isfinite(x)})
        for last in (False, True):
            try:
                if last:
                    self._space.unlink(missing_ok=True)
                with self._changing() as c:
                    if last:
                        c.execute("DELETE FROM reserve")
                    changed = c.execute(
                        "UPDATE attempt SET state = ?, results = ? WHERE number = ? AND state = ?",
                        (state, kept, attempt, RUNNING),
                    ).rowcount
                    if changed != 1:
                        raise self.refuse("not a running attempt")
                return
            except ScoreBookError:
                if last:
                    raise

    def answer(self, game: str, player: object, answers: Mapping[str, str]) -> None:
        """Keep a player's answers to questions, in place of earlier ones."""
        with self._changing() as c:
            found = c.execute("SELECT number FROM player WHERE folded = ?", (nickname(player).casefold(),)).fetchone()
            if found is None:
                raise self.refuse("unknown player", "play first")
            for question, given in answers.items():
                c.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", (*found, game, question, given))

    def delete_player(self, player: object) -> bool:
        """Delete everything of a player; False if there is none of this nickname."""
        with self._changing() as c:
            gone = c.execute("DELETE FROM player WHERE folded = ?", (nickname(player).casefold(),)).rowcount > 0
        if gone:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the log of the file holds no old pages
        return gone

    def delete_attempts(self, game: str) -> int:
        """Delete all attempts at a game, with their logs; returns how many. Players and answers stay."""
        with self._changing() as c:
            return int(c.execute("DELETE FROM attempt WHERE game = ?", (game,)).rowcount)

    # -- reading -------------------------------------------------------------------------------------------------------

    def attempts(self, game: str) -> list[PlayedAttempt]:
        """All attempts at a game, in the order in which they began."""
        if not self.path.exists():
            return []
        rows = self._connection.execute(
            "SELECT a.number, p.nickname, a.option, a.state, a.results FROM attempt a"
            " JOIN player p ON p.number = a.player WHERE a.game = ? ORDER BY a.number", (game,),
        )  # fmt: skip
        return [PlayedAttempt(n, who, option, state, json.loads(results)) for n, who, option, state, results in rows]

    def ended(self, game: str) -> tuple[int, int, str]:
        """Count and sum of the numbers of ended attempts at a game, and its answers: it changes if one of them does."""
        if not self.path.exists():
            return 0, 0, "{}"
        query = "SELECT count(*), coalesce(sum(number), 0) FROM attempt WHERE game = ? AND state != ?"
        count, total = self._connection.execute(query, (game, RUNNING)).fetchone()
        return count, total, json.dumps(self.answers(game))

    def games(self) -> list[str]:
        """Names of the games that were played."""
        return [name for (name,) in self._connection.execute("SELECT DISTINCT game FROM attempt ORDER BY game")]

    def answers(self, game: str) -> dict[str, dict[str, int]]:
        """How many players gave each answer, by question."""
        found: dict[str, dict[str, int]] = {}
        if not self.path.exists():
            return found
        query = "SELECT question, answer, count(*) FROM answer WHERE game = ? GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2"
        for question, given, count in self._connection.execute(query, (game,)):
            found.setdefault(question, {})[given] = count
        return found

    def log(self, attempt: int) -> dict[str, Array]:
        """The log of an attempt: columns by channel, and `t` (s)."""
        row = self._connection.execute("SELECT channels FROM attempt WHERE number = ?", (attempt,)).fetchone()
        if row is None:
            raise ScoreBookError("no such attempt", element=str(attempt), cure="see `symbody scores --attempts`")
        names = ["t", *json.loads(row[0])]
        table = self._rows("log", attempt, len(names))
        return {name: table[:, k] for k, name in enumerate(names)}

    def drive(self, attempt: int) -> Drive | None:
        """How an attempt was driven; None if its inputs were not logged."""
        row = self._connection.execute("SELECT about FROM drive WHERE attempt = ?", (attempt,)).fetchone()
        if row is None:
            return None
        about = json.loads(row[0])
        return Drive(**about, rows=self._rows("input_log", attempt, 1 + len(about["inputs"])))

    def _rows(self, table: str, attempt: int, width: int) -> Array:
        query = f"SELECT data, rows FROM {table} WHERE attempt = ? ORDER BY first"
        chunks = self._connection.execute(query, (attempt,))
        parts = [np.frombuffer(zlib.decompress(data), dtype="<f8").reshape(rows, width) for data, rows in chunks]
        return np.concatenate(parts) if parts else np.zeros((0, width))


def _alive(process: int) -> bool:
    """Whether a process of this number runs."""
    if process == os.getpid():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
