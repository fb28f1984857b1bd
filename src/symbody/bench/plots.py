"""Plots of a benchmark: time per call by model and engine, and how generation and compilation grow with the joints."""

from __future__ import annotations

import re
from pathlib import Path

from symbody.bench.peers import FUNCTIONS, Measured

LABELS = {
    "symbody": "symbody",
    "symbody_live": "symbody, all numbers live",
    "pinocchio_casadi": "Pinocchio + CasADi, generated C",
    "pinocchio_cpp": "Pinocchio, C++",
    "mujoco_c": "MuJoCo",
}


def save_plots(measured: list[Measured], folder: Path) -> list[Path]:
    """Draw what was measured on trees; returns the files."""
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
