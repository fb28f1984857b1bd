"""`symbody inverse`: actuator efforts along a motion from a file."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.failure import computed
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.preconditions import output_folder
from symbody.cli.printing import shows_progress
from symbody.cli.run_options import given_options, inputs_of_file
from symbody.errors import ModelError
from symbody.safe_name import file_name

SUMMARY = "Compute the actuator efforts along a motion from a file, with closed loops."
EXAMPLE = "four-bar --trajectory motion.csv"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument(
        "--trajectory", required=True, metavar="FILE",
        help="CSV or Parquet: times in `t`, and a column NAME or NAME.q for each free coordinate",
    )  # fmt: skip
    parser.add_argument(
        "--actuator", action="append", help="an actuated joint (may be repeated; default: the free ones)"
    )
    given_options(parser, x0=False)
    parser.add_argument("--record", action="append", help='channels, such as "*.q" or "loop.force.*" (may be repeated)')
    parser.add_argument("-o", "--output", default="out", help="folder for the table (default: out)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Compute the motion, write `NAME-inverse.csv`, and return a summary of the efforts."""
    import numpy as np

    from symbody.analysis.trajectory import follow
    from symbody.results.run import Run

    folder = output_folder(arguments.output)
    model = open_model(arguments.model, arguments)
    given = Run.load(arguments.trajectory)
    columns = {name.removesuffix(".q"): given[name] for name in given.names}
    known = {name: values for name, values in columns.items() if name in model.coordinates}
    if not known:
        cure = f"name columns {', '.join(model.coordinates[:5])} …"
        raise ModelError("no column is a coordinate", element=model.name, cure=cure, file=arguments.trajectory)
    wanted = ["*.q", "*.qd", "*.qdd", *arguments.record] if arguments.record else None
    found = follow(
        model, known, given.t, actuators=arguments.actuator, outputs=wanted, inputs=inputs_of_file(arguments, model),
        progress=shows_progress(arguments),
    )  # fmt: skip
    efforts = {name: found[name] for name in found.names if name.endswith(".effort")}
    said = {
        "model": model.name,
        "instants": len(found),
        "until_s": float(found.t[-1]),
        "efforts": [
            {"channel": name, "largest": float(np.abs(x).max()), "rms": float(np.sqrt(np.mean(x * x)))}
            for name, x in efforts.items()
        ],
    }
    with computed(said):
        return {**said, "table": str(found.save(folder / f"{file_name(model.name)}-inverse.csv"))}
