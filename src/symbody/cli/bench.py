"""`symbody bench`: this engine beside its peers; with --realtime, its loop beside the clock."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from symbody.errors import ModelError

SUMMARY = "Measure this engine beside its peers, in one run; or how punctual its real-time loop is."


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="out/bench", help="folder for the table and plots")
    parser.add_argument("--quick", action="store_true", help="small models only")
    parser.add_argument("--only", action="append", help="a model of the benchmark (may be repeated)")
    parser.add_argument("--realtime", action="store_true", help="the real-time loop instead, idle and under load")
    parser.add_argument("--duration", type=float, help="seconds of each run at the first rate (5)")
    parser.add_argument("--rate", type=float, action="append", help="Hz (may be repeated; 1000 and 10000)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.realtime:
        return _realtime(arguments)
    from symbody.bench.run import run_bench

    return run_bench(Path(arguments.output), quick=arguments.quick, progress=not arguments.json, only=arguments.only)


def _realtime(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody.bench.realtime import NAMES, RATES, SECONDS, realtime_bench

    for name in arguments.only or ():
        if name not in NAMES:
            raise ModelError("not a model of this benchmark", element=name, cure=f"it has {', '.join(NAMES)}")
    return realtime_bench(
        Path(arguments.output),
        seconds=arguments.duration or SECONDS,
        rates=arguments.rate or RATES,
        names=arguments.only or NAMES,
        progress=not arguments.json,
    )
