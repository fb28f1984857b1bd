"""The package as others install it: metadata, links of its README, and fresh environments without compiler and Node."""

import json
import os
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from test_frontend import BUNDLED, ECLIPSE, FRONTEND

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = runpy.run_path(str(ROOT / "src" / "symbody" / "version.py"))["VERSION"]
PYTHONS = ("3.11", "3.12", "3.13")


def test_the_metadata_names_authors_addresses_and_versions():
    assert PROJECT["authors"]
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= PROJECT["urls"].keys()
    known = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", c)]
    assert tuple(known) == PYTHONS


def test_the_readme_of_the_package_has_no_relative_link():
    pytest.importorskip("hatchling")
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))
    text = hook["with_absolute_links"](
        (ROOT / "README.md").read_text(encoding="utf-8"), PROJECT["urls"]["Source"], "1.2.3"
    )
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", text)
    assert links
    for image, link in links:
        assert link.startswith("https://")
        assert not image or link.startswith("https://raw.githubusercontent.com/")
    paths = re.findall(r"/v1\.2\.3/([^)\s#]+)", text)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_first_lines_of_install_are_true():
    """Until a release the page says that the package is not on PyPI; a released version does not."""
    first = (ROOT / "docs" / "install.md").read_text(encoding="utf-8").split("\n\n")[1]
    assert ("not on PyPI yet" in first) == ("dev" in VERSION)


def test_the_release_is_tried_on_three_systems_and_published_without_a_password():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    for part in ("ubuntu-latest", "macos-latest", "windows-latest", "id-token: write", *PYTHONS, "*.whl", "*.tar.gz"):
        assert part in text
    assert "password" not in text.replace("no password is stored", "")


def test_versions_are_listed_with_the_newest_first(tmp_path):
    found = runpy.run_path(str(ROOT / "docs" / "versions.py"))
    for name in ("v0.2.0", "v0.10.1", "stable", "v0.9.0", "other"):
        (tmp_path / name).mkdir()
    assert found["versions"](tmp_path) == ["v0.10.1", "v0.9.0", "v0.2.0"]
    found["write_versions"](tmp_path)
    assert "stable/" in (tmp_path / "index.html").read_text()


def test_docstrings_name_no_page_of_the_repository():
    """A wheel has no docs/: help() names addresses."""
    named = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "src").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"docs/[a-z/-]+\.md", line) and not line.strip().startswith("#")
    ]
    assert named == []


# -- fresh environments ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and sdist of this checkout, built without isolation."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return {"wheel": wheel, "sdist": sdist}


@pytest.mark.slow
def test_wheel_and_sdist_hold_the_bundled_pages(built):
    with zipfile.ZipFile(built["wheel"]) as archive:
        names = archive.namelist()
        about = next(archive.read(n).decode() for n in names if n.endswith("METADATA"))
    with tarfile.open(built["sdist"]) as archive:
        sources = archive.getnames()
    for held in (names, sources):
        for page in ("studio.html", "viewer.html", "gallery.html"):
            assert any(name.endswith(f"visual/web/{page}") for name in held)
        assert any(name.endswith(".js.br") for name in held)
        assert not any("node_modules" in name for name in held)
    assert "](docs/" not in about


@pytest.mark.slow
def test_wheel_and_sdist_hold_the_licences(built):
    with zipfile.ZipFile(built["wheel"]) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("third-party.txt"))
        in_wheel = archive.read(name).decode()
    with tarfile.open(built["sdist"]) as archive:
        (name,) = (name for name in archive.getnames() if name.endswith("third-party.txt"))
        in_sdist = archive.extractfile(name).read().decode()
    assert in_wheel == in_sdist
    dependencies = json.loads((FRONTEND / "package.json").read_text())["dependencies"]
    text_editor = {name for name in dependencies if name.startswith("@codemirror/")}
    bundled = {*BUNDLED, ECLIPSE, *text_editor}
    assert {name for name in dependencies if name != "esbuild"} == bundled  # esbuild makes the pages
    for name in bundled:
        assert f"\n{name} {dependencies[name]}\n" in in_wheel
    assert in_wheel.count("Permission is hereby granted") >= len(bundled) - 1
    assert "Eclipse Public License" in in_wheel


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
@pytest.mark.parametrize("version", PYTHONS)
def test_a_fresh_environment_without_compiler_and_node(kind, version, built, tmp_path):
    python = next((found for found in _pythons() if _version(found) == version), None)
    if python is None:
        pytest.skip(f"there is no Python {version}")
    subprocess.run([python, "-m", "venv", "--without-pip", str(tmp_path / "fresh")], check=True)
    fresh = tmp_path / "fresh" / ("Scripts" if os.name == "nt" else "bin") / "python"
    bare = {
        k: v for k, v in os.environ.items() if k in ("HOME", "SYSTEMROOT", "TEMP", "TMPDIR") or k.startswith("PIP_")
    }
    bare |= {"PATH": str(fresh.parent), "SYMBODY_CACHE": str(tmp_path / "cache")}  # no cc, node or npm
    bare["PIP_COMPILE"] = "0"  # Python compiles what is imported: the whole of NumPy and SciPy takes 20 s
    pip = [sys.executable, "-m", "pip", "--python", str(fresh), "install", "-q"]
    done = subprocess.run([*pip, str(built[kind])], env=bare, capture_output=True, text=True)
    if done.returncode and re.search("No matching distribution|Connection|Temporary failure|timed out", done.stderr):
        pytest.skip(f"pip does not reach an index: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr[-3000:]
    script = tmp_path / "installed.py"
    script.write_bytes((ROOT / "tests" / "installed.py").read_bytes())
    done = subprocess.run([fresh, str(script)], env=bare, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert "works" in done.stdout


def _pythons():
    """Interpreters on the path, and this one."""
    names = [f"python{version}" for version in PYTHONS]
    folders = os.environ.get("PATH", "").split(os.pathsep)
    found = [str(Path(folder) / name) for folder in folders for name in names if (Path(folder) / name).exists()]
    return [sys.executable, *found]


def _version(python):
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()
