"""What is not believed: a reason that is counted, never an end of the loop."""

from __future__ import annotations

from symbody.errors import SymbodyError


class Rejected(SymbodyError):
    """A message that is dropped; `reason` is the name under which it is counted, `detail` for whoever sent it."""

    def __init__(self, reason: str, detail: str = ""):
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}" if detail else reason)
