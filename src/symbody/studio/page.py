"""The page of the studio as one text: no network, no build step, nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from symbody.visual.page import view_script

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@cache
def page() -> str:
    """HTML with style and scripts inside: the view of `symbody.analysis`, plots, controls, sound, what joins them."""
    own = files("symbody.studio") / "assets"
    html, style, *scripts = (
        (own / name).read_text(encoding="utf-8")
        for name in ("studio.html", "studio.css", "plot.js", "controls.js", "sound.js", "studio.js")
    )
    return html.replace("{{style}}", style).replace("{{script}}", "\n".join([view_script(), *scripts]))
