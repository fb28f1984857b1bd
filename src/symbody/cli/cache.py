"""`symbody cache`: show or clear the cache of compiled code."""

from __future__ import annotations

import argparse
from typing import Any

from symbody.codegen.cache import DAY, cache_folder
from symbody.codegen.eviction import OLDEST, cache_entries, cache_megabytes, clear_cache

SUMMARY = "Show the size, location and age of the compiled code in the cache; or remove it."
EXAMPLE = "--json"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="remove all compiled code; it is recompiled when needed")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Numbers, sizes (MB) and ages (days since the last use) by kind; with --clear, the space freed (MB)."""
    folder = cache_folder()
    if arguments.clear:
        return {"folder": str(folder), "freed_MB": round(clear_cache(folder) / 1e6, 3)}
    entries = cache_entries(folder)
    kinds = []
    for kind in dict.fromkeys(entry.kind for entry in entries):
        sizes, ages = zip(*[(entry.size, entry.age) for entry in entries if entry.kind == kind], strict=True)
        newest, oldest = min(ages) / DAY, max(ages) / DAY
        kinds.append(
            {"kind": kind, "number": len(sizes), "MB": sum(sizes) / 1e6, "newest_days": newest, "oldest_days": oldest}
        )
    return {
        "folder": str(folder),
        "MB": round(sum(entry.size for entry in entries) / 1e6, 3),
        "most_MB": cache_megabytes(),
        "most_days": OLDEST / DAY,
        "kinds": kinds,
    }
