"""Sounds of a machine as a few numbers: strikes when they happen, tones when they change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.studio.machine import Hum, Struck
from symbody.suggestions import did_you_mean

Array = np.ndarray
SoundRow = list[float]  # number of the sound, loudness 0 … 1, pitch (Hz)
PAST = 0.5  # of its peak: a strike is sent when the channel has fallen so far
TOUCH = 1e-3  # of the loudest: smaller peaks are ignored
CHANGE = 0.01  # of loudness or pitch: smaller changes are ignored


def sound_channels(sounds: Sequence[Struck | Hum]) -> list[str]:
    """The channels of all sounds, each once."""
    names = [name for s in sounds for name in _channels(s)]
    return list(dict.fromkeys(name for name in names if name))


def _channels(sound: Struck | Hum) -> tuple[str | None, ...]:
    if isinstance(sound, Struck):
        return sound.channel, sound.damper
    return sound.loudness, sound.pitch, sound.only[0] if sound.only else None


def sound_rows(sounds: Sequence[Struck | Hum], frames: Mapping[str, int]) -> list[dict[str, Any]]:
    """Kind and place of each sound, as the page reads them; frames: number of each body."""
    return [
        {"kind": s.kind, "frame": frames[s.body] if s.body else None, "at": list(s.at), "near": s.near} for s in sounds
    ]


def check_places(sounds: Sequence[Struck | Hum], bodies: Collection[str]) -> None:
    """Raise ModelError for a sound on an unknown body, or one that is never as loud as it can be."""
    for sound in sounds:
        if sound.body and sound.body not in bodies:
            cure = did_you_mean(sound.body, bodies, "bodies")
            raise ModelError("a sound on an unknown body", element=sound.body, cure=cure)
        if not sound.near > 0.0:
            raise ModelError(f"a sound that is loud within {sound.near} m", element=sound.body, cure="give near > 0")


class Listener:
    """Finds strikes and changes in the channels of `sound_channels`, batch after batch of records."""

    def __init__(self, sounds: Sequence[Struck | Hum]):
        columns = {name: k for k, name in enumerate(sound_channels(sounds))}
        self._ears = [_StruckEar(s, columns) if isinstance(s, Struck) else _HumEar(s, columns) for s in sounds]

    def heard(self, rows: Array) -> list[SoundRow]:
        """The sounds in these records."""
        if not len(rows):
            return []
        return [[float(k), *sound] for k, ear in enumerate(self._ears) for sound in ear.heard(rows)]


class _StruckEar:
    def __init__(self, sound: Struck, columns: dict[str, int]):
        self._sound, self._column = sound, columns[sound.channel]
        self._damper = columns[sound.damper] if sound.damper else None
        self._peak, self._sent, self._damped = 0.0, False, False

    def heard(self, rows: Array) -> list[tuple[float, float]]:
        found = []
        least = TOUCH * self._sound.full
        for load in rows[:, self._column]:
            self._peak = max(self._peak, load)
            if not self._sent and self._peak > least and load < PAST * self._peak:
                found.append((min(sqrt(self._peak / self._sound.full), 1.0), self._sound.pitch))
                self._sent = True
            if not load > least:
                self._peak, self._sent = 0.0, False
        return found + self._silenced(rows)

    def _silenced(self, rows: Array) -> list[tuple[float, float]]:
        """Loudness zero when the damper comes down."""
        if self._damper is None:
            return []
        before, self._damped = self._damped, bool(rows[-1, self._damper] > 0.0)
        return [(0.0, self._sound.pitch)] if self._damped and not before else []


class _HumEar:
    def __init__(self, sound: Hum, columns: dict[str, int]):
        self._sound, self._column = sound, columns[sound.loudness]
        self._pitch = columns[sound.pitch] if sound.pitch else None
        self._only = columns[sound.only[0]] if sound.only else None
        self._last: tuple[float, float] = (-1.0, 0.0)

    def heard(self, rows: Array) -> list[tuple[float, float]]:
        s, last = self._sound, rows[-1]
        loud = float(np.clip((abs(last[self._column]) - s.quiet) / (s.full - s.quiet), 0.0, 1.0))
        if s.only and self._only is not None and not s.only[1] <= last[self._only] <= s.only[2]:
            loud = 0.0
        pitch = max(s.lowest, s.per_unit * abs(last[self._pitch])) if self._pitch is not None else s.lowest
        new: tuple[float, float] = (loud, float(pitch))
        if not np.isfinite(new).all() or not _changed(self._last, new):
            return []
        self._last = new
        return [new]


def _changed(old: tuple[float, float], new: tuple[float, float]) -> bool:
    return abs(new[0] - old[0]) > CHANGE or abs(new[1] - old[1]) > CHANGE * old[1] or (new[0] == 0.0) != (old[0] == 0.0)
