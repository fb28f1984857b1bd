"""`symbody bench`: this engine beside its peers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

SUMMARY = "Measure this engine beside its peers, in one run."


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="out/bench", help="folder for the table and plots")
    parser.add_argument("--quick", action="store_true", help="small models only")
    parser.add_argument("--only", action="append", help="a model of the benchmark (may be repeated)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody.bench.run import run_bench

    return run_bench(Path(arguments.output), quick=arguments.quick, progress=not arguments.json, only=arguments.only)
