"""Live parameters of a running loop: each step sees all of a change or nothing of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from math import isfinite
from typing import Any

from symbody.errors import ModelError
from symbody.suggestions import did_you_mean


class LoopParameters(MutableMapping[str, float]):
    """The parameters of a system; the caller computes a change, and the loop applies it as a whole."""

    def __init__(self, values: MutableMapping[str, float], publish: Callable[[], None]):
        self._values, self._publish, self._lock = values, publish, threading.Lock()

    def update(self, *others: Any, **values: float) -> None:
        """Set several parameters; the loop applies all of them together between two steps."""
        new = {name: float(value) for name, value in dict(*others, **values).items()}
        for name, value in new.items():
            if not isfinite(value):
                raise ModelError(f"a parameter value of {value}", element=name, cure="give a finite number")
        with self._lock:
            self._values.update(new)
            self._publish()

    def __setitem__(self, name: str, value: float) -> None:
        self.update({name: value})

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __delitem__(self, name: str) -> None:
        del self._values[name]  # raises

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(dict(self))


class JoinedParameters(MutableMapping[str, float]):
    """Parameters of several parts, each under its prefix; of equal names, the first part has it."""

    def __init__(self, parts: Sequence[tuple[str, MutableMapping[str, float]]]) -> None:
        self._parts = parts

    def _of(self, name: str) -> tuple[MutableMapping[str, float], str]:
        for prefix, values in self._parts:
            own = name.removeprefix(prefix)
            if name.startswith(prefix) and own in values:
                return values, own
        raise ModelError("unknown parameter", element=name, cure=did_you_mean(name, list(self), "parameters"))

    def __getitem__(self, name: str) -> float:
        values, own = self._of(name)
        return values[own]

    def __setitem__(self, name: str, value: float) -> None:
        values, own = self._of(name)
        values[own] = value

    def __delitem__(self, name: str) -> None:
        raise ModelError("a parameter cannot be removed", element=name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(prefix + name for prefix, values in self._parts for name in values))

    def __len__(self) -> int:
        return len(list(iter(self)))
