"""The code blocks of a Markdown page, run as a reader would type them.

`python doc_blocks.py PAGE CLAIMS` runs one page from a clean start, in the folder where it is called. Python blocks
share one namespace, in order. In shell blocks, `symbody …` goes to the command line of this package, and `make TARGET`
is asked for what it would do. A YAML block that begins with `symbody:` is a model file, and is loaded. A comment just
above a block says what is not done, and why:

    <!-- not run: needs a game controller -->
    <!-- arguments only: stays open -->         the commands are parsed, not run
    <!-- where installed: pinocchio -->         run where this module can be imported
    <!-- prints: the block above -->            what the Python block before it printed; "…" is anything, and numbers
                                                may differ in the last digits
"""

from __future__ import annotations

import io
import json
import math
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHELLS = ("sh", "bash", "console")
FENCE = re.compile(r"^```(\S*)\s*$")
DIRECTIVE = re.compile(r"^<!-- (not run|arguments only|where installed|prints): (\S.*) -->$")
INLINE = re.compile(r"(?<!`)`(symbody [^`]+)`(?!`)")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")
PLACEHOLDER = re.compile(r"…|\||\[|\b[A-Z]{2,}\b")


@dataclass
class Block:
    """A fenced block: its language, its text, the line of the page before it, and what the page says about it."""

    language: str
    text: str
    line: int
    directive: str = ""
    reason: str = ""


def pages() -> list[Path]:
    """README.md and all pages of docs/, without those that a build of the site makes."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(page for page in found if "generated" not in page.parts)]


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page."""
    found: list[Block] = []
    inside: Block | None = None
    lines: list[str] = []
    above = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if inside is None and line.startswith("```"):
            said = DIRECTIVE.match(above)
            inside = Block(fence[1] if fence else line[3:], "", number, *(said.groups() if said else ()))
            lines = []
        elif inside is not None and fence:
            inside.text = "\n".join(lines) + "\n"
            found.append(inside)
            inside = None
        elif inside is not None:
            lines.append(line)
        above = line if line.strip() else above
    assert inside is None, f"{page}:{inside.line}: the block has no end"
    return found


def commands(text: str) -> list[list[str]]:
    """The command lines of a shell block, without prompts and comments; a backslash continues a line."""
    joined = text.replace("\\\n", " ")
    split = (shlex.split(line.removeprefix("$ "), comments=True) for line in joined.splitlines())
    return [words for words in split if words]


def inline_commands(page: Path) -> list[str]:
    """Commands `symbody …` inside the prose of a page."""
    return [" ".join(words.split()) for words in INLINE.findall(page.read_text(encoding="utf-8"))]


def check_command(words: list[str]) -> None:
    """Parse a command's arguments; SystemExit where they are wrong."""
    from symbody.cli import parser

    parser().parse_args(words[1:])


def run_command(words: list[str]) -> None:
    """Run one command of a shell block; an error if it does not succeed."""
    from symbody.cli import main

    if words[0] == "symbody":
        assert main(words[1:]) == 0, f"{shlex.join(words)} failed"
    elif words[0] == "make":
        subprocess.run(["make", "--dry-run", *words[1:]], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    else:
        raise AssertionError(f"{shlex.join(words)}: neither symbody nor make; say above the block why it is not run")


def left_out(block: Block) -> bool:
    """Whether a block is not for us to run: another language, or what the page says about it."""
    missing = block.directive == "where installed" and find_spec(block.reason) is None
    code = block.language in ("python", *SHELLS) or is_model(block)
    return missing or block.directive == "not run" or not code


def is_model(block: Block) -> bool:
    """Whether a block is a whole model file."""
    return block.language == "yaml" and block.text.startswith("symbody:")


def load_model(text: str) -> None:
    """Read a model file as a user would."""
    from symbody import load

    Path("block.yaml").write_text(text, encoding="utf-8")
    load("block.yaml")


def agrees(printed: str, shown: str) -> bool:
    """Whether a page shows what was printed: word by word, numbers to a thousandth, "…" for any words of a line."""
    lines, expected = ([line.split() for line in text.strip().splitlines()] for text in (printed, shown))
    return len(lines) == len(expected) and all(map(_line_agrees, lines, expected))


def _line_agrees(words: list[str], shown: list[str]) -> bool:
    if "…" in shown:
        words, shown = words[: shown.index("…")], shown[: shown.index("…")]
    return len(words) == len(shown) and all(map(_word_agrees, words, shown))


def _word_agrees(word: str, shown: str) -> bool:
    numbers, others = (NUMBER.findall(text) for text in (word, shown))
    if NUMBER.sub("#", word) != NUMBER.sub("#", shown) or len(numbers) != len(others):
        return False
    return all(
        math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-9) for a, b in zip(numbers, others, strict=True)
    )


def run_page(page: Path, claims: Mapping[int, Sequence[str]] | None = None) -> int:
    """Run all blocks of a page in order; how many Python blocks there were.

    claims: expressions over its names and what it `printed`, true after the Python block of that number, from 1.
    """
    names: dict[str, object] = {"__name__": "__main__"}
    count, printed = 0, ""
    for block in blocks(page):
        if block.directive == "prints":
            assert agrees(printed, block.text), f"{page.name}:{block.line}: it prints\n{printed}"
        if left_out(block):
            continue
        print(f"{page.name}:{block.line}", flush=True)
        if is_model(block):
            load_model(block.text)
        for words in commands(block.text) if block.language in SHELLS else ():
            check_command(words) if block.directive == "arguments only" else run_command(words)
        if block.language == "python":
            count += 1
            told = io.StringIO()
            with redirect_stdout(told):
                exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
            printed = told.getvalue()
            print(printed, end="")
            for claim in (claims or {}).get(count, ()):
                assert eval(claim, {**names, "printed": printed}), f"{page.name}:{block.line}: {claim}"
    return count


if __name__ == "__main__":
    asked = {int(number): claim for number, claim in json.loads(sys.argv[2]).items()}
    assert run_page(Path(sys.argv[1]), asked) >= max(asked, default=0), "a claim about a block that is not there"
