"""`python tests/fuzz/attacks.py --tries 100000`: every surface under attack, and a table of what came of it.

Cases come from grammars of the formats, from changes of kept inputs, and from all findings so far (`cases.py`). Forked
workers read them, in slices that go round all surfaces. A case must end within two seconds of a processor, a worker may
grow by 300 MB, and nothing but an answer or an error of the package may come back. Cases that break this are kept in
out/hostile, and the status is 1. `--minutes` ends a run early, `--resume` continues the last one.
"""

import argparse
import gc
import json
import mmap
import os
import resource
import select
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cases import GRAMMARS, LONGEST, case
from mutate import SLOW, Slow, corpus, in_time, saved
from targets import TARGETS, accepted

OUT = Path("out/hostile")
MEGABYTES = 300
MEMORY = 2000 * 1_000_000  # bytes of data that a worker may add: the computer stays usable
HANGING = 30  # s of a processor without a sign of life: it hangs in C, where no timer of Python's reaches it
SILENT = 600.0  # s without a sign of life, in which this process ran: a run may be paused
ENOUGH = 10  # findings of a surface after which it is left alone
ROUNDS = 20  # slices of each surface
THREADED = ("parquet",)  # libraries with threads, which are not used before a fork
# Share of the tries: by what a try costs, and by who may come close to the surface.
SHARES = {
    "yaml": 20, "mbs": 20, "urdf": 20, "xacro": 20, "mjcf": 15, "sdf": 20, "check": 5, "drawn": 5, "stored": 20,
    "formula": 80, "unit": 80, "csv": 50, "parquet": 10, "mcap": 40, "obj": 40, "stl": 50, "msh": 40,
    "gltf": 15, "glb": 20, "dae": 15, "udp": 70, "haptic": 40, "serial": 60, "cdr": 70, "studio": 70, "web": 60,
    "shared": 20, "cache": 10, "command": 15,
}  # fmt: skip


# -- a worker ----------------------------------------------------------------------------------------------------------


