"""Options of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from symbody.errors import ModelError
from symbody.suggestions import did_you_mean

Work = TypeVar("Work")


@dataclass(frozen=True)
class ReportOptions:
    """Options of a machine's report.

    Parameters
    ----------
    only : tuple of str, optional
        Variants to compute. Default: all.
    until : float, optional
        Another end (s).
    progress : bool
        Whether a progress bar is printed. Default False.
    """

    only: tuple[str, ...] = ()
    until: float | None = None
    progress: bool = False

    def end(self, usual: float) -> float:
        """End of the runs (s): `until`, or the usual end."""
        return usual if self.until is None else self.until

    def counted(self, works: Sequence[Work], unit: str, name: str) -> Iterable[Work]:
        """Iterate over works, with a progress bar if `progress` is set."""
        from tqdm import tqdm  # here: commands that compute nothing start sooner without it

        return tqdm(works, disable=not (self.progress and works), unit=unit, desc=name)

    def chosen(self, variants: Sequence[str]) -> list[str]:
        """The variants in `only`; all variants if `only` names none of them."""
        if not set(self.only) & set(variants):
            return list(variants)
        return [variant for variant in variants if variant in self.only]

    def check(self, *variants: Sequence[str]) -> None:
        """Raise ModelError for names in `only` that are not variants."""
        known = [name for kind in variants for name in kind]
        for name in self.only:
            if name not in known:
                cure = did_you_mean(name, known, "variants") if known else "leave out `only`: there are no variants"
                raise ModelError("unknown variant", element=name, cure=cure)
