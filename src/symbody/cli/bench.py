"""`symbody bench`: compare this engine with others, or measure its real-time loop, web page or start-up."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from symbody.cli.benchmarks import require_benchmarks
from symbody.cli.preconditions import require_extra, results_folder
from symbody.cli.printing import shows_progress

SUMMARY = "Compare this engine with others in one run; or measure its real-time loop, its web page or its start-up."
EXAMPLE = "--only arm7"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="out/bench", help="folder for the tables and plots")
    parser.add_argument("--quick", action="store_true", help="small models only; with --realtime, a tenth of the time")
    parser.add_argument("--only", action="append", help="a model or part of the benchmark (may be repeated)")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--realtime", action="store_true", help="measure the real-time loop, idle and under load")
    kinds.add_argument("--studio", action="store_true", help="measure frames per second in browsers")
    kinds.add_argument("--editor", action="store_true", help="measure the page of the editor: opening, dragging, zoom")
    kinds.add_argument("--load", action="store_true", help="measure the loop under browsers, packets and a recording")
    kinds.add_argument("--haptic", action="store_true", help="measure ticks of haptic scenes, and of other engines")
    kinds.add_argument(
        "--calls", action="store_true", help="measure calls from Python, gradients in JAX and PyTorch, and the import"
    )
    kinds.add_argument("--start", action="store_true", help="measure the start-up of machines, cold and warm")
    kinds.add_argument("--estimation", action="store_true", help="compare filters with plain ones in NumPy")
    kinds.add_argument("--cueing", action="store_true", help="compare solvers on the programmes of predictive cueing")
    kinds.add_argument("--batch", action="store_true", help="measure batches on the processor and on a graphics card")
    kinds.add_argument("--terrain", action="store_true", help="measure steps of deformable soil and its particles")
    parser.add_argument(
        "--duration", type=float, help="seconds per run at the first rate (5; for a machine 30, a page 10, load 60)"
    )
    parser.add_argument(
        "--browsers", type=int, help="number of watching browsers: with --load (100), or for one row with --studio"
    )
    parser.add_argument("--rate", type=float, action="append", help="rate of the loop, Hz (repeatable; 1000 and 10000)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    require_benchmarks("bench")
    a = arguments
    if not (a.start or a.realtime or a.calls or a.haptic or a.estimation or a.cueing or a.terrain or a.batch):
        require_extra("a photograph" if arguments.studio or arguments.editor else "a picture")
    from symbody.codegen import only_tier

    with results_folder(arguments.output), only_tier("optimised"):  # never measure a quick, unoptimised build
        if arguments.editor:
            return _editor(arguments)
        if arguments.start:
            return _start_up(arguments)
        if arguments.estimation:
            return _estimation(arguments)
        if arguments.cueing:
            return _cueing(arguments)
        if arguments.terrain:
            return _terrain(arguments)
        if arguments.batch:
            return _batch(arguments)
        if arguments.haptic:
            return _haptic(arguments)
        if arguments.calls:
            return _calls(arguments)
        if arguments.realtime:
            return _realtime(arguments)
        if arguments.load:
            return _load(arguments)
        return _studio(arguments) if arguments.studio else _beside_peers(arguments)


def _beside_peers(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.run import run_bench

    return run_bench(
        Path(arguments.output), quick=arguments.quick, progress=shows_progress(arguments), only=arguments.only
    )


def _start_up(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody import machines
    from symbody_bench.start_up import NAMES, start_up_bench

    names = machines.names() if arguments.only == ["all"] else arguments.only or NAMES
    return start_up_bench(Path(arguments.output), names, progress=shows_progress(arguments))


def _estimation(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.estimation import NAMES, estimation_bench

    return estimation_bench(Path(arguments.output), arguments.only or NAMES, progress=shows_progress(arguments))


def _cueing(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.cueing_solvers import FEW, MANY, solvers_bench

    count = FEW if arguments.quick else MANY
    return solvers_bench(Path(arguments.output), arguments.only, count, progress=shows_progress(arguments))


def _terrain(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.soil import soil_bench

    return soil_bench(Path(arguments.output), arguments.only, arguments.quick)


def _batch(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.batch import batch_bench

    return batch_bench(Path(arguments.output), arguments.only, arguments.quick)


def _haptic(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.haptic import haptic_bench
    from symbody_bench.realtime import check_positive
    from symbody_bench.two_processes import NAME, two_process_bench

    seconds = 3.0 if arguments.duration is None else arguments.duration
    check_positive([seconds])
    if NAME in (arguments.only or ()):
        return two_process_bench(Path(arguments.output), seconds)
    return haptic_bench(Path(arguments.output), seconds)


def _calls(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.calls import calls_bench

    return calls_bench(Path(arguments.output))


def _realtime(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.realtime import realtime_bench

    return realtime_bench(
        Path(arguments.output),
        only=arguments.only or (),
        seconds=arguments.duration,
        rates=arguments.rate,
        quick=arguments.quick,
        progress=shows_progress(arguments),
    )


def _load(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.load import BROWSERS, NAMES, SECONDS, load_bench

    names, seconds = _names_and_seconds(arguments, NAMES, SECONDS)
    browsers = BROWSERS if arguments.browsers is None else arguments.browsers
    return load_bench(Path(arguments.output), names, seconds, browsers=browsers, progress=shows_progress(arguments))


def _studio(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody_bench.pictures import NAMES, SECONDS, pictures_bench
    from symbody_bench.studio_scenes import SCENES

    names, seconds = _names_and_seconds(arguments, NAMES, SECONDS, SCENES)
    few: dict[str, Any] = {} if arguments.browsers is None else {"browsers": (arguments.browsers,), "views": 1}
    return pictures_bench(Path(arguments.output), names, seconds, progress=shows_progress(arguments), **few)


def _editor(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody.errors import ModelError
    from symbody_bench.editor_pages import MODELS, SECONDS, editor_bench
    from symbody_bench.realtime import QUICKER, check_positive

    for name in arguments.only or ():
        if name not in MODELS:
            raise ModelError(f"unknown model '{name}'", element="--only", cure=f"use {' or '.join(MODELS)}")
    seconds = SECONDS / (QUICKER if arguments.quick else 1.0) if arguments.duration is None else arguments.duration
    check_positive([seconds])
    return editor_bench(Path(arguments.output), arguments.only, seconds, progress=shows_progress(arguments))


def _names_and_seconds(
    arguments: argparse.Namespace, names: Sequence[str], seconds: float, scenes: Collection[str] = ()
) -> tuple[Sequence[str], float]:
    """The requested models or scenes (default: names), and the duration of each run, s (default: seconds)."""
    from symbody import machines
    from symbody_bench.realtime import QUICKER, check_positive

    for name in arguments.only or ():
        if name not in scenes:
            machines.entry(name)  # raises and lists the machines if the name is unknown
    chosen = seconds / (QUICKER if arguments.quick else 1.0) if arguments.duration is None else arguments.duration
    check_positive([chosen])
    return arguments.only or names, chosen
