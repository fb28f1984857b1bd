"""What is not believed: a reason that is counted, never an end of the loop."""

from __future__ import annotations

from symbody.errors import SymbodyError


class Rejected(SymbodyError):
    """A message that is dropped; `reason` is the name under which it is counted."""

    def __init__(self, reason: str):
        self.reason = reason
        super().__init__(reason)
