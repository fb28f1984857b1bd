"""A recorded drive as a scene: from CSV, Parquet or MCAP, with units; an unusable log is refused with its place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from symbody.errors import ModelError
from symbody.files.safe_file import FilePath, naming
from symbody.model.plain_numbers import GRAVITY
from symbody.motion.cueing.method import SCENE
from symbody.motion.cueing.scene_record import SceneRecord
from symbody.motion.data import Array
from symbody.realtime.record_read import load_mcap
from symbody.results.files import read_table
from symbody.suggestions import did_you_mean
from symbody.units import converted

STEP = 5e-3  # s: cueing by rk4 is stable below 9 ms
GAP = 0.5  # s, longest time between two rows
G_UNITS = ("g", "G")  # of accelerations in logs: 9.81 m/s², not grams


def recorded_scene(
    path: FilePath,
    columns: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    *,
    step: float = STEP,
    gap: float = GAP,
    with_gravity: bool = False,
) -> SceneRecord:
    """Read the motion of a seat from a log.

    Parameters
    ----------
    path : path
        A .csv, .parquet or .mcap file with times in s.
    columns : mapping, optional
        Column of each signal: `{"scene_x": "accel_long", …}`. A column with a leading minus sign is reversed. Signals
        that are not named are zero. Default: the six columns `scene_x` … `scene_yaw`.
    units : mapping, optional
        Units of columns, where the file has none: "m/s²", "g", "deg/s", … Default: SI units.
    step : float
        Time between samples of the record (s); the log is interpolated linearly.
    gap : float
        Longest time between two rows (s).
    with_gravity : bool
        Whether `scene_z` contains gravity, as accelerometers measure it; it is subtracted.

    Returns
    -------
    SceneRecord
        With equal steps.

    Raises
    ------
    ModelError
        For a missing column, a value that is not a number, times that do not increase, a gap, a unit of another
        quantity, or a value beyond 100 m/s² or rad/s.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from symbody.motion.sources import recorded_scene
    >>> path, t = Path(tempfile.mkdtemp()) / "drive.csv", np.arange(0.0, 2.0, 0.02)
    >>> np.savetxt(path, np.column_stack([t, 0.3 * np.sin(t)]), delimiter=",", header="time (s),long [g]", comments="")
    >>> recorded_scene(path, {"scene_x": "long"}).acceleration.shape[1]
    3
    """
    with naming(path):
        t, found, known = _columns(path)
        wanted = {name: name for name in SCENE} if columns is None else dict(columns)
        for name in wanted:
            if name not in SCENE:
                raise ModelError("unknown signal", element=name, cure=did_you_mean(name, SCENE, "signals"))
        used = {name: _column(found, column) for name, column in wanted.items()}
        begun = np.logical_and.reduce([np.isfinite(column) for column in used.values()])
        if Path(path).suffix.lower() == ".mcap":  # streams begin at different times
            first = int(begun.argmax()) if begun.any() else 0
            t, used = t[first:], {name: column[first:] for name, column in used.items()}
        _check(t, used, gap)
        values = {name: _in_si(column, wanted[name], name, {**known, **(units or {})}) for name, column in used.items()}
        if with_gravity and "scene_z" in values:
            values["scene_z"] = values["scene_z"] - GRAVITY
        grid = np.arange(t[0], t[-1] + 0.5 * step, step)
        rows = [np.interp(grid, t, values[name]) if name in values else 0.0 * grid for name in SCENE]
        return SceneRecord(grid - grid[0], np.stack(rows[:3], axis=-1), np.stack(rows[3:], axis=-1))


def _columns(path: FilePath) -> tuple[Array, dict[str, Array], dict[str, str]]:
    """Times, columns by name, and their units where the file has them."""
    if Path(path).suffix.lower() == ".mcap":
        run = load_mcap(path)
        return run.t, {name: run[name] for name in run.names}, {}
    table = read_table(path)
    return table.t, dict(zip(table.names, np.asarray(table.values).T, strict=True)), dict(table.notes.units)


def _column(found: Mapping[str, Array], column: str) -> Array:
    name = column.removeprefix("-")
    if name not in found:
        raise ModelError("no such column", element=name, cure=did_you_mean(name, found, "columns"))
    return -found[name] if column.startswith("-") else found[name]


def _in_si(values: Array, column: str, name: str, units: Mapping[str, str]) -> Array:
    unit = units.get(column.removeprefix("-"), "") or SCENE[name]
    if unit in G_UNITS and SCENE[name] == "m/s²":
        return GRAVITY * values
    return np.asarray(converted(values, unit, SCENE[name], column), dtype=float)


def _check(t: Array, used: Mapping[str, Array], gap: float) -> None:
    if len(t) < 2:
        raise ModelError(f"{len(t)} rows", element="log", cure="give at least two")
    steps = np.diff(t)
    if not np.isfinite(t).all() or not (steps > 0.0).all():
        k = int((~(steps > 0.0)).argmax())
        problem = f"the time goes from {t[k]:.6g} to {t[k + 1]:.6g} s"
        raise ModelError(problem, element="log", cure="sort the rows, and remove repeated ones")
    if steps.max() > gap:
        k = int(steps.argmax())
        problem = f"a gap of {steps[k]:.3g} s after t = {t[k]:.6g} s"
        raise ModelError(problem, element="log", cure=f"cut the log there, or allow it with gap={steps[k]:.3g}")
    for name, values in used.items():
        wrong = ~np.isfinite(values)
        if wrong.any():
            k = int(wrong.argmax())
            raise ModelError(
                f"{values[k]} at t = {t[k]:.6g} s", element=name, cure="cut the log there, or fill the row"
            )


class PlayedRecord:
    """A record as a source: it plays from the first `read` on, and is zero after its end.

    Parameters
    ----------
    record : SceneRecord
        Motion of a seat.
    """

    def __init__(self, record: SceneRecord) -> None:
        self.record = record
        self._begun: float | None = None
        self._columns = np.concatenate([record.acceleration, record.rate], axis=1)

    def read(self, now: float) -> Array:
        """The six signals at a time (s)."""
        self._begun = now if self._begun is None else self._begun
        t = self.record.t[0] + now - self._begun
        if t > self.record.t[-1]:
            return np.zeros(len(SCENE))
        return np.array([np.interp(t, self.record.t, column) for column in self._columns.T])

    def close(self) -> None:
        """Nothing to release."""
