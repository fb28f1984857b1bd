"""Files from a browser: announced with name and size, then received in binary messages, within a budget."""

from __future__ import annotations

from dataclasses import dataclass, field

from symbody.links.rejected import Rejected

LARGEST = 30_000_000  # bytes of a file
PART = 32_768  # bytes of a binary message


@dataclass
class FileUpload:
    """A file that a browser sends. body: the body that it becomes a look of; empty: data for an analysis."""

    name: str
    size: int
    body: str
    content: bytearray = field(default_factory=bytearray)

    def received(self, part: bytes) -> bool:
        """Add a part; whether the file is complete. More than was announced is refused."""
        if not part or len(part) > PART or len(self.content) + len(part) > self.size:
            raise Rejected("wrong size", "send the file again")
        self.content += part
        return len(self.content) == self.size