def used():
    """MB of memory at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def inherited():
    """Bytes of data that this process has already, on Linux: a fork counts them as its own."""
    sizes = Path("/proc/self/statm")
    return int(sizes.read_text().split()[5]) * resource.getpagesize() if sizes.exists() else 0


def work(name, first, last, seed, place, tell):
    """Try cases; after each second, and at the end, tell how many there were and what was worst."""
    said = {"tries": 0, "taken": 0, "seconds": 0.0, "megabytes": 0.0, "found": []}
    gc.freeze()  # what this process inherits is not looked through, and so not copied
    warm(name)
    gc.collect()
    before, told = used(), 0.0
    for number in range(first, last):
        data = case(name, seed, number)
        place[: 8 + len(data)] = len(data).to_bytes(8, "little") + data
        if time.monotonic() - told > 1.0:
            told = time.monotonic()
            _limit_processor()
            tell(said)
        taken, took, error = attempt(name, data)
        if took > SLOW:  # once more: programs on the other half of a processor double its time
            taken, took, error = attempt(name, data)
        said["taken"] += taken
        said["tries"] += 1
        said["seconds"] = max(said["seconds"], took)
        if error:
            said["found"].append(f"{saved(OUT, name, data)} ({number}): {type(error).__name__}: {str(error)[:200]}")
        elif took > SLOW:
            said["found"].append(f"{saved(OUT, name, data)} ({number}): {took:.1f} s")
        if used() - before > max(said["megabytes"], MEGABYTES):
            said["found"].append(f"{saved(OUT, name, data)} ({number}): {used() - before:.0f} MB")
        said["megabytes"] = used() - before
        if len(said["found"]) >= ENOUGH:
            break
    tell(said)


def attempt(name, data):
    """Whether a case is accepted, its processor time (s), and its error or None."""
    taken, error, begin = False, None, time.process_time()
    try:
        with in_time(SLOW):
            taken = accepted(name, data)
    except (Exception, Slow) as found:
        error = found
    return taken, time.process_time() - begin, error


def warm(name):
    """Import what a surface needs, so that no case is charged for it."""
    for data in corpus(name):
        accepted(name, data)


def _limit_processor():
    spent = time.process_time()
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + HANGING, most))


@dataclass
class Slice:
    """Cases `first` to `last` of a surface in a forked worker, and what it said last."""

    row: dict
    first: int
    last: int
    seed: int

    def __post_init__(self):
        self.said = {"tries": 0, "taken": 0, "seconds": 0.0, "megabytes": 0.0, "found": []}
        self.silent, self.place, (source, sink) = 0.0, mmap.mmap(-1, LONGEST), os.pipe()  # s without a sign of life
        sys.stdout.flush()
        self.child = os.fork()
        if self.child == 0:
            status = 1
            try:
                os.close(source)
                most = inherited() + MEMORY
                resource.setrlimit(resource.RLIMIT_DATA, (most, most))
                with os.fdopen(sink, "w") as pipe:
                    told = partial(print, file=pipe, flush=True)
                    name = self.row["surface"]
                    work(name, self.first, self.last, self.seed, self.place, lambda said: told(json.dumps(said)))
                status = 0
            except BaseException:
                traceback.print_exc()  # nobody sees it after os._exit
            finally:
                os._exit(status)
        os.close(sink)
        self.pipe = os.fdopen(source)

    def fileno(self):
        return self.pipe.fileno()

    def listen(self):
        """Read what the worker says; return whether it goes on."""
        self.silent = 0.0
        if line := self.pipe.readline():
            self.said = json.loads(line)
        return bool(line)

    def end(self):
        """How the slice ended; after a crash it counts the case that it died of."""
        hangs = self.silent > SILENT
        if hangs:
            os.kill(self.child, signal.SIGKILL)
        _, status = os.waitpid(self.child, 0)
        if hangs or status:
            code = os.waitstatus_to_exitcode(status)
            ended = "hangs" if hangs else signal.Signals(-code).name if code < 0 else f"status {code}"
            data = self.place[8 : 8 + int.from_bytes(self.place[:8], "little")]
            self.said["found"].append(f"{saved(OUT, self.row['surface'], data)}: {ended}")
            self.said["tries"] += 1
        self.place.close()
        self.pipe.close()
        return self.said


def slices(rows, seed, rounds):
    """Slices that go round all surfaces."""
    sizes = [-(-row["wanted"] // rounds) for row in rows]
    firsts = [row["tries"] for row in rows]
    while any(first < row["wanted"] for row, first in zip(rows, firsts, strict=True)):
        for k, row in enumerate(rows):
            last = min(firsts[k] + sizes[k], row["wanted"])
            if firsts[k] < last:
                yield row, firsts[k], last, seed
            firsts[k] = last


# -- all of them -------------------------------------------------------------------------------------------------------


def empty(name, tries):
    """The row of a surface before its first case."""
    return {"surface": name, "wanted": tries, "tries": 0, "taken": 0, "seconds": 0.0, "megabytes": 0.0, "found": []}


def add(row, said):
    """Add a slice to the row of its surface."""
    for key in ("tries", "taken", "found"):
        row[key] += said[key]
    for key in ("seconds", "megabytes"):
        row[key] = max(row[key], said[key])


def attack(rows, seed, rounds, until, jobs=1):
    """Go round the surfaces until all cases are tried, or a time has come."""
    OUT.mkdir(parents=True, exist_ok=True)
    for row in rows:
        if row["surface"] not in THREADED:
            warm(row["surface"])
    left, running = slices(rows, seed, rounds), []
    while True:
        while len(running) < jobs and time.monotonic() < until and (more := next(left, None)):
            if len(more[0]["found"]) < ENOUGH:
                running.append(Slice(*more))
        if not running:
            return
        begin = time.monotonic()
        ready, _, _ = select.select(running, [], [], 1.0)
        waited = min(time.monotonic() - begin, 1.0)
        for one in list(running):
            one.silent += waited
            if one.silent > SILENT or (one in ready and not one.listen()):
                running.remove(one)
                said = one.end()
                add(one.row, said)
                for line in said["found"]:
                    print(line, flush=True)
                if one.first + said["tries"] < one.last and len(one.row["found"]) < ENOUGH:  # it died of a case
                    running.append(Slice(one.row, one.first + said["tries"], one.last, seed))
                (OUT / "table.json").write_text(json.dumps({"seed": seed, "rows": rows}, indent=1))


def table(rows):
    """Rows as Markdown, and their sum."""
    lines = [
        "| surface | inputs | refused | accepted | faults | largest s | largest MB |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    total = empty("all", 0)
    for row in rows:
        add(total, row)
    for row in (*rows, total):
        counts = (row["tries"], row["tries"] - row["taken"], row["taken"], len(row["found"]))
        cells = " | ".join(f"{count:,}".replace(",", " ") for count in counts)
        lines.append(f"| {row['surface']} | {cells} | {row['seconds']:.2f} | {row['megabytes']:.0f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=100_000, help="over all surfaces (default 100000)")
    parser.add_argument("--only", action="append", choices=TARGETS, help="a surface (may be repeated)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="end after this time, with what was tried")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"slices of each surface (default {ROUNDS})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="workers at once (default: as processors)")
    parser.add_argument("--resume", action="store_true", help="continue the run of out/hostile/table.json")
    arguments = parser.parse_args()
    names = arguments.only or list(GRAMMARS)
    total = sum(SHARES[name] for name in names)
    seed, rows = arguments.seed, [empty(name, -(-arguments.tries * SHARES[name] // total)) for name in names]
    if arguments.resume:
        kept = json.loads((OUT / "table.json").read_text())
        seed, rows = kept["seed"], kept["rows"]
    begin = time.monotonic()
    attack(rows, seed, arguments.rounds, begin + 60.0 * arguments.minutes, arguments.jobs)
    wanted = sum(row["wanted"] for row in rows)
    print(f"\n{table(rows)}\n\n{sum(row['tries'] for row in rows)} of {wanted} cases, {time.monotonic() - begin:.0f} s")
    return sys.exit(any(row["found"] for row in rows))


if __name__ == "__main__":
    if "OMP_NUM_THREADS" not in os.environ:  # NumPy read it when it was imported: threads that wait count as a cost
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"OMP_NUM_THREADS": "1"})
    main()
