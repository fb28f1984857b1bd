"""Names that people give, as names that machines take: of files and loops, and of things in C, Python and MATLAB."""

from __future__ import annotations

import hashlib
import re

LONGEST = 100  # bytes; with all that is appended to it still below the 255 of file systems
MARK = 8  # characters of a hash by which names that are cut stay different
# Windows opens a device by such a name, whatever the ending.
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(10))}


def file_name(name: str) -> str:
    """The name of a file or a loop: letters, digits, `_`, `-` and `.`; no path, no hidden file, no device."""
    return _fitting(re.sub(r"[^\w.-]+", "_", name).lstrip(".-").rstrip(".") or "unnamed", name)


def identifier(name: str) -> str:
    """A name that C, Python and MATLAB accept."""
    clean = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "x"
    return _fitting(f"x{clean}" if clean[0].isdigit() else clean, name)


def _fitting(word: str, given: str) -> str:
    stem, dot, ending = word.partition(".")
    if stem.lower() in DEVICES:
        word = f"{stem}_{dot}{ending}"
    if len(word.encode()) <= LONGEST:
        return word
    mark = hashlib.sha256(given.encode(errors="surrogatepass")).hexdigest()[:MARK]
    return f"{word.encode()[: LONGEST - MARK - 1].decode(errors='ignore')}_{mark}"
