"""`python tests/mutation/mutants.py --count 30`: would the tests notice? Small faults in what safety rests upon.

Each mutant is one change of one module: a comparison the other way, and for or, a number one larger, a statement left
out. Its tests run on a copy of the tree; a mutant is caught where they fail, and survives where they pass. Mutants that
once survived (`known.json`) are tried first, in every run. A survivor that `known.json` lists as equivalent, with the
reason, counts apart. Any other one is printed as a difference, and the status is 1. `--seed` chooses others, `--only` a
subject.
"""

import argparse
import ast
import difflib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[2]
KNOWN = Path(__file__).with_name(
    "known.json"
)  # "once alive": file, old and new text; "equivalent": file, change, reason
SECONDS = 300  # for the tests of one mutant; one that hangs is caught


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
            "src/symbody/realtime/shared.h",
            "src/symbody/realtime/mailbox.h",
            "src/symbody/realtime/loop.py",
            "src/symbody/realtime/loop_file.py",
        ),
        (
            "tests/realtime/test_loop_step.py",
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
            "tests/files/test_safe_file.py",
            "tests/files/test_yaml_file.py",
            "tests/files/test_mbs_file.py",
            "tests/model/test_safe_names.py",
            "tests/hostile/test_linear_reading.py",
            "tests/hostile/test_bounded_cost.py",
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
}

# -- mutants of Python -------------------------------------------------------------------------------------------------

COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
STATEMENTS = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Return)


def sites(tree: ast.AST) -> Iterator[tuple[ast.AST, str, object]]:
    """What may be changed: the node, the kind of change, and where in it; decorators stay as they are."""
    passed = {id(x) for node in ast.walk(tree) for top in getattr(node, "decorator_list", ()) for x in ast.walk(top)}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.Compare):
            yield from ((node, "compare", k) for k, op in enumerate(node.ops) if type(op) in COMPARED)
        elif isinstance(node, ast.BoolOp):
            yield node, "boolean", None
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, "not", None
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield node, "constant", None
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and not isinstance(node, ast.Module | ast.ClassDef):
                yield from ((node, name, k) for k, one in enumerate(block) if _statement(one))


def _statement(node: ast.AST) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)  # a docstring does nothing
    return isinstance(node, STATEMENTS) and not text


def change(node: ast.AST, kind: str, place: object) -> None:
    """Make one change in a tree."""
    if kind == "compare":
        node.ops[place] = COMPARED[type(node.ops[place])]()
    elif kind == "boolean":
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif kind == "not":
        node.op = ast.UAdd()
        node.operand = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
    elif kind == "constant":
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    else:
        getattr(node, kind)[place] = ast.Pass()


def python_mutants(text: str) -> list[Callable[[], str]]:
    """Every text that differs by one change, comments gone; each is made when it is wanted."""

    def made(k: int) -> str:
        tree = ast.parse(text)
        change(*list(sites(tree))[k])
        return ast.unparse(ast.fix_missing_locations(tree))

    return [partial(made, k) for k in range(len(list(sites(ast.parse(text)))))]


# -- mutants of C ------------------------------------------------------------------------------------------------------

