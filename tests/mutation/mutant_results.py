"""Mutants by what they change, and how they ended: files of results, and their table."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from mutated_text import Mutant, changed_function, difference, mutants, plain

# "once alive": file, old and new text. "equivalent": file, in (function), change, reason; "copy": one of several alike.
KNOWN = Path(__file__).with_name("known.json")
ENDS = ("test", "crash", "time", "blocked", "equivalent", "survives")


@dataclass(frozen=True)
class Place:
    """A mutant by its file, its function and what it changes; `copy` counts equal changes in a function."""

    file: str
    function: str
    change: str
    copy: int
    mutant: Mutant = field(compare=False)

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.file, self.function, self.change, self.copy


@cache
def _known(file: Path) -> dict[str, list[dict[str, Any]]]:
    return json.loads(file.read_text(encoding="utf-8"))


def _placed(file: str, text: str, made: Iterable[Mutant]) -> list[Place]:
    before, copies, found = plain(file, text), Counter(), []
    for mutant in made:
        after = mutant.text()
        what = file, changed_function(before, after), difference(before, after)
        found.append(Place(*what, copies[what], Mutant(partial(str, after), mutant.lines)))
        copies[what] += 1
    return found


def places(files: Sequence[str], tree: Path) -> list[Place]:
    """Every mutant of some files, and what survived once."""
    made = [x for file in files for x in _placed(file, (tree / file).read_text(encoding="utf-8"), mutants(tree / file))]
    return list(dict.fromkeys([*made, *once_alive(files, tree)]))


def once_alive(files: Sequence[str], tree: Path) -> list[Place]:
    """The mutants of some files that survived once."""
    found = []
    for entry in _known(KNOWN)["once alive"]:
        file, old = entry["file"], entry["old"]
        if file in files:
            text = (tree / file).read_text(encoding="utf-8")
            if text.count(old) != 1:
                raise SystemExit(f"{file}: '{old}' is not there once: change {KNOWN.name}")
            line = 1 + text.partition(old)[0].count("\n")
            changed = partial(plain, file, text.replace(old, entry["new"]))
            found += _placed(file, text, [Mutant(changed, range(line, line + 1 + old.count("\n")))])
    return found


def is_equivalent(place: Place) -> bool:
    """Whether a mutant is known to have no effect."""
    known = _known(KNOWN)["equivalent"]
    return any((x["file"], x["in"], x["change"], x.get("copy", place.copy)) == place.key for x in known)


def add_result(file: Path, place: Place, ended: str, by: str) -> None:
    """Add how a mutant ended, and the test that noticed it."""
    with file.open("a", encoding="utf-8") as results:
        print(json.dumps([*place.key, ended, by]), file=results)


def read_results(every: Iterable[Place], files: Iterable[Path]) -> dict[Place, str]:
    """How mutants ended; the last result of each counts, and what is known as equivalent now is equivalent."""
    found = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            *key, ended, _ = json.loads(line)
            found[tuple(key)] = ended
    return {place: "equivalent" if is_equivalent(place) else found[place.key] for place in every if place.key in found}


def table(every: Mapping[str, Collection[Place]], ended: Mapping[Place, str]) -> str:
    """Of the mutants of each subject: how many are possible and were tried, and how they ended."""
    lines = [
        "| subject | possible | tried | a test failed | crash | too long | blocked | equivalent | survive |",
        "|---|" + 8 * "--:|",
    ]
    counts = {}
    for name, some in every.items():
        counts[name] = Counter(ended[place] for place in some if place in ended)
        counts[name]["possible"], counts[name]["tried"] = len(some), counts[name].total()
    if len(counts) > 1:
        counts["all"] = sum(counts.values(), Counter())
    for name, count in counts.items():
        lines.append(f"| {name} | {' | '.join(str(count[key]) for key in ('possible', 'tried', *ENDS))} |")
    return "\n".join(lines)
