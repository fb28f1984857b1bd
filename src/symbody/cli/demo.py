"""`symbody demo`: the machines that come along; one of them computed, with its figures and its report."""

from __future__ import annotations

import argparse
from typing import Any

SUMMARY = "List the demos, or run one: its figures, and with --report a page with its plots and its motion."


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="a demo; without one they are listed")
    parser.add_argument("--report", metavar="DIR", help="write the report into this folder: a page, plots, figures")
    parser.add_argument("--only", action="append", default=[], help="a variant, such as augmented (may be repeated)")
    parser.add_argument("--until", type=float, help="s (default: as the demo has it)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody.apps.demo import Options
    from symbody.apps.register import DEMOS, demo_called

    if arguments.name is None:
        return {"demos": [{"demo": demo.name, "about": demo.line} for demo in DEMOS.values()]}
    wanted = Options(tuple(arguments.only), arguments.until, progress=not arguments.json)
    report = demo_called(arguments.name).report(wanted)
    written = {"report": str(report.save(arguments.report))} if arguments.report else {}
    return {"demo": arguments.name, "figures": [dict(record) for record in report.figures]} | written