C_CHANGES = (
    (r"(?<![-<>=!])<(?![<=])", "<="), (r"<=", "<"), (r"(?<![->=])>(?![>=])", ">="), (r">=", ">"), (r"==", "!="),
    (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"), (r"!(?=[a-z(_*])", ""), (r"(?<![\w.])\d+(?![\w.])", "7"),
    (r"^ +[^\n{}]*[^\s{};][^\n{}]*;$", ";"),
)  # fmt: skip


def c_mutants(text: str) -> list[Callable[[], str]]:
    """Every text that differs by one operator, number or line with a statement; nothing in comments and includes."""
    dead = [
        m.span()
        for m in re.finditer(
            r"/\*.*?\*/|^#[^\n]*|^ +(?:static |const |int|double|return\b)[^=\n]*;$", text, re.S | re.M
        )
    ]
    found = []
    for pattern, put in C_CHANGES:
        for m in re.finditer(pattern, text, re.M):
            if not any(a <= m.start() < b for a, b in dead) and m[0] != put:
                found.append(partial("".join, (text[: m.start()], put, text[m.end() :])))
    return found


# -- running -----------------------------------------------------------------------------------------------------------


def mutants(file: Path) -> list[Callable[[], str]]:
    text = file.read_text(encoding="utf-8")
    return (python_mutants if file.suffix == ".py" else c_mutants)(text)


def caught(tree: Path, tests: tuple[str, ...]) -> bool:
    """Whether the tests of a tree fail, or do not end."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree / "benchmarks")])}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", *tests]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=tree, env=env, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        return process.wait(SECONDS) != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def difference(before: str, after: str) -> str:
    """The lines that a mutant has changed."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))


def once_alive(subject: Subject, tree: Path) -> list[tuple[str, Callable[[], str]]]:
    """The mutants of a subject that survived once."""
    found: list[tuple[str, Callable[[], str]]] = []
    for entry in json.loads(KNOWN.read_text())["once alive"]:
        if entry["file"] in subject.files:
            text = (tree / entry["file"]).read_text(encoding="utf-8")
            if text.count(entry["old"]) != 1:
                raise SystemExit(f"{entry['file']}: '{entry['old']}' is not there once: change {KNOWN.name}")
            found.append((entry["file"], partial(text.replace, entry["old"], entry["new"])))
    return found


def equivalent(file: str, change: str) -> bool:
    """Whether a change is known to have no effect."""
    return any(
        entry["file"] == file and entry["change"] == change for entry in json.loads(KNOWN.read_text())["equivalent"]
    )


def tried(name: str, subject: Subject, count: int, seed: int, tree: Path) -> dict[str, object]:
    """The mutants that once survived, and some by chance, as many of each file as it has of them all."""
    chosen = [(file, mutant) for file in subject.files for mutant in mutants(tree / file)]
    total = len(chosen)
    random.Random(f"{name} {seed}").shuffle(chosen)
    first = once_alive(subject, tree)
    chosen, count = [*first, *chosen], count + len(first)
    if caught(tree, subject.tests):
        raise SystemExit(f"{name}: its tests fail before anything is changed")
    survivors, harmless = [], 0
    for number, (file, mutant) in enumerate(chosen[:count], 1):
        place = tree / file
        whole = place.read_text(encoding="utf-8")
        changed = mutant()
        plain = ast.unparse(ast.parse(whole)) if place.suffix == ".py" and number > len(first) else whole
        place.write_text(changed, encoding="utf-8")
        try:
            alive = not caught(tree, subject.tests)
        finally:
            place.write_text(whole, encoding="utf-8")
        known = alive and equivalent(file, difference(plain, changed))
        harmless += known
        ended = "equivalent" if known else "SURVIVES" if alive else "caught"
        print(f"{name} {number}/{min(count, len(chosen))}: {ended}", flush=True)
        if alive and not known:
            survivors.append(f"{file}\n{difference(plain, changed)}")
            print(survivors[-1], flush=True)
    done = min(count, len(chosen))
    caught_now = done - len(survivors) - harmless
    row = {"subject": name, "possible": total, "tried": done, "caught": caught_now, "equivalent": harmless}
    return row | {"survivors": survivors}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SUBJECTS, help="may be repeated")
    parser.add_argument("--count", type=int, default=30, help="mutants of each subject (default 30)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", metavar="FILE", help="write the results there, too")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # tests under way end with this
    rows = []
    with tempfile.TemporaryDirectory(prefix="symbody-mutants-") as folder:
        tree = Path(folder)
        os.environ["SYMBODY_CACHE"] = str(tree / "cache")
        for part in ("src", "tests", "benchmarks", "pyproject.toml"):
            (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, tree / part)
        for name in arguments.only or SUBJECTS:
            rows.append(tried(name, SUBJECTS[name], arguments.count, arguments.seed, tree))
    print("\n| subject | possible | tried | caught | equivalent | survive |\n|---|--:|--:|--:|--:|--:|")
    for row in rows:
        counts = [*(row[key] for key in ("possible", "tried", "caught", "equivalent")), len(row["survivors"])]
        print(f"| {row['subject']} | {' | '.join(map(str, counts))} |")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1))
    sys.exit(any(row["survivors"] for row in rows))


if __name__ == "__main__":
    main()
