"""What a computation over time gives: named channels with units, times, and metadata; files, pictures, comparisons."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from symbody.errors import ModelError
from symbody.model.model import QUATERNION, Joint, Model
from symbody.model.safe_file import FilePath
from symbody.system.channels import acceleration_names, coordinate_names, velocity_names
from symbody.system.system import System

if TYPE_CHECKING:
    from symbody.analysis.animate import Page
    from symbody.analysis.compare import Comparison

Array = np.ndarray
DIMENSIONLESS = "1"
UNKNOWN = ""  # the unit of states and signals of the user's own, until it is given

_ANGULAR = ("rad", "rad/s", "rad/s²", "N m")  # coordinate, velocity, acceleration, force
_LINEAR = ("m", "m/s", "m/s²", "N")
_MEASURED = {"length": "m", "rate": "m/s", "tension": "N"}  # of links
_ACCOUNTED = {"stored": "J", "dissipated": "W", "supplied": "W", "flow": "m³/s", "gas": "m³"}  # of elements
_VECTORS = {
    "position": "m", "velocity": "m/s", "omega": "rad/s", "acceleration": "m/s²", "omega_dot": "rad/s²",
    "rotation": DIMENSIONLESS, "force": "N", "torque": "N m",
}  # fmt: skip


class Run:
    """A recorded motion: `run["arm.q"]` in `run.units["arm.q"]` over the times `run.t` (s); `run.names` lists it all.

    From a simulation it knows its system; from a file or from plain arrays it need not:
    `Run(None, t, values, names=["x"], units={"x": "m"})`, a row of values for each time, a column for each channel.
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
        _check(self.t, self.values, self.names)

    @property
    def model(self) -> Model:
        """The model that moved."""
        if self._model is None:
            raise ModelError("this run does not know its model", cure="load it with model=…, or give Run one")
        return self._model

    @property
    def has_model(self) -> bool:
        return self._model is not None

    @property
    def name(self) -> str:
        """The model's name, where it is known."""
        return self._model.name if self._model else str(self.meta.get("model", "run"))

    @cached_property
    def units(self) -> dict[str, str]:
        """Unit of each channel, "1" where it has no dimension, "" where it is not known: `run.units["p"] = "Pa"`."""
        derived = channel_units(self._model, self.names) if self._model else {}
        return {name: self._units.get(name) or derived.get(name, UNKNOWN) for name in self.names}

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the live parameters while it ran."""
        return dict(self.meta.get("parameters") or {})

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, name: str) -> Array:
        return self._columns([name])[:, 0]

    def find(self, *patterns: str) -> list[str]:
        """Names of the channels that names or patterns such as "*.q" ask for, in their order; none given: all."""
        return matching(self.names, patterns)

    def _columns(self, names: Iterable[str]) -> Array:
        place = {name: k for k, name in enumerate(self.names)}
        wanted = list(names)
        for name in wanted:
            if name not in place:
                raise _not_recorded(name, self.names)
        return self.values[:, [place[name] for name in wanted]]

    @property
    def q(self) -> Array:
        """All coordinates, a row for each time."""
        return self._columns(coordinate_names(self.model))

    @property
    def qd(self) -> Array:
        """All velocities, a row for each time."""
        return self._columns(velocity_names(self.model))

    @property
    def kinetic(self) -> Array:
        """Kinetic energy (J)."""
        return self["energy.kinetic"]

    @property
    def potential(self) -> Array:
        """Potential energy of gravity (J)."""
        return self["energy.potential"]

    @property
    def energy_drift(self) -> float:
        """Largest change of the total energy, relative to the largest kinetic energy."""
        total = self.kinetic + self.potential
        return float(np.max(np.abs(total - total[0])) / max(float(np.max(self.kinetic)), np.finfo(float).tiny))

    # -- files, pictures, comparisons: each in a module of its own ------------------------------------------------

    def save(self, path: FilePath) -> Path:
        """Write everything to .parquet or .csv, replacing the file in one step."""
        from symbody.analysis.result_files import save_run

        return save_run(self, path)

    @staticmethod
    def load(path: FilePath, model: Model | None = None) -> Run:
        """Read a run from .parquet or .csv: ours exactly as it was, or any table with times in `t` or `time`."""
        from symbody.analysis.result_files import load_run

        return load_run(path, model)

    def plot(self, *patterns: str) -> Any:
        """Draw channels over time, by names or patterns such as "*.q"; a list of Matplotlib axes, one for each unit."""
        from symbody.analysis.picture import plot_channels

        return plot_channels(self, patterns)

    def compare(self, other: Run, *patterns: str) -> Comparison:
        """Differences between two runs, channel by channel, at common times: `print(a.compare(b, "*.q"))`."""
        from symbody.analysis.compare import compare

        return compare(self, other, patterns)

    @overload
    def animate(self, path: None = None, fps: float = 30.0, speed: float = 1.0, **options: Any) -> Page: ...
    @overload
    def animate(self, path: FilePath, fps: float = 30.0, speed: float = 1.0, **options: Any) -> Path: ...
    def animate(self, path: FilePath | None = None, fps: float = 30.0, speed: float = 1.0, **options: Any) -> Any:
        """Show the motion: a page that needs nothing else (.html), .gif or .mp4; without a path, for a notebook.

        speed: how many seconds of motion a second shows; options: `meshes={"arm": "arm.stl"}`, `size=(width, height)`
        in pixels for .gif and .mp4, `progress=True`.
        """
        from symbody.analysis.animate import animate

        return animate(self, path, fps, speed, **options)

    def to_dataframe(self) -> Any:
        """A pandas table over the index `t`; units and metadata are in its `attrs`."""
        from symbody.analysis.result_files import to_dataframe

        return to_dataframe(self)

    def _repr_html_(self) -> str:
        from symbody.analysis.picture import summary_html

        return summary_html(self)

    def __repr__(self) -> str:
        last = self.t[-1] if len(self.t) else 0.0
        return f"<Run of {self.name}: {len(self)} instants up to {last:g} s, {len(self.names)} channels>"


def matching(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Those of the names that are given, or match a pattern; each pattern must find one."""
    found: set[str] = set()
    for pattern in patterns:
        exact = [pattern] if pattern in names else [name for name in names if fnmatch.fnmatchcase(name, pattern)]
        if not exact:
            raise _not_recorded(pattern, names)
        found.update(exact)
    return [name for name in names if name in found or not patterns]


