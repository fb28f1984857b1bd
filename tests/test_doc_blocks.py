"""Every code block of README.md and of docs/ runs as printed, each page from a clean start in an empty folder."""

import json
import os
import re
import subprocess

import pytest

import doc_blocks
from forked import ForkServer
from symbody.errors import ModelError

SLOW = (  # some seconds to half a minute each
    "README", "docs/analyses", "docs/bridges", "docs/driving", "docs/estimation", "docs/export",
    "docs/machines/driving", "docs/machines/platform", "docs/parameters", "docs/results", "docs/ros2-control",
    "docs/tasks",
)  # fmt: skip
CLAIMS = {  # what must hold after a page's Python block of that number
    "README": {
        1: ["torque.shape == (1,)"],
        3: ["0.0 < twin.sigma['rocker.q'] < 0.01"],
        4: ["batch.shape == (1000, 2)", "M.shape == (2, 2)"],
    },
    "docs/tutorial": {6: ["len(modes.table) >= 1", "stiffer['slider.q'].max() < 0.6"]},
    "docs/elements": {
        1: [
            "abs(run['block.qd'][-1]) < 1e-3",  # strut and seal have brought it to rest
            "abs(run['strut.tension'][-1]) < 40.0",  # within the break-away force of the seal
            "(run['seal.dissipated'] >= 0.0).all()",
        ]
    },
    "docs/hydraulics": {1: ["run['lift.length'][-1] > run['lift.length'][0] + 0.02", "open('circuit.png')"]},
    "docs/multiphysics": {
        1: ["1.3 < run.meta['iterations_mean'] < 1.6"],
        2: ["1e-5 < abs(weak['crank.q'] - run['crank.q'][: len(weak)]).max() < 1e-3"],  # not the same, but nearly
    },
    "docs/demos": {1: ["printed"]},
    "docs/machines/car-suspension": {
        1: [
            "abs(float(printed.split()[1]) - 740.0) <= 5.0",  # N/m in heave, as the page says
            "abs(float(printed.split()[3]) - 62e3) <= 0.02 * 62e3",  # in roll
            "abs(float(printed.split()[5])) < 1.0",  # in warp
        ]
    },
    "docs/machines/crane": {1: ["printed"]},
    "docs/machines/hydraulic-mechanisms": {1: ["printed"]},
    "docs/machines/piano": {1: ["float(printed) > 4.0"]},  # N, at the key's bottom
    "docs/stepping": {5: ["abs(x).max() < 2e-2", "abs(pole.t - 5.0) < 5e-6"]},  # the pole stands upright
    "docs/studio": {1: ["studio.source.title == 'Bell'"]},
    "docs/system": {3: ['rolling.states[-2:] == ["x.q", "y.q"]'], 6: ["phi.shape == (2,)"]},
}
# What nearly every page imports, and the packages that many do: imported once.
IMPORTED = (
    "matplotlib.pyplot", "numpy", "scipy.integrate", "scipy.linalg", "scipy.optimize", "symbody.analysis.simulate",
    "symbody.cli", "symbody.files.formats", "symbody.machines", "symbody.system.system",
)  # fmt: skip
PAGES = [
    pytest.param(page, id=name, marks=pytest.mark.slow if name in SLOW else ())
    for page in doc_blocks.pages()
    if doc_blocks.blocks(page)
    for name in [str(page.relative_to(doc_blocks.ROOT).with_suffix(""))]
]


@pytest.fixture(scope="module")
def server():
    """Pages run in forks of a process that has done these imports, and nothing else."""
    started = ForkServer(IMPORTED, {**os.environ, "MPLBACKEND": "Agg", "BROWSER": "true"})
    yield started
    started.close()


