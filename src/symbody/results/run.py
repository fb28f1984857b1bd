"""The result of a computation over time: channels with names and units, times, metadata; files, plots, comparisons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from symbody.errors import ModelError, printable
from symbody.files.safe_file import FilePath, naming
from symbody.model.hooks import portable
from symbody.model.model import Model
from symbody.results.channels import UNKNOWN, channel_units, matching, not_recorded
from symbody.results.compare import Comparison, compare
from symbody.results.drawing import draw
from symbody.results.files import model_of, model_text, read_table, write_table
from symbody.results.table import Notes, Table
from symbody.system.motion_names import coordinate_names, velocity_names
from symbody.system.system import System
from symbody.units import converted, is_unit
from symbody.version import VERSION

Array = np.ndarray
ROUNDING = 1e-9  # changes of energy below this share are rounding errors


class Run:
    """A recorded motion: `run["arm.q"]` in `run.units["arm.q"]` at the times `run.t` (s); `run.names` lists channels.

    A run from a simulation knows its system. A run can also be made from arrays:
    `Run(None, t, values, names=["x"], units={"x": "m"})`, with one row of values per time and one column per channel.

    Parameters
    ----------
    system : System or None
        The system that moved.
    t : array, shape (n,)
        Increasing times (s).
    values : array, shape (n, k)
        Values of the channels, in their units.
    names : sequence of str, optional
        Names of the channels (default: the system's outputs).
    units : mapping name → str, optional
        Units of channels that differ from the model's.
    meta : mapping, optional
        Metadata, such as method and step.
    model : Model, optional
        The model that moved (default: the system's).

    Examples
    --------
    >>> import symbody as sb
    >>> m = sb.machines.model("pendulum")
    >>> run = sb.simulate(m, 1.0, 1e-2)
    >>> run["bob.q"].shape, run.units["bob.q"]
    ((101,), 'rad')
    """

    def __init__(
        self,
        system: System | None,
        t: Array,
        values: Array,
        *,
        names: Sequence[str] | None = None,
        units: Mapping[str, str] | None = None,
        meta: Mapping[str, Any] | None = None,
        model: Model | None = None,
    ):
        self.system = system
        self.t, self.values = np.asarray(t, dtype=float), np.asarray(values, dtype=float)
        self.names = list(names if names is not None else system.outputs if system else ())
        self.meta = {**(_known_of(system, self.t) if system else {}), **(meta or {})}
        self._model = system.model if system and model is None else model
        self._units = dict(units or {})
        self.derived: dict[str, Array] = {}  # channels that are not columns of `values`
        _check(self.t, self.values, self.names)

    @property
    def model(self) -> Model:
        """The model that moved; raises ModelError if the run does not know it."""
        if self._model is None:
            raise ModelError("this run does not know its model", cure="load it with model=…, or give model= to Run")
        return self._model

    @property
    def has_model(self) -> bool:
        """Whether it knows its model, which animations need."""
        return self._model is not None

    @property
    def name(self) -> str:
        """The model's name, if it is known."""
        return printable(self._model.name if self._model else str(self.meta.get("model", "run")))

    @cached_property
    def units(self) -> dict[str, str]:
        """Unit of each channel; "1" if dimensionless, "" if unknown. To set one: `run.units["p"] = "Pa"`."""
        found = channel_units(self._model, self.names) if self._model else {}
        return {name: self._units.get(name) or found.get(name, UNKNOWN) for name in self.names}

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the live parameters during the run."""
        return dict(self.meta.get("parameters") or {})

    def __len__(self) -> int:
        """The number of instants. Iteration goes over the names of channels, as in a pandas table."""
        return len(self.t)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names or name in self.derived

    def keys(self) -> list[str]:
        """Names of the channels."""
        return list(self.names)

    def items(self) -> list[tuple[str, Array]]:
        """Channels with their names."""
        return list(zip(self.names, self.values.T, strict=True))

    def _ipython_key_completions_(self) -> list[str]:
        return self.keys()

    def __getitem__(self, name: str | tuple[str, str]) -> Array:
        """A channel, `run["crank.q"]`; in another unit, `run["crank.q", "deg"]`."""
        channel, unit = name if isinstance(name, tuple) else (name, "")
        if channel in self.derived:
            return self.with_derived()[name]
        values = self._columns([channel])[:, 0]
        return np.asarray(converted(values, self.units[channel], unit, channel)) if unit else values

    def in_units(self, units: Mapping[str, str]) -> Run:
        """The same values in other units, by channel or pattern: `run.in_units({"*.q": "deg"}).to_dataframe()`.

        The result has no model, because models use SI units.
        """
        wanted = {name: unit for pattern, unit in units.items() for name in self.find(pattern)}
        columns = [converted(x, self.units[n], wanted.get(n, self.units[n]), n) for n, x in self.items()]
        values = np.array(columns).reshape(len(self.names), len(self)).T
        return Run(None, self.t, values, names=self.names, units={**self.units, **wanted}, meta=self.meta)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle, as in a file: without the system. Laws become formulas; other laws are left out."""
        return {**vars(self), "system": None, "_model": _portable(self._model), "units": self.units}

    def add(self, name: str, values: Array, column: bool = True) -> None:
        """Add a channel; its unit follows from its name. Without a column it is found by its name only."""
        if column:
            self.names, self.values = [*self.names, name], np.column_stack([self.values, values])
        else:
            self.derived[name] = values
        self.__dict__.pop("units", None)

    def with_derived(self) -> Run:
        """The same run with all channels as columns."""
        if not self.derived:
            return self
        whole = object.__new__(type(self))
        vars(whole).update({**vars(self), "derived": {}, "_units": dict(self.units)})
        for name, values in self.derived.items():
            whole.add(name, values)
        return whole

    def find(self, *patterns: str) -> list[str]:
        """Names of channels that match the names or patterns such as "*.q", in their order; all without arguments."""
        return matching(self.names, patterns)

    def _columns(self, names: Iterable[str]) -> Array:
        place = {name: k for k, name in enumerate(self.names)}
        wanted = list(names)
        for name in wanted:
            if name not in place:
                raise not_recorded(name, self.names)
        return self.values[:, [place[name] for name in wanted]]

    @property
    def q(self) -> Array:
        """All coordinates over time, (len(t), nq), rad or m."""
        return self._columns(coordinate_names(self.model))

    @property
    def qd(self) -> Array:
        """All velocities over time, (len(t), nv), rad/s or m/s."""
        return self._columns(velocity_names(self.model))

    @property
    def last_state(self) -> Array:
        """The state (n,) at the end, in the order of `system.states`; all of them must have been recorded."""
        if self.system is None:
            raise ModelError("a run from a file has no states", element=self.name, cure="simulate it again")
        return np.asarray(self._columns(self.system.states)[-1])

    @property
    def kinetic(self) -> Array:
        """Kinetic energy over time (J), (len(t),)."""
        return self["energy.kinetic"]

    @property
    def potential(self) -> Array:
        """Potential energy of gravity over time (J), (len(t),)."""
        return self["energy.potential"]

    @property
    def energy_drift(self) -> float:
        """Largest change of kinetic plus potential energy, divided by the largest exchange of energy."""
        total = self.kinetic + self.potential
        return float(np.max(np.abs(total - total[0])) / energy_exchange(self.kinetic, self.potential))

    # -- files, plots, comparisons: each in its own module ---------------------------------------------------------

    def save(self, path: FilePath) -> Path:
        """Write the run to .parquet or .csv (an existing file is replaced atomically); Python laws are left out."""
        notes = Notes(self.units, self.meta, model_text(self._model))
        return write_table(Table(self.names, self.t, self.values, notes), path)

    @staticmethod
    def load(path: FilePath, model: Model | None = None) -> Run:
        """Read a run from .parquet or .csv: a saved run exactly, or any table with times in `t` or `time`."""
        with naming(path):
            table = read_table(path)
            notes = table.notes
            model = model or model_of(notes)
            if model is not None and "symbody" not in notes.meta:
                table = in_si(table, model)
            return Run(
                None, table.t, table.values, names=table.names, units=table.notes.units, meta=notes.meta, model=model
            )

    def plot(self, *patterns: str) -> Any:
        """Plot channels over time, by names or patterns such as "*.q"; return Matplotlib axes, one per unit."""
        return draw("channels", self, patterns)

    def compare(self, other: Run, *patterns: str) -> Comparison:
        """Differences between two runs, channel by channel, at common times: `print(a.compare(b, "*.q"))`."""
        return compare(self, other, patterns)

    def animate(self, path: FilePath | None = None, fps: float = 30.0, speed: float = 1.0, **options: Any) -> Any:
        """Animate the motion: a self-contained page (.html), .gif or .mp4; without a path, a page for a notebook.

        Parameters
        ----------
        path : path, optional
            Output file.
        fps : float
            Frames per second (default 30).
        speed : float
            Simulated seconds per second shown (default 1).
        **options
            `meshes={"arm": "arm.stl"}`; `size=(width, height)` in pixels for .gif and .mp4; `progress=True`.
        """
        return draw("animation", self, path, fps, speed, **options)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame with the index `t`; units and metadata are in its `attrs`."""
        try:
            import pandas
        except ImportError as error:
            raise ModelError("pandas is not installed", cure="pip install pandas, or use run.values") from error
        frame = pandas.DataFrame(self.values, index=pandas.Index(self.t, name="t"), columns=self.names)
        frame.attrs = {"units": dict(self.units), "meta": dict(self.meta)}
        return frame

    def to_xarray(self) -> Any:
        """An xarray Dataset over `t`, one variable per channel with its `units`; metadata in its `attrs`."""
        try:
            import xarray
        except ImportError as error:
            raise ModelError("xarray is not installed", cure="pip install 'symbody[xarray]'") from error
        columns = {name: ("t", self.values[:, k], {"units": self.units[name]}) for k, name in enumerate(self.names)}
        return xarray.Dataset(columns, {"t": ("t", self.t, {"units": "s"})}, dict(self.meta))

    def _repr_html_(self) -> str:
        return str(draw("summary", self))

    def __repr__(self) -> str:
        last = self.t[-1] if len(self.t) else 0.0
        return f"<Run of {self.name}: {len(self)} instants up to {last:g} s, {len(self.names)} channels>"


def energy_exchange(kinetic: Array, held: Array) -> float:
    """The largest exchange of energy (J): the largest kinetic energy, or the range of the other energy.

    At rest it would be zero; then it is the rounding error of the other energy.
    """
    return float(max(kinetic.max(), np.ptp(held), ROUNDING * np.abs(held).max(), np.finfo(float).tiny))


def in_si(table: Table, model: Model) -> Table:
    """A table of another tool, converted to the units of the model's channels if its headers name other units."""
    known, units = channel_units(model, table.names), dict(table.notes.units)
    columns = list(table.values.T)
    for k, name in enumerate(table.names):
        if known[name] and is_unit(units.get(name, "")) and units[name] != known[name]:
            columns[k], units[name] = converted(columns[k], units[name], known[name], name), known[name]
    values = np.array(columns).reshape(len(table.names), len(table.t)).T
    return Table(table.names, table.t, values, Notes(units, table.notes.meta, table.notes.model))


def _portable(model: Model | None) -> Model | None:
    """A model that pickle can store."""
    try:
        return None if model is None else portable(model)
    except ModelError:
        return model_of(Notes(model=model_text(model)))


def _check(t: Array, values: Array, names: Sequence[str]) -> None:
    """Raise if this is not a table over time."""
    if t.ndim != 1 or values.shape != (len(t), len(names)):
        problem = f"times of shape {t.shape} and values of shape {values.shape} for {len(names)} channels"
        raise ModelError(problem, cure="give one row per time and one column per channel")
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ModelError("two channels have this name", element=twice, cure="rename one of them")
    if not np.all(np.isfinite(t)) or np.any(t[1:] < t[:-1]):
        raise ModelError("the times do not increase", element="t", cure="sort the rows by time and remove duplicates")


def _known_of(system: System, t: Array) -> dict[str, Any]:
    """Metadata of a run from its system; `dt` is the time between records unless the integrator sets it."""
    return {
        "model": system.model.name,
        "closure": system.options.closure,
        "formulation": system.options.formulation,
        "dt": float(t[1] - t[0]) if len(t) > 1 else None,
        "parameters": dict(system.parameters),
        "tier": system.rates_function.tier,  # at its end: "quick", "optimised" or "python"
        "symbody": VERSION,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }
