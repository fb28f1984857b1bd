"""What a simulation gives: named channels over time."""

from __future__ import annotations

import difflib
import fnmatch
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symbody.model.model import Model
from symbody.system.channels import coordinate_names, velocity_names
from symbody.system.system import System

Array = np.ndarray


@dataclass(frozen=True)
class Run:
    """A recorded motion: `run["arm.q"]` over the times `run.t` (s); `run.names` lists the channels."""

    system: System
    t: Array
    values: Array  # one row for each time, one column for each channel

    @property
    def model(self) -> Model:
        return self.system.model

    @property
    def names(self) -> list[str]:
        """The channels that were recorded."""
        return self.system.outputs

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, name: str) -> Array:
        return self._columns([name])[:, 0]

    def _columns(self, names: list[str]) -> Array:
        place = {name: k for k, name in enumerate(self.names)}
        for name in names:
            if name not in place:
                near = ", ".join(difflib.get_close_matches(name, self.names, 3) or self.names[:5])
                raise KeyError(f"{name!r} was not recorded; near: {near}; others with outputs=[…] of the system")
        return self.values[:, [place[name] for name in names]]

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

    def save(self, path: Path) -> Path:
        """Write time and channels as CSV, replacing the file in one step."""
        header = ",".join(["t", *self.names])
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.part")
        np.savetxt(
            partial, np.column_stack([self.t, self.values]), delimiter=",", header=header, comments="", fmt="%.17g"
        )
        partial.replace(path)
        return path

    def plot(self, *patterns: str) -> Any:
        """Draw channels over time, by names or patterns such as "*.q"; returns the Matplotlib axes."""
        from matplotlib import pyplot as plt

        names = [name for name in self.names if any(fnmatch.fnmatch(name, p) for p in patterns)]
        if not names:
            self._columns(list(patterns))  # says what is near
        _, axes = plt.subplots(layout="constrained")
        for name in names:
            axes.plot(self.t, self[name], lw=1.2, label=name)
        axes.set(xlabel="t (s)", title=self.model.name)
        axes.legend(fontsize="small")
        return axes

    def __repr__(self) -> str:
        last = self.t[-1] if len(self.t) else 0.0
        return f"<Run of {self.model.name}: {len(self)} instants up to {last:g} s, {len(self.names)} channels>"
