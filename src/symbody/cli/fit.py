"""`symbody fit`: parameters of a model from measured motion."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.preconditions import require_extra, results_folder
from symbody.cli.printing import shows_progress
from symbody.cli.run_options import bounds_of, bounds_option
from symbody.errors import ModelError

if TYPE_CHECKING:
    from symbody.analysis.fit import Fitted
    from symbody.visual.report import Report

SUMMARY = "Fit parameters of a model to measured motion, with standard deviations."
REPORTED = 4  # logs plotted in a report
EXAMPLE = "pendulum --log swing.csv --parameters length"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument(
        "--log", required=True, action="append", metavar="FILE",
        help="CSV or Parquet with times in `t` and columns named as outputs and inputs (may be repeated)",
    )  # fmt: skip
    parser.add_argument("--parameters", nargs="+", required=True, metavar="NAME", help="parameters to fit")
    bounds_option(parser)
    parser.add_argument("--channels", nargs="+", metavar="NAME", help="outputs to compare (default: all in the log)")
    parser.add_argument(
        "--initial", nargs="+", default=[], metavar="STATE", help="states with an unknown initial value"
    )
    parser.add_argument(
        "--sigma", action="append", default=[], metavar="NAME=VALUE", help="noise of a channel (standard deviation)"
    )
    parser.add_argument("--dt", type=float, help="fixed step, s (default: automatic step size)")
    parser.add_argument("--method", help="integration method, as in `symbody simulate`")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="folder for a report with plots of the residuals")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters with standard deviations, and combinations that the data do not determine."""
    from symbody.analysis.fit import fit

    if arguments.output:
        require_extra("a picture")
    model = open_model(arguments.model, arguments)
    found = fit(
        model, arguments.log, arguments.parameters, channels=arguments.channels,
        bounds=bounds_of(arguments), sigma=dict(map(_value, arguments.sigma)),
        initial=arguments.initial, dt=arguments.dt, method=arguments.method, progress=shows_progress(arguments),
    )  # fmt: skip
    result = {
        "model": model.name,
        "samples": sum(len(log.t) for log in found.logs),
        "runs": found.evaluations,
        "finished": found.finished,
        "message": found.message,
        "interrupted": found.message == "interrupted",
        "indistinct": found.indistinct,
        "parameters": [{k: _plain(x) for k, x in row.items()} for row in found.table],
        "noise": [{"channel": name, "deviation": sigma} for name, sigma in found.noise.items()],
    }
    if arguments.output:
        with results_folder(arguments.output) as folder:
            result["report"] = str(report(found, model.name).save(folder))
    return result


def report(found: Fitted, name: str) -> Report:
    """A page with the parameters, and for each log the measurement, the fit and the residual."""
    from symbody.visual.report import Plot, Report, paragraphs

    apart = f"The data do not distinguish: {'; '.join(found.indistinct)}." if found.indistinct else ""
    text = paragraphs(
        f"{len(found.names)} numbers of {name}, fitted to {len(found.logs)} logs by least squares over whole runs.",
        apart,
    )
    plots = [
        Plot(f"Log {k + 1}", partial(found.draw, log=k), "The band is 95 % of the noise.", 5.0)
        for k in range(min(len(found.logs), REPORTED))
    ]
    return Report(f"{name}-fit", f"{name}: fitted to measured data", text, found.table, plots)


def _value(text: str) -> tuple[str, float]:
    """Parse NAME=VALUE."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError as error:
        raise ModelError(
            f"'{text}' is not NAME=VALUE", element="--sigma", cure="write for example bob.q=0.01"
        ) from error


def _plain(x: Any) -> Any:
    """JSON has no infinity: null instead."""
    return None if isinstance(x, float) and x in (float("inf"), float("-inf")) else x
