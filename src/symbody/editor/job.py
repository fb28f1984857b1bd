"""The process of an analysis: `python -m symbody.editor.job FOLDER` reads model.yaml and order.json there."""

from __future__ import annotations

import base64
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from symbody.editor.view import body_motion
from symbody.errors import SymbodyError
from symbody.files.yaml_file import read_yaml
from symbody.model.check import check
from symbody.model.model import Model
from symbody.output_file import write_text
from symbody.results.run import Run
from symbody.safe_name import file_name
from symbody.stages import stages_heard
from symbody.visual.page import quaternions
from symbody.visual.shapes import scene

MOST_RECORDS = 2000  # of a plot
MOST_PICTURES = 600  # of an animation
SIGNIFICANT = 12  # digits of a plotted number


def job_result(model: Model, order: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The result of an order as JSON."""
    check(model)
    return _JOBS[order["kind"]](model, order, folder)


def _assemble(model: Model, order: dict[str, Any], folder: Path) -> dict[str, Any]:
    from symbody.system.assembly import assemble, initial_state

    start = initial_state(model)[0]
    q = assemble(model, start)
    rows = [[name, float(a), float(b)] for name, a, b in zip(model.coordinates, start, q, strict=True)]
    table = {"head": ["coordinate", "given", "assembled"], "rows": rows}
    return {"table": table, "start": dict(zip(model.coordinates, q.tolist(), strict=True))}


def _equilibrium(model: Model, order: dict[str, Any], folder: Path) -> dict[str, Any]:
    from symbody.analysis.equilibrium import equilibrium
    from symbody.system.system import system

    s = system(model)
    found = equilibrium(s, settle=bool(order.get("settle")))
    q, _ = s.motion(0.0, found.x, found.u)
    states = {"head": ["state", "value"], "rows": [[name, float(x)] for name, x in found.states.items()]}
    said = "stable" if found.stable else "not stable" if found.stable is False else "stability unknown"
    return {
        "table": states,
        "note": f"{said}; residual {found.residual:.1e}",
        "start": dict(zip(model.coordinates, q.tolist(), strict=True)),
    }


def _modes(model: Model, order: dict[str, Any], folder: Path) -> dict[str, Any]:
    from symbody.analysis.modal import modal
    from symbody.system.system import system

    modes = modal(system(model))
    rows = [
        [r["mode"], r["kind"], r["frequency_hz"], r["damping"], ", ".join(map(str, r["moves"]))] for r in modes.table
    ]
    films = []
    for k in range(min(len(modes.modes), 12)):
        run = modes.motion(k)
        films.append(_film(model, run, float(run.t[-1]) or 1.0))
    return {"table": {"head": ["mode", "kind", "Hz", "damping", "moves"], "rows": rows}, "films": films}


def _simulate(model: Model, order: dict[str, Any], folder: Path) -> dict[str, Any]:
    from symbody.analysis.simulate import simulate
    from symbody.system.system import system

    s = system(model)
    for name, value in (order.get("values") or {}).items():
        s.parameters[name] = float(value)
    run = simulate(s, float(order["until"]), float(order["dt"]), progress=True, energy="warn").with_derived()
    some = np.unique(np.linspace(0, len(run) - 1, MOST_RECORDS).round().astype(int))
    every = [name for name in run if name != "t"]
    last = {name: float(run[name][-1]) for name in every}
    drift = (run.meta.get("energy") or {}).get("drift")
    return {
        "t": shortened(run.t[some]),
        "channels": {name: shortened(run[name][some]) for name in every},
        "units": {name: run.units.get(name, "") for name in every},
        "last": last,
        "film": _film(model, run, 1.0),
        "note": f"{len(run)} instants" + (f", energy drift {drift:.1e}" if drift is not None else ""),
    }


def _code(model: Model, order: dict[str, Any], folder: Path) -> dict[str, Any]:
    from symbody.codegen.sources import sources
    from symbody.equations.functions import GenerationOptions, make_program

    files = sources(make_program(model, "direct", GenerationOptions()), str(order.get("lang", "c")))
    return {"files": {str(name): str(text) for name, text in files.items()}}


def _fmu(model: Model, order: dict[str, Any], folder: Path) -> dict[str, Any]:
    from symbody.export import export_fmu
    from symbody.system.system import system

    made = export_fmu(system(model), folder / f"{file_name(model.name)}.fmu")
    return {"download": {"name": made.name, "base64": base64.b64encode(made.read_bytes()).decode()}}


_JOBS = {
    "assemble": _assemble,
    "equilibrium": _equilibrium,
    "modes": _modes,
    "simulate": _simulate,
    "code": _code,
    "fmu": _fmu,
}


def _film(model: Model, run: Run, seconds: float) -> dict[str, Any]:
    """Poses of a run as float32 in base64: pictures × frames × (x y z, quaternion w x y z), evenly in time."""
    count = max(min(MOST_PICTURES, len(run)), 1)
    at = np.linspace(0, len(run) - 1, count).round().astype(int)
    moved = body_motion(model, scene(model, model.values), run.t[at], run.q[at])
    poses = np.concatenate([moved.position, quaternions(moved.rotation)], axis=-1).astype("<f4")
    duration = float(run.t[-1] - run.t[0]) / seconds
    return {"pictures": count, "seconds": duration, "poses": base64.b64encode(poses.tobytes()).decode()}


def shortened(values: np.ndarray) -> list[float | None]:
    """Numbers of a plot, with a few digits; None where they are not finite."""
    return [float(f"{x:.{SIGNIFICANT}g}") if np.isfinite(x) else None for x in values]


def main(folder: Path) -> None:
    """Compute the order of a folder; errors of the model become a problem in words."""
    warnings.simplefilter("ignore")
    order = json.loads((folder / "order.json").read_text(encoding="utf-8"))
    try:
        with stages_heard(lambda stage: print(f"stage: {stage}", file=sys.stderr, flush=True)):
            made = job_result(read_yaml(folder / "model.yaml"), order, folder)
    except SymbodyError as error:
        made = {"problem": str(error).replace(f"{folder / 'model.yaml'}: ", "")}
    write_text(folder / "result.json", json.dumps(made))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
