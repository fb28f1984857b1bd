"""The machines as one self-contained page: a card for each, with its picture, a line and its command."""

from __future__ import annotations

import html
import sys
from collections.abc import Container, Iterable
from importlib.resources import files
from pathlib import Path

from symbody.machines.register import MachineEntry, entries
from symbody.output_file import write_text
from symbody.visual.plots import inline_png
from symbody.visual.report import HEAD, TAIL

TITLE = "Built-in machines"
TEXT = (
    "Interactive machines open in the browser. Every machine can also print its figures, "
    "or write a report with --report DIR."
)
BEGIN, END = "<!-- machines:", "<!-- end -->"  # of the table in an index
STYLE = """
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); gap: 16px; margin-top: 20px; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; }
:root { --touch: #a8481a; } @media (prefers-color-scheme: dark) { :root { --touch: #f0a070; } }
article.touch { border-color: var(--touch); }
article img { border: 0; height: 190px; object-fit: contain; }
article h2 { margin: 10px 0 4px; } article h2 small { color: var(--touch); font-weight: 600; float: right; }
code { display: block; overflow-x: auto; white-space: nowrap; padding: 6px 10px; font-size: 13px; user-select: all;
  background: var(--paper); border-radius: 6px; }
"""


def overview_page(machines: Iterable[MachineEntry]) -> str:
    """HTML with embedded pictures."""
    style = (files("symbody.visual") / "assets" / "report.css").read_text(encoding="utf-8") + STYLE
    cards = [_card(one) for one in machines]
    parts = [HEAD.format(title=TITLE, style=style), f"<p>{TEXT}</p>", '<div class="cards">', *cards, "</div>"]
    return "\n".join([*parts, TAIL])


def _card(one: MachineEntry) -> str:
    name, line = html.escape(one.name), html.escape(one.line)
    badge = "<small>touch</small>" if one.has_page else ""
    picture = inline_png(one.picture.read_bytes(), one.name) if one.picture else ""
    return f"""<article class="{one.kind}">{picture}
<h2>{name}{badge}</h2><p>{line}</p><code>symbody demo {name}</code></article>"""


# -- the index of the documentation ----------------------------------------------------------------------------------


def with_table(index: str, machines: Iterable[MachineEntry], documented: Container[str]) -> str:
    """The text of an index with a new table of machines."""
    before, mark, rest = index.partition(BEGIN)
    first, newline, _ = rest.partition("\n")
    _, end, after = rest.partition(END)
    return before + mark + first + newline + markdown_table(machines, documented) + end + after


def markdown_table(machines: Iterable[MachineEntry], documented: Container[str]) -> str:
    """A row for each machine: its name, with a link if NAME.md exists, its line and its variants."""
    rows = ["| name | what it is | variants |", "| --- | --- | --- |"]
    for one in machines:
        name = f"[`{one.name}`]({one.name}.md)" if one.name in documented else f"`{one.name}`"
        rows.append(f"| {name} | {one.line} | {', '.join(one.variants)} |")
    return "\n".join(rows) + "\n\n"


def write_index(folder: Path) -> None:
    """Write the table into index.md of a folder that has a page NAME.md for some machines."""
    index = folder / "index.md"
    documented = {page.stem for page in folder.glob("*.md")}
    text = with_table(index.read_text(encoding="utf-8"), entries(), documented)
    write_text(index, text)


if __name__ == "__main__":
    write_index(Path(sys.argv[1]))
