"""Sphinx configuration: `make docs` builds the site into site/.

The build writes the pictures of the tutorial and the notebooks as pages into docs/generated/, which git ignores.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from symbody import machines
from symbody.machines.gallery import gallery_cards, write_gallery
from symbody.version import VERSION

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "symbody"
author = "the symbody team"
copyright = author
version = VERSION
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"symbody {version}"
myst_heading_anchors = 3
autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
add_module_names = False
html_static_path = ["_static"]
html_css_files = ["first-screen.css"]
FIRST_SCREEN = {"piano.png": "piano/picture.png", "car.webp": "car/motion.webp"}  # of symbody/machines


def plain_docstring(app, what, name, obj, options, lines):
    """Docstrings are plain text; indented blocks after an empty line are code. Sections are napoleon's."""
    made, inside, before, typed = [], False, "", False
    for line in lines:
        typed = line.startswith(">>>") or (typed and bool(line.strip()))  # an example, with what it prints
        if typed:
            made.append(line)
            before = line
            continue
        starts = line.startswith("    ") and not before.strip()
        indented = starts or (inside and (line.startswith("    ") or not line.strip()))
        before = line
        if indented and not inside:
            made += ["", ".. code-block:: python", ""]
        inside = indented
        made.append(line if indented else line.replace("\\", "\\\\").replace("*", r"\*").replace("|", r"\|"))
    lines[:] = made


GALLERY = "gallery-files"  # folder next to the pages


class MachineGallery(SphinxDirective):
    """The cards of all machines."""

    def run(self):
        return [nodes.raw("", gallery_cards(machines.entries(), GALLERY), format="html")]


def write_motions(app, exception):
    """Write the motions that the cards show."""
    if exception is None and app.builder.name == "html":
        write_gallery(Path(app.outdir) / GALLERY, machines.entries())


def copy_pictures(app, exception):
    """Copy the pictures of the first screen from the machines that own them."""
    if exception is None and app.builder.name == "html":
        for name, source in FIRST_SCREEN.items():
            shutil.copy(Path(machines.__file__).parent / source, Path(app.outdir) / "_static" / name)


def make_pages(app):
    """Run the tutorial for its pictures, and the notebooks for their outputs."""
    from notebook_pages import write_pages

    folder = HERE / "generated"
    folder.mkdir(exist_ok=True)
    blocks = HERE.parent / "tests" / "doc_blocks.py"
    subprocess.run(
        [sys.executable, str(blocks), str(HERE / "tutorial.md"), "{}"],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with tempfile.TemporaryDirectory() as work:
        write_pages(folder, Path(work))


def setup(app):
    app.connect("builder-inited", make_pages)
    app.connect("autodoc-process-docstring", plain_docstring, priority=400)  # before napoleon
    app.connect("build-finished", write_motions)
    app.connect("build-finished", copy_pictures)
    app.add_directive("machine-gallery", MachineGallery)
