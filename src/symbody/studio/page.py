"""The page of the studio as one text that needs no network, and what a browser may do with it."""

from __future__ import annotations

import base64
import gzip
import hashlib
from functools import cache

from symbody.visual.built_page import built_page

REST = "connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors"
LEVEL = 4  # of packing: the highest takes twice as long for 4 % less


def page() -> str:
    """HTML with style and script inside, as the build bundled it."""
    return built_page("studio")


@cache
def packed_page() -> bytes:
    """The page for browsers that unpack it: a quarter of the bytes."""
    return gzip.compress(page().encode(), LEVEL, mtime=0)


@cache
def policy(frames: tuple[str, ...] = ()) -> str:
    """The content security policy: only the scripts of this very page are run, and nothing is fetched.

    frames: places of pages that may show it in a frame; none: no other page may.
    """
    scripts = [part.partition("</script>")[0] for part in page().split("<script>")[1:]]
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    framing = " ".join(frames) or "'none'"
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; {REST} {framing}"