def _not_recorded(name: str, names: Sequence[str]) -> KeyError:
    near = ", ".join(difflib.get_close_matches(name, names, 3) or names[:5])
    return KeyError(f"{name!r} was not recorded; near: {near}; others with outputs=[…] of the system")


def _check(t: Array, values: Array, names: Sequence[str]) -> None:
    """Refuse what is not a table over time."""
    if t.ndim != 1 or values.shape != (len(t), len(names)):
        problem = f"{t.shape} times and {values.shape} values for {len(names)} channels"
        raise ModelError(problem, cure="give a row for each time, a column for each channel")
    if len(set(names)) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise ModelError("a second channel of this name", element=twice, cure="rename one of them")
    if not np.all(np.isfinite(t)) or np.any(np.diff(t) < 0):
        raise ModelError("times that do not go forward", element="t", cure="sort the rows by time, and give each one")


def _known_of(system: System, t: Array) -> dict[str, Any]:
    """What a system tells about a run of it; `dt` is the time between records unless the integrator's is given."""
    from symbody import __version__

    return {
        "model": system.model.name,
        "closure": system.recipe.closure,
        "formulation": system.recipe.formulation,
        "dt": float(t[1] - t[0]) if len(t) > 1 else None,
        "parameters": dict(system.parameters),
        "symbody": __version__,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


# -- units ------------------------------------------------------------------------------------------------------------


def channel_units(model: Model, names: Iterable[str]) -> dict[str, str]:
    """SI units of the channels of a model, as far as mechanics knows them."""
    known = _joint_units(model)
    own = {*model.states, *model.signals}
    return {
        name: _ACCOUNTED.get(name.rpartition(".")[2], UNKNOWN)
        if name in own or name.rpartition(".")[0] in own
        else known.get(name) or _measured(name)
        for name in names
    }


def _joint_units(model: Model) -> dict[str, str]:
    """Units of motion and forces, from the types of the joints."""
    found: dict[str, str] = {}
    positions = [unit for joint in model.joints() for unit in _coordinate_units(joint)]
    kinds = [kind for joint in model.joints() for kind in _freedoms(joint)]
    found |= zip(coordinate_names(model), positions, strict=True)
    found |= ((name, kind[1]) for name, kind in zip(velocity_names(model), kinds, strict=True))
    found |= ((name, kind[2]) for name, kind in zip(acceleration_names(model), kinds, strict=True))
    for ending in ("Q", "effort"):
        found |= ((f"{name}.{ending}", kind[3]) for name, kind in zip(model.velocities, kinds, strict=True))
    return found


def _coordinate_units(joint: Joint) -> list[str]:
    if joint.type in QUATERNION:
        return ["m"] * (joint.nq - 4) + [DIMENSIONLESS] * 4
    return [_freedoms(joint)[0][0]]


def _freedoms(joint: Joint) -> list[tuple[str, str, str, str]]:
    """For each degree of freedom: units of coordinate, velocity, acceleration and force."""
    if joint.type in QUATERNION:
        return [_LINEAR] * (joint.nv - 3) + [_ANGULAR] * 3
    return [_ANGULAR if joint.type.startswith("R") else _LINEAR]


def _measured(name: str) -> str:
    """Units by the endings of `link.length`, `sensor.velocity.x`, `loop.force.z`, `energy.kinetic`."""
    if name.startswith("energy."):
        return "J"
    parts = name.split(".")
    return _MEASURED.get(parts[-1]) or _VECTORS.get(parts[-2] if len(parts) > 1 else "", UNKNOWN)
