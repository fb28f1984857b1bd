"""`python tests/mutation/mutants.py --count 30`: would the tests notice? Small faults in safety-critical code.

Each mutant is one change of one file: a comparison the other way, and for or, a number one larger, a statement left
out. Its tests run on a copy of the tree; a mutant is caught if a test fails or crashes, uses too much processor time,
or waits for ever. Tests that reach the changed line run first, then the others of their files. A line that no test
reaches survives at once. Mutants that once survived (`known.json`) are tried first, in every run. What `known.json`
lists as equivalent, with the reason, does not run and counts apart. Any other survivor is printed as a difference, and
the status is 1.

`--all` tries every mutant, `--seed` chooses others, `--only` a subject, `--part 2/3` every third one from the second,
so that three processes share them; `--minutes` ends earlier. `--json FILE` adds a line for each mutant to a file; what
has one there is not tried again. `--again FILE` tries only what survived there, and `--merge FILE` tries nothing: both
take the results of several runs, and `--merge` prints their table. `--quick` runs no costly tests: the survivors of a
first pass may be tried again with all. The command needs POSIX.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mutant_results import Place, add_result, is_equivalent, once_alive, places, read_results, table
from mutant_trial import Trial

ROOT = Path(__file__).parents[2]
PATIENCE = 15.0  # s after which a test says that something never happens: many mutants make it wait


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
            "tests/web/test_web_kept_token.py",
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


def tried(name: str, chosen: Sequence[Place], trial: Trial, end: float, results: Path | None) -> dict[Place, str]:
    """How the mutants of a subject ended."""
    ended: dict[Place, str] = {}
    for place in chosen:
        if time.monotonic() > end:
            break
        by, said = "", f"\n{place.file}:{place.mutant.lines.start} {place.function}\n{place.change}"
        if is_equivalent(place):
            ended[place] = "equivalent"
        elif noticed := _noticed(trial, place.file, place.mutant.text(), place.mutant.lines):
            ended[place], by = noticed
        else:
            ended[place] = "survives"
        if results:
            add_result(results, place, ended[place], by)
        said = by if ended[place] == "test" else f"{by}{said}"
        print(f"{name} {len(ended)}/{len(chosen)}: {ended[place]} {said}", flush=True)
    return ended


def _noticed(trial: Trial, file: str, changed: str, lines: range) -> tuple[str, str] | None:
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


def copied_tree(tree: Path) -> None:
    """Copy what the tests need; this process and those that it starts use the copy, also of a cache (SYMBODY_CACHE)."""
    for name in ("src", "tests", "benchmarks", "docs", "pyproject.toml"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tree / name)
    if cache := os.environ.get("SYMBODY_CACHE"):
        shutil.copytree(cache, tree / "cache")
    packages = [str(tree / "src"), str(tree / "benchmarks")]
    sys.path[:0] = packages
    os.environ |= {"SYMBODY_CACHE": str(tree / "cache"), "PYTHONPATH": os.pathsep.join(packages)}
    os.environ |= {"SYMBODY_TIER": "quick", "OMP_NUM_THREADS": "1"}  # as tests/conftest.py
    os.environ["SYMBODY_PATIENCE"] = f"{PATIENCE}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SUBJECTS, help="may be repeated")
    parser.add_argument("--count", type=int, default=30, help="mutants of each subject (default 30)")
    parser.add_argument("--all", action="store_true", help="every mutant of each subject")
    parser.add_argument("--quick", action="store_true", help="without costly tests (tests/costly.txt)")
    parser.add_argument("--minutes", type=float, default=1e9, help="time in all, shared by the subjects")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", default="1/1", metavar="K/N", help="share the mutants with other processes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add a line for each mutant; skip what has one")
    parser.add_argument("--again", type=Path, nargs="+", metavar="FILE", help="only what survived in these results")
    parser.add_argument("--merge", type=Path, nargs="+", metavar="FILE", help="only the table of these results")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # tests under way end with this
    names = arguments.only or list(SUBJECTS)
    every = {name: places(SUBJECTS[name].files, ROOT) for name in names}
    before = read_results(chain.from_iterable(every.values()), arguments.again or ())
    survived = {place for place, how in before.items() if how == "survives"}
    files = arguments.merge or ([arguments.json] if arguments.json and arguments.json.exists() else [])
    ended = read_results(chain.from_iterable(every.values()), files)
    if not arguments.merge:
        first, step = map(int, arguments.part.split("/"))
        end = time.monotonic() + 60 * arguments.minutes
        with tempfile.TemporaryDirectory(prefix="symbody-mutants-") as folder:
            tree = Path(folder).resolve()
            copied_tree(tree)
            for k, name in enumerate(names):
                alive = once_alive(SUBJECTS[name].files, ROOT)
                others = [place for place in every[name] if place not in alive]
                random.Random(f"{name} {arguments.seed}").shuffle(others)
                chosen = [*alive, *others[: len(others) if arguments.all or arguments.again else arguments.count]]
                wanted = survived if arguments.again else set(chosen) - set(ended)
                if chosen := [place for place in chosen[first - 1 :: step] if place in wanted]:
                    marks = "not slow and not costly" if arguments.quick else "not slow"
                    trial = Trial(tree, SUBJECTS[name].files, SUBJECTS[name].tests, marks)
                    _check_use(trial, name)
                    share = time.monotonic() + (end - time.monotonic()) / (len(names) - k)
                    ended |= tried(name, chosen, trial, share, arguments.json)
    for place, how in ended.items():
        if how == "survives":
            print(f"survives: {place.file} {place.function}\n{place.change}")
    print(table(every, ended))
    sys.exit("survives" in ended.values())


if __name__ == "__main__":
    main()
