"""`python tests/mutation/mutants.py --count 30`: would the tests notice? Small faults in safety-critical code.

Each mutant is one change of one file: a comparison the other way, and for or, a number one larger, a statement left
out. Its tests run on a copy of the tree; a mutant is caught if a test fails. Tests that reach the changed line run
first, then the others of their files. A line that no test reaches survives at once. Mutants that once survived
(`known.json`) are tried first, in every run. What `known.json` lists as equivalent, with the reason, does not run and
counts apart. Any other survivor is printed as a difference, and the status is 1. `--all` tries every mutant, `--seed`
chooses others, `--only` a subject, `--part 2/3` every third one from the second, so that three processes share them;
`--minutes` ends earlier. `--again FILE` tries only what survived in a run with `--json FILE`. The command needs POSIX.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mutant_trial import Trial
from mutated_text import Mutant, changed_function, difference, mutants, plain

ROOT = Path(__file__).parents[2]
KNOWN = Path(__file__).with_name(
    "known.json"
)  # "once alive": file, old and new text; "equivalent": file, in (function), change, reason


@dataclass(frozen=True)
class Subject:
    """Files that are changed, and the tests that should notice."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


SUBJECTS = {
    "loop": Subject(
        (
            "src/symbody/realtime/loop_step.h",
            "src/symbody/realtime/loop.c",
            "src/symbody/realtime/loop_memory.h",
            "src/symbody/realtime/mailbox.h",
            "src/symbody/realtime/loop.py",
            "src/symbody/realtime/loop_file.py",
        ),
        (
            "tests/realtime/test_loop_step.py",
            "tests/realtime/test_loop_thread.py",
            "tests/realtime/test_loop.py",
            "tests/realtime/test_loop_faults.py",
            "tests/realtime/test_loop_file.py",
            "tests/realtime/test_loop_memory.py",
            "tests/realtime/test_statistics.py",
            "tests/realtime/test_tracking.py",
        ),
    ),
    "gate": Subject(
        (
            "src/symbody/web/gate.py",
            "src/symbody/web/server.py",
            "src/symbody/web/inbox.py",
            "src/symbody/web/rights.py",
            "src/symbody/web/connection_limit.py",
            "src/symbody/web/checks.py",
            "src/symbody/web/verbs.py",
            "src/symbody/studio/messages.py",
        ),
        (
            "tests/web/test_web_gate.py",
            "tests/web/test_web_inbox.py",
            "tests/web/test_web_connection_limit.py",
            "tests/web/test_web_server.py",
            "tests/web/test_web_verbs.py",
            "tests/studio/test_studio_messages.py",
        ),
    ),
    "cache": Subject(
        ("src/symbody/codegen/cache.py", "src/symbody/codegen/ownership.py", "src/symbody/codegen/eviction.py"),
        ("tests/codegen/test_cache.py", "tests/codegen/test_ownership.py", "tests/codegen/test_eviction.py"),
    ),
    "packets": Subject(
        ("src/symbody/links/packet.py", "src/symbody/links/serial_port.py", "src/symbody/links/udp.py"),
        ("tests/links/test_serial_port.py", "tests/links/test_udp.py"),
    ),
    "files": Subject(
        (
            "src/symbody/files/read_budget.py",
            "src/symbody/files/safe_file.py",
            "src/symbody/files/safe_xml.py",
            "src/symbody/files/safe_yaml.py",
            "src/symbody/output_file.py",
            "src/symbody/safe_name.py",
        ),
        (
            "tests/files/test_read_budget.py",
            "tests/files/test_safe_file.py",
            "tests/files/test_safe_xml.py",
            "tests/files/test_safe_yaml.py",
            "tests/model/test_safe_names.py",
        ),
    ),
    "recorder": Subject(
        ("src/symbody/realtime/record.py", "src/symbody/realtime/record_chunks.py"),
        (
            "tests/realtime/test_record.py",
            "tests/realtime/test_record_chunks.py",
            "tests/realtime/test_recorder_promises.py",
        ),
    ),
    "supervisor": Subject(
        (
            "src/symbody/motion/safety/supervisor.c",
            "src/symbody/motion/safety/fast_stop.py",
            "src/symbody/motion/safety/governor.py",
            "src/symbody/motion/safety/loop_supervisor.py",
            "src/symbody/motion/safety/margins.py",
            "src/symbody/motion/safety/slack.py",
            "src/symbody/motion/safety/states.py",
            "src/symbody/motion/safety/stream.py",
            "src/symbody/motion/safety/supervisor.py",
            "src/symbody/motion/safety/vetting.py",
            "src/symbody/motion/safety/watchdog.py",
        ),
        (
            "tests/motion/safety/test_fast_stop.py",
            "tests/motion/safety/test_governor.py",
            "tests/motion/safety/test_loop_supervisor.py",
            "tests/motion/safety/test_safety_stream.py",
            "tests/motion/safety/test_supervisor.py",
            "tests/motion/safety/test_supervisor_step.py",
            "tests/motion/safety/test_vetting.py",
        ),
    ),
    "homing": Subject(
        (
            "src/symbody/motion/safety/homing.h",
            "src/symbody/motion/safety/homing.py",
            "src/symbody/motion/control/hold.h",
        ),
        (
            "tests/motion/safety/test_homing_step.py",
            "tests/motion/control/test_control_hold.py",
            "tests/motion/safety/test_homing.py",
            "tests/motion/control/test_drive_modes.py",
        ),
    ),
    "hands": Subject(("src/symbody/studio/hands.py",), ("tests/studio/test_studio_hands.py",)),
    "drives": Subject(("src/symbody/links/canopen/drive_bus.py",), ("tests/links/test_drive_bus.py",)),
}


