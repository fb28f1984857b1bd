"""A picture of a motion: the skeleton at several instants, the coordinates and the energies over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from symbody.analysis.run import Run
from symbody.equations.compile import compile
from symbody.model.formula import evaluate
from symbody.model.model import Model

INSTANTS = 7
MOST_CURVES = 12
FLAT = 0.02  # share of the largest extent, below which a motion is drawn in its plane


def _segments(model: Model) -> list[tuple[str, tuple[float, ...]]]:
    """Lines of the skeleton: from each body's origin to its points that carry something, else its centre of mass."""
    carrying = {body.on for body in model.bodies.values()}
    lines = []
    for body in model.bodies.values():
        ends = [p.position for p in body.points.values() if p.path in carrying] or [
            p.position for p in body.points.values()
        ]
        ends = [e for e in ends if any(evaluate(x, model.values) for x in e)] or [body.com]
        lines += [(body.name, tuple(evaluate(x, model.values) for x in end)) for end in ends]
    return lines


def skeleton(model: Model, q: np.ndarray) -> np.ndarray:
    """Ends of the skeleton's lines at each state, shape (states, lines, 2, 3), in the ground frame."""
    pose = compile(model, "kinematics", loads=False)(q, np.zeros((len(q), model.nv)))
    position, rotation = pose.position, pose.rotation
    index = {name: i for i, name in enumerate(model.bodies)}
    lines = []
    for body, end in _segments(model):
        i = index[body]
        lines.append(np.stack([position[:, i], position[:, i] + rotation[:, i] @ np.array(end)], axis=1))
    return np.stack(lines, axis=1)


def save_picture(motion: Run, path: Path) -> Path:
    """Draw a motion and save it as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    model = motion.model
    figure = plt.figure(figsize=(12, 6), layout="constrained")
    chosen = np.linspace(0, len(motion.t) - 1, INSTANTS).astype(int)
    _draw_skeletons(figure, skeleton(model, motion.q[chosen]), motion.t[chosen], model.name)
    curves, energies = (figure.add_subplot(2, 2, k) for k in (2, 4))
    for k, name in list(enumerate(model.coordinates))[:MOST_CURVES]:
        curves.plot(motion.t, motion.q[:, k], lw=1, label=name)
    curves.set(ylabel="coordinates (rad, m)")
    curves.legend(fontsize="x-small", ncols=2, loc="upper right")
    total = motion.kinetic + motion.potential
    for values, label in ((motion.kinetic, "kinetic"), (motion.potential, "potential"), (total, "total")):
        energies.plot(motion.t, values, lw=1.2, label=label)
    energies.set(xlabel="t (s)", ylabel="energy (J)")
    energies.legend(fontsize="x-small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def _draw_skeletons(figure: Any, shots: np.ndarray, times: np.ndarray, title: str) -> None:
    """The skeletons one over the other, in space, or in their plane where they all lie in one."""
    from matplotlib import pyplot as plt

    extent = np.ptp(shots.reshape(-1, 3), axis=0)
    planar = extent.min() < FLAT * extent.max()
    axes = [k for k in range(3) if not planar or k != int(np.argmin(extent))]
    space = figure.add_subplot(1, 2, 1, **({} if planar else {"projection": "3d"}))
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(shots)))
    for shot, colour in zip(shots[..., axes], colours, strict=True):
        for line in shot:
            space.plot(*line.T, color=colour, lw=2.5, solid_capstyle="round")
    for k in (0, -1):
        space.plot([], [], color=colours[k], lw=2.5, label=f"t = {times[k]:g} s")
    space.legend(loc="upper left")
    labels = [f"{'xyz'[k]} (m)" for k in axes]
    space.set(title=title, **dict(zip(("xlabel", "ylabel", "zlabel"), labels, strict=False)))
    space.set_aspect("equal", **({"adjustable": "datalim"} if planar else {}))
