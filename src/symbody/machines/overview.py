"""The demos as one page that needs nothing else: a card each, with its picture, a line, and its command."""

from __future__ import annotations

import html
from collections.abc import Iterable
from importlib.resources import files

from symbody.machines.report_options import Demo
from symbody.visual.plots import inline_png
from symbody.visual.report import HEAD

TITLE = "Machines that come along"
TEXT = "Those to touch open in the browser and run in real time; all compute figures, and with --report DIR a page."
STYLE = """
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 16px; margin-top: 20px; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; }
article.touch { border-color: #e07a3f; }
article img { border: 0; height: 190px; object-fit: contain; }
article h2 { margin: 10px 0 4px; } article h2 small { color: #e07a3f; font-weight: 600; float: right; }
code { display: block; overflow-x: auto; white-space: nowrap; padding: 6px 10px; font-size: 13px; user-select: all;
  background: var(--paper); border-radius: 6px; }
"""


def gallery_page(demos: Iterable[Demo]) -> str:
    """HTML with the pictures inside."""
    style = (files("symbody.visual") / "assets" / "report.css").read_text(encoding="utf-8") + STYLE
    cards = [_card(demo) for demo in demos]
    parts = [HEAD.format(title=TITLE, style=style), f"<p>{TEXT}</p>", '<div class="cards">', *cards, "</div>"]
    return "\n".join([*parts, "</body></html>\n"])


def _card(demo: Demo) -> str:
    name, line = html.escape(demo.name), html.escape(demo.line)
    badge = "<small>touch</small>" if demo.machine else ""
    picture = inline_png(demo.picture_file.read_bytes(), demo.name) if demo.picture_file else ""
    return f"""<article class="{demo.kind}">{picture}
<h2>{name}{badge}</h2><p>{line}</p><code>symbody demo {name}</code></article>"""
