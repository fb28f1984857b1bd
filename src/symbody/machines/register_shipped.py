"""Model files that come along, by their names."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from symbody.errors import ModelError
from symbody.model import Model, load


def open_model(name: str) -> Model:
    """A model from a file, or one of those that come with symbody by its name."""
    if Path(name).suffix or Path(name).exists():
        return load(name)
    shipped = {Path(entry.name).stem: entry for entry in files("symbody.models").iterdir() if "." in entry.name}
    shipped = {stem: entry for stem, entry in shipped.items() if not stem.startswith("_")}
    if name not in shipped:
        cure = f"give a .yaml, .mbs or .urdf file, or one of {', '.join(sorted(shipped))}"
        raise ModelError("no such model", element=name, cure=cure)
    with as_file(shipped[name]) as path:
        return load(path)
