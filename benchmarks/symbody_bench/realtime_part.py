"""The result of one part of the real-time benchmark."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symbody.realtime.statistics import Histogram


@dataclass
class BenchPart:
    """Rows of its table, and data for files."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    histograms: dict[str, Histogram] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # what could not be measured here, and why
    rights: tuple[str, ...] = ()  # of the loops
