"""`python tests/fuzz/fuzz.py --minutes 60`: all parsers, or those that are named, one after the other.

With Atheris (`pip install atheris`, which needs clang) each runs under libFuzzer; else by `mutate.py`. What should not
have happened is kept in out/fuzz, and the status is 1. `--replay FILE TARGET` runs one input again.
"""

import argparse
import resource
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import mutate
from targets import TARGETS, accepted

OUT = Path("out/fuzz")
MEGABYTES = 300  # beyond what Python and the libraries take


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help=", ".join(TARGETS))
    parser.add_argument("--minutes", type=float, default=60.0, help="for all of them together (default 60)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replay", metavar="FILE", help="an input, for the one target that is named")
    parser.add_argument("--libfuzzer", action="store_true", help=argparse.SUPPRESS)
    arguments, rest = parser.parse_known_args()
    targets = arguments.targets or list(TARGETS)
    if arguments.replay:
        return print("accepted" if accepted(targets[0], Path(arguments.replay).read_bytes()) else "refused")
    if arguments.libfuzzer:
        return under_libfuzzer(targets[0], rest)
    seconds = 60.0 * arguments.minutes / len(targets)
    guided = find_spec("atheris") is not None
    bad = 0
    print(f"{'target':10} {'tries':>9} {'steps':>7} {'MB':>5}  found", flush=True)
    for name in targets:
        bad += with_atheris(name, seconds) if guided else alone(name, seconds, arguments.seed)
    return sys.exit(bool(bad))


def alone(name, seconds, seed):
    """A target by our own changes; how many findings."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tries, steps, found = mutate.fuzz(name, seconds, seed)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{name:10} {tries:9} {steps:7} {grown:5.0f}  {len(found)}", flush=True)
    for data, error in found:
        print(f"    {mutate.saved(OUT, name, data)}: {type(error).__name__}: {str(error)[:200]}")
    if grown > MEGABYTES:
        print(f"    more than {MEGABYTES} MB")
    return len(found) + (grown > MEGABYTES)


def with_atheris(name, seconds):
    """A target in a process of its own, as libFuzzer ends it."""
    grown, kept = OUT / "corpus" / name, OUT / name
    grown.mkdir(parents=True, exist_ok=True)
    kept.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={seconds:.0f}", f"-timeout={mutate.SLOW}", f"-max_len={mutate.LONGEST}"]
    limits += ["-rss_limit_mb=1000", f"-artifact_prefix={kept}/", str(grown), str(mutate.CORPUS / name)]
    done = subprocess.run([sys.executable, __file__, name, "--libfuzzer", *limits], check=False)
    print(f"{name:10} {'':>9} {'':>7} {'':>5}  {int(done.returncode != 0)}", flush=True)
    return int(done.returncode != 0)


def under_libfuzzer(name, limits):
    import atheris

    atheris.instrument_all()
    atheris.Setup([sys.argv[0], *limits], lambda data: accepted(name, data) and None)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
