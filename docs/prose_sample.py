"""Draw twenty paragraphs of the docs with a fixed seed: `python docs/prose_sample.py` prints them, before and after.

The paragraphs come from commit `BEFORE`, the last one before the docs were rewritten in plain English. The text after
is the run of paragraphs on the same page today that shares most words with the old paragraph. `--write` writes
docs/contributing-prose.md.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from textwrap import indent

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("contributing-prose.md")
BEFORE = "395b405"
SEED, COUNT, SHORTEST = 26, 20, 25  # SHORTEST: words
NOT_PROSE = re.compile(r"[#|<!]|[-*] |\d+\. |:::")  # headings, tables, comments, pictures, lists, directives
LONGEST_RUN = 6  # paragraphs that one old paragraph may have become

HEAD = f"""\
# Twenty paragraphs in plain English

CONTRIBUTING.md has the rules, under "Prose". This page shows twenty paragraphs of the docs before and after a rewrite
by these rules. `docs/prose_sample.py` draws them with the seed {SEED} from all paragraphs of commit `{BEFORE}` that
have at least {SHORTEST} words. `python docs/prose_sample.py --write` writes this page.
"""


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def paragraphs(text: str) -> list[str]:
    """Blocks of plain prose: no code, headings, tables, lists or pictures."""
    text = re.sub(r"^(```+|~~~+).*?^\1[^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE)
    blocks = (block.strip() for block in re.split(r"\n\s*\n", text))
    return [block for block in blocks if block and not NOT_PROSE.match(block)]


def blocks_of(text: str) -> list[str]:
    """Blocks that a rewritten paragraph may be found in: prose and lists."""
    text = re.sub(r"^(```+|~~~+).*?^\1[^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip() and block.lstrip()[0] not in "#|<!"]


def drawn() -> list[tuple[str, str]]:
    """(page, paragraph) of the commit before, in the order of the pages."""
    names = git("ls-tree", "-r", "--name-only", BEFORE, "docs").split("\n")
    found = []
    for name in sorted(name for name in names if name.endswith(".md")):
        found += [(name, p) for p in paragraphs(git("show", f"{BEFORE}:{name}")) if len(p.split()) >= SHORTEST]
    chosen = sorted(random.Random(SEED).sample(range(len(found)), COUNT))
    return [found[i] for i in chosen]


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\w./]+", text.lower()))


def likeness(one: Counter[str], other: Counter[str]) -> float:
    """Dice coefficient of two bags of words."""
    return 2 * (one & other).total() / (one.total() + other.total())


def after(name: str, paragraph: str) -> str:
    """The run of blocks of today's page that is most like the old paragraph."""
    blocks, old = blocks_of((ROOT / name).read_text(encoding="utf-8")), words(paragraph)
    edges = range(len(blocks) + 1)
    runs = [blocks[a:b] for a in edges for b in edges if a < b <= a + LONGEST_RUN]
    return "\n\n".join(max(runs, key=lambda run: likeness(old, words(" ".join(run)))))


def quoted(text: str) -> str:
    """A block of plain text, indented: a line may begin with the name of a command."""
    return f"```text\n{indent(text, '  ')}\n```\n"


def page() -> str:
    parts = [HEAD]
    for number, (name, paragraph) in enumerate(drawn(), 1):
        title = name.removeprefix("docs/")
        both = f"Before:\n\n{quoted(paragraph)}\nAfter:\n\n{quoted(after(name, paragraph))}"
        parts.append(f"## {number}. [{title}]({title})\n\n{both}")
    return "\n".join(parts)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page())
