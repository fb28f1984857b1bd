"""Plots of a benchmark: time per call by model and engine, generation time over the joints, whole systems."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from symbody_bench.peers import FUNCTIONS, Measured

LABELS = {
    "symbody": "symbody",
    "symbody_live": "symbody, all numbers live",
    "pinocchio_casadi": "Pinocchio + CasADi, generated C",
    "pinocchio_cpp": "Pinocchio, C++",
    "mujoco_c": "MuJoCo",
}


def save_plots(measured: list[Measured], folder: Path) -> list[Path]:
    """Plot the measurements on trees; return the files."""
    models = list(dict.fromkeys(m.model for m in measured if m.peer == "symbody" and m.function in FUNCTIONS))
    if not models:
        return []
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(FUNCTIONS), figsize=(15, 4.5), layout="constrained")
    for ax, function in zip(axes, FUNCTIONS, strict=True):
        for k, (peer, label) in enumerate(LABELS.items()):
            times = {m.model: m.us_per_call for m in measured if m.peer == peer and m.function == function}
            places = [i + (k - 2) * 0.16 for i, name in enumerate(models) if times.get(name)]
            ax.bar(places, [times[name] for name in models if times.get(name)], 0.16, label=label)
        ax.set(yscale="log", title=function, ylabel="µs per call" if function == FUNCTIONS[0] else "")
        ax.set_xticks(range(len(models)), models, rotation=30)
        ax.grid(axis="y", alpha=0.3)
    axes[0].legend(fontsize="small")
    times_file = folder / "time-per-call.png"
    figure.savefig(times_file, dpi=110)
    plt.close(figure)

    figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for peer, marker in (("symbody", "o"), ("pinocchio_casadi", "s")):
        chains = sorted(
            (int(re.sub(r"\D", "", m.model)), m.generate_s, m.compile_s)
            for m in measured
            if m.peer == peer
            and m.model.startswith("chain")
            and m.function == "direct"
            and m.compile_s
            and m.generate_s
        )
        if chains:
            joints, generate, compiled = zip(*chains, strict=True)
            ax.loglog(joints, generate, marker=marker, label=f"{LABELS[peer]}: generate")
            ax.loglog(joints, compiled, marker=marker, ls="--", label=f"{LABELS[peer]}: compile")
    ax.set(xlabel="joints of the chain", ylabel="s", title="direct dynamics: generating and compiling")
    ax.grid(alpha=0.3, which="both")
    ax.legend(fontsize="small")
    growth_file = folder / "generation.png"
    figure.savefig(growth_file, dpi=110)
    plt.close(figure)
    return [times_file, growth_file]


def save_system_plots(systems: list[dict[str, Any]], closures: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Plot derivatives and steps of whole systems; return the files."""
    if not systems:
        return []
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    names = [record["model"] for record in systems]
    derivatives = {
        "rates": {r["model"]: r["rates_us"] for r in systems},
        "exact Jacobian of rates and outputs": {r["model"]: r["jacobian_us"] for r in systems},
        "central differences of the rates": {r["model"]: r["rates_us"] * r["difference_calls"] for r in systems},
    }
    steps = {
        "partitioning, semi-implicit": {r["model"]: r["semi_implicit_us_per_step"] for r in systems},
        "partitioning, rk4": {r["model"]: r["rk4_us_per_step"] for r in systems},
        "penalty, rk4": {r["model"]: r["us_per_step"] for r in closures if r["closure"] == "penalty"},
        "augmented, trapezoidal": {r["model"]: r["us_per_step"] for r in closures if r["closure"] == "augmented"},
    }
    figure, axes = plt.subplots(1, 2, figsize=(13, 4.5), layout="constrained")
    titles = {"derivatives through the loops": derivatives, "a step of 1 ms": steps}
    for ax, (title, groups) in zip(axes, titles.items(), strict=True):
        width = 0.8 / len(groups)
        for k, (label, times) in enumerate(groups.items()):
            places = [i + (k + 0.5) * width - 0.4 for i, name in enumerate(names) if times.get(name)]
            ax.bar(places, [times[name] for name in names if times.get(name)], width, label=label)
        ax.set(yscale="log", title=title, ylabel="µs")
        ax.set_xticks(range(len(names)), names, rotation=20)
        ax.set_ylim(bottom=0.05)
        ax.grid(axis="y", alpha=0.3)
        ax.legend(fontsize="small", loc="upper left")
    file = folder / "systems.png"
    figure.savefig(file, dpi=110)
    plt.close(figure)
    return [file]
