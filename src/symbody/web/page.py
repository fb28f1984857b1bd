"""A page as one text that needs no network, and the content security policy that a browser applies to it."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property

REST = "connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors"
LEVEL = 4  # of gzip: the highest takes twice as long for 4 % less


class WebPage:
    """HTML with style and script inside; it is read when a browser first asks for it.

    worklet: its script starts a further script, of its own text, in the thread of the audio (a blob: address).
    """

    def __init__(self, read: Callable[[], str], worklet: bool = False):
        self._read, self._worklet = read, worklet

    @cached_property
    def text(self) -> str:
        """The HTML."""
        return self._read()

    @cached_property
    def packed(self) -> bytes:
        """The HTML compressed by gzip: a quarter of the bytes."""
        return gzip.compress(self.text.encode(), LEVEL, mtime=0)

    @cached_property
    def script_sources(self) -> list[str]:
        """The hash of each script in the page, as the policy names it, and perhaps blob:."""
        return self.script_hashes + (["blob:"] if self._worklet else [])

    @cached_property
    def script_hashes(self) -> list[str]:
        """The hash of each script in the page, as the policy names it."""
        scripts = [part.partition("</script>")[0] for part in self.text.split("<script>")[1:]]
        return [f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts]


def content_policy(script_sources: Sequence[str] = (), frames: Sequence[str] = ()) -> str:
    """The content security policy: a browser runs only scripts with these hashes, and fetches nothing.

    frames: origins of pages that may show this one in a frame; none: no other page may.
    """
    scripts, framing = " ".join(script_sources) or "'none'", " ".join(frames) or "'none'"
    return f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; {REST} {framing}"
