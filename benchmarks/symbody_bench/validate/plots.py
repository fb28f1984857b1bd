"""One picture per problem: its reference point, ours and the reference's, and the errors over time."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from symbody_bench.validate.figures import ENERGY, PLACE, SolvedProblem


def file_name(name: str) -> str:
    """`validation-a02-n-four-bar-n-2.png`."""
    return f"validation-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.png"


def save_plot(solved: SolvedProblem, folder: Path) -> Path:
    """Draw a solved problem."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (motion, errors) = plt.subplots(2, 1, figsize=(11, 6), sharex=True, layout="constrained")
    for k, label in enumerate(solved.labels):
        (line,) = motion.plot(solved.t, solved.ours[:, k], lw=1.5, label=label)
        motion.plot(solved.t, solved.reference[:, k], "k:", lw=1.0)
        error = np.abs(solved.ours[:, k] - solved.reference[:, k])
        errors.plot(solved.t, error, lw=1.0, color=line.get_color(), label=f"error of {label}")
    motion.plot([], [], "k:", label="reference")
    if "(m)" in "".join(solved.labels):
        errors.axhline(PLACE, color="C0", ls="--", lw=1.0, label="threshold of places (m)")
    if solved.energy is not None:
        errors.plot(solved.t, np.abs(solved.energy), "k", lw=1.0, label="energy error, relative")
        errors.axhline(ENERGY, color="k", ls="--", lw=1.0, label="threshold of the energy")
    motion.set(title=solved.name)
    errors.set(xlabel=solved.axis, yscale="log", ylim=(1e-16, 1e-3))
    for axes in (motion, errors):
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1.0))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(solved.name)
    figure.savefig(path, dpi=100)
    plt.close(figure)
    return path
