"""Open a page in the user's browser, without showing its address in the list of processes."""

from __future__ import annotations

import json
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

TEXT_BROWSERS = ("www-browser", "links", "elinks", "lynx", "w3m")  # they cannot draw, and they block the terminal


def browser() -> webbrowser.BaseBrowser | None:
    """A graphical browser of this computer, or None."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return None
    return None if Path(found.name).name in TEXT_BROWSERS else found


def open_page(address: str) -> bool:
    """Open an address in the browser; False if there is none."""
    found = browser()
    return found is not None and found.open(address)


@contextmanager
def private_page(address: str) -> Iterator[Path]:
    """A file readable by its owner only that redirects a browser to an address; other users can see command lines."""
    with TemporaryDirectory(prefix="symbody-", ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "studio.html"
        page.write_text(
            f"<!DOCTYPE html><title>symbody</title><script>location.replace({json.dumps(address)})</script>"
        )
        yield page
