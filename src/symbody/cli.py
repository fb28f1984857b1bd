"""The command `symbody`: check, generate, simulate, bench; each prints a table, or JSON with --json."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.resources import as_file, files
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from symbody.errors import ModelError, SymbodyError
from symbody.model import Model, load, warnings

if TYPE_CHECKING:
    from symbody.codegen.program import Program

DEFAULT_FUNCTIONS = ("inverse", "dynamics", "direct")


def open_model(name: str) -> Model:
    """A model from a file, or one of those that come with symbody by its name."""
    if Path(name).suffix or Path(name).exists():
        return load(name)
    shipped = {Path(entry.name).stem: entry for entry in files("symbody.models").iterdir() if "." in entry.name}
    shipped = {stem: entry for stem, entry in shipped.items() if not stem.startswith("_")}
    if name not in shipped:
        cure = f"give a .yaml, .mbs or .urdf file, or one of {', '.join(sorted(shipped))}"
        raise ModelError("no such model", element=name, cure=cure)
    with as_file(shipped[name]) as path:
        return load(path)


def _check(arguments: argparse.Namespace) -> dict[str, Any]:
    model = open_model(arguments.model)
    return {
        "model": model.name,
        "bodies": len(model.bodies),
        "joints": sum(1 for _ in model.joints()),
        "coordinates": model.nq,
        "velocities": model.nv,
        "points": sum(len(b.points) for b in model.bodies.values()),
        "links": len(model.links),
        "cuts": len(model.cuts),
        "force_sites": len(model.force_sites),
        "sensors": len(model.sensors),
        "parameters": len(model.parameters),
        "warnings": warnings(model),
    }


def _generate(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody.equations.functions import Options, make_program

    model = open_model(arguments.model)
    options = Options(live=arguments.parameters, loads=not arguments.no_loads, point=arguments.point)
    rows, skipped = [], []
    for name in arguments.function or DEFAULT_FUNCTIONS:
        start = perf_counter()
        try:
            program = make_program(model, name, options)
        except ModelError as error:
            if arguments.function:
                raise
            skipped.append({"name": name, "reason": str(error)})
            continue
        rows.append(_row(model, program, perf_counter() - start, arguments))
    return {"model": model.name, "functions": rows, "skipped": skipped}


def _row(model: Model, program: Program, equations_s: float, arguments: argparse.Namespace) -> dict[str, Any]:
    """One line of the table of generated functions; in C it is compiled, too."""
    from symbody.codegen import build, scheduled, write_sources

    start = perf_counter()
    plan = scheduled(program, loops=arguments.lang == "c")
    generate_s = equations_s + perf_counter() - start
    written = write_sources(program, arguments.lang, Path(arguments.output)) if arguments.output else []
    operations = plan.operations
    counted = {"total": operations.total, "add": operations.add, "mul": operations.mul, "div": operations.div}
    return {
        "name": program.name,
        "joints": sum(1 for _ in model.joints()),
        "statements": plan.statements,
        "operations": counted | {"neg": operations.neg},
        "trig": operations.trig,
        "other": operations.other,
        "hoisted": operations.hoisted,
        "generate_s": round(generate_s, 4),
        "compile_s": round(build(program).compile_s, 4) if arguments.lang == "c" else None,
        "notes": list(program.notes),
        "files": [str(path) for path in written],
    }


def _simulate(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody.analysis.picture import save_picture
    from symbody.analysis.simulate import simulate
    from symbody.system.system import system

    model = open_model(arguments.model)
    whole = system(model)
    motion = simulate(whole, arguments.until, arguments.dt, progress=not arguments.json)
    function = whole.rates_function
    picture = save_picture(motion, Path(arguments.output) / f"{model.name}.png")
    return {
        "model": model.name,
        "coordinates": model.nq,
        "loops": len(model.cuts),
        "operations": function.operations.total,
        "form": [note for note in function.notes if "chosen" in note] or ["coordinate partitioning"],
        "steps": len(motion.t) - 1,
        "until_s": float(motion.t[-1]),
        "energy_drift": motion.energy_drift,
        "picture": str(picture),
    }


def _bench(arguments: argparse.Namespace) -> dict[str, Any]:
    from symbody.bench.run import run_bench

    return run_bench(Path(arguments.output), quick=arguments.quick, progress=not arguments.json, only=arguments.only)


def _print(result: dict[str, Any]) -> None:
    """Plain text of a result: tables for lists of records, a line for each other entry."""
    for key, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            print(f"\n{key}")
            _print_table(value)
        elif value != []:
            print(f"{key:>14}  {value}")


def _flat(record: dict[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= _flat(value)
        elif isinstance(value, list):
            flat[key] = "; ".join(map(str, value))
        elif isinstance(value, float):
            flat[key] = f"{value:.4g}"
        else:
            flat[key] = "-" if value is None else str(value)
    return flat


def _print_table(records: list[dict[str, Any]]) -> None:
    rows = [_flat(record) for record in records]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    widths = {c: max(len(c), *(len(row.get(c, "")) for row in rows)) for c in columns}
    print("  ".join(c.ljust(widths[c]) for c in columns).rstrip())
    for row in rows:
        print("  ".join(row.get(c, "").ljust(widths[c]) for c in columns).rstrip())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="symbody", description="From bodies and joints to compiled equations.")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, run: Any, text: str, model: bool = True) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text)
        if model:
            made.add_argument("model", help="a .yaml, .mbs or .urdf file, or the name of a model that comes along")
        made.add_argument("--json", action="store_true", help="print JSON")
        made.set_defaults(run=run)
        return made

    command("check", _check, "Read a model and say what is in it, and what is wrong with it.")
    generate = command("generate", _generate, "Write the equations of a model as code, and count their operations.")
    generate.add_argument("--function", action="append", help="inverse, dynamics, direct, … (may be repeated)")
    generate.add_argument("--lang", choices=("c", "python", "matlab"), default="c")
    generate.add_argument("-o", "--output", help="folder for the sources (default: none are written)")
    generate.add_argument(
        "--parameters",
        choices=("all", "named", "none"),
        default="all",
        help="numbers that stay symbolic (default: all)",
    )
    generate.add_argument("--no-loads", action="store_true", help="no external force and torque per body")
    generate.add_argument("--point", default="", help="body.point, for the functions of a point")
    simulate = command(
        "simulate", _simulate, "Simulate a model from its initial state, loops closed, and draw the motion."
    )
    simulate.add_argument("--until", type=float, default=3.0, help="s (default 3)")
    simulate.add_argument("--dt", type=float, default=1e-3, help="s (default 0.001)")
    simulate.add_argument("-o", "--output", default="out", help="folder for the picture (default: out)")
    bench = command("bench", _bench, "Measure this engine beside its peers, in one run.", model=False)
    bench.add_argument("-o", "--output", default="out/bench", help="folder for the table and plots")
    bench.add_argument("--quick", action="store_true", help="small models only")
    bench.add_argument("--only", action="append", help="a model of the benchmark (may be repeated)")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run a command; 2 and one line on stderr where it cannot be done."""
    arguments = _parser().parse_args(argv)
    try:
        result = arguments.run(arguments)
    except SymbodyError as error:
        if arguments.json:
            print(json.dumps({"error": str(error), "kind": type(error).__name__}))
        print(f"symbody: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("symbody: interrupted", file=sys.stderr)
        return 130
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        _print(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
