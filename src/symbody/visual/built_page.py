"""The web pages bundled by `frontend/build.py`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from symbody.errors import ModelError


@cache
def built_page(name: str) -> str:
    """The text of a page: "viewer", "studio" or "gallery"."""
    path = files("symbody.visual") / "web" / f"{name}.html"
    if not path.is_file():
        cure = "run `make front` in the checkout, or install a wheel"
        raise ModelError("the web pages are not built", element=str(path), cure=cure)
    return path.read_text(encoding="utf-8")


@cache
def built_brotli(name: str) -> bytes | None:
    """A script compressed by Brotli when the pages were built, by the name of its file; None: there is none."""
    path = files("symbody.visual") / "web" / f"{name}.br"
    return path.read_bytes() if path.is_file() else None
