"""A page in the browser of whoever works here: found, opened, and led to an address that no list of processes shows."""

from __future__ import annotations

import json
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

TEXT_BROWSERS = ("www-browser", "links", "elinks", "lynx", "w3m")  # they cannot draw, and take the terminal


def browser() -> webbrowser.BaseBrowser | None:
    """A browser of this machine that draws."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return None
    return None if Path(found.name).name in TEXT_BROWSERS else found


def open_page(address: str) -> bool:
    """Show an address in the browser; False where there is none."""
    found = browser()
    return found is not None and found.open(address)


@contextmanager
def private_page(address: str) -> Iterator[Path]:
    """A file that only its owner reads and that leads a browser to an address: a command line is seen by others."""
    with TemporaryDirectory(prefix="symbody-", ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "studio.html"
        page.write_text(
            f"<!DOCTYPE html><title>symbody</title><script>location.replace({json.dumps(address)})</script>"
        )
        yield page
