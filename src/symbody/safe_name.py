"""Names that users give, changed into names that file systems, C, Python, MATLAB and JavaScript accept."""

from __future__ import annotations

import hashlib
import re

LONGEST = 100  # bytes; with every suffix still below the 255 of file systems
MARK = 8  # characters of a hash that keep shortened names different
# Windows treats a file of such a name as a device, whatever its ending.
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in "0123456789¹²³")}


def file_name(name: str) -> str:
    """A safe name of a file or a loop: letters, digits, `_`, `-` and `.`; not a path, a hidden file or a device."""
    return _fitting(re.sub(r"[^\w.-]+", "_", name).lstrip(".-").rstrip(".") or "unnamed", name)


def identifier(name: str) -> str:
    """An identifier that C, Python, MATLAB and JavaScript accept."""
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
