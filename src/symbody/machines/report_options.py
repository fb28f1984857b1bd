"""What may be asked of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from symbody.errors import ModelError
from symbody.nearest import did_you_mean

Work = TypeVar("Work")


@dataclass(frozen=True)
class ReportOptions:
    """Of a machine: some of its variants only, another end (s), a progress bar."""

    only: tuple[str, ...] = ()
    until: float | None = None
    progress: bool = False

    def end(self, usual: float) -> float:
        """When runs end (s): as it was asked for, else as usual."""
        return usual if self.until is None else self.until

    def counted(self, works: Sequence[Work], unit: str, name: str) -> Iterable[Work]:
        """Works one after the other, counted by a progress bar where one is asked for."""
        from tqdm import tqdm  # here: commands that compute nothing start sooner without it

        return tqdm(works, disable=not (self.progress and works), unit=unit, desc=name)

    def chosen(self, variants: Sequence[str]) -> list[str]:
        """Those of the variants that are asked for; all of them where none is named."""
        if not set(self.only) & set(variants):
            return list(variants)
        return [variant for variant in variants if variant in self.only]

    def check(self, *variants: Sequence[str]) -> None:
        """Refuse names that are of no kind of variants."""
        known = [name for kind in variants for name in kind]
        for name in self.only:
            if name not in known:
                raise ModelError("no such variant", element=name, cure=did_you_mean(name, known, "variants"))
