"""The site builds without a warning, and its notebooks show what they print and draw."""

import sys
from pathlib import Path

import pytest

from symbody import machines

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from notebook_pages import NOTEBOOKS, lacking  # noqa: E402


@pytest.mark.minutes
@pytest.mark.slow
def test_the_site_builds(tmp_path):
    build = pytest.importorskip("sphinx.cmd.build")
    assert build.main(["-q", "-W", "--keep-going", "-b", "html", str(ROOT / "docs"), str(tmp_path)]) == 0
    shown = (tmp_path / "gallery.html").read_text()
    for one in machines.entries():
        assert f'src="gallery-files/{one.name}.html"' in shown
        assert (tmp_path / "gallery-files" / f"{one.name}.html").stat().st_size > 10_000
    for page in ("index", "tutorial", "system", "analyses", "api", "machines/index", "validation"):
        text = (tmp_path / f"{page}.html").read_text()
        assert 'src="http' not in text  # nothing is fetched from elsewhere
        assert 'rel="stylesheet" href="http' not in text
    for notebook in NOTEBOOKS.glob("*.ipynb"):  # run by the build, which an error in a cell ends
        text = (tmp_path / "generated" / f"{notebook.stem}.html").read_text()
        if not lacking(notebook):
            assert text.count('class="highlight-text') > 1, notebook.stem
            assert 'alt="what cell ' in text, notebook.stem
