"""Results of a sweep: samples and measures as arrays, or in a Parquet file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from symbody.errors import ChannelError
from symbody.html_text import object_html
from symbody.output_file import replacing
from symbody.results.parquet_stream import column_of, texts_of
from symbody.suggestions import did_you_mean
from symbody.system.system import Array

NOT_RUN = "not run: interrupted"
FAILURE = "failure"  # the column of reasons in a file
QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Sweep:
    """Samples (one row each) and the measures of their runs; a failed run has NaN, and a reason in `failures`."""

    names: list[str]
    samples: Array
    measures: list[str]
    values: Array
    failures: dict[int, str]
    shape: tuple[int, ...]  # of the grid: `sweep["max(heave.q)"].reshape(sweep.shape)`

    def __getitem__(self, name: str) -> Array:
        """A measure or a parameter for all samples."""
        if name in self.measures:
            return self.values[:, self.measures.index(name)]
        if name in self.names:
            return self.samples[:, self.names.index(name)]
        raise ChannelError(
            f"no column {name!r} in this sweep ({did_you_mean(name, [*self.measures, *self.names], 'columns')})"
        )

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def finished(self) -> bool:
        """Whether every sample was run."""
        return NOT_RUN not in self.failures.values()

    @property
    def table(self) -> list[dict[str, Any]]:
        """One record per measure: statistics over the runs that did not fail."""
        return [{"measure": name, **_statistics(self[name])} for name in self.measures]

    def save(self, path: Path) -> Path:
        """Write samples and measures as CSV; an existing file is replaced atomically."""
        header = ",".join([*self.names, *self.measures])
        rows = np.column_stack([self.samples, self.values])
        with replacing(path) as partial:
            np.savetxt(partial, rows, delimiter=",", header=header, comments="", fmt="%.17g")
        return path

    def plot(self, measure: str | None = None) -> Any:
        """Plot a measure over one parameter, over a grid of two, or else as a histogram; return the axes."""
        from matplotlib import pyplot as plt

        name = measure or self.measures[0]
        _, axes = plt.subplots(layout="constrained")
        if len(self.names) == 1:
            order = np.argsort(self.samples[:, 0])
            axes.plot(self.samples[order, 0], self[name][order], ".-", lw=1.0)
            axes.set(xlabel=self.names[0], ylabel=name)
        elif len(self.names) == 2 and len(self.shape) == 2:
            x, y, z = (self[n].reshape(self.shape) for n in (*self.names, name))
            axes.figure.colorbar(axes.contourf(x, y, z, 20), label=name)
            axes.set(xlabel=self.names[0], ylabel=self.names[1])
        else:
            values = self[name]
            axes.hist(values[np.isfinite(values)], bins="auto")
            axes.set(xlabel=name, ylabel="runs")
        return axes

    def __iter__(self) -> Iterator[str]:
        return iter([*self.names, *self.measures])

    def __contains__(self, name: object) -> bool:
        return name in self.names or name in self.measures

    def keys(self) -> list[str]:
        """Names of the parameters and of the measures."""
        return list(self)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def _repr_html_(self) -> str:
        rows = {"over": self.names, "runs": len(self), "failed": len(self.failures)}
        return object_html("Sweep", rows, self.table)

    def __repr__(self) -> str:
        return f"<Sweep of {', '.join(self.names)}: {len(self)} runs, {len(self.failures)} failed>"


def _statistics(values: Array) -> dict[str, float]:
    sound = values[np.isfinite(values)]
    if not len(sound):
        return {"runs": 0}
    quantiles = {f"{100 * q:g}%": float(x) for q, x in zip(QUANTILES, np.quantile(sound, QUANTILES), strict=True)}
    spread = float(sound.std(ddof=1)) if len(sound) > 1 else 0.0
    return {
        "runs": len(sound), "mean": float(sound.mean()), "deviation": spread, "least": float(sound.min()),
        **quantiles, "largest": float(sound.max()),
    }  # fmt: skip


@dataclass(frozen=True)
class SweepFile:
    """The same in a Parquet file, one row per sample; a column is read when it is asked for."""

    path: Path
    names: list[str]
    measures: list[str]
    runs: int
    failed: int
    shape: tuple[int, ...]

    def __getitem__(self, name: str) -> Array:
        """A measure or a parameter for all samples."""
        if name not in self.keys():
            raise ChannelError(f"no column {name!r} in this sweep ({did_you_mean(name, self.keys(), 'columns')})")
        return column_of(self.path, name)

    def __len__(self) -> int:
        return self.runs

    def keys(self) -> list[str]:
        """Names of the parameters and of the measures."""
        return [*self.names, *self.measures]

    @property
    def failures(self) -> dict[int, str]:
        """Reasons of the failed runs, by number."""
        return texts_of(self.path, FAILURE) if self.failed else {}

    @property
    def finished(self) -> bool:
        """Whether every sample was run."""
        return NOT_RUN not in self.failures.values()

    @property
    def table(self) -> list[dict[str, Any]]:
        """One record per measure: statistics over the runs that did not fail."""
        return [{"measure": name, **_statistics(self[name])} for name in self.measures]

    def loaded(self) -> Sweep:
        """All columns as arrays."""
        samples, values = (np.stack([self[name] for name in part], axis=1) for part in (self.names, self.measures))
        return Sweep(self.names, samples, self.measures, values, self.failures, self.shape)

    def __repr__(self) -> str:
        return f"<SweepFile {self.path} of {', '.join(self.names)}: {self.runs} runs, {self.failed} failed>"
