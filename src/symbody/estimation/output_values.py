"""Values of outputs by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symbody.errors import ChannelError
from symbody.suggestions import nearest_or_first
from symbody.system.system import Array


class ByName(Mapping[str, float]):
    """A read-only mapping; an unknown name raises an error that suggests similar ones."""

    def __init__(self, names: Sequence[str], values: Array):
        self._places, self._values = {name: k for k, name in enumerate(names)}, values

    def __getitem__(self, name: str) -> float:
        if name not in self._places:
            near = " or ".join(nearest_or_first(name, self._places))
            raise ChannelError(f"unknown output '{name}': did you mean {near}?")
        return float(self._values[self._places[name]])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
