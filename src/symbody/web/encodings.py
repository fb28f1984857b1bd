"""Compressed answers: Brotli if it was made beforehand or can be made, otherwise gzip."""

from __future__ import annotations

import gzip
from collections.abc import Container, Iterable
from functools import cached_property

LEVEL = 4  # of gzip: the highest takes twice as long for 4 % less
QUALITY = 5  # of Brotli at run time: the highest takes seconds


class WebContent:
    """Bytes to send, and the same compressed, each made when a browser first asks for it."""

    def __init__(self, content: bytes, brotli: bytes | None = None):
        self.content, self._made = content, brotli

    @cached_property
    def gzip(self) -> bytes:
        """Compressed by gzip."""
        return gzip.compress(self.content, LEVEL, mtime=0)

    @cached_property
    def brotli(self) -> bytes | None:
        """Compressed by Brotli: beforehand, or by the package `brotli`; None without both."""
        return self._made if self._made is not None else _brotli(self.content)

    def encoded(self, accepted: Container[str]) -> tuple[bytes, str]:
        """The bytes in the best encoding that a browser accepts, and its name; "": not compressed."""
        if "br" in accepted and self.brotli is not None:
            return self.brotli, "br"
        return (self.gzip, "gzip") if "gzip" in accepted else (self.content, "")


def accepted_encodings(lines: Iterable[str]) -> set[str]:
    """The encodings in `Accept-Encoding` lines, without those of weight 0 (RFC 9110, 12.5.3)."""
    found = set()
    for offer in (one for line in lines for one in line.split(",")):
        name, *parameters = (part.strip().lower() for part in offer.split(";"))
        weights = [part[2:] for part in parameters if part.startswith("q=")]
        if name and not any(_is_zero(weight) for weight in weights):
            found.add(name)
    return found


def _is_zero(weight: str) -> bool:
    try:
        return float(weight) == 0.0
    except ValueError:
        return True  # not a number: do not rely on it


def _brotli(content: bytes) -> bytes | None:
    try:
        import brotli  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    packed: bytes = brotli.compress(content, quality=QUALITY)
    return packed
