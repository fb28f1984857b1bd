"""`symbody inverse`: the efforts of actuators along a motion from a file."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.before import output_folder
from symbody.cli.failure import computed
from symbody.cli.given import given_options, inputs_of_file
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.printing import shows_progress
from symbody.errors import ModelError
from symbody.safe_name import file_name

SUMMARY = "Follow a motion given in a file: loops closed, efforts of the actuators found."
EXAMPLE = "four-bar --trajectory motion.csv"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument(
        "--trajectory", required=True, metavar="FILE",
        help="CSV or Parquet: times in `t`, and a column for each free coordinate, by its name or as NAME.q",
    )  # fmt: skip
    parser.add_argument("--actuator", action="append", help="a joint that drives (may be repeated; default: free ones)")
    given_options(parser, x0=False)
    parser.add_argument("--record", action="append", help='channels, such as "*.q" or "loop.force.*" (may be repeated)')
    parser.add_argument("-o", "--output", default="out", help="folder for the table (default: out)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Follow, write `NAME-inverse.csv`, and sum up the efforts."""
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
        raise ModelError("no coordinate in it", element=model.name, cure=cure, file=arguments.trajectory)
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
