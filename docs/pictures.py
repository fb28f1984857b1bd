"""All pictures of the docs, each with its command: `make pictures`, or `python docs/pictures.py [NAME …]`.

Names may be patterns such as 'studio*'. `--list` prints the table and makes nothing. docs/screenshots.py writes its
pictures itself; all other commands write below out/, from where the files are copied to docs/images.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES, OUT = ROOT / "docs" / "images", ROOT / "out"
SHEETS = tuple(f"pages-{kind}.webp" for kind in ("light", "dark", "phone"))
BEFORE = tuple(f"before-{name}" for name in SHEETS)  # the same sheets at commit 395b405
BY_HAND = ("conventions.svg", *BEFORE)  # drawn with an editor and changed there, or kept


@dataclass(frozen=True)
class Source:
    """A command, and the pictures of docs/images that it makes, each with the file that it writes below OUT."""

    command: Sequence[str]
    files: Mapping[str, str]


def report(machine: str, files: Mapping[str, str], *options: str) -> Source:
    """The report of a machine, with its plots by their titles."""
    command = ("symbody", "demo", machine, "--headless", *options, "--report", "out/demo")
    made = {f"demo-{name}.png": f"demo/{machine}-{title}.png" for name, title in files.items()}
    return Source(command, made)


def example(name: str, *pictures: str) -> Source:
    """A script of examples/, which writes into the folder out/."""
    return Source(("python", f"examples/{name}.py"), {picture: picture for picture in pictures})


def bench(*options: str, pictures: Sequence[str]) -> Source:
    """A benchmark: its plots are valid only from a machine without other work."""
    command = ("symbody", "bench", *options, "-o", "out/bench")
    return Source(command, {name: f"bench/{name}" for name in pictures})


VALIDATED = {
    "A01": ["a01-pendulum"],
    "A02": ["a02-n-four-bar-n-2-augmented", "a02-n-four-bar-n-2-penalty", "a02-n-four-bar-n-40-penalty"],
    "A03": ["a03-andrews"],
    "A04": ["a04-bricard"],
    "A05": ["a05-flyball"],
    "bicycle": ["bicycle-meijaard-2007"],
}
SOURCES = [
    report("car", {"car": "around-the-obstacle", "car-grip": "grip", "car-settings": "settings"}),
    report(
        "car-suspension",
        {
            "car-suspension-dampers": "dampers-alone",
            "car-suspension-energies": "energies",
            "car-suspension-pressures": "pressures",
            "car-suspension-weak": "weak-coupling",
        },
    ),
    report("crane", {"crane-load": "load", "crane-pressures": "pressures"}),
    report(
        "four-bar-friction",
        {"four-bar-friction-effort": "iterations-and-time", "four-bar-friction-seals": "friction-of-the-seals"},
    ),
    report(
        "four-bar-hydraulic", {"four-bar-hydraulic-energies": "energies", "four-bar-hydraulic-pressures": "pressures"}
    ),
    report("haptic-bench", {"haptic-corner": "corner"}, "--only", "corner"),
    report("haptic-bench", {"haptic-stability": "stable-walls"}, "--only", "stability"),
    report("linkage", {"linkage-drift": "drift"}, "--only", "drift"),
    report("linkage", {"linkage-observer": "drift-against-the-gain-of-the-observer"}, "--only", "observer"),
    report("linkage", {"linkage-wall": "map-of-the-drift-of-a-wall"}, "--only", "map"),
    report("linkage", {"linkage-hole": "tight-hole"}, "--only", "hole"),
    report(
        "piano",
        {
            "piano": "action",
            "piano-slow": "slow-double-keystroke",
            "piano-fast": "fast-double-keystroke",
            "piano-dip": "force-over-the-dip",
            "piano-settings": "settings",
            "piano-staccato": "staccato",
            "piano-repetition": "repetition",
        },
    ),
    report("platform", {"platform-forces": "forces-for-a-motion"}),
    report("quick-return-hydraulic", {"quick-return-hydraulic-loops": "closed-loops"}),
    example("contact_laws", "contact-laws.png"),
    example("electric_wheel", "electric-wheel.png"),
    example("friction_models", "friction-models.png"),
    example("hydraulic_cylinder", "circuit-boom.png", "hydraulic-boom.png"),
    example("lane_change", "car-lane-change.png"),
    example("bulldozer_blade", "bulldozer-blade.png"),
    example("wheel_ruts", "wheel-ruts.png"),
    bench(pictures=["generation.png", "systems.png", "time-per-call.png"]),
    bench("--batch", pictures=["batch.png"]),
    bench("--terrain", pictures=["soil-cost.png"]),
    bench(
        "--realtime",
        pictures=[
            "realtime-machines.png", "realtime-quarter-car.png", "realtime-roundtrip.png", "realtime-stewart.png",
        ],
    ),
    Source(("python", "docs/sheets.py"), dict.fromkeys(SHEETS, "")),
    *(
        Source(
            ("symbody", "validate", "--only", problem, "-o", "out/validate"),
            {f"validation-{name}.png": f"validate/validation-{name}.png" for name in names},
        )
        for problem, names in VALIDATED.items()
    ),
]  # fmt: skip


def sources() -> list[Source]:
    """All commands, those of the screenshots last; each of these takes one picture."""
    from screenshots import EDITORS, PICTURES, TEXTBOOK, TOUCHED, picture_path

    def shot(name: str) -> Source:
        path = picture_path(name)
        shown = path.name if path.parent == IMAGES else str(path.relative_to(ROOT))
        return Source(("python", "docs/screenshots.py", name), {shown: ""})

    return [*SOURCES, *map(shot, [*PICTURES, *EDITORS, *TOUCHED, *TEXTBOOK])]


def wanted(patterns: Sequence[str]) -> Iterator[tuple[Source, list[str]]]:
    """The commands with a picture that matches a pattern, each with these pictures; without patterns, all."""
    for source in sources():
        matching = [name for name in source.files if not patterns or any(_matches(name, one) for one in patterns)]
        if matching:
            yield source, matching


def _matches(name: str, pattern: str) -> bool:
    path = Path(name)
    return any(fnmatch(word, pattern) for word in (path.stem, path.name, f"{path.parent.name}/{path.stem}"))


def take(source: Source, names: Sequence[str]) -> None:
    """Run a command, and copy the wanted pictures of its own to docs/images."""
    program = {"python": [sys.executable], "symbody": [sys.executable, "-m", "symbody"]}[source.command[0]]
    subprocess.run([*program, *source.command[1:]], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    for name in names:
        if made := source.files[name]:
            written = OUT / made
            if not written.exists():
                raise SystemExit(f"{shlex.join(source.command)} did not write {written}: correct docs/pictures.py")
            shutil.copyfile(written, IMAGES / name)
        print(name)


def main() -> None:
    """List or take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--list", action="store_true", help="print each picture with its command")
    options = parser.parse_args()
    found = list(wanted(options.patterns))
    if not found:
        raise SystemExit(f"no picture matches {' '.join(options.patterns)}: see python docs/pictures.py --list")
    for source, names in found:
        if options.list:
            print(*(f"{name:52} {shlex.join(source.command)}" for name in names), sep="\n")
        else:
            take(source, names)


if __name__ == "__main__":
    main()
