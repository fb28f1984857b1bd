"""Docs, and texts and comments of Python, C and TypeScript, contain none of the phrases that CONTRIBUTING.md bans."""

import ast
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import doc_blocks
from syntax import parsed

ROOT = doc_blocks.ROOT
PACKAGE = ROOT / "src" / "symbody"
ROOMS = sorted({path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob("*/__init__.py")} | {"."})
OTHER_SOURCES = [  # with comments as in C
    *(path for end in ("c", "h", "in") for path in PACKAGE.rglob(f"*.{end}")),
    *(ROOT / "frontend" / "src").rglob("*.ts"),
]
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "examples" / "README.md", *doc_blocks.pages()]
NOT_PROSE = re.compile(
    r"^```.*?^```[^\n]*$"  # fenced blocks
    r"|`[^`]*`"  # code
    r"|\]\([^)\s]*\)"  # targets of links
    r"|^ *\*{0,2}[a-z]\w*(, \w+)* : [^\n]*$"  # names of parameters
    r"|<!--.*?-->",
    re.DOTALL | re.MULTILINE,
)


@cache
def banned() -> list[tuple[re.Pattern[str], str]]:
    """The phrases of CONTRIBUTING.md as regular expressions, each with its hint. A space may be a line break."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = text.split("## Prose")[1].split("```text\n")[1].split("```")[0]
    rows = [re.split(r" {2,}", line.strip()) for line in block.splitlines() if line.strip()]
    return [(re.compile(rf"\b(?:{phrase.replace(' ', chr(92) + 's+')})\b", re.I | re.S), hint) for phrase, hint in rows]


def findings(text: str, place: str, first: int = 1) -> list[str]:
    """`place:line: phrase (hint)` for each banned phrase of a text whose first line has the number `first`."""
    return [
        f"{place}:{first + text.count(chr(10), 0, found.start())}: '{' '.join(found[0].split())}' ({hint})"
        for phrase, hint in banned()
        for found in phrase.finditer(text)
    ]


def prose(text: str) -> str:
    """A page without code: blanks in its place, so that lines keep their numbers."""
    return NOT_PROSE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of the comments of a module and of its strings of several words, docstrings included."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages(page):
    assert findings(prose(page.read_text(encoding="utf-8")), name_of(page)) == []


@pytest.mark.parametrize("room", ROOMS)
def test_rooms(room):
    found = []
    for path in sorted(PACKAGE.glob("*.py") if room == "." else (PACKAGE / room).rglob("*.py")):
        for line, text in sentences(path):
            found += findings(prose(text), name_of(path), line)
    assert found == []


def test_comments_of_c_and_typescript():
    found = []
    for path in sorted(OTHER_SOURCES):
        text = path.read_text(encoding="utf-8")
        for comment in COMMENT.finditer(text):
            found += findings(prose(comment[0]), name_of(path), 1 + text.count("\n", 0, comment.start()))
    assert found == []


@pytest.mark.parametrize(
    ("text", "line"),
    [("dropped, and told", 1), ("one\nMachines that come\nalong", 2), ("`told`\n\nit serves", 3), ("a dear step", 1)],
)
def test_a_banned_phrase_is_found_with_its_line(text, line):
    (found,) = findings(prose(text), "page.md")
    assert found.startswith(f"page.md:{line}: ")


@pytest.mark.parametrize(
    "text",
    ["```text\nhe told\n```", "`told`", "[a](told.md)", "it serves pages", "an observer", "<!-- told -->"],
)
def test_code_links_and_technical_words_pass(text):
    assert findings(prose(text), "page.md") == []


def test_docstrings_messages_and_comments_are_seen(tmp_path):
    path = tmp_path / "module.py"
    path.write_text('"""It is told."""\n\nx = {"told": 1}\nraise E(f"{x} is no unit that counts")  # dear reader\n')
    found = [one for line, text in sentences(path) for one in findings(prose(text), "module.py", line)]
    assert sorted(one.split(" (")[0] for one in found) == [
        "module.py:1: 'told'",
        "module.py:4: 'dear'",
        "module.py:4: 'is no unit that'",
    ]