def described(file: str, before: str, after: str) -> str:
    """A change of a file, without its line."""
    return f"{file} {changed_function(before, after)}\n{difference(before, after)}"


def survivors_of(results: str | None) -> dict[str, set[str]] | None:
    """What survived in a run, by subject, as `described` has it."""
    if results is None:
        return None
    rows = json.loads(Path(results).read_text())
    return {row["subject"]: {re.sub(r":\d+ ", " ", text, count=1) for text in row["survivors"]} for row in rows}


def once_alive(subject: Subject, tree: Path) -> list[tuple[str, Mutant]]:
    """The mutants of a subject that survived once."""
    found: list[tuple[str, Mutant]] = []
    for entry in json.loads(KNOWN.read_text())["once alive"]:
        if entry["file"] in subject.files:
            text = (tree / entry["file"]).read_text(encoding="utf-8")
            before, old = text.partition(entry["old"])[0], entry["old"]
            if text.count(old) != 1:
                raise SystemExit(f"{entry['file']}: '{entry['old']}' is not there once: change {KNOWN.name}")
            line = 1 + before.count("\n")
            changed = partial(text.replace, old, entry["new"])
            found.append((entry["file"], Mutant(changed, range(line, line + 1 + old.count("\n")))))
    return found


def equivalent(file: str, function: str, change: str) -> bool:
    """Whether a change in a function is known to have no effect."""
    known = json.loads(KNOWN.read_text())["equivalent"]
    return any((entry["file"], entry["in"], entry["change"]) == (file, function, change) for entry in known)


