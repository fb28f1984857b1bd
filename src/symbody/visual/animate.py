"""Animations: a page, a GIF or a film."""

from __future__ import annotations

import html
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath, naming
from symbody.output_file import replacing
from symbody.results.drawing import register_drawing
from symbody.results.run import Run
from symbody.visual.browser import open_page
from symbody.visual.file_looks import file_looks
from symbody.visual.film import write_film
from symbody.visual.mesh_files import MeshFile, given_looks
from symbody.visual.motion import BodyMotion, camera, motion
from symbody.visual.page import page
from symbody.visual.shapes import scene
from symbody.visual.springs import wound

KINDS = (".html", ".gif", ".mp4")


@dataclass(frozen=True)
class Page:
    """An animation as a page: displayed by a notebook, saved, or opened in a browser."""

    text: str

    def __repr__(self) -> str:
        return f"<Page of {len(self.text) / 1000:.0f} kB: .show() opens it, .save(path) writes it>"

    def save(self, path: FilePath) -> Path:
        """Write the page; an existing file is replaced atomically."""
        with replacing(path) as partial:
            partial.write_text(self.text, encoding="utf-8")
        return Path(path)

    def show(self) -> Path:
        """Open the page in the browser; return its file."""
        path = Path(tempfile.mkdtemp(prefix="symbody-")) / "motion.html"
        self.save(path)
        open_page(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        """In an iframe with an origin of its own, so that it cannot read or disturb the notebook."""
        style = "width:100%;height:520px;border:1px solid #8884;border-radius:8px"
        own = "allow-scripts allow-downloads"
        return f'<iframe sandbox="{own}" srcdoc="{html.escape(self.text)}" style="{style}" allowfullscreen></iframe>'


@register_drawing("animation")
def animate(
    run: Run,
    path: FilePath | None = None,
    fps: float = 30.0,
    speed: float = 1.0,
    *,
    meshes: Mapping[str, MeshFile] | None = None,
    size: tuple[int, int] = (720, 540),
    progress: bool = False,
) -> Path | Page:
    """Write an animation to .html, .gif or .mp4; without a path, return the page. See `Run.animate`."""
    suffix = ".html" if path is None else Path(path).suffix.lower()
    if suffix not in KINDS:
        cure = f"use {', '.join(KINDS)}"
        raise ModelError(f"unknown file type '{suffix[:20]}' of an animation", cure=cure, file=str(path))
    made = scene(run.model, run.parameters, file_looks(run.model) | given_looks(run.model, meshes or {}))
    moved = motion(run, made, fps, speed)
    wound(made, moved)
    seen = camera(made, moved)
    if path is None or suffix == ".html":
        shown = Page(page(run.name, _note(run, moved), made, moved, seen, speed))
        return shown if path is None else shown.save(path)
    with naming(path), replacing(path) as partial:
        write_film(partial, made, moved, seen, fps, run.name, size, progress)
    return Path(path)


def _note(run: Run, moved: BodyMotion) -> str:
    counts = [(len(run.model.bodies), "body", "bodies"), (run.model.nq, "coordinate", "coordinates")]
    counts += [(len(run.model.cuts), "loop", "loops")] if run.model.cuts else []
    listed = [f"{n} {one if n == 1 else many}" for n, one, many in counts]
    return " · ".join([*listed, f"{moved.t[-1] - moved.t[0]:.3g} s"])
