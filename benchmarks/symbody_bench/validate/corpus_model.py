"""Check one model of a corpus.

After each stage a line of JSON with all results so far is written, so that they are known even if the model takes too
long or crashes the process.
"""

from __future__ import annotations

import json
import os
import warnings as python_warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import symbody as sb
from symbody.errors import SymbodyError
from symbody.model.model import Model
from symbody_bench.validate.corpus_drake import drake_error, drake_installed
from symbody_bench.validate.corpus_fields import FieldDifference
from symbody_bench.validate.corpus_mujoco import mujoco_error, mujoco_fields
from symbody_bench.validate.corpus_pinocchio import NotCompared, pinocchio_error
from symbody_bench.validate.printed import printed_error, printed_files

MJCF = (".xml", ".mjcf")
UNTIL, STEP = 0.1, 1e-3  # s, of the simulation
LISTED = 10  # numbers that differ, of one model


@dataclass
class Examined:
    """Results for a model: sizes, errors relative to references, and rejections with reasons.

    warned: number of omissions that affect the motion and that the reader reported, without contacts. first_s: CPU
    seconds from the file to the first compiled rates. pinocchio: largest relative error of mass matrix, inverse
    dynamics and positions. mujoco: the same with accelerations, for an MJCF. drake: of masses, inertias and frames, for
    an SDF. fields: numbers that differ from MuJoCo's compiled model without a report, listed in differences;
    fields_said: with one. printed: error relative to the original program's code. drift: of the energy, relative.
    """

    joints: int | None = None
    freedoms: int | None = None
    loops: int | None = None
    warnings: int | None = None
    warned: int | None = None
    operations: int | None = None
    first_s: float | None = None
    pinocchio: float | None = None
    mujoco: float | None = None
    drake: float | None = None
    fields: int | None = None
    fields_said: int | None = None
    printed: float | None = None
    drift: float | None = None
    stage: str = "load"  # the present stage
    differences: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def examine(
    path: Path, options: dict[str, Any], tell: Callable[[Examined], None], compare_only: bool = False
) -> Examined:
    """Load, check, compile, compare and simulate a model; `tell` is called after each stage."""
    found = Examined()
    start = _core_seconds()
    model = _try(found, tell, "load", lambda: sb.load(path, **options))
    if model is not None:
        found.joints, found.freedoms = sum(1 for _ in model.joints()), model.nv
        found.loops, found.warnings = len(model.cuts) + len(model.constraints), len(sb.warnings(model))
        found.warned = sum(one.matters and one.what != "contact of geoms" for one in model.dropped)
        s = None if compare_only else _try(found, tell, "compile", lambda: _first_call(model))
        if s is not None:
            found.first_s = _core_seconds() - start
            found.operations = s.rates_function.operations.total
        if path.suffix.lower() in MJCF:
            found.mujoco = _try(found, tell, "MuJoCo", lambda: mujoco_error(model, path))
            if found.mujoco is not None:
                differing = _try(found, tell, "MuJoCo's fields", lambda: mujoco_fields(path, options.get("packages")))
                _count(found, differing or [])
        elif path.suffix.lower() == ".sdf" and drake_installed():
            found.drake = _try(found, tell, "Drake", lambda: drake_error(model, path, options.get("packages")))
        else:
            found.pinocchio = _try(found, tell, "Pinocchio", lambda: pinocchio_error(model, path, options))
        if printed_files(path):
            found.printed = _try(found, tell, "printed code", lambda: printed_error(model, path))
        if s is not None:
            found.drift = _try(found, tell, "simulate", lambda: _simulated(s))
    found.stage = "done"
    tell(found)
    return found


def examine_alone(path: Path, options: dict[str, Any], compare_only: bool, told: Path, said: Path, cache: Path) -> None:
    """`examine` in a process of its own, with a cache of its own.

    told: a file for the results, a line of JSON after each stage; said: for what libraries print.
    """
    os.environ |= {"SYMBODY_CACHE": str(cache), "SYMBODY_TIER": "quick"}
    python_warnings.simplefilter("ignore")  # missing meshes, for example
    with said.open("wb") as printed, told.open("w", encoding="utf-8") as results:
        for stream in (1, 2):
            os.dup2(printed.fileno(), stream)
        examine(path, options, lambda found: print(json.dumps(asdict(found)), file=results, flush=True), compare_only)


def _count(found: Examined, differing: Sequence[FieldDifference]) -> None:
    silent = [one for one in differing if not one.said]
    found.fields, found.fields_said = len(silent), len(differing) - len(silent)
    found.differences = [str(one) for one in silent[:LISTED]]


def _try(found: Examined, tell: Callable[[Examined], None], stage: str, what: Callable[[], Any]) -> Any:
    """The result of a stage; None if it is rejected, with the reason stored."""
    found.stage = stage
    tell(found)
    try:
        return what()
    except (SymbodyError, NotCompared) as error:
        found.reasons.append(f"{stage}: {error}")
    except Exception as error:  # a defect of symbody: it must be visible, and must not end the run
        found.reasons.append(f"{stage}: {type(error).__name__}, an internal error of symbody: {error}")
    return None


def _core_seconds() -> float:
    """CPU time of this process and its children: it does not depend on other programs."""
    return sum(os.times()[:4])


def _first_call(model: Model) -> sb.System:
    s = sb.system(model)
    s.rates(0.0, s.x0)
    return s


def _simulated(s: sb.System) -> float | None:
    """Drift of the energy over a short motion; None if laws or driven joints do work."""
    try:
        run = sb.simulate(s, UNTIL, STEP)
    except sb.DivergenceError:  # damping and friction in files are stiff for light links
        run = sb.simulate(s, UNTIL, STEP, method="rodas4")
    driven = any(joint.nature == "driven" for joint in s.model.joints())
    at_work = driven or any(law for name, law in s.laws.items() if not name.startswith("constraints."))
    moved = np.max(run.kinetic) > 1e-9 * (1.0 + np.max(np.abs(run.potential)))
    return None if at_work or not moved else run.energy_drift
