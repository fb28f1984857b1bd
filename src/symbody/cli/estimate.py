"""`symbody estimate`: states, forces and parameters from a log of some sensors, with standard deviations."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.cli.failure import computed
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.preconditions import missing_extra, output_folder, require_extra
from symbody.cli.run_options import GATE, assigned_by, given_options, open_system, set_option, start_of
from symbody.cli.simulate import fill_steps
from symbody.errors import ModelError
from symbody.safe_name import file_name
from symbody.stepping.registry import METHODS, VARIABLE

if TYPE_CHECKING:
    import numpy as np

    from symbody.estimation.from_log import LogEstimate
    from symbody.estimation.sensor_log import SensorLog
    from symbody.estimation.state_filter import StateFilter
    from symbody.model.model import Model

SUMMARY = "Estimate the motion of a machine from a log of some sensors, with standard deviations."
LOOKED_AT = 500  # first steps of the log, used to judge whether the sensors observe the states
EXAMPLE = "four-bar-hydraulic --sensors rocker.q --noise rocker.q=0.01 --log log.csv"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument(
        "--sensors", required=True, metavar="NAMES", help="measured outputs in the log, separated by commas"
    )
    parser.add_argument(
        "--log", required=True, metavar="FILE", help="CSV, Parquet or MCAP: times in `t`, sensors, inputs"
    )
    for name, metavar, text in (
        ("noise", "SENSOR=SIGMA", 'standard deviation of each sensor: "p1=1 bar"'),
        ("model-error", "NAME=SIGMA", "density of a velocity or state, σ of a parameter; or one share for all (0.05)"),
        ("force", "INPUT=DENSITY", "an input to estimate, and its random-walk density (unit/√s)"),
        ("parameter", "NAME=SIGMA", "a parameter to estimate, and its initial σ"),
        ("start", "STATE=SIGMA", "initial σ of a state"),
    ):
        parser.add_argument(f"--{name}", action="append", default=[], metavar=metavar, help=f"{text} (may be repeated)")
    parser.add_argument(
        "--gate", type=float, default=GATE, help=f"reject measurements with a larger y²/S (default {GATE:g})"
    )
    parser.add_argument("--filter", default="error-state", help="error-state (default), unscented or ensemble")
    parser.add_argument("--dt", type=float, help="step of the filter, s (default 0.001, or the machine's own value)")
    parser.add_argument(
        "--method", choices=[m for m in METHODS if m not in VARIABLE], help="integration method of the model"
    )
    parser.add_argument(
        "--record", action="append", default=[], help='outputs to record instead of the states, such as "*.q"'
    )
    set_option(parser)
    given_options(parser)
    parser.add_argument("--no-picture", action="store_true", help="write the table only (without Matplotlib)")
    parser.add_argument("-o", "--output", default="out", help="folder for the picture and the table (default: out)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Filter the log, write `NAME-estimate.csv` and `.png`; return rejected measurements and consistency checks."""
    from symbody.estimation.estimate import estimate
    from symbody.estimation.from_log import estimate_log, log_inputs
    from symbody.estimation.observability import unobserved
    from symbody.estimation.sensor_log import sensor_log
    from symbody.system.named_values import state_vector

    require_extra(Path(arguments.log).suffix.lower() if arguments.log.lower().endswith(".mcap") else "")
    missing = "" if arguments.no_picture else missing_extra("a picture")
    model = open_model(arguments.model, arguments)
    fill_steps(arguments, arguments.model)
    sigmas = {name: _sigmas(arguments, name) for name in ("noise", "force", "parameter", "start")}
    sensors = [name.strip() for name in arguments.sensors.split(",") if name.strip()]
    s, inputs = open_system(arguments, model)
    start = state_vector(s, start_of(arguments))
    s = s if start is None else s.starting_at(start)

    def fresh(filter: str = "error-state") -> StateFilter:
        return estimate(
            s, sensors, sigmas["noise"], _model_error(arguments), forces=sigmas["force"],
            parameters=sigmas["parameter"], start=sigmas["start"], dt=arguments.dt or 1e-3, method=arguments.method,
            gate=arguments.gate, filter=filter,
        )  # fmt: skip

    twin = fresh(arguments.filter)
    times, columns = read_log(arguments.log, model, sensors)
    log = sensor_log(times, columns, twin.sensors, s.inputs, twin.dt)
    found = estimate_log(twin, log, inputs, arguments.record)
    doubts = [*found.doubts, *unobserved(fresh(), log_inputs(s, log, inputs)[:LOOKED_AT])]
    target = output_folder(arguments.output) / f"{file_name(model.name)}-estimate"
    said: dict[str, Any] = {
        "model": model.name,
        "steps": len(found.run),
        "until_s": float(found.run.t[-1]),
        "backend": twin.backend,
        **{f"log_{name}": value for name, value in asdict(log.faults).items() if not isinstance(value, dict)},
        "sensors": [
            {**asdict(one), "missing": log.faults.missing[one.sensor], "stuck": log.faults.stuck[one.sensor]}
            for one in found.sensors
        ],
        "trusted": not doubts and found.error is None,
        "doubts": doubts,
        "final": _final(found),
        "table": str(found.run.save(f"{target}.csv")),
    }
    with computed(said):
        if found.error:
            raise found.error
        picture = None if arguments.no_picture or missing else _picture(found, log, sensors, Path(f"{target}.png"))
    return {**said, "picture": None if picture is None else str(picture)}


