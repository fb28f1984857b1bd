"""`python tests/fuzz/attacks.py --tries 100000`: every surface under attack, and a table of what came of it.

Each surface and attack has a process of its own, so that a crash is seen, and ends nobody else. A case must end within
two seconds of a processor, the process may grow by 300 MB, and nothing but an answer or an error of the package may
come back. Cases that break this are kept in out/hostile, and the status is 1.
"""

import argparse
import json
import mmap
import os
import random
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mutate import SLOW, Slow, change, corpus, in_time, saved
from targets import TARGETS, accepted, words

OUT = Path("out/hostile")
MEGABYTES = 300
SILENT = 120.0  # s without a sign of life: it hangs, in C, where no timer of Python's reaches it
BLOWN = 50_000  # bytes
LONGEST = 1 << 20
POOL = 300  # inputs from which others are made
ENOUGH = 10  # findings after which a process ends
# Share of the tries: by what a try costs, and by who may come close to the surface.
SHARES = {
    "yaml": 3, "mbs": 3, "urdf": 3, "xacro": 3, "mjcf": 3, "sdf": 3,
    "formula": 10, "csv": 4, "parquet": 2, "mcap": 4, "obj": 6, "stl": 6,
    "gltf": 4, "glb": 4, "dae": 4,
    "udp": 20, "haptic": 10, "serial": 15, "cdr": 15, "studio": 20, "shared": 3, "cache": 3,
}  # fmt: skip


def blow_up(data, rng, others, vocabulary):
    """A piece of an input, or a word, again and again: what is quadratic shows itself."""
    at = rng.randrange(len(data) + 1)
    piece = data[at : at + rng.randrange(1, 300)] if rng.random() < 0.7 else rng.choice(vocabulary)
    size = BLOWN // (1 << rng.randrange(6))
    return data[:at] + (piece or b" ") * max(1, size // max(1, len(piece))) + data[at:]


ATTACKS = {"changed": (0.98, change), "blown up": (0.02, blow_up)}  # share, and how a case is made


# -- one surface and one attack, in a process of its own ---------------------------------------------------------------


def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def work(name, attack, tries, seed, last):
    """Cases by chance; says from time to time, and at the end, how many there were and what was worst."""
    rng, kept, vocabulary, make = (
        random.Random(f"{name} {attack} {seed}"),
        corpus(name),
        words(name),
        ATTACKS[attack][1],
    )
    for data in kept:
        accepted(name, data)
    said = {"tries": 0, "taken": 0, "seconds": 0.0, "megabytes": 0.0, "found": []}
    before, told = used(), time.monotonic()
    with open(last, "r+b") as file, mmap.mmap(file.fileno(), LONGEST) as place:
        while said["tries"] < tries and len(said["found"]) < ENOUGH:
            data = make(rng.choice(kept), rng, kept, vocabulary)
            place[: 8 + len(data)] = len(data).to_bytes(8, "little") + data
            begin = time.process_time()
            try:
                with in_time(SLOW):
                    taken = accepted(name, data)
                if taken and len(data) < BLOWN:  # what was taken is changed further
                    if len(kept) > POOL:
                        kept.pop(rng.randrange(len(kept)))
                    kept.append(data)
                said["taken"] += taken
            except (Exception, Slow) as error:
                found = saved(OUT, name, data)
                said["found"].append(f"{found}: {type(error).__name__}: {str(error)[:200]}")
            took = time.process_time() - begin
            said["tries"] += 1
            said["seconds"] = max(said["seconds"], took)
            said["megabytes"] = used() - before
            if took > SLOW:
                said["found"].append(f"{saved(OUT, name, data)}: {took:.1f} s")
            if said["megabytes"] > MEGABYTES:
                said["found"].append(f"{saved(OUT, name, data)}: {said['megabytes']:.0f} MB in all")
                break
            if time.monotonic() - told > 1.0:
                told = time.monotonic()
                print(json.dumps(said), flush=True)
    print(json.dumps(said), flush=True)


# -- all of them -------------------------------------------------------------------------------------------------------


def attacked(name, attack, tries, seed):
    """What a process of its own said last, and how it ended."""
    with tempfile.NamedTemporaryFile(suffix=".last") as last:
        last.truncate(LONGEST)
        command = [sys.executable, __file__, "--only", name, "--tries", str(tries), "--seed", str(seed)]
        child = subprocess.Popen([*command, "--work", attack, last.name], stdout=subprocess.PIPE, text=True)
        said, ended = {"tries": 0, "taken": 0, "seconds": 0.0, "megabytes": 0.0, "found": []}, ""
        while line := _line(child):
            said = json.loads(line)
        if child.poll() is None and line is None:
            child.kill()
            ended = "hangs"
        status = child.wait()
        if status and not ended:
            ended = signal.Signals(-status).name if status < 0 else f"status {status}"
        if ended:
            whole = Path(last.name).read_bytes()
            data = whole[8 : 8 + int.from_bytes(whole[:8], "little")]
            said["found"].append(f"{saved(OUT, name, data)}: {ended}")
    return {"surface": name, "attack": attack, **said}


def _line(child):
    """The next line, "" at the end, None where there is none for long."""
    ready, _, _ = select.select([child.stdout], [], [], SILENT)
    return child.stdout.readline() if ready else None


def table(rows):
    """Rows as Markdown."""
    lines = [
        "| surface | attack | tries | accepted | rejected | faults | worst s | worst MB |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        refused = row["tries"] - row["taken"]
        counts = f"{row['tries']:,} | {row['taken']:,} | {refused:,} | {len(row['found'])}".replace(",", " ")
        lines.append(
            f"| {row['surface']} | {row['attack']} | {counts} | {row['seconds']:.2f} | {row['megabytes']:.0f} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=100_000, help="over all surfaces (default 100000)")
    parser.add_argument("--only", action="append", choices=TARGETS, help="a surface (may be repeated)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", nargs=2, metavar=("ATTACK", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    names = arguments.only or list(TARGETS)
    if arguments.work:
        return work(names[0], arguments.work[0], arguments.tries, arguments.seed, arguments.work[1])
    total, rows = sum(SHARES[name] for name in names), []
    OUT.mkdir(parents=True, exist_ok=True)
    for name in names:
        for attack, (share, _) in ATTACKS.items():
            tries = max(1, round(arguments.tries * SHARES[name] / total * share))
            rows.append(attacked(name, attack, tries, arguments.seed))
            print(table(rows[-1:]).splitlines()[-1], *rows[-1]["found"], sep="\n", flush=True)
            (OUT / "table.json").write_text(json.dumps(rows, indent=1))
    print(f"\n{table(rows)}\n\n{sum(row['tries'] for row in rows)} cases", flush=True)
    return sys.exit(any(row["found"] for row in rows))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
