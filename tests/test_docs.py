"""The site builds without a warning."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_site_builds(tmp_path):
    build = pytest.importorskip("sphinx.cmd.build")
    assert build.main(["-q", "-W", "--keep-going", "-b", "html", str(ROOT / "docs"), str(tmp_path)]) == 0
    for page in ("index", "tutorial", "system", "analyses", "api", "machines/index", "validation"):
        text = (tmp_path / f"{page}.html").read_text()
        assert 'src="http' not in text  # nothing is fetched from elsewhere
        assert 'rel="stylesheet" href="http' not in text