def tried(
    name: str,
    subject: Subject,
    count: int,
    seed: int,
    tree: Path,
    end: float,
    part: slice = slice(None),
    again: Collection[str] | None = None,
) -> dict[str, object]:
    """The mutants that once survived, and some by chance, as many of each file as it has of them all.

    Or a part of them, or those of which `described` is in `again`.
    """
    chosen = [(file, mutant) for file in subject.files for mutant in mutants(tree / file)]
    total = len(chosen)
    random.Random(f"{name} {seed}").shuffle(chosen)
    first = once_alive(subject, tree)
    chosen = [*first, *chosen][: count + len(first)][part]
    if again is not None:
        texts = {file: (tree / file).read_text(encoding="utf-8") for file in subject.files}
        chosen = [one for one in chosen if described(one[0], plain(one[0], texts[one[0]]), one[1].text()) in again]
    trial = Trial(tree, subject.files, subject.tests)
    _check_use(trial, name)
    counts = {"possible": total, "tried": 0, "caught": 0, "equivalent": 0}
    survivors = []
    for file, mutant in chosen:
        if time.monotonic() > end:
            break
        place = tree / file
        whole = place.read_text(encoding="utf-8")
        changed = mutant.text()
        before = whole if (file, mutant) in first else plain(file, whole)
        counts["tried"] += 1
        function, lines = changed_function(before, changed), difference(before, changed)
        if equivalent(file, function, lines):
            counts["equivalent"] += 1
            ended = "equivalent"
        elif noticed := _noticed(trial, file, changed, mutant.lines):
            counts["caught"] += 1
            ended = f"caught ({noticed})"
        else:
            survivors.append(f"{file}:{mutant.lines.start} {function}\n{lines}")
            ended = f"SURVIVES\n{survivors[-1]}"
        print(f"{name} {counts['tried']}/{len(chosen)}: {ended}", flush=True)
    return {"subject": name} | counts | {"survivors": survivors}


def _noticed(trial: Trial, file: str, changed: str, lines: range) -> str | None:
    """What notices a change of a file."""
    place = trial.tree / file
    whole = place.read_text(encoding="utf-8")
    place.write_text(changed, encoding="utf-8")
    try:
        return trial.failed(file, lines)
    finally:
        place.write_text(whole, encoding="utf-8")


def _check_use(trial: Trial, name: str) -> None:
    """Raise an error for a file that the tests do not read anew for each mutant."""
    for file in trial.files:
        lines = range(1, 1 + len((trial.tree / file).read_text(encoding="utf-8").splitlines()))
        if not _noticed(trial, file, "this is not a program\n", lines):
            raise SystemExit(f"{name}: the tests do not use {file}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SUBJECTS, help="may be repeated")
    parser.add_argument("--count", type=int, default=30, help="mutants of each subject (default 30)")
    parser.add_argument("--all", action="store_true", help="every mutant of each subject")
    parser.add_argument("--minutes", type=float, default=1e9, help="time in all, shared by the subjects")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", default="1/1", metavar="K/N", help="share the mutants with other processes")
    parser.add_argument("--again", metavar="FILE", help="only what survived in a run with --json FILE")
    parser.add_argument("--json", metavar="FILE", help="write the results there, too")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # tests under way end with this
    first, step = map(int, arguments.part.split("/"))
    again = survivors_of(arguments.again)
    rows, names = [], arguments.only or list(again or SUBJECTS)
    end = time.monotonic() + 60 * arguments.minutes
    with tempfile.TemporaryDirectory(prefix="symbody-mutants-") as folder:
        tree = Path(folder).resolve()
        for name in ("src", "tests", "benchmarks", "docs", "pyproject.toml"):
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tree / name)
        packages = [str(tree / "src"), str(tree / "benchmarks")]
        sys.path[:0] = packages
        path = os.pathsep.join(packages)
        os.environ |= {"SYMBODY_CACHE": str(tree / "cache"), "PYTHONPATH": path}
        os.environ |= {"SYMBODY_TIER": "quick", "OMP_NUM_THREADS": "1"}  # as tests/conftest.py
        for k, name in enumerate(names):
            count = sys.maxsize // 2 if arguments.all or again else arguments.count
            share = time.monotonic() + (end - time.monotonic()) / (len(names) - k)
            part = slice(first - 1, None, step)
            wanted = None if again is None else again[name]
            rows.append(tried(name, SUBJECTS[name], count, arguments.seed, tree, share, part, wanted))
    print("\n| subject | possible | tried | caught | equivalent | survive |\n|---|--:|--:|--:|--:|--:|")
    for row in rows:
        counts = [*(row[key] for key in ("possible", "tried", "caught", "equivalent")), len(row["survivors"])]
        print(f"| {row['subject']} | {' | '.join(map(str, counts))} |")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1))
    sys.exit(any(row["survivors"] for row in rows))


if __name__ == "__main__":
    main()
