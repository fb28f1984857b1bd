"""A report: text, a table of figures, plots and the motion in one self-contained page."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from symbody.files.safe_file import FilePath
from symbody.html_text import records_html
from symbody.output_file import replacing
from symbody.results.run import Run
from symbody.safe_name import file_name
from symbody.visual.animate import Page
from symbody.visual.plots import inline_png, new_figure, png

Record = Mapping[str, Any]  # a row of figures: text and numbers by name
DPI = 85
FRAMES = 20.0  # frames per second of the motion in the page
HEAD = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style></head>
<body><main>
<h1>{title}</h1>"""
TAIL = "</main></body></html>\n"


@dataclass(frozen=True)
class Plot:
    """A plot: `draw` fills an empty Matplotlib figure when it is needed; the caption says what it shows."""

    title: str
    draw: Callable[[Any], None]
    caption: str = ""
    height: float = 4.0  # inches, with a width of 10

    @cached_property
    def figure(self) -> Any:
        """The Matplotlib figure, drawn on the first call."""
        made = new_figure(10.0, self.height)
        self.draw(made)
        return made

    @cached_property
    def png(self) -> bytes:
        """The figure as a PNG file, drawn on the first call."""
        return png(self.figure, DPI)


@dataclass(frozen=True)
class Report:
    """A computed case: text in paragraphs, figures in records, plots, and a run for the animation."""

    name: str  # of its files
    title: str
    text: str
    figures: Sequence[Record]
    plots: Sequence[Plot] = ()
    motion: Run | None = None
    tables: Mapping[str, Sequence[Record]] = field(default_factory=dict)  # further tables by title

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.figures)} figures, {len(self.plots)} plots>"

    def page(self) -> str:
        """The whole page as text; it loads nothing from elsewhere."""
        style = (files("symbody.visual") / "assets" / "report.css").read_text(encoding="utf-8")
        parts = [HEAD.format(title=html.escape(self.title), style=style)]
        parts += [f"<p>{html.escape(paragraph)}</p>" for paragraph in self.text.strip().split("\n\n")]
        for title, records in {"Figures": self.figures, **self.tables}.items():
            parts += [f"<h2>{html.escape(title)}</h2>", table(records)]
        if self.motion is not None:
            parts += ["<h2>Motion</h2>", self.motion.animate(fps=FRAMES)._repr_html_()]
        for plot in self.plots:
            drawn = inline_png(plot.png, plot.title)
            caption = f"<figcaption>{html.escape(plot.caption)}</figcaption>"
            parts.append(f"<h2>{html.escape(plot.title)}</h2>\n<figure>{drawn}{caption}</figure>")
        return "\n".join([*parts, TAIL])

    def save(self, folder: FilePath) -> Path:
        """Write NAME.html, the figures as NAME.json, and each plot as NAME-TITLE.png; return the page's path."""
        target = Path(folder) / file_name(self.name)
        with replacing(f"{target}.json") as partial:  # first, so that a failing plot loses no figures
            partial.write_text(json.dumps([dict(record) for record in self.figures], indent=2), encoding="utf-8")
        for plot in self.plots:
            with replacing(f"{target}-{_dashed(plot.title)}.png") as partial:
                partial.write_bytes(plot.png)
        return Page(self.page()).save(f"{target}.html")


def table(records: Sequence[Record]) -> str:
    """Records as an HTML table: one row each; few records with many figures become columns."""
    return f'<div class="wide">{records_html(records, upright=True)}</div>'


def paragraphs(*texts: str) -> str:
    """Texts with line breaks between paragraphs only."""
    return "\n\n".join(" ".join(part.split()) for text in texts for part in text.strip().split("\n\n"))


def _dashed(title: str) -> str:
    return file_name(re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"))