def read_log(path: str, model: Model, sensors: Sequence[str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Times (s) and columns of a log in the model's units. An MCAP file repeats old values; repeated sensor values
    are dropped.
    """
    if path.lower().endswith(".mcap"):
        from symbody.estimation.sensor_log import changes_only
        from symbody.realtime.record_read import load_mcap

        run = load_mcap(path)
        return run.t, {name: changes_only(x) if name in sensors else x for name, x in run.items()}
    from symbody.files.safe_file import naming
    from symbody.results.files import read_table
    from symbody.results.run import in_si

    with naming(path):
        table = in_si(read_table(path), model)
    return table.t, dict(zip(table.names, table.values.T, strict=True))


def _sigmas(arguments: argparse.Namespace, name: str) -> dict[str, float]:
    return dict(map(assigned_by(f"--{name}", "crank.q=0.01"), getattr(arguments, name)))


def _model_error(arguments: argparse.Namespace) -> dict[str, float] | float | None:
    """One share for everything, or a value by name."""
    given = arguments.model_error
    if len(given) == 1 and "=" not in given[0]:
        try:
            return float(given[0])
        except ValueError as error:
            cure = "write --model-error 0.05, or --model-error crank.qd=0.1"
            raise ModelError(f"'{given[0]}' is not a number", element="--model-error", cure=cure) from error
    return dict(map(assigned_by("--model-error", "crank.qd=0.1"), given)) or None


def _final(found: LogEstimate) -> list[dict[str, Any]]:
    """The last estimates, one row each."""
    from symbody.estimation.from_log import SIGMA

    run = found.run
    names = [name for name in run.names if name + SIGMA in run.names]
    return [{"name": n, "estimate": float(run[n][-1]), "sigma": float(run[n + SIGMA][-1])} for n in names]


def _picture(found: LogEstimate, log: SensorLog, sensors: Sequence[str], path: Path) -> Path:
    from symbody.estimation.from_log import SIGMA
    from symbody.visual.bands import Band, save_bands

    run, z = found.run, dict(zip(sensors, log.z.T, strict=True))
    names = [name for name in run.names if name + SIGMA in run.names]
    bands = [Band(n, run.units[n], run[n], run[n + SIGMA], z[n][: len(run)] if n in z else None) for n in names]
    return save_bands(path, f"{run.name}: estimates", run.t, bands)
