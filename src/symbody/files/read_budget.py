"""The budget of one reading: what a file may cost, in proportion to its size.

A reading has a free amount of each cost, and each new byte adds to it: cost ≤ free + per_byte · bytes. All files that a
reading opens share one budget, and a file that is opened again adds nothing. So the cost is linear in what was read.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import inf

from symbody.errors import ModelError

LEVELS = 100  # of elements, values, models or nodes inside each other
_CIRCLE = "check whether parts or files contain each other, or split the file"


@dataclass(frozen=True)
class Amount:
    """A limit of one kind of cost: an amount for every reading, more per byte of its files, and at most `most`."""

    free: float
    per_byte: float = 0.0
    most: float = inf

    def after(self, size: int) -> int:
        """The limit after files of `size` bytes were read."""
        return int(min(self.free + self.per_byte * size, self.most))


MODEL = {
    "bytes": Amount(32_000_000, 100),  # in memory; text of OBJ faces needs 30 per byte
    "elements": Amount(50_000, 0.25, 1_000_000),  # of XML, and instances of nodes
    "values": Amount(50_000, 0.5, 2_000_000),  # of YAML
    "steps": Amount(250_000, 5),  # of expressions, defaults and frames; about 1 µs each
    "files": Amount(200, 1e-3),
    "textures": Amount(32_000_000),  # bytes of images: a page gets them in its first message
}
TABLE = {
    "bytes": Amount(16_000_000, 700),  # a recording of 1000 constant channels needs about 600
    "records": Amount(10_000, 1 / 8),  # in chunks; ours need about 20 bytes each, even if nothing changes
    "names": Amount(100_000, 1),  # that change between messages
}


class ReadBudget:
    """The costs of a reading so far. Each cost that exceeds its amount raises ModelError."""

    def __init__(self, amounts: Mapping[str, Amount] = MODEL):
        self.amounts, self.size = amounts, 0  # size: bytes of all files read, each file once
        self.spent = dict.fromkeys(amounts, 0)
        self._files: set[Hashable] = set()

    @classmethod
    def of(cls, size: int, amounts: Mapping[str, Amount] = MODEL) -> ReadBudget:
        """The budget for `size` bytes that are already in memory."""
        budget = cls(amounts)
        budget.size = size
        return budget

    def opened(self, file: Hashable, size: int) -> None:
        """A file of `size` bytes was opened. Its bytes add to the amounts if it is new to this reading."""
        if file not in self._files:
            self._files.add(file)
            self.size += size

    def left(self, what: str) -> int:
        """How much may still be spent."""
        return self.amounts[what].after(self.size) - self.spent[what]

    def spend(self, what: str, count: int = 1) -> None:
        """Count a cost before it arises."""
        self.spent[what] += count
        if self.left(what) < 0:
            most = self.amounts[what].after(self.size)
            if what == "bytes":
                cure = "this is not a usual file: save it again, uncompressed"
                raise ModelError(f"the file unpacks to more than {most // 10**6} MB", cure=cure)
            raise ModelError(f"the file has more {what} than its size allows, {most}", cure=_CIRCLE)


def check_level(level: int) -> None:
    """Raise ModelError if parts are nested too deep."""
    if level > LEVELS:
        raise ModelError(f"nested more than {LEVELS} deep", cure=_CIRCLE)
