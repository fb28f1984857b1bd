"""What a demo is: a machine computed, with the report that comes of it; some can be touched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from symbody.errors import ModelError
from symbody.visual.report import Report

if TYPE_CHECKING:  # the studio needs a package that figures do not
    from symbody.studio.machine import Machine

PACKAGED = Path(__file__).parent / "pictures"  # put there when a wheel is built (pyproject.toml)
DRAWN = Path(__file__).parents[3] / "docs" / "images"  # where they are in the repository


@dataclass(frozen=True)
class ReportOptions:
    """What may be asked of a demo: some of its variants only, another end (s), a progress bar."""

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
                raise ModelError("no such variant", element=name, cure=f"they are {', '.join(known) or 'none'}")


@dataclass(frozen=True)
class Demo:
    """A machine to be shown: its name, a line on it, its picture, the way to its report, and to the machine itself.

    machine: imports what it needs of `symbody.studio` when it is called, and gives what the studio runs. variants:
    other machines of the same kind, by name.
    """

    name: str
    line: str
    picture: str  # in docs/images
    report: Callable[[ReportOptions], Report]
    machine: Callable[[], Machine] | None = None
    variants: Mapping[str, Callable[[], Machine]] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Whether it is there to touch, or for its figures only."""
        return "figures" if self.machine is None else "touch"

    @property
    def picture_file(self) -> Path | None:
        """Its picture, in an installed package or in the repository; None where neither has it."""
        return next((path for folder in (PACKAGED, DRAWN) if (path := folder / self.picture).is_file()), None)
