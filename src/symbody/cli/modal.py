"""`symbody modal`: natural frequencies, damping and mode shapes about an equilibrium."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from symbody.cli.equilibrium import search_arguments, search_options
from symbody.cli.failure import computed
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.preconditions import output_folder
from symbody.cli.run_options import open_system, start_of
from symbody.safe_name import file_name

SUMMARY = "Compute natural frequencies, damping ratios and mode shapes about an equilibrium by exact linearisation."
EXAMPLE = "quarter-car"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    search_options(parser)
    parser.add_argument(
        "--animate", type=int, action="append", default=[], metavar="MODE", help="write an animation of a mode"
    )
    parser.add_argument("-o", "--output", default="out", help="folder for the animations (default: out)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """The table of modes; --animate K writes a page `NAME-mode-K.html`."""
    from symbody.analysis.modal import modal

    folder = output_folder(arguments.output) if arguments.animate else Path()
    s, inputs = open_system(arguments, open_model(arguments.model, arguments))
    modes = modal(s, inputs=inputs, x0=start_of(arguments), **search_arguments(arguments))
    said = {"model": s.model.name, "stable": modes.stable, "residual": modes.residual, "modes": modes.table}
    with computed(said):
        shown = [modes.animate(k, folder / f"{file_name(s.model.name)}-mode-{k}.html") for k in arguments.animate]
    return {**said, "animations": [str(path) for path in shown]}
