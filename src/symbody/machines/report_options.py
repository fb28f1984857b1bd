"""What may be asked of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbody.errors import ModelError


@dataclass(frozen=True)
class ReportOptions:
    """Of a machine: some of its variants only, another end (s), a progress bar."""

    only: tuple[str, ...] = ()
    until: float | None = None
    progress: bool = False

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
                raise ModelError(
                    "no such variant",
                    element=name,
                    cure=f"they are {', '.join(known)}" if known else "leave `only` out: it has none",
                )
