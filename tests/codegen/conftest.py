"""Each test has a cache of its own and optimised code, unless it says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYMBODY_CACHE", str(folder))
    monkeypatch.setenv("SYMBODY_TIER", "optimised")
    return folder
