"""Entries of the cache as one file, for workers on other computers.

An entry whose name contains another compiler or processor is of no use there and is compiled again: names are hashes of
all inputs. The receiver checks names and computes all hashes again.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from symbody.codegen import cache as store
from symbody.codegen.ownership import read_owned


def pack(names: Iterable[str]) -> bytes:
    """Entries and keys of this cache, by the names of `recorded`, as a zip file."""
    root, data = store.cache_folder(), io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(names):
            if name.startswith(f"{store.KEYS}/"):
                file.writestr(name, read_owned(root / name))
            elif entry := store.load_entry(name):
                for path in sorted(entry[0].iterdir()):
                    file.writestr(f"{name}/{path.name}", read_owned(path))
    return data.getvalue()


def unpack(data: bytes) -> int:
    """Put the entries and keys that are missing into the cache of this process; return the number of new entries."""
    new = 0
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        folders: dict[str, list[str]] = {}
        for path in file.namelist():
            folder, _, name = path.partition("/")
            if folder == store.KEYS and store.NAME.fullmatch(name):
                store.keep_key(name, file.read(path))
            elif store.NAME.fullmatch(folder) and Path(name).name == name:
                folders.setdefault(folder, []).append(name)
        for folder, names in folders.items():
            if store.load_entry(folder) is None:
                contents = {name: file.read(f"{folder}/{name}") for name in names}
                store.make_entry(folder, lambda place, contents=contents: _written(place, contents))  # type: ignore[misc]
                new += 1
    return new


def _written(place: Path, contents: dict[str, bytes]) -> dict[str, Any]:
    """Write the files of an entry; return its manifest."""
    for name, content in contents.items():
        if name != store.MANIFEST:
            (place / name).write_bytes(content)
    facts: dict[str, Any] = json.loads(contents[store.MANIFEST].partition(b"\n")[2])
    return facts
