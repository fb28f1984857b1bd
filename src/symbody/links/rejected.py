"""Rejected messages: the reason is counted, and the loop continues."""

from __future__ import annotations

from symbody.errors import SymbodyError


class Rejected(SymbodyError):
    """A rejected message; `reason` is the name of its counter, `detail` a text for the sender."""

    def __init__(self, reason: str, detail: str = ""):
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}" if detail else reason)
