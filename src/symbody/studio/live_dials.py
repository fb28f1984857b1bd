"""Dials of a running machine: parameters and inputs that a person sets within their ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symbody.links.rejected import Rejected
from symbody.realtime.loop import Loop
from symbody.studio.dial import Dial
from symbody.studio.machine import Machine
from symbody.studio.model_machine import default_dials
from symbody.studio.pull import INPUTS


class LiveDials(Mapping[str, Dial]):
    """Dials by name; `changed` has the values, before they were set, of those set since the machine began.

    updated: called with each parameter that is set.
    """

    def __init__(self, loop: Loop, machine: Machine, updated: Callable[[str, float], None]):
        self._loop, self._updated = loop, updated
        moved = {*INPUTS, *(control.name for control in machine.controls)}
        channels = zip(loop.channels.given, loop.channels.start, strict=True)
        self._inputs = {name: x for name, x in channels if name not in moved}
        dials = default_dials(machine.system, self._inputs) if machine.dials is None else machine.dials
        self._dials = {dial.name: dial for dial in dials}
        self.changed: dict[str, float] = {}
        loop.give(self._inputs)

    def __getitem__(self, name: str) -> Dial:
        return self._dials[name]

    def __iter__(self) -> Any:
        return iter(self._dials)

    def __len__(self) -> int:
        return len(self._dials)

    @property
    def settings(self) -> dict[str, float]:
        """The value of each dial now."""
        return {
            name: self._inputs[name] if name in self._inputs else self._loop.parameters[name] for name in self._dials
        }

    def set(self, values: Mapping[str, float]) -> None:
        """Set several dials; if one of them is unknown or out of range, none is set."""
        for name, value in values.items():
            dial = self._dials.get(name)
            if dial is None:
                raise Rejected("no such dial", name)
            if not dial.low <= value <= dial.high:
                raise Rejected("out of range", name)
        before = self.settings
        self.changed = {name: before[name] for name in values} | self.changed  # first: it may stop the machine at once
        self._apply(values)

    def put_back(self) -> None:
        """Undo the changes since the machine began."""
        self._apply(self.changed)

    def _apply(self, values: Mapping[str, float]) -> None:
        given = {name: value for name, value in values.items() if name in self._inputs}
        if given:
            self._inputs |= given
            self._loop.give(given)
        for name, value in values.items():
            if name not in given:
                self._loop.parameters[name] = value
                self._updated(name, value)
