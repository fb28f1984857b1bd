"""`symbody validate`: every problem solved, its figures in one table, and a picture for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tqdm import tqdm

from symbody.errors import ModelError
from symbody.output_file import replacing
from symbody_bench.validate import andrews, bicycle, bricard, flyball, n_four_bar, pendulum
from symbody_bench.validate.figures import Figure, SolvedProblem
from symbody_bench.validate.plots import save_plot

PROBLEMS: dict[str, Callable[[], SolvedProblem]] = {
    "A01 pendulum": pendulum.solve,
    "A02 n-four-bar, N = 2": n_four_bar.solve,
    "A02 n-four-bar, N = 2, augmented": partial(n_four_bar.solve, options=n_four_bar.AUGMENTED),
    "A02 n-four-bar, N = 40": partial(n_four_bar.solve, 40),
    "A03 andrews": andrews.solve,
    "A04 bricard": bricard.solve,
    "A05 flyball": flyball.solve,
    "bicycle (Meijaard 2007)": bicycle.solve,
}


def selection(only: list[str] | None = None) -> list[str]:
    """The problems whose names begin with, or contain, one of the given words; all for None."""
    if not only:
        return list(PROBLEMS)
    for word in only:
        if not any(word.lower() in name.lower() for name in PROBLEMS):
            raise ModelError("unknown problem", element=word, cure=f"use one of {'; '.join(PROBLEMS)}")
    return [name for name in PROBLEMS if any(word.lower() in name.lower() for word in only)]


def run_validation(
    output: Path | None, only: list[str] | None = None, progress: bool = False
) -> tuple[list[Figure], list[Path]]:
    """Solve the problems, write their figures into a folder, then draw them, and return figures and files."""
    solved: list[SolvedProblem] = []
    with tqdm(selection(only), disable=not progress, unit="problem") as bar:
        for name in bar:
            bar.set_description(name)
            solved.append(PROBLEMS[name]())
    figures = [figure for problem in solved for figure in problem.figures]
    if output is None:
        return figures, []
    with replacing(output / "figures.json") as place:
        place.write_text(json.dumps([figure.record() for figure in figures], indent=2), encoding="utf-8")
    return figures, [save_plot(problem, output) for problem in solved]
