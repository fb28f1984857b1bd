"""`symbody estimate`: what a machine did, from a recorded log of some sensors and its model, with bands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody.cli.before import missing_extra, output_folder, require_extra
from symbody.cli.failure import computed
from symbody.cli.given import GATE, assigned_by, given_options, open_system, set_option, start_of
from symbody.cli.model_argument import model_argument, open_model
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

SUMMARY = "Estimate what a machine did from a recorded log of some sensors, with standard deviations."
LOOKED_AT = 500  # steps, for what sensors can tell of the states


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument("--sensors", required=True, metavar="NAMES", help="outputs that the log has, by commas")
    parser.add_argument(
        "--log", required=True, metavar="FILE", help="CSV, Parquet or MCAP: times in `t`, sensors, inputs"
    )
    for name, metavar, text in (
        ("noise", "SENSOR=SIGMA", 'standard deviation of each sensor: "p1=1 bar"'),
        ("model-error", "NAME=SIGMA", "density of a velocity or state, σ of a parameter; or one share of all (0.05)"),
        ("force", "INPUT=DENSITY", "an input to be estimated, and the density (unit/√s) with which it wanders"),
        ("parameter", "NAME=SIGMA", "a parameter to be estimated, and its σ at the start"),
        ("start", "STATE=SIGMA", "σ of a state at the start"),
    ):
        parser.add_argument(f"--{name}", action="append", default=[], metavar=metavar, help=f"{text} (may be repeated)")
    parser.add_argument(
        "--gate", type=float, default=GATE, help=f"refuse measurements beyond this y²/S (default {GATE:g})"
    )
    parser.add_argument("--filter", default="error-state", help="or unscented, or ensemble")
    parser.add_argument("--dt", type=float, help="s, of the filter's steps (default 0.001, or as the machine has it)")
    parser.add_argument("--method", choices=[m for m in METHODS if m not in VARIABLE], help="of the model's steps")
    parser.add_argument("--record", action="append", default=[], help='outputs, such as "*.q", instead of the states')
    set_option(parser)
    given_options(parser)
    parser.add_argument("--no-picture", action="store_true", help="the table only; no Matplotlib is needed")
    parser.add_argument("-o", "--output", default="out", help="folder for the picture and the table (default: out)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Filter the log, write `NAME-estimate.csv` and `.png`, and say what was refused and whether to trust it."""
    from symbody.estimation.estimate import estimate
    from symbody.estimation.from_log import estimate_log, log_inputs
    from symbody.estimation.observability import untold
    from symbody.estimation.sensor_log import sensor_log
    from symbody.system.by_name import state_vector

    require_extra(Path(arguments.log).suffix.lower() if arguments.log.lower().endswith(".mcap") else "")
    missing = "" if arguments.no_picture else missing_extra("a picture")
    model = open_model(arguments.model, arguments)
    fill_steps(arguments, arguments.model)
    told = {name: _told(arguments, name) for name in ("noise", "force", "parameter", "start")}
    sensors = [name.strip() for name in arguments.sensors.split(",") if name.strip()]
    s, inputs = open_system(arguments, model)
    start = state_vector(s, start_of(arguments))
    s = s if start is None else s.starting_at(start)

    def fresh(filter: str = "error-state") -> StateFilter:
        return estimate(
            s, sensors, told["noise"], _model_error(arguments), forces=told["force"], parameters=told["parameter"],
            start=told["start"], dt=arguments.dt or 1e-3, method=arguments.method, gate=arguments.gate,
            filter=filter,
        )  # fmt: skip

    twin = fresh(arguments.filter)
    times, columns = read_log(arguments.log, model, sensors)
    log = sensor_log(times, columns, twin.sensors, s.inputs, twin.dt)
    found = estimate_log(twin, log, inputs, arguments.record)
    doubts = [*found.doubts, *untold(fresh(), log_inputs(s, log, inputs)[:LOOKED_AT])]
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
    """Times and columns of a log, in the model's units; of MCAP, which repeats last values, what is new of sensors."""
    if path.lower().endswith(".mcap"):
        from symbody.estimation.sensor_log import changes_only
        from symbody.realtime.record_read import load_mcap

        run = load_mcap(path)
        return run.t, {name: changes_only(x) if name in sensors else x for name, x in run.items()}
    from symbody.model.safe_file import naming
    from symbody.results.files import read_table
    from symbody.results.run import in_si

    with naming(path):
        table = in_si(read_table(path), model)
    return table.t, dict(zip(table.names, table.values.T, strict=True))


def _told(arguments: argparse.Namespace, name: str) -> dict[str, float]:
    return dict(map(assigned_by(f"--{name}", "crank.q=0.01"), getattr(arguments, name)))


def _model_error(arguments: argparse.Namespace) -> dict[str, float] | float | None:
    """One share of everything, or by name."""
    given = arguments.model_error
    if len(given) == 1 and "=" not in given[0]:
        try:
            return float(given[0])
        except ValueError as error:
            cure = "write --model-error 0.05, or --model-error crank.qd=0.1"
            raise ModelError(f"'{given[0]}' is no share", element="--model-error", cure=cure) from error
    return dict(map(assigned_by("--model-error", "crank.qd=0.1"), given)) or None


def _final(found: LogEstimate) -> list[dict[str, Any]]:
    """The last estimates, a row for each."""
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
