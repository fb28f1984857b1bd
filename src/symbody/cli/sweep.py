"""`symbody sweep`: many runs with varied parameters, on a grid or at random, on all cores."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.cli.failure import computed
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.preconditions import free_path, output_folder, require_extra
from symbody.cli.printing import shows_progress
from symbody.cli.run_options import given_options, inputs_of_file, start_of
from symbody.errors import ModelError
from symbody.safe_name import file_name
from symbody.stepping.registry import METHODS, VARIABLE

SUMMARY = "Simulate a model for many values of its parameters or inputs on all cores, and measure each run."
EXAMPLE = 'quarter-car --set k_strut=1e4:4e4:5 --measure "max(heave.q)"'


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUES",
        help="k=1e4:3e4:11 (from, to, number) or k=1e4,2e4 (may be repeated: all combinations)",
    )  # fmt: skip
    parser.add_argument(
        "--draw", action="append", default=[], metavar="NAME=HOW",
        help="k=normal:2e4:1e3 (mean, standard deviation) or k=uniform:1e4:3e4 (may be repeated), with --samples",
    )  # fmt: skip
    parser.add_argument("--samples", type=int, default=100, help="number of random samples (default 100)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random samples (default 0)")
    parser.add_argument(
        "--measure", action="append", required=True, metavar="MEASURE",
        help='a measure, such as "max(heave.q)", "rms(heave.qdd)", "final(arm.q - arm.qd)" (may be repeated)',
    )  # fmt: skip
    given_options(parser)
    parser.add_argument("--every", type=float, help="time between measured records, s (default: every step)")
    parser.add_argument(
        "--method", choices=METHODS, help="integration method (default: rk4; trapezoidal for the augmented closure)"
    )
    parser.add_argument("--until", type=float, default=1.0, help="end of the run, s (default 1)")
    parser.add_argument("--dt", type=float, default=1e-3, help="fixed step, s (default 0.001)")
    parser.add_argument("--workers", type=int, help="number of processes (default: one per core)")
    parser.add_argument(
        "--cluster", nargs="?", const=True, metavar="ADDRESS",
        help="run on a cluster of dask: on this computer, or on the scheduler with this address (tls://10.0.0.1:8786)",
    )  # fmt: skip
    parser.add_argument(
        "--parquet", action="store_true", help="write the table as .parquet while the runs are computed"
    )
    parser.add_argument("-o", "--output", default="out", help="folder for the table (default: out)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Sweep, write `NAME-sweep.csv` or .parquet (`NAME-sweep-2.csv` … if it exists), and return a summary."""
    from symbody.analysis.sweep import monte_carlo, sweep
    from symbody.analysis.sweep_result import SweepFile

    if bool(arguments.set) == bool(arguments.draw):
        raise ModelError(
            "nothing to sweep", element="--set", cure="give --set k=1e4:3e4:11, or --draw k=normal:2e4:1e3"
        )
    if arguments.parquet:
        require_extra(".parquet")
    folder = output_folder(arguments.output)
    model = open_model(arguments.model, arguments)
    rest: dict[str, Any] = {"workers": arguments.workers, "progress": shows_progress(arguments)}
    rest |= {"inputs": inputs_of_file(arguments, model), "x0": start_of(arguments)}
    rest |= {"every": arguments.every, "method": arguments.method, "cluster": arguments.cluster}
    name = f"{file_name(model.name)}-sweep"
    if arguments.parquet:
        rest["to"] = free_path(folder / f"{name}.parquet")
    dt = None if arguments.method in VARIABLE else arguments.dt
    common = (arguments.until, dt, arguments.measure)
    if arguments.set:
        found = sweep(model, dict(map(values_of, arguments.set)), *common, **rest)
    else:
        how = dict(map(distribution_of, arguments.draw))
        found = monte_carlo(model, how, arguments.samples, *common, seed=arguments.seed, **rest)
    said = {
        "model": model.name,
        "runs": len(found),
        "failed": len(found.failures),
        "interrupted": not found.finished,
        "measures": found.table,
        "failures": [{"sample": i, "reason": why} for i, why in list(found.failures.items())[:10]],
    }
    with computed(said):
        path = found.path if isinstance(found, SweepFile) else found.save(free_path(folder / f"{name}.csv"))
        return {**said, "table": str(path)}


def values_of(text: str) -> tuple[str, list[float]]:
    """Parse NAME=low:high:count or NAME=a,b,c."""
    import numpy as np

    name, _, values = text.partition("=")
    try:
        if ":" not in values:
            return name.strip(), [float(x) for x in values.split(",")]
        low, high, count = values.split(":")
        return name.strip(), [float(x) for x in np.linspace(float(low), float(high), max(1, int(count)))]
    except ValueError as error:
        cure = "write for example --set k=1e4:3e4:11, or --set k=1e4,2e4"
        raise ModelError(f"'{text}' is not NAME=VALUES", element="--set", cure=cure) from error


def distribution_of(text: str) -> tuple[str, tuple[str, float, float]]:
    """Parse NAME=kind:a:b."""
    name, _, how = text.partition("=")
    try:
        kind, a, b = how.split(":")
        return name.strip(), (kind, float(a), float(b))
    except ValueError as error:
        cure = "write for example --draw k=normal:2e4:1e3"
        raise ModelError(f"'{text}' is not NAME=KIND:A:B", element="--draw", cure=cure) from error