def run(server, page, folder, claims=None):
    return server.run(folder, doc_blocks.__file__, [str(page), json.dumps(claims or {})], limit=500.0)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run_as_printed(page, tmp_path, server):
    done = run(server, page, tmp_path, CLAIMS.get(str(page.relative_to(doc_blocks.ROOT).with_suffix(""))))
    assert done.status == 0, done.printed[-3000:]


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Text → a page in an empty folder, where we are."""
    monkeypatch.chdir(tmp_path)

    def page(text):
        (tmp_path / "page.md").write_text(text, encoding="utf-8")
        return tmp_path / "page.md"

    return page


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ("```python\nimport symbody as sb\n```\n\n```python\nsb.no_such_name\n```\n", AttributeError),
        ("```sh\nsymbody check no-such-model\n```\n", AssertionError),
        ("```sh\nsymbody check --no-such-option\n```\n", AssertionError),
        ("<!-- arguments only: stays open -->\n```sh\nsymbody studio --no-such-option\n```\n", SystemExit),
        ("```sh\npip install something\n```\n", AssertionError),
        ("```yaml\nsymbody: 1\nname: crane\nbodys: {}\n```\n", ModelError),
        ("```sh\nmake no-such-target\n```\n", subprocess.CalledProcessError),
        ("```python\nprint(2 * 3)\n```\n<!-- prints: the block above -->\n```text\n7\n```\n", AssertionError),
    ],
)
def test_a_broken_block_is_found(block, error, written):
    with pytest.raises(error):
        doc_blocks.run_page(written(f"# A page\n\n{block}"))


CLAIMED = "```python\na = 1\nprint(2 * a)\n```\n"


@pytest.mark.parametrize("claim", ["a == 2", "printed == '3\\n'"])
def test_a_claim_that_does_not_hold_is_found(claim, written):
    page = written(CLAIMED)
    assert doc_blocks.run_page(page, {1: ["a == 1", "printed == '2\\n'"]}) == 1
    with pytest.raises(AssertionError):
        doc_blocks.run_page(page, {1: [claim]})


def test_a_claim_about_no_block_and_one_that_does_not_hold_end_the_process(written, tmp_path, server):
    page = written(CLAIMED)
    assert [run(server, page, tmp_path, {n: [claim]}).status for n, claim in ((1, "a == 2"), (2, "a == 1"))] == [1, 1]


CLEAN = """```python
import os, sys, matplotlib, numpy, symbody
assert "left" not in sys.modules and "LEFT" not in os.environ
assert not hasattr(numpy, "left") and not hasattr(symbody, "left")
assert matplotlib.get_backend().lower() == "agg"
assert os.listdir() == []
```
"""
SPOILS = [
    'sys.modules["left"] = numpy',
    'os.environ["LEFT"] = "1"',
    "numpy.left = True",
    "symbody.left = True",
    'matplotlib.use("svg")',
    'open("left.txt", "w").close()',
]


def test_a_page_sees_nothing_of_the_page_before_it(tmp_path, server):
    def status(name, text):
        page, folder = tmp_path / f"{name}.md", tmp_path / name
        page.write_text(text)
        folder.mkdir()
        return run(server, page, folder).status

    spoils = [f"```python\n{line}\n```\n" for line in SPOILS]
    assert status("first", CLEAN + "".join(spoils)) == 0
    assert status("second", CLEAN) == 0
    assert {status(f"seen{k}", CLEAN + spoil + CLEAN) for k, spoil in enumerate(spoils)} == {1}  # all would be seen


def test_blocks_of_a_page_share_their_names(written):
    page = written("```python\na = 1\n```\n<!-- not run: it must not be -->\n```python\na = 2\n```\n"
                   "```python\nassert a == 1\n```\n")  # fmt: skip
    assert doc_blocks.run_page(page) == 2


@pytest.mark.parametrize(
    ("printed", "shown", "same"),
    [("a 1.00001\n", "a 1.0\n", True), ("a 1.1", "a 1.0", False), ("a b c", "a …", True), ("a", "b …", False),
     ("[0.1 2e-3]", "[0.1 0.002]", True), ("one\ntwo", "one", False)],
)  # fmt: skip
def test_what_pages_show_is_compared(printed, shown, same):
    assert doc_blocks.agrees(printed, shown) is same


@pytest.mark.parametrize("page", doc_blocks.pages(), ids=lambda page: page.stem)
def test_languages_and_directives(page):
    """Blocks with commands say that they are shell; a directive stands above a block."""
    found = doc_blocks.blocks(page)
    for block in found:
        typed = any(line.startswith(("symbody ", "pip ", "make ", "$ ")) for line in block.text.splitlines())
        assert not typed or block.language in doc_blocks.SHELLS, f"{page}:{block.line}: write ```sh"
    said = len(re.findall(r"<!-- *(?:not run|arguments|where|prints)", page.read_text(encoding="utf-8")))
    assert said == sum(bool(block.directive) for block in found), f"{page}: a directive that is above no block"


@pytest.mark.parametrize("page", doc_blocks.pages(), ids=lambda page: page.stem)
def test_commands_in_the_prose_exist(page):
    from symbody.cli import COMMANDS

    for command in doc_blocks.inline_commands(page):
        assert command.split()[1] in {*COMMANDS, "…"}, f"{page}: {command}"
        if len(command.split()) > 2 and not doc_blocks.PLACEHOLDER.search(command):
            doc_blocks.check_command(doc_blocks.commands(command)[0])
