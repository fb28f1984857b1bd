"""A picture of a motion: the skeleton at several instants, the coordinates and the energies over time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from symbody.analysis.simulate import Motion
from symbody.equations.compile import compile
from symbody.model.formula import evaluate
from symbody.model.model import Model

INSTANTS = 7
MOST_CURVES = 12


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


def save_picture(motion: Motion, path: Path) -> Path:
    """Draw a motion and save it as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    model = motion.model
    figure = plt.figure(figsize=(12, 6), layout="constrained")
    space, curves, energies = (
        figure.add_subplot(1, 2, 1, projection="3d"),
        *(figure.add_subplot(2, 2, k) for k in (2, 4)),
    )
    chosen = np.linspace(0, len(motion.t) - 1, INSTANTS).astype(int)
    lines = skeleton(model, motion.q[chosen])
    for shot, colour in zip(lines, plt.get_cmap("viridis")(np.linspace(0, 0.9, INSTANTS)), strict=True):
        for a, b in shot:
            space.plot(*zip(a, b, strict=True), color=colour, lw=2.5, solid_capstyle="round")
    for k, t in ((0, motion.t[chosen[0]]), (-1, motion.t[chosen[-1]])):
        space.plot([], [], color=plt.get_cmap("viridis")(0.0 if k == 0 else 0.9), lw=2.5, label=f"t = {t:g} s")
    space.legend(loc="upper left")
    space.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)", title=model.name)
    space.set_aspect("equal")
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
