"""Plots of runs: channels over time, two runs compared, a motion on one sheet, a summary for notebooks."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath
from symbody.html_text import object_html
from symbody.output_file import replacing
from symbody.results.compare import Comparison
from symbody.results.drawing import register_drawing
from symbody.results.run import Run
from symbody.system.motion_names import coordinate_names
from symbody.visual.file_looks import file_looks
from symbody.visual.motion import SAMPLES, camera, motion_at
from symbody.visual.render import overlaid
from symbody.visual.shapes import scene

INSTANTS = 5
MOST_CURVES = 12
MOST_POINTS = 2000  # of a curve in a notebook's summary
ENERGIES = ("energy.kinetic", "energy.potential")


@register_drawing("channels")
def plot_channels(run: Run, patterns: Sequence[str]) -> list[Any]:
    """Plot channels over time, grouped by unit; return the axes from top to bottom."""
    names = run.find(*patterns)
    groups = by_unit(names, [run.units[name] for name in names])
    figure, axes = _pyplot().subplots(
        len(groups), 1, sharex=True, squeeze=False, layout="constrained", figsize=(7.5, 1.4 + 2.4 * len(groups))
    )
    _draw_groups(run, groups, list(axes[:, 0]))
    figure.suptitle(run.name, parse_math=False)  # `$` in a name is not a formula
    return list(axes[:, 0])


@register_drawing("comparison")
def plot_comparison(found: Comparison) -> list[Any]:
    """Plot both runs on the left and their differences on the right, one row per unit; return the axes by row."""
    groups = by_unit(found.names, [d.unit for d in found.differences])
    size = (11, 1.4 + 2.4 * len(groups))
    _, axes = _pyplot().subplots(len(groups), 2, sharex=True, squeeze=False, layout="constrained", figsize=size)
    for (unit, names), (left, right) in zip(groups.items(), axes, strict=True):
        for name in names:
            k = found.names.index(name)
            (line,) = left.plot(found.t, found.first[:, k], lw=1.2, label=name)
            left.plot(found.t, found.second[:, k], "--", lw=1.2, color=line.get_color())
            right.plot(found.t, found.second[:, k] - found.first[:, k], lw=1.2, label=name)
        left.set(ylabel=_label(names, unit))
        _legend(left, len(names))
        right.grid(alpha=0.3)
    axes[0, 0].set_title(f"{found.titles[0]}; dashed: {found.titles[1]}", parse_math=False)
    axes[0, 1].set(title="difference")
    for ax in axes[-1]:
        ax.set(xlabel="t (s)")
    return list(axes.ravel())


def by_unit(names: Sequence[str], units: Sequence[str]) -> dict[str, list[str]]:
    """Names grouped by unit, in the order in which the units occur."""
    groups: dict[str, list[str]] = {}
    for name, unit in zip(names, units, strict=True):
        groups.setdefault(unit, []).append(name)
    return groups


def _draw_groups(run: Run, groups: dict[str, list[str]], axes: Sequence[Any], every: int = 1) -> None:
    for (unit, names), ax in zip(groups.items(), axes, strict=True):
        for name in names:
            ax.plot(run.t[::every], run[name][::every], lw=1.2, label=name)
        ax.set(ylabel=_label(names, unit))
        ax.grid(alpha=0.3)
        _legend(ax, len(names))
    axes[-1].set(xlabel="t (s)")


def _label(names: Sequence[str], unit: str) -> str:
    """The label of an axis: the channel if there is one, else the common ending of the names, and the unit."""
    endings = {name.rpartition(".")[2] for name in names}
    what = names[0] if len(names) == 1 else endings.pop() if len(endings) == 1 else ""
    return f"{what} ({unit})" if what and unit not in ("", "1") else what or unit


def _legend(ax: Any, count: int) -> None:
    if 1 < count <= MOST_CURVES:
        ax.legend(fontsize="x-small", ncols=1 + (count > 6))


def new_figure(width: float, height: float) -> Any:
    """An empty Matplotlib figure (inches) without a window."""
    return _matplotlib().figure.Figure(figsize=(width, height), layout="constrained")


def inline_image(figure: Any, about: str, dpi: int = 90) -> str:
    """A figure as an HTML element without a separate file."""
    return inline_png(png(figure, dpi), about)


def png(figure: Any, dpi: int) -> bytes:
    """A figure as a PNG file; `savefig` would draw it twice, at first only to lay it out."""
    _matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    file, before = io.BytesIO(), (figure.canvas, figure.dpi)
    try:
        figure.dpi = dpi
        canvas: Any = FigureCanvasAgg(figure)
        canvas.print_png(file)
    finally:
        figure.canvas, figure.dpi = before
    return file.getvalue()


def inline_png(picture: bytes, about: str) -> str:
    """A picture as an HTML element without a separate file."""
    data = base64.b64encode(picture).decode()
    return f'<img alt="{html.escape(about)}" src="data:image/png;base64,{data}">'


def _matplotlib() -> Any:
    try:
        import matplotlib.figure
    except ImportError as error:
        cure = "pip install 'symbody[plot]'"
        raise ModelError("pictures need Matplotlib, which is not installed", cure=cure) from error
    return matplotlib


def _pyplot() -> Any:
    _matplotlib()
    from matplotlib import pyplot

    return pyplot


# -- for notebooks ----------------------------------------------------------------------------------------------------


@register_drawing("summary")
def summary_html(run: Run) -> str:
    """A small table about a run, and a plot of its coordinates."""
    last = run.t[-1] if len(run) else 0.0
    rows = {"instants": f"{len(run)} up to {last:g} s", "channels": str(len(run.names))}
    rows |= {key: str(run.meta[key]) for key in ("closure", "method", "dt", "date") if run.meta.get(key) is not None}
    text = object_html(run.name, rows)
    try:
        return text + _inline_plot(run) if len(run) else text
    except ModelError:  # without Matplotlib: the table only
        return text


def _inline_plot(run: Run) -> str:
    coordinates = [name for name in coordinate_names(run.model) if name in run.names] if run.has_model else []
    names = (coordinates or run.names)[:MOST_CURVES]
    if not names:
        return ""
    groups = by_unit(names, [run.units[name] for name in names])
    figure = new_figure(7, 0.8 + 1.7 * len(groups))
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    _draw_groups(run, groups, list(axes), every=max(1, len(run) // MOST_POINTS))
    return inline_image(figure, "coordinates over time")


# -- a motion on one sheet --------------------------------------------------------------------------------------------


def save_picture(motion: Run, path: FilePath) -> Path:
    """Draw a motion (its shapes at several instants, coordinates and energies) and save it as a PNG."""
    figure = new_figure(12, 5.6)
    places = figure.subplot_mosaic([["shapes", "curves"], ["shapes", "energies"]])
    shapes, curves, energies = places["shapes"], places["curves"], places["energies"]
    beside = {"fontsize": "x-small", "loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
    shapes.imshow(instants(motion))
    shapes.set_axis_off()
    shapes.set_title(f"{motion.name} from {motion.t[0]:g} s to {motion.t[-1]:g} s", parse_math=False)
    for name, label in list(zip(coordinate_names(motion.model), motion.model.coordinates, strict=True))[:MOST_CURVES]:
        curves.plot(motion.t, motion[name], lw=1, label=label)
    curves.set(ylabel=f"coordinates ({', '.join(_coordinate_units(motion))})")
    curves.grid(alpha=0.3)
    curves.legend(**beside)
    if all(name in motion.names for name in ENERGIES):
        total = motion.kinetic + motion.potential
        for values, label in ((motion.kinetic, "kinetic"), (motion.potential, "potential"), (total, "total")):
            energies.plot(motion.t, values, lw=1.2, label=label)
        energies.legend(**beside)
    energies.grid(alpha=0.3)
    energies.set(xlabel="t (s)", ylabel="energy (J)")
    with replacing(path) as partial:
        partial.write_bytes(png(figure, 110))
    return Path(path)


def instants(run: Run, width: int = 700, height: int = 640) -> np.ndarray:
    """The model at several instants in one picture: the last one opaque, the earlier ones fainter."""
    made = scene(run.model, run.parameters, file_looks(run.model))
    whole = motion_at(run, made, np.linspace(run.t[0], run.t[-1], SAMPLES))
    chosen = np.linspace(0, SAMPLES - 1, INSTANTS).astype(int)
    return overlaid(made, whole.at(chosen), camera(made, whole), width, height)


def _coordinate_units(run: Run) -> list[str]:
    return sorted({run.units[name] for name in coordinate_names(run.model)} - {"1"})
