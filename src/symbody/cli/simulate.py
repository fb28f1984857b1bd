"""`symbody simulate`: a motion with closed loops, its channels as a table, and a picture."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbody import machines
from symbody.cli.failure import computed
from symbody.cli.model_argument import model_argument, open_model
from symbody.cli.preconditions import EXTRAS, missing_extra, output_folder, require_extra
from symbody.cli.printing import shows_progress
from symbody.cli.run_options import given_options, open_system, set_option, start_of
from symbody.errors import DivergenceError, SingularityError
from symbody.safe_name import file_name
from symbody.stepping.registry import METHODS, VARIABLE

if TYPE_CHECKING:
    from symbody.results.run import Run
    from symbody.stepping.inputs import Signal
    from symbody.system.system import System

SUMMARY = "Simulate a model from its initial state with closed loops, record channels and draw the motion."
EXAMPLE = "four-bar --until 1 --set torque=0.1"


def options(parser: argparse.ArgumentParser) -> None:
    model_argument(parser)
    parser.add_argument("--until", type=float, help="end of the run, s (default 3, or the machine's own value)")
    parser.add_argument("--dt", type=float, help="fixed step, s (default 0.001, or the machine's own value)")
    parser.add_argument("--every", type=float, help="time between records, s (default: every step)")
    parser.add_argument(
        "--method", choices=METHODS, help="integration method (default: rk4; trapezoidal for the augmented closure)"
    )
    parser.add_argument("--rtol", type=float, help="relative tolerance of variable-step methods (1e-7)")
    parser.add_argument(
        "--closure",
        choices=("partitioning", "augmented", "penalty"),
        help="how loops are closed (default: partitioning)",
    )
    parser.add_argument(
        "--formulation",
        choices=("recursive", "semi-recursive"),
        default="recursive",
        help="formulation of the dynamics (default: recursive)",
    )
    parser.add_argument("--repartition", action="store_true", help="choose other coordinates near singular positions")
    parser.add_argument(
        "--energy",
        choices=("warn", "error", "ignore"),
        default="warn",
        help="reaction to unaccounted energy; ignore switches the check off (default: warn)",
    )
    parser.add_argument("--record", action="append", help='channels, such as "*.q" or "loop.force.*" (may be repeated)')
    set_option(parser)
    given_options(parser)
    parser.add_argument("--no-picture", action="store_true", help="write the table only (without Matplotlib)")
    parser.add_argument("-o", "--output", default="out", help="folder for the picture and the table (default: out)")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Simulate, write `NAME.csv` and `NAME.png`, and return a summary."""
    from symbody.results.run import Run
    from symbody.visual.plots import save_picture

    fill_steps(arguments, arguments.model)
    require_extra(str(arguments.method), "take 'bdf' or 'radau'")
    missing = "" if arguments.no_picture else missing_extra("a picture")
    folder = output_folder(arguments.output)
    model = open_model(arguments.model, arguments)
    wanted = ["*.q", "*.qd", "energy.*", *arguments.record] if arguments.record else None
    s, inputs = open_system(
        arguments, model, closure=arguments.closure, formulation=arguments.formulation, outputs=wanted
    )
    target = folder / file_name(model.name)
    try:
        recorded = _run(s, arguments, inputs)
    except (DivergenceError, SingularityError) as error:
        if isinstance(error.state, Run) and len(error.state):
            kept = error.state.save(f"{target}.csv")
            print(f"symbody: the results up to the error are in {kept}", file=sys.stderr)
        raise
    table = recorded.save(f"{target}.csv")
    with computed({"table": str(table)}):
        picture = None if arguments.no_picture or missing else save_picture(recorded, Path(f"{target}.png"))
    return {
        "model": model.name,
        "coordinates": model.nq,
        "loops": len(model.cuts) + len(model.constraints),
        "states": len(s.states),
        "closure": arguments.closure,
        "operations": s.rates_function.operations.total,
        "laws": [{"law": name, "runs": path} for name, path in s.laws.items()],
        "instants": len(recorded),
        "until_s": float(recorded.t[-1]),
        "interrupted": bool(recorded.meta.get("interrupted")),
        **_unaccounted(recorded, arguments.json),
        "picture": None if picture is None else str(picture),
        "table": str(table),
        **(
            {"note": f"{missing}: only the table is written (pip install '{EXTRAS['a picture'][1]}')"}
            if missing
            else {}
        ),
    }


def _unaccounted(run: Run, as_json: bool) -> dict[str, Any]:
    """Energy that no part of the model accounts for: in J, and relative to the energy exchanged."""
    found = run.meta.get("energy")
    if found is None:
        return {}
    joules, exchange, drift = (found[name] for name in ("unaccounted", "exchange", "drift"))
    if as_json:
        return {"energy_unaccounted_J": joules, "energy_exchange_J": exchange, "energy_drift": drift}
    return {"unaccounted energy": f"{joules:.2g} J, {drift:.1e} of the {exchange:.3g} J exchanged"}


def _run(s: System, arguments: argparse.Namespace, inputs: dict[str, Signal]) -> Run:
    from symbody.analysis.simulate import simulate

    variable = arguments.method in VARIABLE  # such a method records at --dt; its steps are its own
    dt, every = (None, arguments.every or arguments.dt) if variable else (arguments.dt, arguments.every)
    run = simulate(
        s, arguments.until, dt, method=arguments.method, every=every, rtol=arguments.rtol, inputs=inputs,
        x0=start_of(arguments),
        repartition=arguments.repartition, energy=arguments.energy, progress=shows_progress(arguments),
    )  # fmt: skip
    return run.with_derived()


def fill_steps(arguments: argparse.Namespace, model: str) -> None:
    """Set until, dt and method to the machine's own values where no option was given."""
    for name, value in machines.steps(model).items():
        if getattr(arguments, name, None) is None:
            setattr(arguments, name, value)
